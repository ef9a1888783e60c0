/** Legal limiters that replace the one of the reference server: every kind of window and bucket. */

import type { StoreResponse } from '../../reference-server/index.ts';
import { defined } from '../../spec/defined.ts';
import { dayMs, minuteMs } from '../http/tolerances.ts';
import {
  changeRemaining,
  errorAnswer,
  harmless,
  hasKey,
  requestHeader,
  trialKeys,
  type Wrap,
  withHeader,
  withKey,
} from './wraps.ts';

/** The state of a client's limit after a request; times are Unix milliseconds. */
export interface LimiterState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAt: number;
  /** When a refused client may retry; undefined if the request is served. */
  readonly retryAt?: number;
}

type Limiter = (now: number) => LimiterState;

/** The answer with the headers of a state. */
function withLimitHeaders(answer: StoreResponse, { limit, remaining, resetsAt }: LimiterState): StoreResponse {
  const headers = { Limit: limit, Remaining: remaining, Reset: Math.ceil(resetsAt / 1000) };
  return Object.entries(headers).reduce(
    (all, [name, value]) => withHeader(all, `X-RateLimit-${name}`, String(value)),
    answer,
  );
}

/** The answer with the headers of a state, or the 429 in its place. */
export function withState(answer: StoreResponse, state: LimiterState, now: number): StoreResponse {
  if (state.retryAt === undefined) return withLimitHeaders(answer, state);
  const refusal = withLimitHeaders(errorAnswer(429, answer), state);
  return withHeader(refusal, 'Retry-After', String(Math.max(1, Math.ceil((state.retryAt - now) / 1000))));
}

/** Requests a minute of the rate-limit key. */
export const limitKeyLimit = trialKeys[1].perMinute;

/** Limits both keys, by a limiter for each or by one for both. */
export function limitedBy(create: (size: number) => Limiter, scope: 'each' | 'both' = 'each'): Wrap {
  return (handle, keys) => {
    const limiters = new Map<string, Limiter>();
    return (request, now) => {
      const authorization = requestHeader(request, 'authorization') ?? '';
      const isApi = hasKey({ request, keys }, 'api');
      const size = isApi ? 1_000 : hasKey({ request, keys }, 'rateLimit') ? limitKeyLimit : undefined;
      if (size === undefined) return handle(request, now);
      const client = scope === 'each' ? authorization : 'account';
      const limiter = limiters.get(client) ?? create(size);
      limiters.set(client, limiter);
      const state = limiter(now);
      const served = state.retryAt === undefined ? request : harmless(request);
      return withState(handle(withKey(served, keys.api), now), state, now);
    };
  };
}

/** A bucket that refills within a minute; Reset is when it is full again, or when the next request is served. */
export function bucketOf(size: number, resets: 'when-full' | 'at-the-next'): Limiter {
  let [tokens, at] = [size, 0];
  return (now) => {
    tokens = Math.min(size, tokens + ((now - at) * size) / minuteMs);
    at = now;
    const isServed = tokens >= 1;
    if (isServed) tokens -= 1;
    const next = now + (Math.max(0, 1 - tokens) * minuteMs) / size;
    const full = now + ((size - tokens) * minuteMs) / size;
    const state = { limit: size, remaining: Math.floor(tokens), resetsAt: resets === 'when-full' ? full : next };
    return isServed ? state : { ...state, retryAt: next };
  };
}

/** A sliding log of the last minute; Reset is when its oldest or its newest request leaves it. */
export function slidingLog(size: number, resets: 'oldest' | 'newest', counts: 'served' | 'all'): Limiter {
  let leaving: readonly number[] = [];
  return (now) => {
    leaving = leaving.filter((time) => time > now);
    const isServed = leaving.length < size;
    if (isServed || counts === 'all') leaving = [...leaving, now + minuteMs].slice(-size);
    const [oldest = now, newest = now] = [leaving[0], leaving.at(-1)];
    const state = { limit: size, remaining: size - leaving.length, resetsAt: resets === 'oldest' ? oldest : newest };
    return isServed ? state : { ...state, retryAt: oldest };
  };
}

