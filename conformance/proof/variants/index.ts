/** Variants: servers that make other legal choices. No run may ever fail one. */

import { createPetStore, gapChoices, type Handle } from '../../../reference-server/index.ts';
import { defined } from '../../../spec/defined.ts';
import type { AnswerId, GapChoices, OpenGapId } from '../../../spec/gaps.ts';
import { seededRandom } from '../../../spec/random.ts';
import {
  allowsOrigin,
  echoesCreation,
  escapedJson,
  lowerCaseHeaders,
  nestsDeeply,
  prettyJson,
  reversedFields,
  snowflakeIds,
} from '../../sections/1-service/forms.ts';
import {
  busy,
  manyAnimals,
  othersAtTheEnds,
  othersVanish,
  sharedKey,
} from '../../sections/4.1-list-pets/other-clients.ts';
import { changeAnswer, layers, trialKeys } from '../../sections/fault.ts';
import { largeBudget } from '../../verdict/settings.ts';
import type { Observed, Variant } from '../variant.ts';
import { cacheVariants } from './caches.ts';
import {
  anyWhiteSpaceBeforeKeys,
  forbidsListing,
  guarded,
  keysWithoutCase,
  typedRoutes,
  withoutScopeFor,
} from './keys.ts';
import {
  asctime,
  bucket,
  heavyUse,
  refusesAddresses,
  resetFromNow,
  retryAfter,
  rfc850,
  spentDay,
  usedBefore,
  withDate,
} from './limits.ts';
import { creationVariants } from './of-creations.ts';
import { limitVariants } from './of-limits.ts';
import { outageVariants } from './outages.ts';
import {
  bareGateway,
  breaksOffLargeBodies,
  dropsStrangeQueries,
  failsOnWhatIsNotShown,
  gatewayForQueries,
  losesAnAnswer,
  noControls,
  notImplemented,
  ownBodiesOfOtherErrors,
  refusesEncodings,
  refusesRepeated,
  refusesUntyped,
  replacesHalves,
  routerPage,
  smallBodies,
  smallCategories,
  stallsOnLongNames,
  takesTheLast,
} from './refusals.ts';
import { visibilityVariants } from './visibility.ts';

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
  { id: 'refuses-addresses', wrap: refusesAddresses },
  { id: 'bare-gateway', wrap: bareGateway },
  { id: 'busy', wrap: busy },
  { id: 'busy-near-the-default-page', wrap: busy, animals: manyAnimals(12) },
  { id: 'busy-near-the-largest-page', wrap: busy, animals: manyAnimals(85) },
  { id: 'busy-and-shuffled', wrap: busy, animals: manyAnimals(40), gaps: shuffled },
  { id: 'shared-key', wrap: sharedKey },
  { id: 'slow', latencyMs: 900 },
  { id: 'very-slow', latencyMs: 4_000 },
  { id: 'clock-ahead', skewMs: 3_600_000 },
  { id: 'clock-behind', skewMs: -7_200_000 },
  // The numbers of the key are those of a client without one.
  { id: 'free-plan-numbers', perMinute: 60, observes: { 'rate-limit-without-key': null } },
  { id: 'free-plan-numbers-slow', perMinute: 60, latencyMs: 700 },
  {
    id: 'free-plan-numbers-sliding',
    perMinute: 60,
    latencyMs: 300,
    gaps: { 'rate-limit-window': 'sliding' },
    observes: { 'rate-limit-window': 'sliding' },
  },
  { id: 'free-plan-numbers-of-the-day', perMinute: 60, gaps: { 'rate-limit-window': 'day' } },
  { id: 'bucket', wrap: bucket(1_000), showsOtherLimits: true, observes: { 'rate-limit-window': 'moving' } },
  { id: 'bucket-slow', wrap: bucket(1_000), latencyMs: 200, showsOtherLimits: true },
  { id: 'bucket-slower', wrap: bucket(300), latencyMs: 450, showsOtherLimits: true },
  {
    id: 'bucket-tiny-latency',
    wrap: bucket(1_000),
    latencyMs: 40,
    showsOtherLimits: true,
    settings: largeBudget,
    observes: { 'rate-limit-window': 'moving' },
  },
  { id: 'reset-from-now', wrap: resetFromNow, latencyMs: 120, observes: { 'rate-limit-window': 'moving' } },
  { id: 'allows-one-origin', wrap: allowsOrigin(() => 'https://shop.example'), observes: { cors: 'some-origins' } },
  { id: 'allows-the-origin-of-a-request', wrap: allowsOrigin((origin) => origin), observes: { cors: 'any-origin' } },
  { id: 'lower-case-headers', wrap: lowerCaseHeaders },
  { id: 'pretty-json', wrap: prettyJson },
  { id: 'escaped-json', wrap: escapedJson },
  { id: 'reversed-fields', wrap: reversedFields },
  // The router's page is not an Error. Numbers of any length pass the router.
  { id: 'router-page', wrap: routerPage, observes: { 'pet-id-not-int64': ['refused-otherwise', 'not-found-404'] } },
  { id: 'small-bodies', wrap: smallBodies(4_096) },
  { id: 'very-small-bodies', wrap: smallBodies(256) },
  { id: 'large-bodies-break-off', wrap: breaksOffLargeBodies },
  { id: 'fails-on-what-is-not-shown', wrap: failsOnWhatIsNotShown, observes: { 'other-operations': null } },
  {
    id: 'own-bodies-of-other-errors',
    wrap: ownBodiesOfOtherErrors,
    observes: {
      'limit-out-of-range': 'refused-otherwise',
      'limit-not-integer': 'refused-otherwise',
      'status-filter-unknown': 'refused-otherwise',
    },
  },
  { id: 'unique-names-and-a-lost-answer', wrap: losesAnAnswer, gaps: { 'duplicate-names': 'refused-400' } },
  { id: 'long-names-take-too-long', wrap: stallsOnLongNames },
  { id: 'ids-far-apart', wrap: snowflakeIds, observes: { 'id-form': 'rising' } },
  { id: 'ids-of-others-at-the-ends', wrap: othersAtTheEnds, animals: thousand, gaps: newestFirst },
  { id: 'animals-of-others-vanish', wrap: othersVanish, animals: manyAnimals(12) },
  { id: 'deeply-nested-fields', wrap: nestsDeeply, observes: { 'extra-response-fields': null } },
  { id: 'unknown-paths-not-implemented', wrap: notImplemented, observes: { 'other-operations': 'refused-501' } },
  {
    id: 'strange-limit-drops-the-filter',
    wrap: dropsStrangeQueries,
    observes: { 'limit-out-of-range': 'ignored', 'limit-not-integer': 'ignored' },
  },
  { id: 'day-spent-behind-headers-of-the-minute', wrap: spentDay, observes: { 'rate-limit-window': 'minute' } },
  { id: 'limit-key-in-heavy-use', wrap: heavyUse },
  { id: 'date-of-a-gateway', wrap: changeAnswer((answer, { now }) => withDate(answer, now + 3_600_000)) },
  {
    id: 'date-of-the-answer',
    wrap: changeAnswer((answer, { now }) => withDate(answer, now + 8_000)),
    latencyMs: 8_000,
  },
  { id: 'no-date', hasNoDate: true },
  { id: 'no-date-and-dates-to-retry', hasNoDate: true, skewMs: -60_000, gaps: { 'retry-after-form': 'http-date' } },
  {
    id: 'key-used-before-sliding',
    wrap: usedBefore,
    latencyMs: 200,
    gaps: { 'rate-limit-window': 'sliding' },
    observes: { 'rate-limit-window': 'moving' },
  },
  { id: 'retry-after-of-rfc-850', wrap: retryAfter(rfc850), observes: { 'retry-after-form': 'http-date' } },
  { id: 'retry-after-of-asctime', wrap: retryAfter(asctime), observes: { 'retry-after-form': 'http-date' } },
  { id: 'no-controls', wrap: noControls, observes: { 'name-limits': 'some-characters' } },
  { id: 'no-encodings', wrap: refusesEncodings },
  { id: 'no-untyped-bodies-else-415', wrap: refusesUntyped(415) },
  ...([400, 422] as const).map(
    (status): Variant => ({
      id: `no-untyped-bodies-else-${status}`,
      wrap: refusesUntyped(status),
      observes: { 'other-media-type': ['refused-415', `refused-${status}`] },
    }),
  ),
  { id: 'no-halves-of-characters', wrap: replacesHalves },
  { id: 'no-parameters-twice', wrap: refusesRepeated },
  { id: 'last-of-parameters-given-twice', wrap: takesTheLast },
  { id: 'gateway-for-queries', wrap: gatewayForQueries },
  { id: 'small-categories', wrap: smallCategories, observes: { 'known-categories': 'refused-400' } },
  {
    id: 'small-categories-and-no-controls',
    wrap: layers(noControls, smallCategories),
    observes: { 'known-categories': 'refused-400', 'name-limits': 'some-characters' },
  },
];

