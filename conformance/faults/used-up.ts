/** Faults of §8 that show while a key is used up: other numbers, one request too many, a wrong second window. */

import type { StoreResponse } from '../../reference-server/index.ts';
import { limitKeyLimit as limit, limitKeyWindow } from '../services/limiters.ts';
import {
  type Call,
  type Change,
  changeAnswer,
  errorAnswer,
  hasKey,
  headerNumber,
  readCall,
  type Wrap,
  withHeader,
  withRemaining,
} from '../services/wraps.ts';
import { type Fault, rare, rareEach } from './fault.ts';

/** Changes the refusals; `count` is their number so far. */
export function onRefusal(change: (answer: StoreResponse, count: number) => StoreResponse): Wrap {
  return changeAnswer(
    (answer, _call, count) => change(answer, count),
    (_call, { status }) => status === 429,
  );
}

/** Changes the answers for the rate-limit key once it has been refused. */
function afterRefusal(change: Change): Wrap {
  return (handle, keys) => {
    let wasRefused = false;
    return changeAnswer(change, (call, { status }) => {
      if (!hasKey(call, 'rateLimit')) return false;
      wasRefused ||= status === 429;
      return wasRefused && status !== 429;
    })(handle, keys);
  };
}

const withLimit = (answer: StoreResponse, value: number): StoreResponse =>
  withHeader(answer, 'X-RateLimit-Limit', String(value));

const isCreation = ({ operation }: Call): boolean => operation === 'createPet';

