/** Who sends a request: the API key that it carries (§5), or its address. Each has limits of its own. */

import type { Behaviour } from './choices.ts';
import { readHeader, type StoreRequest } from './messages.ts';
import {
  createMeter,
  createMeters,
  type LimitRules,
  type Limits,
  type Meter,
  type Plan,
  plans,
  type RateLimitReading,
} from './rate-limit.ts';

/** A key of a plan. An enterprise key needs both numbers; for any other they replace those of its plan. */
export interface ApiKey {
  readonly key: string;
  readonly plan: Plan;
  readonly perMinute?: number;
  readonly perDay?: number;
}

const maxKeyLength = 256;

/** The limits of a key; throws a RangeError, which never shows the key, for one that cannot work. */
function readLimits({ key, plan, ...own }: ApiKey, chosen: Partial<Limits>): Limits {
  if (!/^[!-~]+$/.test(key) || key.length > maxKeyLength) {
    throw new RangeError(`A key must be of 1 to ${maxKeyLength} visible ASCII characters.`);
  }
  if (!Object.hasOwn(plans, plan)) throw new RangeError(`A plan must be one of ${Object.keys(plans).join(', ')}.`);
  const { perMinute, perDay }: Partial<Limits> = { ...plans[plan], ...chosen };
  const limits = { perMinute: own.perMinute ?? perMinute, perDay: own.perDay ?? perDay };
  const isWhole = (limit: unknown): limit is number => Number.isSafeInteger(limit) && Number(limit) >= 1;
  if (isWhole(limits.perMinute) && isWhole(limits.perDay)) return limits as Limits;
  throw new RangeError('perMinute and perDay must be whole numbers from 1, and an enterprise key needs both.');
}

/** This many client addresses are remembered for certain. */
const mostAddresses = 100_000;

/** Throws a RangeError for keys that cannot work. */
export function createClients(keys: readonly ApiKey[], windowMs: number, behaviour: Behaviour) {
  const rules: LimitRules = behaviour['rate-limit-window'];
  const limits = keys.map((key) => readLimits(key, rules.limits ?? {}));
  // Looking up a hash takes no longer for a token that is similar to a key.
  const positions = new Map(keys.map(({ key }, at) => [key, at]));
  const createForKey = (at: number): Meter => createMeter(limits[at]!, windowMs, behaviour.ban, rules);
  const countByKey = createMeters(createForKey, windowMs, keys.length);
  const createFor = (of: Limits): Meter => createMeter(of, windowMs, Number.POSITIVE_INFINITY, rules);
  const createForAddress = behaviour['rate-limit-without-key'](createFor, limits[0] ?? plans.free, windowMs);
  return {
    /** Counts a request by its key; undefined where it carries no valid one. */
    countKey(request: StoreRequest, now: number): RateLimitReading | undefined {
      const token = behaviour['bearer-case'].exec(readHeader(request, 'authorization'))?.[1];
      const key = token === undefined ? undefined : positions.get(token);
      return key === undefined ? undefined : countByKey(key, now);
    },
    /** Counts a request without a valid key. However many there are, each gets 401 (§5) and never 429. */
    countAddress: createMeters<string>(createForAddress, windowMs, mostAddresses),
  };
}
