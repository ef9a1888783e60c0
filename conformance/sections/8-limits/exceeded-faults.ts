/** Faults of §8 that only an exhausted key shows: limits that are not enforced, incomplete refusals, wrong recovery. */

import { BrokenConnection, type StoreResponse } from '../../../reference-server/index.ts';
import {
  apiKey,
  breaking,
  changeAnswer,
  errorAnswer,
  type Fault,
  type FaultDraft,
  headerNumber,
  limitKey,
  ordinaryExcept,
  rare,
  readCall,
  requestHeader,
  type Wrap,
  withHeader,
  withKey,
} from '../fault.ts';
import { limitedBy } from './limiters.ts';
import { usedUpFaults } from './used-up-faults.ts';

function isLimitKey(request: Parameters<ReturnType<Wrap>>[0]): boolean {
  return requestHeader(request, 'authorization') === `Bearer ${limitKey}`;
}

function onRefusal(
  id: string,
  breaks: FaultDraft['breaks'],
  change: (answer: StoreResponse) => StoreResponse,
): FaultDraft {
  return { id, breaks, wrap: changeAnswer((answer) => (answer.status === 429 ? change(answer) : undefined)) };
}

const common: readonly FaultDraft[] = [
  ...breaking('rate-exceeded', {
    'limit-never-enforced': (handle) => (request, now) => {
      const answer = handle(request, now);
      if (answer.status !== 429) return answer;
      // Carried out with the other key, answered with the headers of this one.
      const served = handle(withKey(request, apiKey), now);
      return { ...served, headers: { ...answer.headers } };
    },
    'limit-enforced-one-late': (handle) => {
      let refusals = 0;
      return (request, now) => {
        const answer = handle(request, now);
        if (answer.status !== 429) return answer;
        refusals += 1;
        return refusals === 1 ? { ...handle(withKey(request, apiKey), now), headers: { ...answer.headers } } : answer;
      };
    },
    'limit-enforced-too-early': changeAnswer((answer, { request }) =>
      isLimitKey(request) && answer.status === 200 && headerNumber(answer, 'X-RateLimit-Remaining') < 3
        ? withHeader(errorAnswer(429, answer), 'Retry-After', '30')
        : undefined,
    ),
  }),
  onRefusal('excess-answers-403', ['rate-exceeded'], (answer) => errorAnswer(403, answer)),
  onRefusal('excess-answers-401', ['rate-exceeded'], (answer) => errorAnswer(401, answer)),
  onRefusal('excess-answers-404', ['rate-exceeded'], (answer) => errorAnswer(404, answer)),
  onRefusal('excess-answers-503', ['rate-exceeded', 'errors-listed'], (answer) => errorAnswer(503, answer)),
  onRefusal('excess-answers-200', ['rate-exceeded', 'list-answer'], (answer) => ({
    ...answer,
    status: 200,
    body: '[]',
  })),
  onRefusal('retry-after-missing', ['rate-retry-after'], (answer) => withHeader(answer, 'Retry-After', undefined)),
  onRefusal('retry-after-text', ['rate-retry-after'], (answer) => withHeader(answer, 'Retry-After', 'soon')),
  onRefusal('retry-after-negative', ['rate-retry-after'], (answer) => withHeader(answer, 'Retry-After', '-5')),
  onRefusal('retry-after-fraction', ['rate-retry-after'], (answer) => withHeader(answer, 'Retry-After', '1.5')),
  onRefusal('retry-after-iso-date', ['rate-retry-after'], (answer) =>
    withHeader(answer, 'Retry-After', '2026-11-21T12:01:00Z'),
  ),
  onRefusal('retry-after-timestamp', ['rate-retry-after'], (answer) =>
    withHeader(answer, 'Retry-After', answer.headers['X-RateLimit-Reset']),
  ),
  onRefusal('retry-after-date-with-an-offset', ['rate-retry-after'], (answer) =>
    withHeader(answer, 'Retry-After', 'Sat, 21 Nov 2026 13:01:00 +0100'),
  ),
];

