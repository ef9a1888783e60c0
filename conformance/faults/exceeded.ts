/** Faults of §8 that only an exhausted key shows: limits that are not enforced, incomplete refusals, wrong recovery. */

import type { StoreResponse } from '../../reference-server/index.ts';
import { BrokenConnection } from '../../reference-server/twin/wraps.ts';
import type { OperationName } from '../../spec/operations.ts';
import { limitedBy, limitKeyLimit } from '../services/limiters.ts';
import {
  type Call,
  changeAnswer,
  changeRemaining,
  errorAnswer,
  hasKey,
  headerNumber,
  layers,
  petOperations,
  sentPet,
  type Wrap,
  withHeader,
  withKey,
  withRemaining,
} from '../services/wraps.ts';
import { exhausting, type Fault, ordinary, ordinaryEach, rare, rareEach } from './fault.ts';
import { onRefusal, usedUpFaults } from './used-up.ts';

/** Carries out requests that were refused with the other key, and answers them with the headers of this one. */
function servesRefused(matches: (call: Call, count: number) => boolean = () => true): Wrap {
  return (handle, keys) =>
    changeAnswer(
      ({ headers }, call, count) =>
        matches(call, count) ? { ...handle(withKey(call.request, call.keys.api), call.now), headers } : undefined,
      (_call, { status }) => status === 429,
    )(handle, keys);
}

/** Beyond the limit, answers what else is wrong with a request before the limit. */
function answersErrorFirst(only: OperationName): Wrap {
  return (handle, keys) =>
    changeAnswer(
      ({ headers }, call) => {
        if (only === 'createPet' && sentPet(call)['categoryId'] !== undefined) return undefined;
        const own = handle(withKey(call.request, call.keys.api), call.now);
        return own.status >= 400 ? { ...own, headers } : undefined;
      },
      ({ operation }, { status }) => operation === only && status === 429,
    )(handle, keys);
}

const onRefusalWith = (name: string, read: (answer: StoreResponse) => string | undefined): Wrap =>
  onRefusal((answer) => withHeader(answer, name, read(answer)));

/** Repeats the first refusal of the rate-limit key for ever. */
const neverEnds: Wrap = (handle, keys) => {
  let refusal: StoreResponse | undefined;
  return (request, now) => {
    if (refusal !== undefined && hasKey({ request, keys }, 'rateLimit')) return refusal;
    const answer = handle(request, now);
    if (answer.status === 429) refusal = answer;
    return answer;
  };
};

const retryAfters = {
  'of-two-days': '172800',
  'at-a-date-in-a-week': 'Sat, 28 Nov 2026 12:00:00 GMT',
};

