/** Faults of §8 that show while a key is used up: other numbers, one request too many, a wrong second window. */

import type { StoreResponse } from '../../../reference-server/index.ts';
import {
  type Call,
  changeAnswer,
  errorAnswer,
  type FaultDraft,
  headerNumber,
  readCall,
  type Wrap,
  withHeader,
} from '../fault.ts';
import { carriesLimitKey, type KeyWindow, limitKeyLimit as limit, limitKeyWindow } from './limiters.ts';

function onRefusal(
  id: string,
  breaks: FaultDraft['breaks'],
  change: (answer: StoreResponse, refusals: number) => StoreResponse,
): FaultDraft {
  return {
    id,
    breaks,
    wrap: (handle) => {
      let refusals = 0;
      return changeAnswer((answer) => {
        if (answer.status !== 429) return undefined;
        refusals += 1;
        return change(answer, refusals);
      })(handle);
    },
  };
}

const withLimit = (answer: StoreResponse, value: number): StoreResponse =>
  withHeader(answer, 'X-RateLimit-Limit', String(value));
const withRemaining = (answer: StoreResponse, value: number): StoreResponse =>
  withHeader(answer, 'X-RateLimit-Remaining', String(value));

/** The numbers that a 429 shows. */
const numbers: readonly FaultDraft[] = [
  onRefusal('refusal-with-limit-zero', ['rate-limit-header'], (answer) => withLimit(answer, 0)),
  onRefusal('refusal-with-the-limit-of-another-key', ['rate-limit-header'], (answer) => withLimit(answer, 1_000)),
  onRefusal('refusal-with-limit-one-less', ['rate-limit-header'], (answer) => withLimit(answer, limit - 1)),
  onRefusal('refusal-with-the-numbers-of-another-key', ['rate-limit-header', 'rate-exceeded'], (answer) =>
    withRemaining(withLimit(answer, 1_000), 941),
  ),
  onRefusal('later-refusals-with-limit-zero', ['rate-limit-header'], (answer, refusals) =>
    refusals > 1 ? withLimit(answer, 0) : answer,
  ),
  onRefusal('later-refusals-with-requests-left', ['rate-exceeded'], (answer, refusals) =>
    refusals > 1 ? withRemaining(answer, limit - 1) : answer,
  ),
  onRefusal('refusal-with-a-negative-number-left', ['rate-remaining-header'], (answer) => withRemaining(answer, -1)),
];

/** Numbers of one key in the answers for another. */
const mixedUp: readonly FaultDraft[] = [
  {
    id: 'served-with-the-numbers-of-another-key',
    breaks: ['rate-exceeded', 'rate-limit-header'],
    wrap: limitKeyWindow({ shows: ({ remaining }) => ({ limit: 1_000, remaining: 930 + remaining }) }),
  },
  {
    id: 'api-key-gets-the-numbers-of-a-refused-one',
    breaks: ['rate-remaining-falls'],
    wrap: (handle) => {
      let last: StoreResponse | undefined;
      return changeAnswer((answer, call) => {
        if (carriesLimitKey(call)) last = answer.status === 429 ? answer : undefined;
        if (carriesLimitKey(call) || last === undefined || !call.isAuthorized) return undefined;
        return withRemaining(withLimit(answer, headerNumber(last, 'X-RateLimit-Limit')), 0);
      })(handle);
    },
  },
];

const isCreation = ({ operation }: Call): boolean => operation === 'createPet';

/** Requests beyond the limit, or requests that no limit holds for. */
const beyond: readonly FaultDraft[] = [
  {
    id: 'one-request-too-many-and-counted-from-one-more',
    breaks: ['rate-exceeded'],
    wrap: limitKeyWindow({
      serves: () => limit + 1,
      shows: ({ remaining }) => ({ remaining: Math.min(limit, remaining + 1) }),
    }),
  },
  {
    id: 'two-requests-too-many',
    breaks: ['rate-exceeded'],
    wrap: limitKeyWindow({ serves: () => limit + 2 }),
  },
  { id: 'creations-exempt-from-the-limit', breaks: ['rate-exceeded'], wrap: limitKeyWindow({ exempts: isCreation }) },
  {
    id: 'only-creations-limited',
    breaks: ['rate-exceeded', 'rate-remaining-falls'],
    wrap: limitKeyWindow({ exempts: (call) => !isCreation(call) }),
  },
  {
    id: 'only-listings-limited',
    breaks: ['rate-exceeded'],
    wrap: limitKeyWindow({ exempts: ({ operation }) => operation !== 'listPets' }),
  },
  {
    id: 'only-reads-of-one-animal-limited',
    breaks: ['rate-exceeded', 'rate-remaining-falls'],
    wrap: limitKeyWindow({ exempts: ({ operation }) => operation !== 'getPet' }),
  },
  {
    id: 'filtered-listings-exempt-from-the-limit',
    breaks: ['rate-exceeded'],
    wrap: limitKeyWindow({ exempts: ({ query }) => query.has('status') }),
  },
  {
    id: 'counter-starts-anew-after-a-404',
    breaks: ['rate-remaining-falls', 'rate-exceeded'],
    wrap: limitKeyWindow({ refunds: ({ status }) => (status === 404 ? 'all' : 'none') }),
  },
  {
    id: 'counter-starts-anew-after-a-400',
    breaks: ['rate-remaining-falls', 'rate-exceeded'],
    wrap: limitKeyWindow({ refunds: ({ status }) => (status === 400 ? 'all' : 'none') }),
  },
  ...([400, 404] as const).map(
    (status): FaultDraft => ({
      id: `counter-stays-full-after-a-${status}`,
      breaks: ['rate-exceeded', 'rate-remaining-falls'],
      wrap: (handle) => {
        let hasStopped = false;
        const stopping: KeyWindow = {
          exempts: () => hasStopped,
          refunds: (answer) => {
            hasStopped ||= answer.status === status;
            return hasStopped ? 'all' : 'none';
          },
        };
        return limitKeyWindow(stopping)(handle);
      },
    }),
  ),
];