const unusual: readonly FaultDraft[] = [
  ...breaking('rate-retry-after', {
    'retry-after-missing-for-creations': changeAnswer((answer, { operation }) =>
      operation === 'createPet' && answer.status === 429 ? withHeader(answer, 'Retry-After', undefined) : undefined,
    ),
    'retry-after-with-the-first-refusal-only': (handle) => {
      let refusals = 0;
      return (request, now) => {
        const answer = handle(request, now);
        if (answer.status === 429) refusals += 1;
        return answer.status === 429 && refusals > 1 ? withHeader(answer, 'Retry-After', undefined) : answer;
      };
    },
  }),
  ...(['listPets', 'createPet', 'getPet'] as const).map(
    (operation): FaultDraft => ({
      id: `limit-not-enforced-for-${operation}`,
      breaks: ['rate-exceeded'],
      wrap: (handle) => (request, now) => {
        const answer = handle(request, now);
        if (answer.status !== 429 || readCall(request, now).operation !== operation) return answer;
        return { ...handle(withKey(request, apiKey), now), headers: { ...answer.headers } };
      },
    }),
  ),
  ...breaking('rate-exceeded', {
    'connection-closed-instead-of-429': changeAnswer((answer) => {
      if (answer.status === 429) throw new BrokenConnection();
      return undefined;
    }),
    'remaining-told-as-before-the-request': changeAnswer((answer) =>
      answer.status === 429
        ? undefined
        : withHeader(answer, 'X-RateLimit-Remaining', String(headerNumber(answer, 'X-RateLimit-Remaining') + 1)),
    ),
  }),
  onRefusal('retry-after-of-two-days', ['rate-retry-after-length'], (answer) =>
    withHeader(answer, 'Retry-After', '172800'),
  ),
  onRefusal('retry-after-at-a-date-in-a-week', ['rate-retry-after-length'], (answer) =>
    withHeader(answer, 'Retry-After', 'Sat, 28 Nov 2026 12:00:00 GMT'),
  ),
  ...breaking('rate-recovery', {
    'creation-refused-after-the-recovery': (handle) => {
      let wasRefused = false;
      return (request, now) => {
        const answer = handle(request, now);
        if (answer.status === 429) wasRefused = true;
        const isRefused = wasRefused && isLimitKey(request) && answer.status === 201;
        return isRefused ? withHeader(errorAnswer(429, answer), 'Retry-After', '5') : answer;
      };
    },
    'ban-of-ten-minutes-told-as-five-seconds': (handle) => {
      let until = 0;
      return (request, now) => {
        const answer = handle(request, now);
        if (answer.status === 429) until = Math.max(until, now + 600_000);
        if (!isLimitKey(request) || now >= until) return answer;
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
        if (refusal !== undefined && isLimitKey(request)) return refusal;
        const answer = handle(request, now);
        if (answer.status === 429) refusal = answer;
        return answer;
      };
    },
  }),
  onRefusal('refusal-with-requests-left', ['rate-exceeded'], (answer) =>
    withHeader(answer, 'X-RateLimit-Remaining', '3'),
  ),
  onRefusal('refusal-without-remaining-header', ['rate-remaining-header'], (answer) =>
    withHeader(answer, 'X-RateLimit-Remaining', undefined),
  ),
  onRefusal('refusal-with-reset-in-milliseconds', ['rate-reset-header'], (answer) =>
    withHeader(answer, 'X-RateLimit-Reset', `${headerNumber(answer, 'X-RateLimit-Reset')}000`),
  ),
  onRefusal('refusal-without-limit-header', ['rate-limit-header'], (answer) =>
    withHeader(answer, 'X-RateLimit-Limit', undefined),
  ),
  onRefusal('refusal-without-reset-header', ['rate-reset-header'], (answer) =>
    withHeader(answer, 'X-RateLimit-Reset', undefined),
  ),
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
