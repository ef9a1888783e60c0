/** Keys (§5) and rate limits (§8): a window of a minute and one of a day for each key, and for each address without one. */

/** Requests per minute and per day. */
export interface Limits {
  readonly perMinute: number;
  readonly perDay: number;
}

export type Plan = 'free' | 'pro' | 'business' | 'enterprise';
/** The plans of §8. Those of Enterprise are custom: its keys bring numbers of their own. */
export const plans: Readonly<Record<Plan, Limits>> = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: { perMinute: 1_000, perDay: 100_000 },
};

/** An API key. Its own numbers replace those of its plan. */
export interface ApiKey extends Partial<Limits> {
  readonly key: string;
  readonly plan: Plan;
}

/** A window after a request. */
export interface WindowState {
  readonly limit: number;
  readonly remaining: number;
  /** Unix milliseconds. */
  readonly endsAt: number;
}

/** Counts so many requests at a time in Unix milliseconds. */
export type Window = (now: number, requests: 0 | 1) => WindowState;

/** A window that runs from one multiple of its length to the next. */
export function createFixedWindow(limit: number, lengthMs: number): Window {
  let [endsAt, used] = [0, 0];
  return (now, requests) => {
    if (now >= endsAt || now < endsAt - lengthMs) {
      endsAt = (Math.floor(now / lengthMs) + 1) * lengthMs;
      used = 0;
    }
    used += requests;
    return { limit, remaining: limit - used, endsAt };
  };
}

/** What §8 leaves open. */
export interface LimitBehaviour {
  /** The limits of an address without a valid key; `first` are those of the first key. */
  readonly limitsWithoutKey: (first: Limits) => Limits;
  /** The window that §8 calls a minute. */
  readonly createWindow: (limit: number, lengthMs: number) => Window;
  /** The window that the headers of §8 describe. */
  readonly shownWindow: (minute: WindowState, day: WindowState) => WindowState;
}

/** What the headers say after a request, and how long a request beyond the limits has to wait. */
export interface Reading extends WindowState {
  readonly waitMs?: number;
}

/** Counts the requests of one client, except for those beyond its limits. */
function createMeter({ perMinute, perDay }: Limits, behaviour: LimitBehaviour): (now: number) => Reading {
  const minute = behaviour.createWindow(perMinute, 60_000);
  const day = createFixedWindow(perDay, 86_400_000);
  return (now) => {
    const exceeded = [minute(now, 0), day(now, 0)].filter(({ remaining }) => remaining <= 0);
    const last = exceeded.at(-1);
    if (last === undefined) return behaviour.shownWindow(minute(now, 1), day(now, 1));
    const endsAt = Math.max(...exceeded.map((window) => window.endsAt));
    return { limit: last.limit, remaining: 0, endsAt, waitMs: endsAt - now };
  };
}

const mostAddresses = 100_000;

export function createLimits(keys: readonly ApiKey[], behaviour: LimitBehaviour) {
  const limits = keys.map(({ plan, ...own }): Limits => ({ ...plans[plan], ...own }));
  const byKey = new Map(keys.map(({ key }, at) => [key, createMeter(limits[at]!, behaviour)]));
  const byAddress = new Map<string, ReturnType<typeof createMeter>>();
  const limitsWithoutKey = behaviour.limitsWithoutKey(limits[0] ?? plans.free);
  return {
    /** Undefined without a valid key. A lookup by hash takes no longer for a token that is similar to a key. */
    countKey: (token: string | undefined, now: number): Reading | undefined => byKey.get(token ?? '')?.(now),
    /** A request without a valid key gets 401 (§5), however many there are, and never 429. */
    countAddress(address: string, now: number): Reading {
      if (byAddress.size > mostAddresses) byAddress.clear();
      const meter = byAddress.get(address) ?? createMeter(limitsWithoutKey, behaviour);
      byAddress.set(address, meter);
      return meter(now);
    },
  };
}
