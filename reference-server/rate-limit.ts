/** Rate limits (§8): a short window and a day for each client, and what their headers say. */

import type { Limits } from './keys.ts';

const dayMs = 86_400_000;

/** What one limit says. */
export interface RateLimitStatus {
  readonly limit: number;
  readonly remaining: number;
  /** Unix milliseconds. */
  readonly endsAt: number;
}

/** What a client is told after a request. */
export interface Verdict {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds. */
  readonly reset: number;
  /** When a refused client is served again, Unix milliseconds; undefined where the request is within its limits. */
  readonly until: number | undefined;
}

/** Counts one request at a time, Unix milliseconds, and says where the client stands. */
export type Meter = (now: number) => Verdict;

/** Counts so many requests at a time, Unix milliseconds, and says where the client then stands. */
export type Window = (now: number, requests: 0 | 1) => RateLimitStatus;

export type CreateWindow = (limit: number, lengthMs: number) => Window;

/** How limits work beyond what §8 says. */
export interface LimitRules {
  readonly createWindow: CreateWindow;
  /** Of the short window and the day, the one that the headers speak of. */
  readonly show: (short: RateLimitStatus, day: RateLimitStatus) => RateLimitStatus;
}

/** Windows from one multiple of their length to the next. */
export function createFixedWindow(limit: number, lengthMs: number): Window {
  let endsAt = 0;
  let used = 0;
  return (now, requests) => {
    if (now >= endsAt || now < endsAt - lengthMs) {
      endsAt = (Math.floor(now / lengthMs) + 1) * lengthMs;
      used = 0;
    }
    used += requests;
    return { limit, remaining: limit - used, endsAt };
  };
}

/**
 * The last `lengthMs`. Requests leave it at whole seconds: so a log of any length is at most one entry a second, and
 * Remaining rises only when Reset, in seconds, moves too.
 */
export function createSlidingWindow(limit: number, lengthMs: number): Window {
  const leaving: { readonly at: number; count: number }[] = [];
  let used = 0;
  return (now, requests) => {
    while (leaving[0] !== undefined && leaving[0].at <= now) used -= leaving.shift()?.count ?? 0;
    if (requests > 0) {
      const at = Math.ceil((now + lengthMs) / 1000) * 1000;
      const last = leaving.at(-1);
      if (last?.at === at) last.count += requests;
      else leaving.push({ at, count: requests });
      used += requests;
    }
    return { limit, remaining: limit - used, endsAt: leaving[0]?.at ?? now + lengthMs };
  };
}

/**
 * A meter for one client. A refused request does not count against the limits. After `refusalsBeforeBan` of them in one
 * short window everything is refused until the end of the next.
 */
export function createMeter(limits: Limits, windowMs: number, refusalsBeforeBan: number, rules: LimitRules): Meter {
  const short = rules.createWindow(limits.perMinute, windowMs);
  const day = createFixedWindow(limits.perDay, dayMs);
  // Most clients are never refused.
  let refusals: Window | undefined;
  let bannedUntil = 0;

  function refuse(now: number, exceeded: readonly RateLimitStatus[]): Verdict {
    if (now >= bannedUntil) {
      refusals ??= createFixedWindow(refusalsBeforeBan, windowMs);
      const { remaining, endsAt } = refusals(now, 1);
      if (remaining <= 0) bannedUntil = endsAt + windowMs;
    }
    const until = Math.max(bannedUntil, ...exceeded.map(({ endsAt }) => endsAt));
    const limit = exceeded.at(-1)?.limit ?? limits.perMinute;
    return { limit, remaining: 0, reset: Math.ceil(until / 1000), until };
  }

  return (now) => {
    const shortly = short(now, 0);
    const daily = day(now, 0);
    if (shortly.remaining <= 0 || daily.remaining <= 0 || now < bannedUntil) {
      const exceeded = [shortly, daily].filter(({ remaining }) => remaining <= 0);
      return refuse(now, exceeded);
    }
    const { limit, remaining, endsAt } = rules.show(short(now, 1), day(now, 1));
    return { limit, remaining, reset: Math.ceil(endsAt / 1000), until: undefined };
  };
}

/** For how long a meter may remember a request, milliseconds: a day, or a ban that ends with the next window. */
export function memoryOfMeter(windowMs: number): number {
  return Math.max(dayMs, 2 * windowMs);
}
