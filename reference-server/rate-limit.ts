/** Rate limits (§8): a short window and a day for each client, and what their headers say. */

import type { Limits } from './keys.ts';

const dayMs = 86_400_000;

/** What one limit says. */
export interface Standing {
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

/** Counts requests; both functions take Unix milliseconds. */
interface Window {
  readonly stand: (now: number) => Standing;
  readonly count: (now: number) => void;
}

export type CreateWindow = (limit: number, lengthMs: number) => Window;

/** How limits work beyond what §8 says. */
export interface LimitRules {
  readonly createWindow: CreateWindow;
  /** Of the short window and the day, the one that the headers speak of. */
  readonly show: (short: Standing, day: Standing) => Standing;
}

/** Windows from one multiple of their length to the next. */
export function createFixedWindow(limit: number, lengthMs: number): Window {
  let endsAt = 0;
  let used = 0;
  function roll(now: number): void {
    if (now < endsAt && now >= endsAt - lengthMs) return;
    endsAt = (Math.floor(now / lengthMs) + 1) * lengthMs;
    used = 0;
  }
  return {
    stand(now) {
      roll(now);
      return { limit, remaining: limit - used, endsAt };
    },
    count(now) {
      roll(now);
      used += 1;
    },
  };
}

/**
 * The last `lengthMs`. Requests leave it at whole seconds: so a log of any length is at most one entry a second, and
 * Remaining rises only when Reset, in seconds, moves too.
 */
export function createSlidingWindow(limit: number, lengthMs: number): Window {
  const leaving: { readonly at: number; count: number }[] = [];
  let used = 0;
  function roll(now: number): void {
    while (leaving[0] !== undefined && leaving[0].at <= now) used -= leaving.shift()?.count ?? 0;
  }
  return {
    stand(now) {
      roll(now);
      return { limit, remaining: limit - used, endsAt: leaving[0]?.at ?? now + lengthMs };
    },
    count(now) {
      roll(now);
      const at = Math.ceil((now + lengthMs) / 1000) * 1000;
      const last = leaving.at(-1);
      if (last?.at === at) last.count += 1;
      else leaving.push({ at, count: 1 });
      used += 1;
    },
  };
}

/**
 * A meter for one client. A refused request does not count against the limits. After `refusalsBeforeBan` of them in one
 * short window everything is refused until the end of the next.
 */
export function createMeter(limits: Limits, windowMs: number, refusalsBeforeBan: number, rules: LimitRules): Meter {
  const short = rules.createWindow(limits.perMinute, windowMs);
  const day = createFixedWindow(limits.perDay, dayMs);
  const refusals = createFixedWindow(refusalsBeforeBan, windowMs);
  let bannedUntil = 0;

  function refuse(now: number, exceeded: readonly Standing[]): Verdict {
    if (now >= bannedUntil) {
      refusals.count(now);
      const { remaining, endsAt } = refusals.stand(now);
      if (remaining <= 0) bannedUntil = endsAt + windowMs;
    }
    const until = Math.max(bannedUntil, ...exceeded.map(({ endsAt }) => endsAt));
    const limit = exceeded.at(-1)?.limit ?? limits.perMinute;
    return { limit, remaining: 0, reset: Math.ceil(until / 1000), until };
  }

  return (now) => {
    const shortly = short.stand(now);
    const daily = day.stand(now);
    if (shortly.remaining <= 0 || daily.remaining <= 0 || now < bannedUntil) {
      const exceeded = [shortly, daily].filter(({ remaining }) => remaining <= 0);
      return refuse(now, exceeded);
    }
    short.count(now);
    day.count(now);
    const { limit, remaining, endsAt } = rules.show(short.stand(now), day.stand(now));
    return { limit, remaining, reset: Math.ceil(endsAt / 1000), until: undefined };
  };
}
