/** The catalogue of legal services: servers that make other legal choices than the reference. No run may ever fail one. */

import { gapChoices } from '../../reference-server/twin/gaps.ts';
import type { AnswerId, GapChoices, OpenGapId } from '../../spec/gaps.ts';
import { hourMs } from '../http/tolerances.ts';
import { cacheServices, plainCaches } from './caches.ts';
import { creationServices } from './creations.ts';
import { dateServices } from './dates.ts';
import {
  allowsOrigin,
  echoesCreation,
  escapedJson,
  lowerCaseHeaders,
  nestsDeeply,
  prettyJson,
  repeatedHeaders,
  reversedFields,
  snowflakeIds,
} from './forms.ts';
import { keyServices } from './keys.ts';
import { limitServices } from './limits.ts';
import { busy, manyAnimals, othersAtTheEnds, othersVanish, sharedKey } from './other-clients.ts';
import { outageServices } from './outages.ts';
import { refusalServices, refusingGateways } from './refusals.ts';
import type { Observed, Service } from './service.ts';
import { visibilityServices } from './visibility.ts';
import { layers } from './wraps.ts';

export { handleOf } from './service.ts';

/**
 * The observations of choices that a run cannot tell apart. A window reveals how it moves only to requests over more than
 * a minute or to a nearly exhausted day; a ban shows only after many refusals.
 */
const indistinct: { readonly [Id in OpenGapId]?: { readonly [Answer in AnswerId<Id>]?: AnswerId<Id> | null } } = {
  // A run does not search for the longest name.
  'name-limits': { 'at-most-100': 'other-length', 'at-most-255': 'other-length', 'plain-only': 'some-characters' },
  'rate-limit-window': { tightest: 'at-most-a-minute', minute: 'at-most-a-minute', sliding: 'at-most-a-minute' },
  ban: { 'banned-429': null, none: null },
};

/** The answer that a run with the default budget observes for a choice. */
export function seenOf(gap: string, answer: string): string | null {
  const all: Readonly<Record<string, Readonly<Record<string, string | null>>>> = indistinct;
  const seen = all[gap]?.[answer];
  return seen === undefined ? answer : seen;
}

/** The first day without getPet, about noon. */
const removed = Date.UTC(2030, 11, 5, 12, 0, 20);

/** A row for each answer to a gap. */
const byGap: readonly Service[] = Object.entries(gapChoices).flatMap(([gap, answers]) =>
  answers.map((answer) => ({
    id: `${gap}=${answer}`,
    gaps: { [gap]: answer } as Partial<GapChoices>,
    observes: { [gap]: seenOf(gap, answer) } as Observed,
    ...(gap === 'after-removal' ? { startsAt: removed } : {}),
  })),
);

const newestFirst = { 'list-order': 'newest-first' } as const;
const shuffled = { 'list-order': 'shuffled' } as const;
const thousand = manyAnimals(1_000);

const byCircumstance: readonly Service[] = [
  ...Object.entries({ ten: 10, thirty: 30, 'ninety-five': 95 }).map(([id, count]) => ({
    id: `${id}-animals`,
    animals: manyAnimals(count),
  })),
  { id: 'thousand-animals', animals: thousand, observes: { 'list-order': null } },
  { id: 'thousand-animals-newest-first', animals: thousand, gaps: newestFirst, observes: newestFirst },
  { id: 'thousand-animals-shuffled', animals: thousand, gaps: shuffled, observes: shuffled },
  { id: 'echoes-creation', wrap: echoesCreation, observes: { 'status-omitted': 'available' } },
  { id: 'busy', wrap: busy },
  { id: 'busy-near-the-default-page', wrap: busy, animals: manyAnimals(12) },
  { id: 'busy-near-the-largest-page', wrap: busy, animals: manyAnimals(85) },
  { id: 'shared-key', wrap: sharedKey },
  { id: 'slow', latencyMs: 900 },
  { id: 'clock-ahead', skewMs: hourMs },
  { id: 'clock-behind', skewMs: -2 * hourMs },
  { id: 'allows-one-origin', wrap: allowsOrigin(() => 'https://shop.example'), observes: { cors: 'some-origins' } },
  { id: 'allows-the-origin-of-a-request', wrap: allowsOrigin((origin) => origin), observes: { cors: 'any-origin' } },
  { id: 'lower-case-headers', wrap: lowerCaseHeaders },
  { id: 'repeated-headers', wrap: repeatedHeaders },
  { id: 'pretty-json', wrap: prettyJson },
  { id: 'escaped-json', wrap: escapedJson },
  { id: 'reversed-fields', wrap: reversedFields },
  { id: 'ids-far-apart', wrap: snowflakeIds, observes: { 'id-form': 'rising' } },
  { id: 'ids-of-others-at-the-ends', wrap: othersAtTheEnds, animals: thousand, gaps: newestFirst },
  { id: 'animals-of-others-vanish', wrap: othersVanish, animals: manyAnimals(12) },
  { id: 'deeply-nested-fields', wrap: nestsDeeply, observes: { 'extra-response-fields': null } },
];

/** Every answer of every gap, and every circumstance that a real product shows. */
export const services: readonly Service[] = [
  ...byGap,
  ...byCircumstance,
  ...refusalServices,
  ...keyServices,
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
  ...plainCaches,
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
