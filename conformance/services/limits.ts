/** Services of §8: every kind of limit, described in every legal way. */

import { reference, type StoreResponse } from '../../reference-server/index.ts';
import { minuteMs } from '../http/tolerances.ts';
import { servicesOf } from './service.ts';
import {
  type Call,
  changes,
  errorAnswer,
  harmless,
  type Keys,
  readCall,
  trialApiKeys,
  type Wrap,
  withHeader,
  withKey,
} from './wraps.ts';

type CreateWindow = typeof reference.createWindow;
const fixed = reference.createWindow;

/** A bucket that refills within the window; Reset is when it is full again. */
const bucket: CreateWindow = (limit, lengthMs) => {
  let tokens = limit;
  let at = 0;
  return (now, requests) => {
    tokens = Math.min(limit, tokens + ((now - at) * limit) / lengthMs) - requests;
    at = now;
    return { limit, remaining: Math.floor(tokens), endsAt: now + ((limit - tokens) * lengthMs) / Math.max(1, limit) };
  };
};

/** A sliding log; Reset is when its oldest request leaves it. */
const slidingLog: CreateWindow = (limit, lengthMs) => {
  let leaving: readonly number[] = [];
  return (now, requests) => {
    leaving = [...leaving.filter((time) => time > now), ...(requests === 0 ? [] : [now + lengthMs])];
    return { limit, remaining: limit - leaving.length, endsAt: leaving[0] ?? now };
  };
};

/** Estimates the last minute from this minute of the clock and the one before; Reset is the end of this minute. */
const slidingCounter: CreateWindow = (limit, lengthMs) => {
  let minute = 0;
  let before = 0;
  let used = 0;
  return (now, requests) => {
    const at = Math.floor(now / lengthMs);
    if (at !== minute) {
      before = at === minute + 1 ? used : 0;
      minute = at;
      used = 0;
    }
    used += requests;
    const left = limit - used - before * (1 - (now % lengthMs) / lengthMs);
    return { limit, remaining: Math.max(0, Math.floor(left)), endsAt: (at + 1) * lengthMs };
  };
};

/** The service restarts after forty requests of a key, and loses what it has counted. */
const lostByARestart: CreateWindow = (limit, lengthMs) => {
  let count = 0;
  let window = fixed(limit, lengthMs);
  return (now, requests) => {
    count += requests;
    if (requests > 0 && count === 40) window = fixed(limit, lengthMs);
    return window(now, requests);
  };
};

/** The service takes another key for the rate-limit key. */
const limitKeyAs = (keyOf: (keys: Keys) => string): Wrap =>
  changes.request((request, { key, keys }) => (key === 'rateLimit' ? withKey(request, keyOf(keys)) : request));

const refuseForLimit = (status: number, answer: StoreResponse, retryAfter?: string): StoreResponse =>
  withHeader(errorAnswer(status, answer), 'Retry-After', retryAfter);

/** Counts only requests that are served without an error. */
const countsSuccessOnly: Wrap = (handle, keys) => {
  const windows = { api: fixed(1_000, minuteMs), rateLimit: fixed(trialApiKeys[1].perMinute, minuteMs) };
  return (request, now) => {
    const { key } = readCall(request, now, keys);
    if (key === undefined) return handle(request, now);
    const isExceeded = windows[key](now, 0).remaining <= 0;
    const answer = handle(withKey(isExceeded ? harmless(request) : request, keys.api), now);
    const { limit, remaining, endsAt } = windows[key](now, isExceeded || answer.status >= 400 ? 0 : 1);
    const shown = isExceeded ? refuseForLimit(429, answer, String(Math.ceil((endsAt - now) / 1000))) : answer;
    const counted = {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': String(endsAt / 1000),
    };
    return { ...shown, headers: { ...shown.headers, ...counted } };
  };
};

/** Bans a key for ten days after its first refusal. */
export const bansAtOnce =
  (status: 401 | 403 | 429): Wrap =>
  (handle, keys) => {
    let isBanned = false;
    return changes.answer((answer, call) => {
      if (!isBanned) {
        isBanned = answer.status === 429;
        return undefined;
      }
      if (call.key !== 'rateLimit') return undefined;
      const reset = Math.ceil(call.now / 1000) + 864_000;
      return withHeader(refuseForLimit(status, answer, '864000'), 'X-RateLimit-Reset', String(reset));
    })(handle, keys);
  };

