/** Rate limits (§8): a window of a minute and one of a day for each client, and what their headers say. */

import type { Behaviour } from './choices.ts';
import type { Limits } from './keys.ts';

const dayMs = 86_400_000;
/** Refused requests in one window after which a key is banned for the next. */
const refusalsBeforeBan = 10;

/** What a limit says after a request. `until` is when a refused client may come again, Unix milliseconds. */
export interface Standing {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds. */
  readonly reset: number;
  readonly until?: number;
}

/** Counts one request at a time, Unix milliseconds, and says where the client stands. */
export type Meter = (now: number) => Standing;

interface Window {
  start: number;
  count: number;
}

function roll(window: Window, lengthMs: number, now: number): void {
  const start = Math.floor(now / lengthMs) * lengthMs;
  if (start === window.start) return;
  window.start = start;
  window.count = 0;
}

function standing(limit: number, used: number, resetMs: number): Standing {
  return { limit, remaining: Math.max(0, limit - used), reset: Math.ceil(resetMs / 1000) };
}

/** A meter for one client. A refused request counts towards a ban, and not against the window. */
export function createMeter({ perMinute, perDay }: Limits, windowMs: number, behaviour: Behaviour): Meter {
  const minute: Window = { start: 0, count: 0 };
  const day: Window = { start: 0, count: 0 };
  const shows = behaviour['rate-limit-window'];
  let log: number[] = [];
  let refusals = 0;
  let bannedUntil = 0;

  function shortWindow(now: number): { readonly used: number; readonly endsAt: number } {
    if (shows !== 'sliding') return { used: minute.count, endsAt: minute.start + windowMs };
    return { used: log.length, endsAt: (log[0] ?? now) + windowMs };
  }

  function refuse(shown: Standing, until: number): Standing {
    refusals += 1;
    if (behaviour.ban && refusals >= refusalsBeforeBan) {
      bannedUntil = until + windowMs;
      refusals = 0;
    }
    return { ...shown, remaining: 0, until: Math.max(until, bannedUntil) };
  }

  return (now) => {
    if (Math.floor(now / windowMs) * windowMs !== minute.start) refusals = 0;
    roll(minute, windowMs, now);
    roll(day, dayMs, now);
    if (shows === 'sliding') log = log.filter((at) => at > now - windowMs);
    const { used, endsAt } = shortWindow(now);
    if (now < bannedUntil) return { ...standing(perMinute, perMinute, bannedUntil), until: bannedUntil };
    if (day.count >= perDay) return refuse(standing(perDay, perDay, day.start + dayMs), day.start + dayMs);
    if (used >= perMinute) return refuse(standing(perMinute, perMinute, endsAt), endsAt);
    minute.count += 1;
    day.count += 1;
    if (shows === 'sliding') log.push(now);
    const after = shortWindow(now);
    const byMinute = standing(perMinute, after.used, after.endsAt);
    const byDay = standing(perDay, day.count, day.start + dayMs);
    if (shows === 'day') return byDay;
    if (shows === 'tightest') return byDay.remaining < byMinute.remaining ? byDay : byMinute;
    return byMinute;
  };
}
