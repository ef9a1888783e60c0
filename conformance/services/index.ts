/** The catalogue of legal services: servers that make other legal choices than the reference. No run may ever fail one. */

import { gapChoices } from '../../reference-server/twin/gaps.ts';
import type { AnswerId, GapChoices, OpenGapId } from '../../spec/gaps.ts';
import { cacheServices } from './caches.ts';
import { creationServices } from './creations.ts';
import { dateServices } from './dates.ts';
import { formServices } from './forms.ts';
import { limitServices } from './limits.ts';
import { busy, manyAnimals, sharedKey } from './other-clients.ts';
import { outageServices } from './outages.ts';
import { refusalServices, refusingGateways } from './refusals.ts';
import type { Service } from './service.ts';
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
import { layers } from './wraps.ts';

export { handleOf } from './service.ts';

/**
 * The observations of choices that a run cannot tell apart. A window reveals how it moves only to requests over more than
 * a minute or to a nearly exhausted day; a ban shows only after many refusals.
 */
const indistinct: { readonly [Id in OpenGapId]?: { readonly [Answer in AnswerId<Id>]?: AnswerId<Id> | null } } = {
  // A run does not search for the longest name.
  'name-limits': { 'at-most-100': 'other-length', 'at-most-255': 'other-length', 'plain-only': 'some-characters' },
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
const late = { observes: { visibility: 'later' } } as const;
const limitFirst = { observes: { 'short-pages': 'limit-before-filter' } } as const;
const thousand = manyAnimals(1_000);

/** What other clients add, remove and use up. */
const sharedServices: readonly Service[] = [
  { id: 'ten-animals', animals: manyAnimals(10) },
  { id: 'thirty-animals', animals: manyAnimals(30) },
  { id: 'thousand-animals', animals: thousand, observes: { 'list-order': null } },
  { id: 'thousand-animals-newest-first', animals: thousand, ...newestFirst, observes: newestFirst.gaps },
  { id: 'busy', wrap: busy },
  { id: 'busy-near-the-default-page', wrap: busy, animals: manyAnimals(12) },
  { id: 'shared-key', wrap: sharedKey },
];

/** When a service shows an animal, how many at once, and to whom. */
const visibilityServices: readonly Service[] = [
  { id: 'pages-lag-3000-ms', wrap: lagging(3_000, isListing), ...late },
  { id: 'reads-lag-3000-ms', wrap: lagging(3_000, isRead), ...late },
  ...[80, 1_000, 10_000].map((ms) => ({ id: `replica-lags-${ms}-ms`, wrap: lagging(ms, isListingOrRead), ...late })),
  { id: 'one-of-three-replicas-lags-2000-ms', wrap: oneOfThreeLags(2_000), ...late },
  { id: 'pages-of-20', wrap: cappedAt(20), observes: { 'page-cap': 'fewer' } },
  {
    ...newestFirst,
    id: 'pages-of-50-newest-first',
    wrap: cappedAt(50),
    animals: manyAnimals(60),
    // Three hundred requests create fewer animals than a page holds.
    observes: { 'page-cap': 'as-asked', 'list-order': 'newest-first' },
  },
  { id: 'limit-before-filter', wrap: limitBeforeFilter, ...limitFirst },
  {
    id: 'limit-before-filter-shuffled',
    wrap: limitBeforeFilter,
    animals: manyAnimals(30),
    gaps: { 'list-order': 'shuffled' },
    observes: { 'list-order': 'shuffled', 'short-pages': 'limit-before-filter' },
  },
  { id: 'filtered-pages-of-10', wrap: filteredAt(10), ...limitFirst },
  { id: 'filtered-pages-of-3-newest-first', wrap: filteredAt(3), ...newestFirst, ...limitFirst },
  { id: 'animals-of-others-vanish', wrap: othersVanish, animals: manyAnimals(12) },
  { id: 'animals-per-key', wrap: perKey, observes: { 'key-scope': 'per-key' } },
];

/** Every other answer to a gap, and every circumstance that a real product shows. */
export const services: readonly Service[] = [
  ...byGap,
  ...sharedServices,
  ...formServices,
  ...refusalServices,
  ...visibilityServices,
  ...cacheServices,
  ...creationServices,
  ...limitServices,
  ...dateServices,
  ...outageServices,
];

/** The service with an id; throws a RangeError where there is none. */
export function findService(id: string): Service {
  const found = services.find((service) => service.id === id);
  if (found === undefined) throw new RangeError(`There is no legal service ${id}.`);
  return found;
}

/** What may stand before any service: caches, outages and gateways that refuse, none of which ends a run. */
export const gateways: readonly Service[] = [
  ...cacheServices,
  ...outageServices.filter(({ exitCode }) => exitCode === undefined),
  ...refusingGateways,
];

/** A combination of two rows: a service behind a gateway. */
export function behind(gateway: Service, service: Service): Service {
  return {
    ...gateway,
    ...service,
    id: `${service.id}-behind-${gateway.id}`,
    wrap: layers(...[gateway.wrap, service.wrap].filter((wrap) => wrap !== undefined)),
    observes: { ...service.observes, ...gateway.observes },
    settings: { ...service.settings, ...gateway.settings },
  };
}
