/** Variants: servers that make other legal choices. No run may ever fail one. */

import type { Handle } from '../../reference-server/index.ts';
import { createTwin, gapChoices } from '../../reference-server/twin/gaps.ts';
import { defined } from '../../spec/defined.ts';
import type { AnswerId, GapChoices, OpenGapId } from '../../spec/gaps.ts';
import { seededRandom } from '../../spec/random.ts';
import { cacheVariants, plainCaches } from './caches.ts';
import { creationVariants } from './creations.ts';
import { dateVariants } from './dates.ts';
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
import { keyVariants } from './keys.ts';
import { limitVariants } from './limits.ts';
import {
  busy,
  lowestFreeIds,
  manyAnimals,
  othersAtTheEnds,
  othersVanish,
  sharedKey,
  startsAnew,
} from './other-clients.ts';
import { outageVariants } from './outages.ts';
import { refusalVariants, refusingGateways } from './refusals.ts';
import type { Observed, Variant } from './service.ts';
import { visibilityVariants } from './visibility.ts';
import { keysOfTrials, layers, trialKeys } from './wraps.ts';

/**
 * The observations of choices that a run cannot tell apart. A window reveals how it moves only to requests over more than
 * a minute or to a nearly exhausted day; a ban shows only after many refusals.
 */
const indistinct: { readonly [Id in OpenGapId]?: { readonly [Answer in AnswerId<Id>]?: AnswerId<Id> | null } } = {
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

const byGap: readonly Variant[] = Object.entries(gapChoices).flatMap(([gap, answers]) =>
  answers.map((answer) => ({
    id: `${gap}=${answer}`,
    gaps: { [gap]: answer } as Partial<GapChoices>,
    observes: { [gap]: seenOf(gap, answer) } as Observed,
    ...(gap === 'after-removal' ? { startsAt: removed } : {}),
  })),
);

const newestFirst = { 'list-order': 'newest-first' } as const;
const shuffled = { 'list-order': 'shuffled' } as const;
const randomIds = { 'id-form': 'random' } as const;
const thousand = manyAnimals(1_000);

const byCircumstance: readonly Variant[] = [
  { id: 'ten-animals', animals: manyAnimals(10) },
  { id: 'thirty-animals', animals: manyAnimals(30) },
  { id: 'ninety-five-animals', animals: manyAnimals(95) },
  { id: 'thousand-animals', animals: thousand, observes: { 'list-order': null } },
  { id: 'thousand-animals-newest-first', animals: thousand, gaps: newestFirst, observes: newestFirst },
  { id: 'thousand-animals-shuffled', animals: thousand, gaps: shuffled, observes: shuffled },
  {
    id: 'thousand-animals-with-large-ids-newest-first',
    animals: thousand,
    gaps: { ...newestFirst, 'id-form': 'large' },
  },
  { id: 'thousand-animals-with-large-ids-shuffled', animals: thousand, gaps: { ...shuffled, 'id-form': 'large' } },
  { id: 'echoes-creation', wrap: echoesCreation, observes: { 'status-omitted': 'available' } },
  { id: 'busy', wrap: busy },
  { id: 'busy-near-the-default-page', wrap: busy, animals: manyAnimals(12) },
  { id: 'busy-near-the-largest-page', wrap: busy, animals: manyAnimals(85) },
  { id: 'busy-and-shuffled', wrap: busy, animals: manyAnimals(40), gaps: shuffled },
  { id: 'shared-key', wrap: sharedKey },
  { id: 'slow', latencyMs: 900 },
  { id: 'very-slow', latencyMs: 4_000 },
  { id: 'clock-ahead', skewMs: 3_600_000 },
  { id: 'clock-behind', skewMs: -7_200_000 },
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
  {
    id: 'ids-of-vanished-animals-are-assigned-again',
    wrap: lowestFreeIds,
    animals: manyAnimals(12),
    // Observers of pages take an animal with such an id for the one that had it before.
    observes: { 'id-form': 'random', 'list-order': 'shuffled', 'short-pages': 'limit-before-filter' },
  },
  ...[12, 33, 45].flatMap((after): readonly Variant[] => [
    { id: `starts-anew-after-${after}-requests`, wrap: startsAnew(after) },
    { id: `ids-of-others-are-free-after-${after}-requests`, wrap: startsAnew(after), animals: manyAnimals(12) },
  ]),
  { id: 'starts-anew-after-150-requests', wrap: startsAnew(150) },
  ...[33, 80].map((after) => ({
    id: `full-and-starts-anew-after-${after}-requests`,
    wrap: startsAnew(after, {}, thousand),
    animals: thousand,
    observes: { 'list-order': null },
  })),
  { id: 'others-empty-it-early', wrap: startsAnew(12, randomIds), gaps: randomIds },
  {
    id: 'others-empty-it-late',
    wrap: startsAnew(150, randomIds),
    gaps: randomIds,
    observes: { 'page-cap': 'newest-only' },
  },
  { id: 'deeply-nested-fields', wrap: nestsDeeply, observes: { 'extra-response-fields': null } },
];

const single: readonly Variant[] = [
  ...byGap,
  ...byCircumstance,
  ...refusalVariants,
  ...keyVariants,
  ...visibilityVariants,
  ...cacheVariants,
  ...creationVariants,
  ...limitVariants,
  ...dateVariants,
  ...outageVariants,
];

/** What may stand before any service: caches, outages and gateways that refuse, none of which ends a run. */
export const gatewayVariants = [
  ...plainCaches,
  ...outageVariants.filter(({ exitCode }) => exitCode === undefined),
  ...refusingGateways,
];

/** A service behind a gateway. */
export function behind(gateway: Variant, service: Variant): Variant {
  return {
    ...gateway,
    ...service,
    id: `${service.id}-behind-${gateway.id}`,
    wrap: layers(...[gateway.wrap, service.wrap].filter((wrap) => wrap !== undefined)),
    observes: { ...service.observes, ...gateway.observes },
    settings: { ...service.settings, ...gateway.settings },
  };
}

const find = (id: string): Variant => single.find((one) => one.id === id)!;

const behindGateways: readonly Variant[] = [
  {
    ...behind(find('outage-every-seventh-that-is-stored'), find('unique-names-and-a-lost-answer')),
    // An animal whose answer is lost makes its name one that is taken.
    observes: { 'name-limits': 'some-characters' },
  },
  behind(find('outage-every-seventh-that-is-stored'), find('outage-ban-of-twenty-seconds-with-eight-at-a-time')),
  behind(find('firewall-answers-405'), find('quota-of-25-creations')),
];

/** Every answer of every gap, every circumstance, and some of them behind gateways. */
export const variants: readonly Variant[] = [...single, ...behindGateways];

/** Creates the server of a variant; `seed` drives its random choices. */
export function handleOf({ perMinute, gaps, animals, wrap }: Variant, seed = 1): Handle {
  const [api, rateLimit] = trialKeys;
  const keys = [{ ...api, ...defined({ perMinute }) }, rateLimit];
  const { handle } = createTwin({ keys, random: seededRandom(seed), ...defined({ gaps, animals }) });
  return wrap === undefined ? handle : wrap(handle, keysOfTrials);
}