export const usedUpFaults: readonly Fault[] = [
  // The numbers that a 429 shows.
  ...rare('rate-limit-header', {
    'refusal-with-limit-zero': onRefusal((answer) => withLimit(answer, 0)),
    'refusal-with-the-limit-of-another-key': onRefusal((answer) => withLimit(answer, 1_000)),
    'refusal-with-limit-one-less': onRefusal((answer) => withLimit(answer, limit - 1)),
    'later-refusals-with-limit-zero': onRefusal((answer, count) => (count > 1 ? withLimit(answer, 0) : answer)),
  }),
  ...rare(['rate-limit-header', 'rate-exceeded'], {
    'refusal-with-the-numbers-of-another-key': onRefusal((answer) => withRemaining(withLimit(answer, 1_000), 941)),
  }),
  ...rare('rate-exceeded', {
    'later-refusals-with-requests-left': onRefusal((answer, count) =>
      count > 1 ? withRemaining(answer, limit - 1) : answer,
    ),
  }),
  ...rare('rate-remaining-header', {
    'refusal-with-a-negative-number-left': onRefusal((answer) => withRemaining(answer, -1)),
  }),
  // Numbers of one key in the answers for another.
  ...rare(['rate-exceeded', 'rate-limit-header'], {
    'served-with-the-numbers-of-another-key': limitKeyWindow({
      shows: ({ remaining }) => ({ limit: 1_000, remaining: 930 + remaining }),
    }),
  }),
  ...rare('rate-remaining-falls', {
    'api-key-gets-the-numbers-of-a-refused-one': (handle, keys) => {
      let last: StoreResponse | undefined;
      return changeAnswer((answer, call) => {
        if (hasKey(call, 'rateLimit')) last = answer.status === 429 ? answer : undefined;
        if (hasKey(call, 'rateLimit') || last === undefined || !call.isAuthorized) return undefined;
        return withRemaining(withLimit(answer, headerNumber(last, 'X-RateLimit-Limit')), 0);
      })(handle, keys);
    },
  }),
  // Requests beyond the limit, or requests that no limit holds for.
  ...rare('rate-exceeded', {
    'one-request-too-many-and-counted-from-one-more': limitKeyWindow({
      serves: () => limit + 1,
      shows: ({ remaining }) => ({ remaining: Math.min(limit, remaining + 1) }),
    }),
    'last-request-refused': limitKeyWindow({ serves: () => limit - 1 }),
    'two-requests-too-many': limitKeyWindow({ serves: () => limit + 2 }),
    'creations-exempt-from-the-limit': limitKeyWindow({ exempts: isCreation }),
    'only-listings-limited': limitKeyWindow({ exempts: ({ operation }) => operation !== 'listPets' }),
    'filtered-listings-exempt-from-the-limit': limitKeyWindow({ exempts: ({ query }) => query.has('status') }),
  }),
  ...rare(['rate-exceeded', 'rate-remaining-falls'], {
    'only-creations-limited': limitKeyWindow({ exempts: (call) => !isCreation(call) }),
    'only-reads-of-one-animal-limited': limitKeyWindow({ exempts: ({ operation }) => operation !== 'getPet' }),
  }),
  ...rare(['rate-remaining-falls', 'rate-exceeded'], {
    'counter-starts-anew-after-a-404': limitKeyWindow({ refunds: ({ status }) => (status === 404 ? 'all' : 'none') }),
    'counter-starts-anew-after-a-400': limitKeyWindow({ refunds: ({ status }) => (status === 400 ? 'all' : 'none') }),
  }),
  ...rareEach(
    ['rate-exceeded', 'rate-remaining-falls'],
    'counter-stays-full-after-a-*',
    [400, 404],
    (status) => (handle, keys) => {
      let hasStopped = false;
      return limitKeyWindow({
        exempts: () => hasStopped,
        refunds: (answer) => {
          hasStopped ||= answer.status === status;
          return hasStopped ? 'all' : 'none';
        },
      })(handle, keys);
    },
  ),
  // The window after the first that was used up.
  ...rare(['rate-exceeded', 'rate-remaining-falls'], {
    'none-left-after-the-recovery': limitKeyWindow({ shows: (_state, window) => (window > 1 ? { remaining: 0 } : {}) }),
  }),
  ...rare(['rate-remaining-falls', 'rate-exceeded'], {
    'remaining-stays-after-the-recovery': limitKeyWindow({
      shows: (_state, window) => (window > 1 ? { remaining: limit - 1 } : {}),
    }),
  }),
  ...rare('rate-exceeded', {
    'one-request-too-many-in-the-second-window': limitKeyWindow({
      serves: (window) => (window > 1 ? limit + 1 : limit),
    }),
    'limit-enforced-in-the-first-window-only': limitKeyWindow({ serves: (window) => (window > 1 ? 1_000 : limit) }),
  }),
  ...rare(['rate-exceeded', 'rate-recovery'], {
    'second-window-refuses-early': limitKeyWindow({ serves: (window) => (window > 1 ? limit - 3 : limit) }),
  }),
  ...rare(['rate-recovery', 'create-refused-stores-nothing'], {
    'creation-answers-400-yet-stores-after-the-recovery': afterRefusal((answer, call) =>
      isCreation(call) && answer.status === 201 ? errorAnswer(400, answer) : undefined,
    ),
  }),
  ...rare(['rate-recovery', 'errors-listed'], {
    'creation-answers-500-yet-stores-after-the-recovery': afterRefusal((answer, call) =>
      isCreation(call) && answer.status === 201 ? errorAnswer(500, answer) : undefined,
    ),
  }),
  ...rare(['rate-recovery', 'get-answer'], {
    'creation-lost-after-the-recovery': (handle, keys) => {
      let wasRefused = false;
      let id = 9_000;
      return (request, now) => {
        const call = readCall(request, now, keys);
        const isLost = wasRefused && hasKey(call, 'rateLimit') && isCreation(call);
        // Answered without being stored: the answer is that of an invalid body, with the animal in its place.
        const answer = handle(isLost ? { ...request, body: new Uint8Array() } : request, now);
        if (answer.status === 429 && hasKey(call, 'rateLimit')) wasRefused = true;
        if (!isLost || answer.status !== 400) return answer;
        id += 1;
        const sent = new TextDecoder().decode(request.body).replace(/^\s*\{/, '');
        return { ...answer, status: 201, body: `{"id":${id},"status":"available",${sent}` };
      };
    },
  }),
  ...rare(['rate-recovery', 'get-answer', 'get-until-removal'], {
    'reads-answer-404-after-the-recovery': afterRefusal((answer, { operation }) =>
      operation === 'getPet' && answer.status === 200 ? errorAnswer(404, answer) : undefined,
    ),
  }),
  ...rare('rate-remaining-header', {
    'listings-without-headers-after-the-recovery': afterRefusal((answer) =>
      withHeader(answer, 'X-RateLimit-Remaining', undefined),
    ),
  }),
];
