/** Keys (§5) and their limits (§8): a window of a minute and one of a day for each key, and for each address without one. */

export type Limits = Readonly<Record<'perMinute' | 'perDay', number>>;
export type Plan = 'free' | 'pro' | 'business' | 'enterprise';
/** The plans of §8. Those of Enterprise are custom: its keys bring numbers of their own. */
export const plans: Readonly<Record<Plan, Limits>> = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: { perMinute: 1_000, perDay: 100_000 },
};

/** An API key. Its own numbers replace those of its plan. */
export type ApiKey = Partial<Limits> & { readonly key: string; readonly plan: Plan };

/** A window after a request; `endsAt` is in Unix milliseconds. A request beyond the limits has to wait for `waitMs`. */
export type Reading = Readonly<Record<'limit' | 'remaining' | 'endsAt', number>> & { readonly waitMs?: number };
/** Counts so many requests at a time in Unix milliseconds. */
export type Window = (now: number, requests: 0 | 1) => Reading;

/** A window that runs from one multiple of its length to the next. */
function createFixedWindow(limit: number, lengthMs: number): Window {
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

/** What §5 and §8 leave open, and how this server decides it. */
export const limitReference = {
  /** The token in an Authorization header. */
  readToken: (authorization: string): string | undefined => /^Bearer +([!-~]+)$/i.exec(authorization)?.[1],
  /** The limits of an address without a valid key, given those of the first key. */
  limitsWithoutKey: (_first: Limits): Limits => plans.free,
  /** The window that §8 calls a minute. */
  createWindow: createFixedWindow,
  /** The window that the headers describe. */
  shownWindow: (minute: Reading, day: Reading): Reading => (day.remaining < minute.remaining ? day : minute),
};
export type LimitBehaviour = Readonly<typeof limitReference>;

/** Counts the requests of one client, except for those beyond its limits. */
function createMeter({ perMinute, perDay }: Limits, behaviour: LimitBehaviour): (now: number) => Reading {
  const minute = behaviour.createWindow(perMinute, 60_000);
  const day = createFixedWindow(perDay, 86_400_000);
  return (now) => {
    const [short, long] = [minute(now, 0), day(now, 0)];
    if (short.remaining > 0 && long.remaining > 0) return behaviour.shownWindow(minute(now, 1), day(now, 1));
    const last = long.remaining > 0 ? short : long;
    const endsAt = short.remaining > 0 ? long.endsAt : Math.max(short.endsAt, last.endsAt);
    return { limit: last.limit, remaining: 0, endsAt, waitMs: endsAt - now };
  };
}

const mostAddresses = 100_000;

export function createLimits(keys: readonly ApiKey[], behaviour: LimitBehaviour) {
  const limits = keys.map(({ plan, ...own }): Limits => ({ ...plans[plan], ...own }));
  const byKey = new Map(keys.map(({ key }, at) => [key, createMeter(limits[at]!, behaviour)]));
  const byAddress = new Map<string, ReturnType<typeof createMeter>>();
  const withoutKey = behaviour.limitsWithoutKey(limits[0] ?? plans.free);
  return {
    /** Undefined without a valid key. A lookup by hash takes no longer for a token that is similar to a key. */
    countKey: (token: string | undefined, now: number): Reading | undefined => byKey.get(token ?? '')?.(now),
    /** A request without a valid key gets 401 (§5), however many there are, and never 429. */
    countAddress(address: string, now: number): Reading {
      if (byAddress.size > mostAddresses) byAddress.clear();
      const meter = byAddress.get(address) ?? createMeter(withoutKey, behaviour);
      byAddress.set(address, meter);
      return meter(now);
    },
  };
}
