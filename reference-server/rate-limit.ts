/** Rate limits (§8): the numbers of each plan, a short window and a day for each client, and their headers. */

/** Requests per minute and per day. */
export interface Limits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** The plans of §8; enterprise keys bring their own numbers. */
export type Plan = 'free' | 'pro' | 'business' | 'enterprise';
export const plans = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: {},
} as const satisfies Readonly<Record<Plan, Partial<Limits>>>;

const dayMs = 86_400_000;

/** The values of the rate-limit headers after a request. */
export interface RateLimitReading {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds. */
  readonly reset: number;
  /** When a refused client is served again, in Unix milliseconds; undefined for a request within the limits. */
  readonly until: number | undefined;
}

/** The state of one window. */
export interface WindowState {
  readonly limit: number;
  readonly remaining: number;
  /** Unix milliseconds. */
  readonly endsAt: number;
}

/** Counts so many requests at a time in Unix milliseconds, and returns the state after them. */
export type Window = (now: number, requests: 0 | 1) => WindowState;

/** How limits work where §8 leaves it open. */
export interface LimitRules {
  readonly createWindow: (limit: number, lengthMs: number) => Window;
  /** Which of the short window and the day the headers describe. */
  readonly show: (short: WindowState, day: WindowState) => WindowState;
  /** Numbers in place of those of a key's plan. */
  readonly limits?: Partial<Limits>;
}

/** Windows that run from one multiple of their length to the next. */
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
 * The last `lengthMs`. Requests leave the window at whole seconds: the log then needs at most one entry a second, and
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

/** Counts one request at a time in Unix milliseconds. */
export type Meter = (now: number) => RateLimitReading;

/**
 * The meter of one client. A refused request does not count against the limits. After `refusalsBeforeBan` refusals in one
 * short window every request is refused until the end of the next window.
 */
export function createMeter(limits: Limits, windowMs: number, refusalsBeforeBan: number, rules: LimitRules): Meter {
  const short = rules.createWindow(limits.perMinute, windowMs);
  const day = createFixedWindow(limits.perDay, dayMs);
  // Created on demand, since most clients are never refused.
  let refusals: Window | undefined;
  let bannedUntil = 0;

  function refuse(now: number, exceeded: readonly WindowState[]): RateLimitReading {
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
    const windows = [short(now, 0), day(now, 0)];
    const exceeded = windows.filter(({ remaining }) => remaining <= 0);
    if (exceeded.length > 0 || now < bannedUntil) return refuse(now, exceeded);
    const { limit, remaining, endsAt } = rules.show(short(now, 1), day(now, 1));
    return { limit, remaining, reset: Math.ceil(endsAt / 1000), until: undefined };
  };
}

/**
 * Returns a meter of many clients. It holds the meters of this period and of the one before. A period is as long as a
 * meter can remember, so a client that has not asked for a whole period is equal to a new one. With `most` clients in it
 * a period ends early: beyond twice that number the clients that have been away longest start anew.
 */
export function createMeters<Client>(create: (client: Client) => Meter, windowMs: number, most: number) {
  // A meter remembers a day, or a ban that ends with the next window.
  const periodMs = Math.max(dayMs, 2 * windowMs);
  let [current, before, period] = [new Map<Client, Meter>(), new Map<Client, Meter>(), 0];
  return (client: Client, now: number): RateLimitReading => {
    const at = Math.floor(now / periodMs);
    if (at !== period || (current.size >= most && !current.has(client))) {
      [current, before, period] = [new Map(), at - period > 1 ? new Map() : current, at];
    }
    const meter = current.get(client) ?? before.get(client) ?? create(client);
    current.set(client, meter);
    return meter(now);
  };
}
