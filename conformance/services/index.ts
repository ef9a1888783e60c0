/** The catalogue of legal services: servers that make other legal choices than the reference. No run may ever fail one. */

import { gapChoices } from '../../reference-server/twin/gaps.ts';
import { removalOfGetPet } from '../../spec/facts.ts';
import type { AnswerId, GapChoices, OpenGapId } from '../../spec/gaps.ts';
import { hourMs, secondMs } from '../http/tolerances.ts';
import { creationServices } from './creations.ts';
import { formServices } from './forms.ts';
import { gatewayServices } from './gateways.ts';
import { limitServices } from './limits.ts';
import { busy, manyAnimals, sharedKey } from './other-clients.ts';
import { refusalServices } from './refusals.ts';
import { type Service, servicesOf } from './service.ts';
import {
  cappedAt,
  filteredAt,
  isListing,
  isListingOrRead,
  isRead,
  lagging,
  limitBeforeFilter,
  oneOfThreeLags,
  othersVanish,
  perKey,
} from './visibility.ts';
import { changeAnswer, type Wrap, withHeader } from './wraps.ts';

export { handleOf } from './service.ts';

/**
 * The observations of choices that a run cannot tell apart. A window reveals how it moves only to requests over more than
 * a minute or to a nearly exhausted day; a ban shows only after many refusals.
 */
const indistinct: { readonly [Id in OpenGapId]?: { readonly [Answer in AnswerId<Id>]?: AnswerId<Id> | null } } = {
  // A run does not search for what is wrong with a name.
  'name-limits': Object.fromEntries(
    (['at-most-100', 'at-most-255', 'other-length', 'plain-only', 'not-empty'] as const).map(
      (choice) => [choice, 'refused-400'] as const,
    ),
  ),
  'rate-limit-window': { tightest: 'at-most-a-minute', minute: 'at-most-a-minute' },
  ban: { none: null },
};

/** The answer that a run with the default budget observes for a choice. */
export function seenOf(gap: string, answer: string): string | null {
  const all: Readonly<Record<string, Readonly<Record<string, string | null>>>> = indistinct;
  const seen = all[gap]?.[answer];
  return seen === undefined ? answer : seen;
}

/** The first day without getPet, about noon. */
const removed = Date.UTC(2030, 11, 5, 12, 0, 20);
/** The gap that only shows on another day. */
const afterRemoval = 'after-removal';

function observing(answers: readonly (readonly [gap: string, answer: string])[]): Service['observes'] & object {
  return Object.fromEntries(answers.map(([gap, answer]) => [gap, seenOf(gap, answer)]));
}

/** The reference server, all of whose answers a run observes, and a row for each other answer to a gap. */
const byGap: readonly Service[] = [
  {
    id: 'reference',
    observes: observing(
      Object.entries(gapChoices).flatMap(([gap, [own = '']]) => (gap === afterRemoval ? [] : [[gap, own]])),
    ),
  },
  ...Object.entries(gapChoices).flatMap(([gap, answers]) =>
    answers.slice(gap === afterRemoval ? 0 : 1).map((answer) => ({
      id: `${gap}=${answer}`,
      gaps: { [gap]: answer } as Partial<GapChoices>,
      observes: observing([[gap, answer]]),
      ...(gap === afterRemoval && { startsAt: removed }),
    })),
  ),
];

const newestFirst = { gaps: { 'list-order': 'newest-first' } } as const;
const shuffled = { gaps: { 'list-order': 'shuffled' } } as const;
const later = { visibility: 'later' } as const;
const limitFirst = { 'short-pages': 'limit-before-filter' } as const;
const thousand = { animals: manyAnimals(1_000) };

/** What others add, remove and use up; when a service shows an animal, how many at once, and to whom. */
const ofCatalogues = servicesOf({
  'ten-animals': [undefined, {}, { animals: manyAnimals(10) }],
  'thirty-animals': [undefined, {}, { animals: manyAnimals(30) }],
  'thousand-animals': [undefined, { 'list-order': null }, thousand],
  'thousand-animals-newest-first': [undefined, newestFirst.gaps, { ...thousand, ...newestFirst }],
  busy: [busy],
  'busy-near-the-default-page': [busy, {}, { animals: manyAnimals(12) }],
  'shared-key': [sharedKey],
  'animals-of-others-vanish': [othersVanish, {}, { animals: manyAnimals(12) }],
  'animals-per-key': [perKey, { 'key-scope': 'per-key' }],
  'pages-lag-3000-ms': [lagging(3_000, isListing), later],
  'reads-lag-3000-ms': [lagging(3_000, isRead), later],
  'replica-lags-80-ms': [lagging(80, isListingOrRead), later],
  'replica-lags-1000-ms': [lagging(1_000, isListingOrRead), later],
  'replica-lags-10000-ms': [lagging(10_000, isListingOrRead), later],
  'one-of-three-replicas-lags-2000-ms': [oneOfThreeLags(2_000), later],
  'pages-of-20': [cappedAt(20), { 'page-cap': 'fewer' }],
  // Three hundred requests create fewer animals than a page holds.
  'pages-of-50-newest-first': [
    cappedAt(50),
    { 'page-cap': 'as-asked', ...newestFirst.gaps },
    { animals: manyAnimals(60), ...newestFirst },
  ],
  'limit-before-filter': [limitBeforeFilter, limitFirst],
  'limit-before-filter-shuffled': [
    limitBeforeFilter,
    { ...limitFirst, ...shuffled.gaps },
    { animals: manyAnimals(30), ...shuffled },
  ],
  'filtered-pages-of-10': [filteredAt(10), limitFirst],
  'filtered-pages-of-3-newest-first': [filteredAt(3), limitFirst, newestFirst],
});

/** Date by a clock that is ahead of the service's. */
const dated = (aheadMs: number): Wrap =>
  changeAnswer((answer, { now }) => withHeader(answer, 'Date', new Date(now + aheadMs).toUTCString()));

/** From the earliest moment of its removal on, a router that knows getPet no more answers it. */
const removedAsAPage: Wrap = changeAnswer((answer, { operation, now }) =>
  operation === 'getPet' && now >= removalOfGetPet
    ? { ...withHeader(answer, 'Content-Type', 'text/html'), status: 404, body: '<html>Not Found</html>' }
    : undefined,
);

const ofClocks = servicesOf({
  slow: [undefined, {}, { latencyMs: 900 }],
  'clock-ahead': [undefined, {}, { skewMs: hourMs }],
  'clock-behind': [undefined, {}, { skewMs: -2 * hourMs }],
  'clock-a-little-behind-its-gateway': [dated(9_000), {}, { skewMs: -9_000 }],
  'date-of-a-gateway': [dated(hourMs)],
  'no-date': [undefined, {}, { hasNoDate: true }],
  'get-pet-removed-during-the-run': [
    removedAsAPage,
    { 'after-removal': 'refused-otherwise' },
    { startsAt: removalOfGetPet - 20 * secondMs, latencyMs: secondMs },
  ],
});

/** Every other answer to a gap, and every circumstance that a real product shows. */
export const services: readonly Service[] = [
  ...byGap,
  ...ofCatalogues,
  ...ofClocks,
  ...formServices,
  ...refusalServices,
  ...creationServices,
  ...limitServices,
  ...gatewayServices,
];

/** The service with an id; throws a RangeError where there is none. */
export function findService(id: string): Service {
  const found = services.find((service) => service.id === id);
  if (found === undefined) throw new RangeError(`There is no legal service ${id}.`);
  return found;
}
