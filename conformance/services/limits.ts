/** Services of §8: every kind of limit, described in every legal way. */

import type { StoreResponse } from '../../reference-server/index.ts';
import type { AnswerId } from '../../spec/gaps.ts';
import {
  bucketOf,
  countsSuccessOnly,
  limitedBy,
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
import type { Service } from './service.ts';
import {
  changeAnswer,
  changeRemaining,
  errorAnswer,
  harmless,
  hasKey,
  headerNumber,
  readCall,
  type Wrap,
  withHeader,
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

type Window = AnswerId<'rate-limit-window'>;

/** Every kind of limiter, with the window that a run observes, and that of a slow run where it is tried. */
const limiters: Readonly<Record<string, readonly [wrap: Wrap, fast: Window, slow?: Window]>> = {
  'bucket-until-full': [limitedBy((size) => bucketOf(size, 'when-full')), 'moving'],
  'bucket-until-the-next': [limitedBy((size) => bucketOf(size, 'at-the-next')), 'at-most-a-minute', 'at-most-a-minute'],
  'sliding-until-the-oldest': [
    limitedBy((size) => slidingLog(size, 'oldest', 'served')),
    'at-most-a-minute',
    'at-most-a-minute',
  ],
  'sliding-until-the-newest': [limitedBy((size) => slidingLog(size, 'newest', 'served')), 'at-most-a-minute'],
  'sliding-with-all-counted': [limitedBy((size) => slidingLog(size, 'newest', 'all')), 'at-most-a-minute'],
  'sliding-counter': [limitedBy(slidingCounter), 'at-most-a-minute', 'at-most-a-minute'],
  'minute-behind-the-day': [limitedBy(minuteBehindDay), 'day', 'day'],
  'window-that-others-use': [limitedBy((size) => sharedWindow(size, 2, 1)), 'at-most-a-minute'],
};

const byLimiter: readonly Service[] = Object.entries(limiters).flatMap(([id, [wrap, fast, slow]]) => [
  { id, wrap, observes: { 'rate-limit-window': fast } },
  ...(slow === undefined
    ? []
    : [{ id: `${id}-slow`, wrap, latencyMs: 1_300, observes: { 'rate-limit-window': slow } }]),
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

const mayNotCreate: Wrap = (handle, keys) => (request, now) => {
  const isCreation = hasKey({ request, keys }, 'rateLimit') && request.method === 'POST';
  const answer = handle(isCreation ? harmless(request) : request, now);
  return isCreation && answer.status !== 429 ? errorAnswer(403, answer) : answer;
};

const moving = { 'rate-limit-window': 'moving' } as const;

export const limitServices: readonly Service[] = [
  ...byLimiter,
  {
    id: 'window-of-the-account',
    wrap: limitedBy((size) => sharedWindow(size, 0, 0), 'both'),
    observes: { 'limit-scope': 'shared', 'rate-limit-window': 'at-most-a-minute' },
  },
  // No plan has a window of a second, so the user names none.
  ...[40, 1_300].map((latencyMs) => ({
    id: `window-of-a-second-at-${latencyMs}-ms`,
    wrap: limitedBy((size) => sharedWindow(size, 0, 0, 1_000)),
    showsOtherLimits: true as const,
    latencyMs,
  })),
  {
    id: 'limit-key-counts-success-only',
    wrap: limitKeyWindow({ refunds: ({ status }) => (status < 400 ? 'none' : 'one') }),
  },
  { id: 'limit-key-may-not-create', wrap: mayNotCreate },
  { id: 'limit-key-behind-a-limit-of-a-second', wrap: behindSecondLimit(5, 1_000) },
  { id: 'limit-key-in-heavy-use', wrap: heavyUse },
  { id: 'limit-key-not-valid', wrap: refusesLimitKey(401), observes: { 'limit-scope': null } },
  { id: 'limit-key-refused-from-the-start', wrap: refusesLimitKey(429), observes: { 'limit-scope': null } },
  { id: 'limit-key-used-up-beforehand', wrap: refusesLimitKey(429, 40_000), observes: { 'limit-scope': 'per-key' } },
  { id: 'limits-of-the-account', wrap: sharedRefusal, observes: { 'limit-scope': 'shared' } },
  { id: 'refuses-addresses', wrap: refusesAddresses },
  // The numbers of the key are those of a client without one.
  { id: 'free-plan-numbers', perMinute: 60, observes: { 'rate-limit-without-key': null } },
  {
    id: 'free-plan-numbers-sliding',
    perMinute: 60,
    latencyMs: 300,
    gaps: { 'rate-limit-window': 'sliding' },
  },
  { id: 'free-plan-numbers-of-the-day', perMinute: 60, gaps: { 'rate-limit-window': 'day' } },
  { id: 'bucket', wrap: bucket(1_000), showsOtherLimits: true, observes: moving },
  { id: 'bucket-slow', wrap: bucket(300), latencyMs: 450, showsOtherLimits: true },
  { id: 'reset-from-now', wrap: resetFromNow, latencyMs: 120, observes: moving },
  {
    id: 'day-spent-behind-headers-of-the-minute',
    wrap: spentDay,
    observes: { ban: 'banned-429' },
  },
  { id: 'counters-lost-by-a-restart', wrap: restartsBefore(40, minuteWindow) },
  { id: 'limit-that-shrinks', wrap: shrinks, showsOtherLimits: true },
  { id: 'counts-success-only', wrap: countsSuccessOnly, observes: { 'refused-requests': 'not-counted' } },
  { id: 'forgets-failures', wrap: forgetsFailures, observes: { 'refused-requests': 'not-counted' } },
  ...([401, 403, 429] as const).map((status) => ({
    id: `bans-at-once-with-${status}`,
    wrap: bansAtOnce(status),
    observes: { ban: `banned-${status}` } as const,
  })),
];
