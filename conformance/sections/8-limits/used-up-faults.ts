/** Faults of §8 that show while a key is used up: other numbers, one request too many, a wrong second window. */

import type { StoreResponse } from '../../../reference-server/index.ts';
import {
  breaking,
  breakingEach,
  type Call,
  changeAnswer,
  errorAnswer,
  type FaultDraft,
  hasKey,
  headerNumber,
  limitKey,
  readCall,
  type Wrap,
  withHeader,
} from '../fault.ts';
import { limitKeyLimit as limit, limitKeyWindow } from './limiters.ts';

/** Changes the refusals; `count` is their number so far. */
export function onRefusal(change: (answer: StoreResponse, count: number) => StoreResponse): Wrap {
  return (handle) => {
    let count = 0;
    return changeAnswer((answer) => {
      if (answer.status !== 429) return undefined;
      count += 1;
      return change(answer, count);
    })(handle);
  };
}

const withLimit = (answer: StoreResponse, value: number): StoreResponse =>
  withHeader(answer, 'X-RateLimit-Limit', String(value));
const withRemaining = (answer: StoreResponse, value: number): StoreResponse =>
  withHeader(answer, 'X-RateLimit-Remaining', String(value));

/** The numbers that a 429 shows. */
const numbers: readonly FaultDraft[] = [
  ...breaking('rate-limit-header', {
    'refusal-with-limit-zero': onRefusal((answer) => withLimit(answer, 0)),
    'refusal-with-the-limit-of-another-key': onRefusal((answer) => withLimit(answer, 1_000)),
    'refusal-with-limit-one-less': onRefusal((answer) => withLimit(answer, limit - 1)),
    'later-refusals-with-limit-zero': onRefusal((answer, count) => (count > 1 ? withLimit(answer, 0) : answer)),
  }),
  ...breaking(['rate-limit-header', 'rate-exceeded'], {
    'refusal-with-the-numbers-of-another-key': onRefusal((answer) => withRemaining(withLimit(answer, 1_000), 941)),
  }),
  ...breaking('rate-exceeded', {
    'later-refusals-with-requests-left': onRefusal((answer, count) =>
      count > 1 ? withRemaining(answer, limit - 1) : answer,
    ),
  }),
  ...breaking('rate-remaining-header', {
    'refusal-with-a-negative-number-left': onRefusal((answer) => withRemaining(answer, -1)),
  }),
];

/** Numbers of one key in the answers for another. */
const mixedUp: readonly FaultDraft[] = [
  ...breaking(['rate-exceeded', 'rate-limit-header'], {
    'served-with-the-numbers-of-another-key': limitKeyWindow({
      shows: ({ remaining }) => ({ limit: 1_000, remaining: 930 + remaining }),
    }),
  }),
  ...breaking('rate-remaining-falls', {
    'api-key-gets-the-numbers-of-a-refused-one': (handle) => {
      let last: StoreResponse | undefined;
      return changeAnswer((answer, call) => {
        if (hasKey(call, limitKey)) last = answer.status === 429 ? answer : undefined;
        if (hasKey(call, limitKey) || last === undefined || !call.isAuthorized) return undefined;
        return withRemaining(withLimit(answer, headerNumber(last, 'X-RateLimit-Limit')), 0);
      })(handle);
    },
  }),
];

const isCreation = ({ operation }: Call): boolean => operation === 'createPet';

/** Requests beyond the limit, or requests that no limit holds for. */
const beyond: readonly FaultDraft[] = [
  ...breaking('rate-exceeded', {
    'one-request-too-many-and-counted-from-one-more': limitKeyWindow({
      serves: () => limit + 1,
      shows: ({ remaining }) => ({ remaining: Math.min(limit, remaining + 1) }),
    }),
    'two-requests-too-many': limitKeyWindow({ serves: () => limit + 2 }),
    'creations-exempt-from-the-limit': limitKeyWindow({ exempts: isCreation }),
    'only-listings-limited': limitKeyWindow({ exempts: ({ operation }) => operation !== 'listPets' }),
    'filtered-listings-exempt-from-the-limit': limitKeyWindow({ exempts: ({ query }) => query.has('status') }),
  }),
  ...breaking(['rate-exceeded', 'rate-remaining-falls'], {
    'only-creations-limited': limitKeyWindow({ exempts: (call) => !isCreation(call) }),
    'only-reads-of-one-animal-limited': limitKeyWindow({ exempts: ({ operation }) => operation !== 'getPet' }),
  }),
  ...breaking(['rate-remaining-falls', 'rate-exceeded'], {
    'counter-starts-anew-after-a-404': limitKeyWindow({ refunds: ({ status }) => (status === 404 ? 'all' : 'none') }),
    'counter-starts-anew-after-a-400': limitKeyWindow({ refunds: ({ status }) => (status === 400 ? 'all' : 'none') }),
  }),
  ...breakingEach(
    ['rate-exceeded', 'rate-remaining-falls'],
    'counter-stays-full-after-a-*',
    [400, 404],
    (status) => (handle) => {
      let hasStopped = false;
      return limitKeyWindow({
        exempts: () => hasStopped,
        refunds: (answer) => {
          hasStopped ||= answer.status === status;
          return hasStopped ? 'all' : 'none';
        },
      })(handle);
    },
  ),
];