export const exceededFaults: readonly Fault[] = exhausting(
  ...ordinary('rate-exceeded', {
    'limit-never-enforced': servesRefused(),
    'limit-enforced-one-late': servesRefused((_call, count) => count === 1),
    'limit-enforced-too-early': changeAnswer((answer, call) =>
      hasKey(call, 'rateLimit') && answer.status === 200 && headerNumber(answer, 'X-RateLimit-Remaining') < 3
        ? withHeader(errorAnswer(429, answer), 'Retry-After', '30')
        : undefined,
    ),
  }),
  ...ordinaryEach('rate-exceeded', 'errors-of-*-come-before-the-limit', petOperations, answersErrorFirst),
  ...ordinary('rate-exceeded', { 'excess-answers-403': onRefusal((answer) => errorAnswer(403, answer)) }),
  ...rareEach('rate-exceeded', 'excess-answers-*', [401, 404], (status) =>
    onRefusal((answer) => errorAnswer(status, answer)),
  ),
  ...ordinary(['rate-exceeded', 'errors-listed'], {
    'excess-answers-503': onRefusal((answer) => errorAnswer(503, answer)),
  }),
  ...rare(['rate-exceeded', 'list-answer'], {
    'excess-answers-200': onRefusal((answer) => ({ ...answer, status: 200, body: '[]' })),
  }),
  ...ordinary('rate-retry-after', {
    'retry-after-missing': onRefusalWith('Retry-After', () => undefined),
    'retry-after-text': onRefusalWith('Retry-After', () => 'soon'),
    'retry-after-negative': onRefusalWith('Retry-After', () => '-5'),
    'retry-after-zero': onRefusalWith('Retry-After', () => '0'),
    'retry-after-in-milliseconds': onRefusalWith('Retry-After', ({ headers }) => `${headers['Retry-After']}000`),
    'retry-after-fraction': onRefusalWith('Retry-After', () => '1.5'),
    'retry-after-iso-date': onRefusalWith('Retry-After', () => '2026-11-21T12:01:00Z'),
    'retry-after-timestamp': onRefusalWith('Retry-After', ({ headers }) => headers['X-RateLimit-Reset']),
  }),
  ...rare('rate-retry-after', {
    'retry-after-date-with-an-offset': onRefusalWith('Retry-After', () => 'Sat, 21 Nov 2026 13:01:00 +0100'),
    'retry-after-missing-for-creations': changeAnswer((answer, { operation }) =>
      operation === 'createPet' && answer.status === 429 ? withHeader(answer, 'Retry-After', undefined) : undefined,
    ),
    'retry-after-with-the-first-refusal-only': onRefusal((answer, count) =>
      count > 1 ? withHeader(answer, 'Retry-After', undefined) : answer,
    ),
  }),
  ...rareEach('rate-exceeded', 'limit-not-enforced-for-*', petOperations, (operation) =>
    servesRefused((call) => call.operation === operation),
  ),
  ...rare('rate-exceeded', {
    'creations-refused-in-the-last-quarter-of-the-limit': changeAnswer((answer, call) =>
      hasKey(call, 'rateLimit') &&
      answer.status === 201 &&
      4 * headerNumber(answer, 'X-RateLimit-Remaining') < limitKeyLimit
        ? withHeader(errorAnswer(429, answer), 'Retry-After', '30')
        : undefined,
    ),
    'connection-closed-instead-of-429': onRefusal(() => {
      throw new BrokenConnection();
    }),
    'remaining-as-before-the-request': changeRemaining(({ remaining, status }) =>
      status === 429 ? undefined : remaining + 1,
    ),
  }),
  // A key that is served sooner refutes them.
  ...rareEach('rate-retry-after', 'retry-after-*', { ...retryAfters, 'of-three-hours': '10800' }, (value) =>
    onRefusalWith('Retry-After', () => value),
  ),
  ...rareEach('rate-retry-after-length', 'refusal-never-ends-with-retry-after-*', retryAfters, (value) =>
    layers(
      onRefusalWith('Retry-After', () => value),
      neverEnds,
    ),
  ),
  ...rare('rate-recovery', {
    'creation-refused-after-the-recovery': (handle, keys) => {
      let wasRefused = false;
      return (request, now) => {
        const answer = handle(request, now);
        if (answer.status === 429) wasRefused = true;
        const isRefused = wasRefused && hasKey({ request, keys }, 'rateLimit') && answer.status === 201;
        return isRefused ? withHeader(errorAnswer(429, answer), 'Retry-After', '5') : answer;
      };
    },
    'ban-of-ten-minutes-announced-as-five-seconds': (handle, keys) => {
      let until = 0;
      return (request, now) => {
        const answer = handle(request, now);
        if (answer.status === 429) until = Math.max(until, now + 600_000);
        if (!hasKey({ request, keys }, 'rateLimit') || now >= until) return answer;
        return withHeader(withRemaining(errorAnswer(429, answer), 0), 'Retry-After', '5');
      };
    },
    'bucket-that-never-fills': limitedBy((size) => {
      let left = size;
      return (now) => {
        const isServed = left > 0;
        left = Math.max(0, left - 1);
        const state = { limit: size, remaining: left, resetsAt: now + ((size - left) * 60_000) / size };
        return isServed ? state : { ...state, retryAt: now + 1_000 };
      };
    }),
    'refusal-never-ends': neverEnds,
  }),
  ...rare('rate-exceeded', {
    'refusal-with-requests-left': onRefusalWith('X-RateLimit-Remaining', () => '3'),
  }),
  ...rare('rate-remaining-header', {
    'refusal-without-remaining-header': onRefusalWith('X-RateLimit-Remaining', () => undefined),
  }),
  ...rare('rate-limit-header', {
    'refusal-without-limit-header': onRefusalWith('X-RateLimit-Limit', () => undefined),
  }),
  ...rare('rate-reset-header', {
    'refusal-with-reset-before-the-window': onRefusalWith('X-RateLimit-Reset', (answer) =>
      String(headerNumber(answer, 'X-RateLimit-Reset') - 65),
    ),
    'refusal-without-reset-header': onRefusalWith('X-RateLimit-Reset', () => undefined),
    'refusal-with-reset-in-milliseconds': onRefusalWith(
      'X-RateLimit-Reset',
      (answer) => `${headerNumber(answer, 'X-RateLimit-Reset')}000`,
    ),
  }),
  ...usedUpFaults,
);
