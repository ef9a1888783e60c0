/** Legal limiters in place of that of the reference server: windows and buckets of every kind, and what they may count. */

import type { StoreResponse } from '../../../reference-server/index.ts';
import { dayMs, minuteMs } from '../../http/tolerances.ts';
import { apiKey, errorAnswer, limitKey, requestHeader, type Wrap, withHeader, withKey } from '../fault.ts';

/** Where a client stands after a request; times are Unix milliseconds. */
export interface Stand {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAt: number;
  /** When a refused client may come back; undefined where it was served. */
  readonly retryAt?: number;
}

/** Counts one request of a client. */
export type Limiter = (now: number) => Stand;

/** What a client is told by a stand; the answer is that of a request which was carried out. */
export function tell(
  answer: StoreResponse,
  { limit, remaining, resetsAt, retryAt }: Stand,
  now: number,
): StoreResponse {
  const told = { Limit: limit, Remaining: remaining, Reset: Math.ceil(resetsAt / 1000) };
  const headed = Object.entries(told).reduce(
    (all, [name, value]) => withHeader(all, `X-RateLimit-${name}`, String(value)),
    retryAt === undefined ? answer : errorAnswer(429, answer),
  );
  if (retryAt === undefined) return headed;
  return withHeader(headed, 'Retry-After', String(Math.max(1, Math.ceil((retryAt - now) / 1000))));
}

/** Requests a minute of the two keys. */
const sizes = new Map([
  [`Bearer ${apiKey}`, 1_000],
  [`Bearer ${limitKey}`, 8],
]);

/** Limits both keys by a limiter for each, or by one for both. */
export function limitedBy(create: (size: number) => Limiter, scope: 'each' | 'both' = 'each'): Wrap {
  return (handle) => {
    const limiters = new Map<string, Limiter>();
    return (request, now) => {
      const authorization = requestHeader(request, 'authorization') ?? '';
      const size = sizes.get(authorization);
      if (size === undefined) return handle(request, now);
      const client = scope === 'each' ? authorization : 'account';
      const limiter = limiters.get(client) ?? create(size);
      limiters.set(client, limiter);
      const stand = limiter(now);
      const harmless = { ...request, method: 'GET', target: '/v1/pets?limit=1', body: new Uint8Array() };
      return tell(handle(withKey(stand.retryAt === undefined ? request : harmless), now), stand, now);
    };
  };
}

/** A bucket that fills within a minute; Reset is when it is full again, or when the next request fits in. */
export function bucketOf(size: number, resets: 'when-full' | 'at-the-next'): Limiter {
  let [tokens, at] = [size, 0];
  return (now) => {
    tokens = Math.min(size, tokens + ((now - at) * size) / minuteMs);
    at = now;
    const isServed = tokens >= 1;
    if (isServed) tokens -= 1;
    const next = now + (Math.max(0, 1 - tokens) * minuteMs) / size;
    const full = now + ((size - tokens) * minuteMs) / size;
    const stand = { limit: size, remaining: Math.floor(tokens), resetsAt: resets === 'when-full' ? full : next };
    return isServed ? stand : { ...stand, retryAt: next };
  };
}

/** The last minute, request by request; Reset is when the oldest or the newest of them leaves it. */
export function slidingLog(size: number, resets: 'oldest' | 'newest', counts: 'served' | 'all'): Limiter {
  let leaving: readonly number[] = [];
  return (now) => {
    leaving = leaving.filter((time) => time > now);
    const isServed = leaving.length < size;
    if (isServed || counts === 'all') leaving = [...leaving, now + minuteMs].slice(-size);
    const [oldest = now, newest = now] = [leaving[0], leaving.at(-1)];
    const stand = { limit: size, remaining: size - leaving.length, resetsAt: resets === 'oldest' ? oldest : newest };
    return isServed ? stand : { ...stand, retryAt: oldest };
  };
}

/** The last minute, guessed from this one and as much of the one before as it covers; Reset is the end of this one. */
export function slidingCounter(size: number): Limiter {
  let [minute, before, used] = [0, 0, 0];
  return (now) => {
    const at = Math.floor(now / minuteMs);
    if (at !== minute) [minute, before, used] = [at, at === minute + 1 ? used : 0, 0];
    const guess = (): number => used + before * (1 - (now % minuteMs) / minuteMs);
    const isServed = guess() + 1 <= size;
    if (isServed) used += 1;
    const stand = { limit: size, remaining: Math.max(0, Math.floor(size - guess())), resetsAt: (at + 1) * minuteMs };
    return isServed ? stand : { ...stand, retryAt: (at + 1) * minuteMs };
  };
}

/** A window of a minute, whose headers tell of the day. */
export function minuteBehindDay(size: number): Limiter {
  let [minute, used, usedOfDay] = [0, 0, 0];
  return (now) => {
    const at = Math.floor(now / minuteMs);
    if (at !== minute) [minute, used] = [at, 0];
    const isServed = used < size;
    if (isServed) [used, usedOfDay] = [used + 1, usedOfDay + 1];
    const resetsAt = (Math.floor(now / dayMs) + 1) * dayMs;
    const stand = { limit: size * 100, remaining: size * 100 - usedOfDay, resetsAt };
    return isServed ? stand : { ...stand, retryAt: (at + 1) * minuteMs };
  };
}

/** A window that the first request opens, and of which others have used and use some. */
export function sharedWindow(size: number, othersBefore: number, othersEach: number): Limiter {
  let [endsAt, used] = [0, 0];
  return (now) => {
    if (now >= endsAt) [endsAt, used] = [now + minuteMs, othersBefore];
    const isServed = used < size;
    used = Math.min(size, used + (isServed ? 1 : 0) + othersEach);
    const stand = { limit: size, remaining: size - used, resetsAt: endsAt };
    return isServed ? stand : { ...stand, retryAt: endsAt };
  };
}
