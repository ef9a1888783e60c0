/** Variants of §8: every kind of limit, described in every legal way. */

import type { StoreResponse } from '../../reference-server/index.ts';
import type { AnswerId } from '../../spec/gaps.ts';
import { minuteMs } from '../http/tolerances.ts';
import { largeBudget } from '../verdict/settings.ts';
import {
  bucketOf,
  countsSuccessOnly,
  limitedBy,
  limitKeyLimit,
  limitKeyWindow,
  minuteBehindDay,
  minuteWindow,
  restartsBefore,
  sharedWindow,
  slidingCounter,
  slidingLog,
  withLimitHeaders,
  withState,
} from './limiters.ts';
import type { Variant } from './service.ts';
import {
  changeAnswer,
  changeRemaining,
  changeRequest,
  errorAnswer,
  harmless,
  hasKey,
  headerNumber,
  readCall,
  requestHeader,
  sentPet,
  type Wrap,
  withHeader,
  withKey,
  withRemaining,
} from './wraps.ts';

/** A bucket that refills evenly within a minute, instead of a window. */
export function bucket(size: number): Wrap {
  return (handle, keys) => {
    let tokens = size;
    let at = 0;
    return (request, now) => {
      tokens = Math.min(size, tokens + ((now - at) * size) / 60_000);
      at = now;
      const answer = handle(request, now);
      if (!hasKey({ request, keys }, 'api')) return answer;
      tokens = Math.max(0, tokens - 1);
      const resetsAt = now + ((size - tokens) * 60_000) / size;
      return withLimitHeaders(answer, { limit: size, remaining: Math.floor(tokens), resetsAt });
    };
  };
}

const resetFromNow: Wrap = changeAnswer((answer, { now }) =>
  withHeader(answer, 'X-RateLimit-Reset', String(Math.ceil(now / 1000) + 60)),
);

/** Refuses more than 60 requests a minute from an address without a valid key. */
const refusesAddresses: Wrap = (handle) => {
  let count = 0;
  let minute = 0;
  return (request, now) => {
    const answer = handle(request, now);
    if (answer.status !== 401) return answer;
    const at = Math.floor(now / 60_000);
    count = at === minute ? count + 1 : 1;
    minute = at;
    const limited = withRemaining(answer, Math.max(0, 60 - count));
    return count <= 60
      ? limited
      : { ...withHeader(limited, 'Retry-After', String(60 - (Math.floor(now / 1000) % 60))), status: 429 };
  };
};

/** Counts each request at first, and refunds a failed one with the next request. */
const forgetsFailures: Wrap = (handle, keys) => {
  let window: number | undefined;
  let [forgotten, pending] = [0, 0];
  return changeRemaining(({ remaining, reset, status }, call) => {
    if (!hasKey(call, 'api') || status === 429) return undefined;
    if (reset !== window) [forgotten, pending] = [0, 0];
    window = reset;
    [forgotten, pending] = [forgotten + pending, status >= 400 ? 1 : 0];
    return remaining + forgotten;
  })(handle, keys);
};

/** A limit that shrinks by five with every eighth answer down to 950, as under load. */
const shrinks: Wrap = (handle, keys) => {
  let count = 0;
  return changeAnswer((answer, call) => {
    if (!hasKey(call, 'api')) return undefined;
    count += 1;
    const [limit, remaining] = ['Limit', 'Remaining'].map((name) => headerNumber(answer, `X-RateLimit-${name}`));
    const less = Math.min(50, 5 * Math.floor(count / 8));
    return withHeader(
      withRemaining(answer, Math.max(0, remaining! - less)),
      'X-RateLimit-Limit',
      String(limit! - less),
    );
  })(handle, keys);
};

/** Both keys share the limit of their account: while one is refused, so is the other. */
const sharedRefusal: Wrap = (handle, keys) => {
  let [refusal, until]: [StoreResponse | undefined, number] = [undefined, 0];
  return (request, now) => {
    const { isAuthorized } = readCall(request, now, keys);
    if (refusal !== undefined && now < until && isAuthorized) return refusal;
    const answer = handle(request, now);
    if (answer.status === 429) [refusal, until] = [answer, headerNumber(answer, 'X-RateLimit-Reset') * 1_000];
    return answer;
  };
};