/** The window after the first that was used up. */
const afterwards: readonly FaultDraft[] = [
  {
    id: 'none-left-after-the-recovery',
    breaks: ['rate-exceeded', 'rate-remaining-falls'],
    wrap: limitKeyWindow({ shows: (_state, window) => (window > 1 ? { remaining: 0 } : {}) }),
  },
  {
    id: 'remaining-stays-after-the-recovery',
    breaks: ['rate-remaining-falls', 'rate-exceeded'],
    wrap: limitKeyWindow({ shows: (_state, window) => (window > 1 ? { remaining: limit - 1 } : {}) }),
  },
  {
    id: 'one-request-too-many-in-the-second-window',
    breaks: ['rate-exceeded'],
    wrap: limitKeyWindow({ serves: (window) => (window > 1 ? limit + 1 : limit) }),
  },
  {
    id: 'limit-enforced-in-the-first-window-only',
    breaks: ['rate-exceeded'],
    wrap: limitKeyWindow({ serves: (window) => (window > 1 ? 1_000 : limit) }),
  },
  {
    id: 'second-window-refuses-early',
    breaks: ['rate-exceeded', 'rate-recovery'],
    wrap: limitKeyWindow({ serves: (window) => (window > 1 ? limit - 3 : limit) }),
  },
  ...([400, 500] as const).map(
    (status): FaultDraft => ({
      id: `creation-answers-${status}-yet-stores-after-the-recovery`,
      breaks: ['rate-recovery', status === 400 ? 'create-refused-stores-nothing' : 'errors-listed'],
      wrap: afterRefusal((answer, call) =>
        isCreation(call) && answer.status === 201 ? errorAnswer(status, answer) : undefined,
      ),
    }),
  ),
  {
    id: 'creation-lost-after-the-recovery',
    breaks: ['rate-recovery', 'get-answer'],
    wrap: (handle) => {
      let wasRefused = false;
      let id = 9_000;
      return (request, now) => {
        const call = readCall(request, now);
        const isLost = wasRefused && carriesLimitKey(call) && isCreation(call);
        // Answered without being stored: the answer is that of an invalid body, with the animal in its place.
        const answer = handle(isLost ? { ...request, body: new Uint8Array() } : request, now);
        if (answer.status === 429 && carriesLimitKey(call)) wasRefused = true;
        if (!isLost || answer.status !== 400) return answer;
        id += 1;
        const sent = new TextDecoder().decode(request.body).replace(/^\s*\{/, '');
        return { ...answer, status: 201, body: `{"id":${id},"status":"available",${sent}` };
      };
    },
  },
  {
    id: 'reads-answer-404-after-the-recovery',
    breaks: ['rate-recovery', 'get-answer', 'get-until-removal'],
    wrap: afterRefusal((answer, { operation }) =>
      operation === 'getPet' && answer.status === 200 ? errorAnswer(404, answer) : undefined,
    ),
  },
  {
    id: 'listings-without-headers-after-the-recovery',
    breaks: ['rate-remaining-header'],
    wrap: afterRefusal((answer) => withHeader(answer, 'X-RateLimit-Remaining', undefined)),
  },
];

/** Changes the answers for the rate-limit key once it has been refused. */
function afterRefusal(change: (answer: StoreResponse, call: Call) => StoreResponse | undefined): Wrap {
  return (handle) => {
    let wasRefused = false;
    return changeAnswer((answer, call) => {
      if (!carriesLimitKey(call)) return undefined;
      if (answer.status === 429) wasRefused = true;
      return wasRefused && answer.status !== 429 ? change(answer, call) : undefined;
    })(handle);
  };
}

export const usedUpFaults: readonly FaultDraft[] = [...numbers, ...mixedUp, ...beyond, ...afterwards];