/** Refuses the rate-limit key from the start: for another reason than a limit, or because others have exhausted it. */
export const refusesLimitKey =
  (status: 401 | 403 | 429, forMs = Number.POSITIVE_INFINITY): Wrap =>
  (handle, keys) => {
    let until: number | undefined;
    return (request, now) => {
      if (readCall(request, now, keys).key !== 'rateLimit') return handle(request, now);
      until ??= now + forMs;
      if (now >= until) return handle(request, now);
      return refuseForLimit(status, handle(harmless(request), now), status === 429 ? '40' : undefined);
    };
  };

/** A Retry-After that ends at another moment than the reset. */
export const comesBackSooner = (retryAfterOf: (call: Call) => string): Wrap =>
  changes.answer(
    (answer, call) => withHeader(answer, 'Retry-After', retryAfterOf(call)),
    (_call, { status }) => status === 429,
  );

/** Without the headers of §8. */
export function withoutHeaders(answer: StoreResponse): StoreResponse {
  const others = Object.entries(answer.headers).filter(([name]) => !name.startsWith('X-RateLimit-'));
  return { ...answer, headers: Object.fromEntries(others) };
}

const aMinute = { 'rate-limit-window': 'at-most-a-minute' } as const;
const windowOf = (createWindow: CreateWindow) => ({ behaviour: { createWindow } });

export const limitServices = servicesOf({
  bucket: ['Stripe, nginx: a token bucket', windowOf(bucket), aMinute],
  'sliding-until-the-oldest': ['Upstash: a log in Redis', windowOf(slidingLog), aMinute],
  'sliding-counter': ['Cloudflare, Kong: two windows, weighted', windowOf(slidingCounter), aMinute],
  'window-of-the-account': [
    'GitHub: a limit for all keys of an account',
    { wrap: limitKeyAs(({ api }) => api), perMinute: 100 },
    { 'limit-scope': 'shared' },
  ],
  'reset-with-a-fraction': [
    'slowapi, which writes time.time()',
    changes.answer((answer) => {
      const reset = answer.headers['X-RateLimit-Reset'];
      return reset === undefined ? undefined : withHeader(answer, 'X-RateLimit-Reset', `${reset}.25`);
    }),
  ],
  'counters-lost-by-a-restart': ['express-rate-limit, which counts in memory', windowOf(lostByARestart)],
  'counts-success-only': [
    'express-rate-limit with skipFailedRequests',
    countsSuccessOnly,
    { 'refused-requests': 'not-counted' },
  ],
  'limit-key-not-valid': ['a key that has expired', limitKeyAs(() => 'expired'), { 'limit-scope': null }],
  'limit-key-used-up-beforehand': ['CI that runs twice', refusesLimitKey(429, 40_000), { 'limit-scope': 'per-key' }],
  // The numbers of the key are those of a client without one.
  'free-plan-numbers': ['any service, with a Free key', { perMinute: 60 }, { 'rate-limit-without-key': null }],
  'bans-at-once-with-403': ['Rack::Attack with Fail2Ban', bansAtOnce(403), { ban: 'banned-403' }],
  'bans-at-once-with-429': ['Discord', bansAtOnce(429)],
  'bucket-with-the-wait-for-one': [
    'Envoy: Retry-After says when the next token comes',
    { ...windowOf(bucket), wrap: comesBackSooner(() => '8') },
  ],
  // While it refuses one operation, it may serve the next ones.
  'bucket-of-two-seconds-far-away': [
    'Bucket4j: greedy refill',
    { ...windowOf((limit, lengthMs) => bucket(limit, lengthMs / 30)), latencyMs: 200 },
    aMinute,
  ],
  'router-answers-before-the-limiter': [
    'Express: unknown paths get the 404 of the router',
    changes.answer(
      (answer) => withoutHeaders(answer),
      ({ operation }) => operation === 'other',
    ),
  ],
  'may-come-back-sooner': ['a fixed Retry-After of a second', comesBackSooner(() => '1')],
});