/** The window after the first that was used up. */
const afterwards: readonly FaultDraft[] = [
  ...breaking(['rate-exceeded', 'rate-remaining-falls'], {
    'none-left-after-the-recovery': limitKeyWindow({ shows: (_state, window) => (window > 1 ? { remaining: 0 } : {}) }),
  }),
  ...breaking(['rate-remaining-falls', 'rate-exceeded'], {
    'remaining-stays-after-the-recovery': limitKeyWindow({
      shows: (_state, window) => (window > 1 ? { remaining: limit - 1 } : {}),
    }),
  }),
  ...breaking('rate-exceeded', {
    'one-request-too-many-in-the-second-window': limitKeyWindow({
      serves: (window) => (window > 1 ? limit + 1 : limit),
    }),
    'limit-enforced-in-the-first-window-only': limitKeyWindow({ serves: (window) => (window > 1 ? 1_000 : limit) }),
  }),
  ...breaking(['rate-exceeded', 'rate-recovery'], {
    'second-window-refuses-early': limitKeyWindow({ serves: (window) => (window > 1 ? limit - 3 : limit) }),
  }),
  ...([400, 500] as const).map(
    (status): FaultDraft => ({
      id: `creation-answers-${status}-yet-stores-after-the-recovery`,
      breaks: ['rate-recovery', status === 400 ? 'create-refused-stores-nothing' : 'errors-listed'],
      wrap: afterRefusal((answer, call) =>
        isCreation(call) && answer.status === 201 ? errorAnswer(status, answer) : undefined,
      ),
    }),
  ),
  ...breaking(['rate-recovery', 'get-answer'], {
    'creation-lost-after-the-recovery': (handle) => {
      let wasRefused = false;
      let id = 9_000;
      return (request, now) => {
        const call = readCall(request, now);
        const isLost = wasRefused && hasKey(call, limitKey) && isCreation(call);
        // Answered without being stored: the answer is that of an invalid body, with the animal in its place.
        const answer = handle(isLost ? { ...request, body: new Uint8Array() } : request, now);
        if (answer.status === 429 && hasKey(call, limitKey)) wasRefused = true;
        if (!isLost || answer.status !== 400) return answer;
        id += 1;
        const sent = new TextDecoder().decode(request.body).replace(/^\s*\{/, '');
        return { ...answer, status: 201, body: `{"id":${id},"status":"available",${sent}` };
      };
    },
  }),
  ...breaking(['rate-recovery', 'get-answer', 'get-until-removal'], {
    'reads-answer-404-after-the-recovery': afterRefusal((answer, { operation }) =>
      operation === 'getPet' && answer.status === 200 ? errorAnswer(404, answer) : undefined,
    ),
  }),
  ...breaking('rate-remaining-header', {
    'listings-without-headers-after-the-recovery': afterRefusal((answer) =>
      withHeader(answer, 'X-RateLimit-Remaining', undefined),
    ),
  }),
];

/** Changes the answers for the rate-limit key once it has been refused. */
function afterRefusal(change: (answer: StoreResponse, call: Call) => StoreResponse | undefined): Wrap {
  return (handle) => {
    let wasRefused = false;
    return changeAnswer((answer, call) => {
      if (!hasKey(call, limitKey)) return undefined;
      if (answer.status === 429) wasRefused = true;
      return wasRefused && answer.status !== 429 ? change(answer, call) : undefined;
    })(handle);
  };
}

export const usedUpFaults: readonly FaultDraft[] = [...numbers, ...mixedUp, ...beyond, ...afterwards];