function refuse(status: number, answer: StoreResponse): StoreResponse {
  return withHeader(errorAnswer(status, answer), 'WWW-Authenticate', status === 401 ? 'Bearer' : undefined);
}

/** Bans a key for ten days after its first refusal. */
export function bansAtOnce(status: 401 | 403 | 429): Wrap {
  return (handle, keys) => {
    let isBanned = false;
    return (request, now) => {
      const answer = handle(request, now);
      if (answer.status !== 429 && !(isBanned && hasKey({ request, keys }, 'rateLimit'))) return answer;
      const refusal = isBanned ? withHeader(refuse(status, answer), 'Retry-After', '864000') : answer;
      const reset = Math.ceil(now / 1000) + 864_000;
      const changed = isBanned ? withHeader(refusal, 'X-RateLimit-Reset', String(reset)) : refusal;
      isBanned = true;
      return changed;
    };
  };
}

/** Refuses the rate-limit key from the start: for another reason than its limit, or because others have exhausted it. */
export function refusesLimitKey(status: 401 | 403 | 429, forMs = Number.POSITIVE_INFINITY): Wrap {
  return (handle, keys) => {
    let until: number | undefined;
    return (request, now) => {
      if (!hasKey({ request, keys }, 'rateLimit')) return handle(request, now);
      until ??= now + forMs;
      if (now >= until) return handle(request, now);
      const answer = handle(harmless(request), now);
      return withHeader(refuse(status, answer), 'Retry-After', status === 429 ? '40' : undefined);
    };
  };
}

/** Five requests remain of the day's limit, which the headers do not describe. */
const spentDay: Wrap = (handle, keys) => {
  let count = 0;
  return (request, now) => {
    if (!hasKey({ request, keys }, 'rateLimit')) return handle(request, now);
    count += 1;
    if (count <= 5) return handle(request, now);
    const answer = handle(harmless(request), now);
    return withHeader(errorAnswer(429, answer), 'Retry-After', '36000');
  };
};

/** Other clients use the rate-limit key as well: a little at first, and all of each new minute before the run does. */
const heavyUse: Wrap = (handle, keys) => {
  let minute: number | undefined;
  return (request, now) => {
    const at = Math.floor(now / 60_000);
    const theirs = harmless(request);
    const count = minute === undefined ? 1 : at > minute ? 8 : 0;
    for (let others = 0; hasKey({ request, keys }, 'rateLimit') && others < count; others += 1) handle(theirs, now);
    if (hasKey({ request, keys }, 'rateLimit')) minute ??= at;
    return handle(request, now);
  };
};

/** A sliding window that holds requests from before the run, with a reset that is always a minute ahead. */
const usedBefore: Wrap = (handle, keys) => {
  let hasBegun = false;
  const showsReset = changeAnswer((answer, { now }) =>
    withHeader(answer, 'X-RateLimit-Reset', String(Math.round(now / 1000) + 60)),
  );
  return (request, now) => {
    const earlier = withKey(harmless(request), keys.api);
    for (let ago = 59_900; ago > 0 && !hasBegun; ago -= 100) handle(earlier, now - ago);
    hasBegun = true;
    return showsReset(handle, keys)(request, now);
  };
};

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

function scopeOf(id: string): { readonly 'limit-scope'?: 'shared' } {
  return id === 'window-of-the-account' ? { 'limit-scope': 'shared' } : {};
}

const byLimiter: readonly Variant[] = Object.entries(limiters).flatMap(([id, [wrap, fast, slow = fast]]) => [
  { id, wrap, observes: { 'rate-limit-window': fast, ...scopeOf(id) } },
  { id: `${id}-slow`, wrap, latencyMs: 1_300, observes: { 'rate-limit-window': slow, ...scopeOf(id) } },
]);

