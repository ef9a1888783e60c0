/** Faults of §8 that only an exhausted key shows: limits that are not enforced, incomplete refusals, wrong recovery. */

import {
  BrokenConnection,
  type Handle,
  type StoreRequest,
  type StoreResponse,
} from '../../../reference-server/index.ts';
import {
  apiKey,
  breaking,
  breakingEach,
  changeAnswer,
  errorAnswer,
  type Fault,
  type FaultDraft,
  hasKey,
  headerNumber,
  limitKey,
  ordinaryExcept,
  petOperations,
  rare,
  readCall,
  type Wrap,
  withHeader,
  withKey,
} from '../fault.ts';
import { limitedBy } from './limiters.ts';
import { onRefusal, usedUpFaults } from './used-up-faults.ts';

/** Carried out with the other key, answered with the headers of this one. */
const servedInstead = (handle: Handle, request: StoreRequest, now: number, answer: StoreResponse): StoreResponse => ({
  ...handle(withKey(request, apiKey), now),
  headers: { ...answer.headers },
});

/** Sets or removes a header of refusals. */
const onRefusalWith = (name: string, read: (answer: StoreResponse) => string | undefined): Wrap =>
  onRefusal((answer) => withHeader(answer, name, read(answer)));

const common: readonly FaultDraft[] = [
  ...breaking('rate-exceeded', {
    'limit-never-enforced': (handle) => (request, now) => {
      const answer = handle(request, now);
      return answer.status === 429 ? servedInstead(handle, request, now, answer) : answer;
    },
    'limit-enforced-one-late': (handle) => {
      let refusals = 0;
      return (request, now) => {
        const answer = handle(request, now);
        if (answer.status !== 429) return answer;
        refusals += 1;
        return refusals === 1 ? servedInstead(handle, request, now, answer) : answer;
      };
    },
    'limit-enforced-too-early': changeAnswer((answer, { request }) =>
      hasKey({ request }, limitKey) && answer.status === 200 && headerNumber(answer, 'X-RateLimit-Remaining') < 3
        ? withHeader(errorAnswer(429, answer), 'Retry-After', '30')
        : undefined,
    ),
  }),
  ...breakingEach('rate-exceeded', 'excess-answers-*', [403, 401, 404], (status) =>
    onRefusal((answer) => errorAnswer(status, answer)),
  ),
  ...breaking(['rate-exceeded', 'errors-listed'], {
    'excess-answers-503': onRefusal((answer) => errorAnswer(503, answer)),
  }),
  ...breaking(['rate-exceeded', 'list-answer'], {
    'excess-answers-200': onRefusal((answer) => ({ ...answer, status: 200, body: '[]' })),
  }),
  ...breaking('rate-retry-after', {
    'retry-after-missing': onRefusalWith('Retry-After', () => undefined),
    'retry-after-text': onRefusalWith('Retry-After', () => 'soon'),
    'retry-after-negative': onRefusalWith('Retry-After', () => '-5'),
    'retry-after-fraction': onRefusalWith('Retry-After', () => '1.5'),
    'retry-after-iso-date': onRefusalWith('Retry-After', () => '2026-11-21T12:01:00Z'),
    'retry-after-timestamp': onRefusalWith('Retry-After', ({ headers }) => headers['X-RateLimit-Reset']),
    'retry-after-date-with-an-offset': onRefusalWith('Retry-After', () => 'Sat, 21 Nov 2026 13:01:00 +0100'),
  }),
];

const unusual: readonly FaultDraft[] = [
  ...breaking('rate-retry-after', {
    'retry-after-missing-for-creations': changeAnswer((answer, { operation }) =>
      operation === 'createPet' && answer.status === 429 ? withHeader(answer, 'Retry-After', undefined) : undefined,
    ),
    'retry-after-with-the-first-refusal-only': onRefusal((answer, count) =>
      count > 1 ? withHeader(answer, 'Retry-After', undefined) : answer,
    ),
  }),
  ...breakingEach('rate-exceeded', 'limit-not-enforced-for-*', petOperations, (operation) => (handle) => {
    return (request, now) => {
      const answer = handle(request, now);
      const isServed = answer.status === 429 && readCall(request, now).operation === operation;
      return isServed ? servedInstead(handle, request, now, answer) : answer;
    };
  }),
  ...breaking('rate-exceeded', {
    'connection-closed-instead-of-429': onRefusal(() => {
      throw new BrokenConnection();
    }),
    'remaining-told-as-before-the-request': changeAnswer((answer) =>
      answer.status === 429
        ? undefined
        : withHeader(answer, 'X-RateLimit-Remaining', String(headerNumber(answer, 'X-RateLimit-Remaining') + 1)),
    ),
  }),
  ...breaking('rate-retry-after-length', {
    'retry-after-of-two-days': onRefusalWith('Retry-After', () => '172800'),
    'retry-after-at-a-date-in-a-week': onRefusalWith('Retry-After', () => 'Sat, 28 Nov 2026 12:00:00 GMT'),
  }),
  ...breaking('rate-recovery', {
    'creation-refused-after-the-recovery': (handle) => {
      let wasRefused = false;
      return (request, now) => {
        const answer = handle(request, now);
        if (answer.status === 429) wasRefused = true;
        const isRefused = wasRefused && hasKey({ request }, limitKey) && answer.status === 201;
        return isRefused ? withHeader(errorAnswer(429, answer), 'Retry-After', '5') : answer;
      };
    },
    'ban-of-ten-minutes-told-as-five-seconds': (handle) => {
      let until = 0;
      return (request, now) => {
        const answer = handle(request, now);
        if (answer.status === 429) until = Math.max(until, now + 600_000);
        if (!hasKey({ request }, limitKey) || now >= until) return answer;
        const emptied = withHeader(errorAnswer(429, answer), 'X-RateLimit-Remaining', '0');
        return withHeader(emptied, 'Retry-After', '5');
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
    'refusal-never-ends': (handle) => {
      let refusal: StoreResponse | undefined;
      return (request, now) => {
        if (refusal !== undefined && hasKey({ request }, limitKey)) return refusal;
        const answer = handle(request, now);
        if (answer.status === 429) refusal = answer;
        return answer;
      };
    },
  }),
  ...breaking('rate-exceeded', {
    'refusal-with-requests-left': onRefusalWith('X-RateLimit-Remaining', () => '3'),
  }),
  ...breaking('rate-remaining-header', {
    'refusal-without-remaining-header': onRefusalWith('X-RateLimit-Remaining', () => undefined),
  }),
  ...breaking('rate-limit-header', {
    'refusal-without-limit-header': onRefusalWith('X-RateLimit-Limit', () => undefined),
  }),
  ...breaking('rate-reset-header', {
    'refusal-without-reset-header': onRefusalWith('X-RateLimit-Reset', () => undefined),
    'refusal-with-reset-in-milliseconds': onRefusalWith(
      'X-RateLimit-Reset',
      (answer) => `${headerNumber(answer, 'X-RateLimit-Reset')}000`,
    ),
  }),
];

export const exceededFaults: readonly Fault[] = [
  ...ordinaryExcept(
    ['excess-answers-200', 'excess-answers-401', 'excess-answers-404', 'retry-after-date-with-an-offset'],
    ...common,
  ),
  ...rare(...unusual, ...usedUpFaults),
].map((fault) => ({
  ...fault,
  needsExhaustion: true,
}));
