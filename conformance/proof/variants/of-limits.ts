/** Variants of §8: every kind of limit, described in every legal way. */

import type { StoreResponse } from '../../../reference-server/index.ts';
import type { AnswerId } from '../../../spec/gaps.ts';
import { hourMs, minuteMs } from '../../http/tolerances.ts';
import {
  bucketOf,
  countsSuccessOnly,
  limitedBy,
  limitKeyWindow,
  minuteBehindDay,
  sharedWindow,
  slidingCounter,
  slidingLog,
  withState,
} from '../../sections/8-limits/limiters.ts';
import { changeAnswer, errorAnswer, harmless, hasKey, limitKey, sentPet, type Wrap } from '../../sections/fault.ts';
import type { Variant } from '../variant.ts';
import { bansAtOnce, comesBackSooner, forgetsFailures, refusesLimitKey, sharedRefusal, withDate } from './limits.ts';

type Window = AnswerId<'rate-limit-window'>;

/** Every kind of limiter, with the window that a fast run and a slow run observe. */
const limiters: Readonly<Record<string, readonly [wrap: Wrap, fast: Window, slow?: Window]>> = {
  'bucket-until-full': [limitedBy((size) => bucketOf(size, 'when-full')), 'moving'],
  'bucket-until-the-next': [limitedBy((size) => bucketOf(size, 'at-the-next')), 'moving'],
  'sliding-until-the-oldest': [
    limitedBy((size) => slidingLog(size, 'oldest', 'served')),
    'at-most-a-minute',
    'sliding',
  ],
  'sliding-until-the-newest': [limitedBy((size) => slidingLog(size, 'newest', 'served')), 'moving'],
  'sliding-with-all-counted': [limitedBy((size) => slidingLog(size, 'newest', 'all')), 'moving'],
  'sliding-counter': [limitedBy(slidingCounter), 'at-most-a-minute'],
  'minute-behind-the-day': [limitedBy(minuteBehindDay), 'day'],
  'window-of-the-account': [limitedBy((size) => sharedWindow(size, 0, 0), 'both'), 'at-most-a-minute'],
  'window-that-others-use': [limitedBy((size) => sharedWindow(size, 2, 1)), 'at-most-a-minute'],
};

/** A window of a second: no plan has one, so the user names none. */
const windowOfASecond: Wrap = limitedBy((size) => sharedWindow(size, 0, 0, 1_000));

/** The observed scope of the limit. */
function scopeOf(id: string): { readonly 'limit-scope'?: 'shared' } {
  return id === 'window-of-the-account' ? { 'limit-scope': 'shared' } : {};
}

const byLimiter: readonly Variant[] = Object.entries(limiters).flatMap(([id, [wrap, fast, slow = fast]]) => [
  { id, wrap, observes: { 'rate-limit-window': fast, ...scopeOf(id) } },
  { id: `${id}-slow`, wrap, latencyMs: 1_300, observes: { 'rate-limit-window': slow, ...scopeOf(id) } },
]);

const isError = ({ status }: StoreResponse): boolean => status >= 400 && status !== 429;

/** A second limit, of five requests a second or of six a minute, which its refusals describe. */
function behindSecondLimit(size: number, lengthMs: number): Wrap {
  return (handle) => {
    let [window, used] = [0, 0];
    return (request, now) => {
      if (!hasKey({ request }, limitKey)) return handle(request, now);
      const at = Math.floor(now / lengthMs);
      [window, used] = [at, at === window ? used + 1 : 1];
      if (used <= size) return handle(request, now);
      const answer = handle(harmless(request), now);
      if (answer.status === 429) return answer;
      const resetsAt = (at + 1) * lengthMs;
      return withState(answer, { limit: size, remaining: 0, resetsAt, retryAt: resetsAt }, now);
    };
  };
}

/** Legal ways to count the requests of a key that is used up. */
const whileUsedUp: Readonly<Record<string, Wrap>> = {
  'limit-key-window': limitKeyWindow(),
  'limit-key-counts-success-only': limitKeyWindow({ refunds: (answer) => (isError(answer) ? 'one' : 'none') }),
  'limit-key-checked-after-validation': limitKeyWindow({
    exempts: (call) => call.operation === 'createPet' && sentPet(call)['categoryId'] === undefined,
  }),
  'limit-key-may-not-create': (handle) => (request, now) => {
    const isCreation = hasKey({ request }, limitKey) && request.method === 'POST';
    const answer = handle(isCreation ? harmless(request) : request, now);
    return isCreation && answer.status !== 429 ? errorAnswer(403, answer) : answer;
  },
  'limit-key-behind-a-limit-of-a-second': behindSecondLimit(5, 1_000),
  'limit-key-behind-another-limit-of-the-minute': behindSecondLimit(6, minuteMs),
};

export const limitVariants: readonly Variant[] = [
  ...byLimiter,
  ...Object.entries(whileUsedUp).map(([id, wrap]) => ({ id, wrap })),
  ...[3, 40, 250, 1_300].map((latencyMs) => ({
    id: `window-of-a-second-at-${latencyMs}-ms`,
    wrap: windowOfASecond,
    showsOtherLimits: true as const,
    latencyMs,
  })),
  { id: 'counts-success-only', wrap: countsSuccessOnly, observes: { 'refused-requests': 'not-counted' } },
  { id: 'forgets-failures', wrap: forgetsFailures, observes: { 'refused-requests': 'not-counted' } },
  { id: 'limits-of-the-account', wrap: sharedRefusal, observes: { 'limit-scope': 'shared' } },
  { id: 'bans-at-once-with-401', wrap: bansAtOnce(401), observes: { ban: 'banned-401' } },
  { id: 'bans-at-once-with-403', wrap: bansAtOnce(403), observes: { ban: 'banned-403' } },
  { id: 'bans-at-once-with-429', wrap: bansAtOnce(429), observes: { ban: 'banned-429' } },
  { id: 'limit-key-not-valid', wrap: refusesLimitKey(401), observes: { 'limit-scope': null } },
  { id: 'limit-key-forbidden', wrap: refusesLimitKey(403), observes: { 'limit-scope': null } },
  { id: 'limit-key-refused-from-the-start', wrap: refusesLimitKey(429), observes: { 'limit-scope': null } },
  { id: 'limit-key-used-up-beforehand', wrap: refusesLimitKey(429, 40_000), observes: { 'limit-scope': 'per-key' } },
  { id: 'may-come-back-sooner', wrap: comesBackSooner(() => '1') },
  {
    id: 'may-come-back-at-a-date-that-has-passed',
    wrap: comesBackSooner((now) => new Date(now - 20_000).toUTCString()),
    observes: { 'retry-after-form': 'http-date' },
  },
  { id: 'clock-behind-and-no-date', hasNoDate: true, skewMs: -5 * hourMs },
  { id: 'clock-ahead-and-no-date', hasNoDate: true, skewMs: 5 * hourMs },
  { id: 'date-of-a-gateway-behind', wrap: changeAnswer((answer, { now }) => withDate(answer, now - hourMs)) },
  {
    id: 'clock-a-little-behind-its-gateway',
    wrap: changeAnswer((answer, { now }) => withDate(answer, now + 9_000)),
    skewMs: -9_000,
  },
];
