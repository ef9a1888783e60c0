/** Services of §8: every kind of limit, described in every legal way. */

import type { StoreResponse } from '../../reference-server/index.ts';
import type { AnswerId } from '../../spec/gaps.ts';
import {
  bucketOf,
  countsSuccessOnly,
  forgetsFailures,
  limitedBy,
  limitKeyWindow,
  minuteBehindDay,
  minuteWindow,
  restartsBefore,
  sharedWindow,
  slidingCounter,
  slidingLog,
  withState,
} from './limiters.ts';
import type { Service } from './service.ts';
import { type Call, changeAnswer, errorAnswer, harmless, hasKey, readCall, type Wrap, withHeader } from './wraps.ts';

const resetFromNow: Wrap = changeAnswer((answer, { now }) =>
  withHeader(answer, 'X-RateLimit-Reset', String(Math.ceil(now / 1000) + 60)),
);

function refuse(status: number, answer: StoreResponse, retryAfter?: string): StoreResponse {
  const refusal = withHeader(errorAnswer(status, answer), 'WWW-Authenticate', status === 401 ? 'Bearer' : undefined);
  return withHeader(refusal, 'Retry-After', retryAfter);
}

/** Bans a key for ten days after its first refusal. */
export function bansAtOnce(status: 401 | 403 | 429): Wrap {
  return (handle, keys) => {
    let isBanned = false;
    return changeAnswer((answer, call) => {
      if (!isBanned) {
        isBanned = answer.status === 429;
        return undefined;
      }
      if (!hasKey(call, 'rateLimit')) return undefined;
      const reset = Math.ceil(call.now / 1000) + 864_000;
      return withHeader(refuse(status, answer, '864000'), 'X-RateLimit-Reset', String(reset));
    })(handle, keys);
  };
}

type Refusal = (answer: StoreResponse) => StoreResponse;

/** Refuses requests of the rate-limit key for another reason than its own limit; each server counts anew. */
function refusingLimitKey(create: () => (call: Call) => Refusal | undefined): Wrap {
  return (handle, keys) => {
    const refusalOf = create();
    return (request, now) => {
      const call = readCall(request, now, keys);
      const refusal = hasKey(call, 'rateLimit') ? refusalOf(call) : undefined;
      return refusal === undefined ? handle(request, now) : refusal(handle(harmless(request), now));
    };
  };
}

/** From the start: for another reason than a limit, or because others have exhausted it. */
export function refusesLimitKey(status: 401 | 403 | 429, forMs = Number.POSITIVE_INFINITY): Wrap {
  return refusingLimitKey(() => {
    let until: number | undefined;
    return ({ now }) => {
      until ??= now + forMs;
      return now < until ? (answer) => refuse(status, answer, status === 429 ? '40' : undefined) : undefined;
    };
  });
}

/** A second limit, which its refusals describe. */
const secondLimit = (size: number, lengthMs: number): Wrap =>
  refusingLimitKey(() => {
    let [window, used] = [0, 0];
    return ({ now }) => {
      const at = Math.floor(now / lengthMs);
      [window, used] = [at, at === window ? used + 1 : 1];
      const resetsAt = (at + 1) * lengthMs;
      const state = { limit: size, remaining: 0, resetsAt, retryAt: resetsAt };
      return used > size ? (answer) => (answer.status === 429 ? answer : withState(answer, state, now)) : undefined;
    };
  });

/** Every kind of limiter, with the window that a run observes, fast or slow. */
const limiters: Readonly<
  Record<string, readonly [wrap: Wrap, observed: AnswerId<'rate-limit-window'>, slow?: 'slow']>
> = {
  bucket: [limitedBy((size) => bucketOf(size, 'when-full')), 'moving'],
  'bucket-until-the-next': [limitedBy((size) => bucketOf(size, 'at-the-next')), 'at-most-a-minute'],
  'sliding-until-the-oldest': [limitedBy((size) => slidingLog(size, 'oldest', 'served')), 'at-most-a-minute'],
  'sliding-with-all-counted': [limitedBy((size) => slidingLog(size, 'newest', 'all')), 'at-most-a-minute'],
  'sliding-counter': [limitedBy(slidingCounter), 'at-most-a-minute'],
  'sliding-counter-slow': [limitedBy(slidingCounter), 'at-most-a-minute', 'slow'],
  'minute-behind-the-day': [limitedBy(minuteBehindDay), 'day'],
  'window-that-others-use': [limitedBy((size) => sharedWindow(size, 2, 1)), 'at-most-a-minute'],
};

export const limitServices: readonly Service[] = [
  ...Object.entries(limiters).map(([id, [wrap, observed, slow]]) => ({
    id,
    wrap,
    observes: { 'rate-limit-window': observed },
    ...(slow && { latencyMs: 1_300 }),
  })),
  { id: 'reset-from-now', wrap: resetFromNow, latencyMs: 120, observes: { 'rate-limit-window': 'moving' } },
  {
    id: 'window-of-the-account',
    wrap: limitedBy((size) => sharedWindow(size, 0, 0), 'both'),
    observes: { 'limit-scope': 'shared', 'rate-limit-window': 'at-most-a-minute' },
  },
  {
    id: 'limit-key-counts-success-only',
    wrap: limitKeyWindow({ refunds: ({ status }) => (status < 400 ? 'none' : 'one') }),
  },
  { id: 'limit-key-behind-a-limit-of-a-second', wrap: secondLimit(5, 1_000) },
  { id: 'limit-key-not-valid', wrap: refusesLimitKey(401), observes: { 'limit-scope': null } },
  { id: 'limit-key-refused-from-the-start', wrap: refusesLimitKey(429), observes: { 'limit-scope': null } },
  { id: 'limit-key-used-up-beforehand', wrap: refusesLimitKey(429, 40_000), observes: { 'limit-scope': 'per-key' } },
  // The numbers of the key are those of a client without one.
  { id: 'free-plan-numbers', perMinute: 60, observes: { 'rate-limit-without-key': null } },
  { id: 'counters-lost-by-a-restart', wrap: restartsBefore(40, minuteWindow) },
  { id: 'counts-success-only', wrap: countsSuccessOnly, observes: { 'refused-requests': 'not-counted' } },
  { id: 'forgets-failures', wrap: forgetsFailures, observes: { 'refused-requests': 'not-counted' } },
  ...([403, 429] as const).map((status) => ({
    id: `bans-at-once-with-${status}`,
    wrap: bansAtOnce(status),
    observes: { ban: `banned-${status}` } as const,
  })),
];
