/** Services of §8: every kind of limit, described in every legal way. */

import type { StoreResponse } from '../../reference-server/index.ts';
import {
  bucketOf,
  countsSuccessOnly,
  forgetsFailures,
  limitedBy,
  limitKeyLimit,
  limitKeyWindow,
  minuteBehindDay,
  minuteWindow,
  restartsBefore,
  sharedWindow,
  slidingCounter,
  slidingLog,
  withState,
} from './limiters.ts';
import { type Service, servicesOf } from './service.ts';
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

/** A Retry-After that ends at another moment than the reset. */
export function comesBackSooner(retryAfterOf: (now: number) => string): Wrap {
  return changeAnswer((answer, { now }) =>
    answer.status === 429 ? withHeader(answer, 'Retry-After', retryAfterOf(now)) : undefined,
  );
}

const aMinute = { 'rate-limit-window': 'at-most-a-minute' } as const;
const notCounted = { 'refused-requests': 'not-counted' } as const;
const slow = { latencyMs: 1_300 };

export const limitServices: readonly Service[] = servicesOf({
  bucket: [limitedBy((size) => bucketOf(size, 'when-full')), aMinute],
  'bucket-until-the-next': [limitedBy((size) => bucketOf(size, 'at-the-next')), aMinute],
  'sliding-until-the-oldest': [limitedBy((size) => slidingLog(size, 'oldest', 'served')), aMinute],
  'sliding-with-all-counted': [limitedBy((size) => slidingLog(size, 'newest', 'all')), aMinute],
  'sliding-counter': [limitedBy(slidingCounter), aMinute],
  'sliding-counter-slow': [limitedBy(slidingCounter), aMinute, slow],
  'minute-behind-the-day': [limitedBy(minuteBehindDay), { 'rate-limit-window': 'day' }],
  'window-that-others-use': [limitedBy((size) => sharedWindow(size, 2, 1)), aMinute],
  'window-of-the-account': [
    limitedBy((size) => sharedWindow(size, 0, 0), 'both'),
    { 'limit-scope': 'shared', ...aMinute },
  ],
  'reset-from-now': [resetFromNow, aMinute, { latencyMs: 120 }],
  'limit-key-counts-success-only': [limitKeyWindow(limitKeyLimit, ({ status }) => status < 400)],
  'limit-key-behind-a-limit-of-a-second': [secondLimit(5, 1_000)],
  'limit-key-not-valid': [refusesLimitKey(401), { 'limit-scope': null }],
  'limit-key-refused-from-the-start': [refusesLimitKey(429), { 'limit-scope': null }],
  'limit-key-used-up-beforehand': [refusesLimitKey(429, 40_000), { 'limit-scope': 'per-key' }],
  // The numbers of the key are those of a client without one.
  'free-plan-numbers': [undefined, { 'rate-limit-without-key': null }, { perMinute: 60 }],
  'counters-lost-by-a-restart': [restartsBefore(40, minuteWindow)],
  'counts-success-only': [countsSuccessOnly, notCounted],
  'forgets-failures': [forgetsFailures, notCounted],
  'bans-at-once-with-403': [bansAtOnce(403), { ban: 'banned-403' }],
  'bans-at-once-with-429': [bansAtOnce(429), { ban: 'banned-429' }],
  'may-come-back-sooner': [comesBackSooner(() => '1')],
  'may-come-back-after-an-hour': [comesBackSooner(() => '3600')],
});