const byKey: readonly Variant[] = [
  { id: 'keys-without-case', wrap: keysWithoutCase, observes: { 'bearer-case': 'accepted' } },
  { id: 'any-white-space-before-keys', wrap: anyWhiteSpaceBeforeKeys },
  { id: 'typed-routes', wrap: typedRoutes, observes: { 'pet-id-not-int64': ['refused-otherwise', 'not-found-404'] } },
  { id: 'guarded-by-a-gateway', wrap: guarded },
  { id: 'key-that-may-not-create', wrap: withoutScopeFor('createPet'), exitCode: 3 },
  { id: 'key-that-may-not-list', wrap: forbidsListing, exitCode: 3 },
  { id: 'key-that-may-not-get', wrap: withoutScopeFor('getPet') },
];

/** Every answer of every gap, and every circumstance. */
export const variants: readonly Variant[] = [
  ...byGap,
  ...byCircumstance,
  ...byKey,
  ...visibilityVariants,
  ...cacheVariants,
  ...creationVariants,
  ...limitVariants,
  ...outageVariants,
];

/** Creates the server of a variant; `seed` drives its random choices. */
export function handleOf({ perMinute, gaps, animals, wrap }: Variant, seed = 1): Handle {
  const [api, rateLimit] = trialKeys;
  const keys = [{ ...api, ...defined({ perMinute }) }, rateLimit];
  const { handle } = createPetStore({ keys, random: seededRandom(seed), ...defined({ gaps, animals }) });
  return wrap === undefined ? handle : wrap(handle);
}
