/** Keys (§5) and their limits (§8): a window of a minute and one of a day for each key, and for each address without one. */

import { readHeader, type StoreRequest } from './answer.ts';

export type Limits = Readonly<Record<'perMinute' | 'perDay', number>>;
/** The plans of §8. Those of Enterprise are custom: its keys bring numbers of their own. */
export const plans = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: { perMinute: 1_000, perDay: 100_000 },
} as const satisfies Record<string, Limits>;
export type Plan = keyof typeof plans;

/** An API key. Its own numbers replace those of its plan. */
export type ApiKey = Partial<Limits> & { readonly key: string; readonly plan: Plan };

/** A window after a request; `endsAt` is in Unix milliseconds. A request beyond the limits has to wait. */
type Reading = Readonly<Record<'limit' | 'remaining' | 'endsAt', number>> & { readonly waitSeconds?: number };
/** Counts a request, or none, at a moment in Unix milliseconds. */
export type Window = (now: number, requests: 0 | 1) => Reading;

/** A window that runs from one multiple of its length to the next. */
function createFixedWindow(limit: number, lengthMs: number): Window {
  let [endsAt, used] = [0, 0];
  return (now, requests) => {
    const end = (Math.floor(now / lengthMs) + 1) * lengthMs;
    if (end !== endsAt) [endsAt, used] = [end, 0];
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

/** Counts the requests of one client, except for those beyond its limits. */
function createMeter({ perMinute, perDay }: Limits, behaviour: typeof limitReference): (now: number) => Reading {
  const minute = behaviour.createWindow(perMinute, 60_000);
  const day = createFixedWindow(perDay, 86_400_000);
  return (now) => {
    const exceeded = [day(now, 0), minute(now, 0)].find(({ remaining }) => remaining <= 0);
    if (exceeded === undefined) return behaviour.shownWindow(minute(now, 1), day(now, 1));
    return { ...exceeded, waitSeconds: Math.ceil((exceeded.endsAt - now) / 1000) };
  };
}

export type Count = Reading & { readonly hasKey: boolean };
/** Counts a request at a time: for its key, or without a valid one for its address. */
export function createLimits(keys: readonly ApiKey[], behaviour: typeof limitReference) {
  const limits = keys.map(({ plan, ...own }): Limits => ({ ...plans[plan], ...own }));
  // A lookup by hash takes no longer for a token that is similar to a key.
  const byKey = new Map(keys.map(({ key }, at) => [key as string | undefined, createMeter(limits[at]!, behaviour)]));
  const byAddress = new Map<string, ReturnType<typeof createMeter>>();
  const withoutKey = behaviour.limitsWithoutKey(limits[0] ?? plans.free);
  return (request: StoreRequest, now: number): Count => {
    const ofKey = byKey.get(behaviour.readToken(readHeader(request, 'authorization')));
    if (byAddress.size > 100_000) byAddress.clear();
    const meter = ofKey ?? byAddress.get(request.address) ?? createMeter(withoutKey, behaviour);
    if (ofKey === undefined) byAddress.set(request.address, meter);
    return { ...meter(now), hasKey: ofKey !== undefined };
  };
}