/** Counts by minutes of the clock, of which the one before counts by the part of it that lies within the last minute. */
const byMinutes =
  (weighsBefore: boolean) =>
  (size: number): Limiter => {
    let [minute, before, used] = [0, 0, 0];
    return (now) => {
      const at = Math.floor(now / minuteMs);
      if (at !== minute) [minute, before, used] = [at, at === minute + 1 && weighsBefore ? used : 0, 0];
      const left = (): number => size - used - before * (1 - (now % minuteMs) / minuteMs);
      const isServed = left() >= 1;
      if (isServed) used += 1;
      const state = { limit: size, remaining: Math.max(0, Math.floor(left())), resetsAt: (at + 1) * minuteMs };
      return isServed ? state : { ...state, retryAt: state.resetsAt };
    };
  };
/** A sliding counter: estimates the last minute from this minute and the one before; Reset is the end of this minute. */
export const slidingCounter = byMinutes(true);
/** A window that is a minute of the clock. */
export const minuteWindow = byMinutes(false);

/** A service that restarts before the n-th request of the API key, and loses what it has counted. */
export function restartsBefore(nth: number, create: (size: number) => Limiter): Wrap {
  return limitedBy((size) => {
    let [count, limiter] = [0, create(size)];
    return (now) => {
      count += 1;
      if (count === nth && size !== limitKeyLimit) limiter = create(size);
      return limiter(now);
    };
  });
}

/** A window of a minute, while the headers describe the limit of the day. */
export function minuteBehindDay(size: number): Limiter {
  const ofMinute = minuteWindow(size);
  let usedOfDay = 0;
  return (now) => {
    const { retryAt } = ofMinute(now);
    if (retryAt === undefined) usedOfDay += 1;
    const resetsAt = (Math.floor(now / dayMs) + 1) * dayMs;
    return { limit: size * 100, remaining: size * 100 - usedOfDay, resetsAt, ...defined({ retryAt }) };
  };
}

/** A window that the first request opens, and that other clients use as well. */
export function sharedWindow(size: number, othersBefore: number, othersEach: number, lengthMs = minuteMs): Limiter {
  let [endsAt, used] = [0, 0];
  return (now) => {
    if (now >= endsAt) [endsAt, used] = [now + lengthMs, othersBefore];
    const isServed = used < size;
    used = Math.min(size, used + (isServed ? 1 : 0) + othersEach);
    const state = { limit: size, remaining: size - used, resetsAt: endsAt };
    return isServed ? state : { ...state, retryAt: endsAt };
  };
}

/** Gives failed requests of the API key back, at once or with the next answer. */
const givingBack =
  (when: 'at-once' | 'with-the-next'): Wrap =>
  (handle, keys) => {
    let [window, given, pending] = [0, 0, 0];
    return changeRemaining(({ remaining, reset, status }, call) => {
      if (!hasKey(call, 'api') || status === 429) return undefined;
      if (reset !== window) [window, given, pending] = [reset, 0, 0];
      const failed = status >= 400 ? 1 : 0;
      [given, pending] = when === 'at-once' ? [given + failed, 0] : [given + pending, failed];
      return remaining + given;
    })(handle, keys);
  };
export const countsSuccessOnly = givingBack('at-once');
export const forgetsFailures = givingBack('with-the-next');

/** A window of a minute for the rate-limit key: it serves so many requests, and counts those whose answers match. */
export function limitKeyWindow(serves: number, counts: (answer: StoreResponse) => boolean = () => true): Wrap {
  return (handle, keys) => {
    let [minute, used] = [0, 0];
    return (request, now) => {
      if (!hasKey({ request, keys }, 'rateLimit')) return handle(request, now);
      const at = Math.floor(now / minuteMs);
      if (at !== minute) [minute, used] = [at, 0];
      const isServed = used < serves;
      const answer = handle(withKey(isServed ? request : harmless(request), keys.api), now);
      if (isServed && counts(answer)) used += 1;
      const resetsAt = (at + 1) * minuteMs;
      const state = { limit: limitKeyLimit, remaining: Math.max(0, limitKeyLimit - used), resetsAt };
      return withState(answer, isServed ? state : { ...state, retryAt: resetsAt }, now);
    };
  };
}