/** A second limit, of five requests a second or of six a minute, which its refusals describe. */
function behindSecondLimit(size: number, lengthMs: number): Wrap {
  return (handle, keys) => {
    let [window, used] = [0, 0];
    return (request, now) => {
      if (!hasKey({ request, keys }, 'rateLimit')) return handle(request, now);
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

/** Another client uses the rate-limit key once, before the n-th request of the run. */
const usedOnceBefore =
  (nth: number): Wrap =>
  (handle, keys) => {
    let count = 0;
    return (request, now) => {
      count += hasKey({ request, keys }, 'rateLimit') ? 1 : 0;
      if (hasKey({ request, keys }, 'rateLimit') && count === nth) handle(harmless(request), now);
      return handle(request, now);
    };
  };

/** Legal ways to count the requests of a key that is used up. */
const whileUsedUp: Readonly<Record<string, Wrap>> = {
  'limit-key-window': limitKeyWindow(),
  'limit-key-used-once-before-its-last-request': usedOnceBefore(limitKeyLimit),
  'limit-key-used-once-after-the-recovery': usedOnceBefore(limitKeyLimit + 11),
  'limit-key-counts-success-only': limitKeyWindow({ refunds: ({ status }) => (status < 400 ? 'none' : 'one') }),
  'limit-key-checked-after-validation': limitKeyWindow({
    exempts: (call) =>
      call.query.get('limit') === '0' || (call.operation === 'createPet' && sentPet(call)['categoryId'] === undefined),
  }),
  'limit-key-may-not-create': (handle, keys) => (request, now) => {
    const isCreation = hasKey({ request, keys }, 'rateLimit') && request.method === 'POST';
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
  { id: 'refuses-addresses', wrap: refusesAddresses },
  // A proxy names the client's address, for which requests without a key count.
  {
    id: 'limit-without-key-by-the-address-that-a-header-names',
    wrap: changeRequest((request) => ({
      ...request,
      address: requestHeader(request, 'x-forwarded-for') ?? request.address,
    })),
    settings: largeBudget,
    perMinute: 100_000,
    showsOtherLimits: true,
  },
  // The numbers of the key are those of a client without one.
  { id: 'free-plan-numbers', perMinute: 60, observes: { 'rate-limit-without-key': null } },
  { id: 'free-plan-numbers-slow', perMinute: 60, latencyMs: 700 },
  {
    id: 'free-plan-numbers-sliding',
    perMinute: 60,
    latencyMs: 300,
    gaps: { 'rate-limit-window': 'sliding' },
    observes: { 'rate-limit-window': 'sliding' },
  },
  { id: 'free-plan-numbers-of-the-day', perMinute: 60, gaps: { 'rate-limit-window': 'day' } },
  { id: 'bucket', wrap: bucket(1_000), showsOtherLimits: true, observes: { 'rate-limit-window': 'moving' } },
  { id: 'bucket-slow', wrap: bucket(1_000), latencyMs: 200, showsOtherLimits: true },
  { id: 'bucket-slower', wrap: bucket(300), latencyMs: 450, showsOtherLimits: true },
  {
    id: 'bucket-tiny-latency',
    wrap: bucket(1_000),
    latencyMs: 40,
    showsOtherLimits: true,
    settings: largeBudget,
    observes: { 'rate-limit-window': 'moving' },
  },
  { id: 'reset-from-now', wrap: resetFromNow, latencyMs: 120, observes: { 'rate-limit-window': 'moving' } },
  {
    id: 'day-spent-behind-headers-of-the-minute',
    wrap: spentDay,
    observes: { 'rate-limit-window': 'minute', ban: 'banned-429' },
  },
  { id: 'limit-key-in-heavy-use', wrap: heavyUse },
  {
    id: 'key-used-before-sliding',
    wrap: usedBefore,
    latencyMs: 200,
    gaps: { 'rate-limit-window': 'sliding' },
    observes: { 'rate-limit-window': 'moving' },
  },
  { id: 'counters-lost-by-a-restart', wrap: restartsBefore(40, minuteWindow) },
  { id: 'window-opened-anew-by-a-restart', wrap: restartsBefore(20, (size) => sharedWindow(size, 0, 0)) },
  { id: 'limit-that-shrinks', wrap: shrinks, showsOtherLimits: true },
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
];
