/** Faults of §8 that only a key which is used up shows: limits that do not hold, refusals that say too little. */

import type { StoreResponse } from '../../reference-server/index.ts';
import {
  apiKey,
  changeAnswer,
  errorAnswer,
  type Fault,
  headerOf,
  limitKey,
  numberOf,
  readCall,
  type Wrap,
  withHeader,
  withKey,
} from './fault.ts';

function isLimitKey(request: Parameters<ReturnType<Wrap>>[0]): boolean {
  return headerOf(request, 'authorization') === `Bearer ${limitKey}`;
}

function onRefusal(id: string, breaks: Fault['breaks'], change: (answer: StoreResponse) => StoreResponse): Fault {
  return { id, breaks, wrap: changeAnswer((answer) => (answer.status === 429 ? change(answer) : undefined)) };
}

const exceeding: readonly Fault[] = [
  {
    id: 'limit-never-enforced',
    breaks: ['rate-exceeded'],
    wrap: (handle) => (request, now) => {
      const answer = handle(request, now);
      if (answer.status !== 429) return answer;
      // Carried out with the other key, told with the headers of this one.
      const served = handle(withKey(request, apiKey), now);
      return { ...served, headers: { ...answer.headers } };
    },
  },
  {
    id: 'limit-enforced-one-late',
    breaks: ['rate-exceeded'],
    wrap: (handle) => {
      let refusals = 0;
      return (request, now) => {
        const answer = handle(request, now);
        if (answer.status !== 429) return answer;
        refusals += 1;
        return refusals === 1 ? { ...handle(withKey(request, apiKey), now), headers: { ...answer.headers } } : answer;
      };
    },
  },
  {
    id: 'limit-enforced-too-early',
    breaks: ['rate-exceeded'],
    wrap: changeAnswer((answer, { request }) =>
      isLimitKey(request) && answer.status === 200 && numberOf(answer, 'X-RateLimit-Remaining') < 3
        ? withHeader(errorAnswer(429, answer), 'Retry-After', '30')
        : undefined,
    ),
  },
  onRefusal('excess-answers-403', ['rate-exceeded'], (answer) => errorAnswer(403, answer)),
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
  onRefusal('retry-after-date-that-has-passed', ['rate-recovery'], (answer) =>
    withHeader(answer, 'Retry-After', 'Sat, 21 Nov 2026 12:00:00 GMT'),
  ),
  {
    id: 'retry-after-missing-for-creations',
    breaks: ['rate-retry-after'],
    wrap: changeAnswer((answer, { operation }) =>
      operation === 'createPet' && answer.status === 429 ? withHeader(answer, 'Retry-After', undefined) : undefined,
    ),
  },
  {
    id: 'limit-enforced-for-reads-only',
    breaks: ['rate-exceeded'],
    wrap: (handle) => (request, now) => {
      const answer = handle(request, now);
      if (answer.status !== 429 || readCall(request, now).operation !== 'createPet') return answer;
      return { ...handle(withKey(request, apiKey), now), headers: { ...answer.headers } };
    },
  },
  {
    id: 'remaining-told-as-before-the-request',
    breaks: ['rate-exceeded'],
    wrap: changeAnswer((answer) =>
      answer.status === 429
        ? undefined
        : withHeader(answer, 'X-RateLimit-Remaining', String(numberOf(answer, 'X-RateLimit-Remaining') + 1)),
    ),
  },
  onRefusal('retry-after-too-short', ['rate-recovery'], (answer) => withHeader(answer, 'Retry-After', '1')),
  onRefusal('refusal-without-limit-header', ['rate-limit-header'], (answer) =>
    withHeader(answer, 'X-RateLimit-Limit', undefined),
  ),
  onRefusal('refusal-without-reset-header', ['rate-reset-header'], (answer) =>
    withHeader(answer, 'X-RateLimit-Reset', undefined),
  ),
  {
    id: 'refusal-never-ends',
    breaks: ['rate-recovery'],
    wrap: (handle) => {
      let refusal: StoreResponse | undefined;
      return (request, now) => {
        if (refusal !== undefined && isLimitKey(request)) return refusal;
        const answer = handle(request, now);
        if (answer.status === 429) refusal = answer;
        return answer;
      };
    },
  },
  {
    id: 'refusal-of-every-key',
    breaks: ['rate-per-key'],
    wrap: (handle) => {
      let refusal: StoreResponse | undefined;
      return (request, now) => {
        const { isAuthorized } = readCall(request, now);
        if (refusal !== undefined && isAuthorized) return refusal;
        const answer = handle(request, now);
        if (answer.status === 429) refusal = answer;
        return answer;
      };
    },
  },
];

export const excessFaults: readonly Fault[] = exceeding.map((fault) => ({ ...fault, needsExhaustion: true }));
