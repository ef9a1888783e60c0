/** API keys and their plans (§5, §8). */

import { hash, randomBytes } from 'node:crypto';

/** The plans of §8. */
export type Plan = 'free' | 'pro' | 'business' | 'enterprise';

/** A key of a plan. Enterprise needs its numbers; elsewhere they replace those of the plan. */
export interface ApiKey {
  readonly key: string;
  readonly plan: Plan;
  readonly perMinute?: number;
  readonly perDay?: number;
}

/** Requests per minute and per day. */
export interface Limits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** Also those of requests without a valid key, which are counted by address. */
export const freeLimits: Limits = { perMinute: 60, perDay: 1_000 };

const maxKeyLength = 256;

const plans: Readonly<Record<Plan, Partial<Limits>>> = {
  free: freeLimits,
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: {},
};

/** The limits of a key; throws a RangeError, which never shows the key, for one that cannot work. */
export function readLimits({ key, plan, perMinute, perDay }: ApiKey): Limits {
  if (!/^[!-~]+$/.test(key) || key.length > maxKeyLength) {
    throw new RangeError(`A key must be of 1 to ${maxKeyLength} visible ASCII characters.`);
  }
  if (!Object.hasOwn(plans, plan)) throw new RangeError(`A plan must be one of ${Object.keys(plans).join(', ')}.`);
  const limits = { perMinute: perMinute ?? plans[plan].perMinute, perDay: perDay ?? plans[plan].perDay };
  const isWhole = (limit: unknown): limit is number => Number.isSafeInteger(limit) && Number(limit) >= 1;
  if (isWhole(limits.perMinute) && isWhole(limits.perDay)) return limits as Limits;
  throw new RangeError('perMinute and perDay must be whole numbers from 1, and an enterprise key needs both.');
}

/**
 * Finds which key a token is, in a time that tells nothing of how near it is to one: what is looked up is its digest
 * under a secret of this process, and how near two of those are nobody knows. One key or a million cost the same.
 */
export function createKeyring(keys: readonly ApiKey[]): (token: string) => number | undefined {
  const secret = randomBytes(16).toString('base64');
  const digest = (token: string): string => hash('sha256', secret + token, 'base64');
  const places = new Map(keys.map(({ key }, at) => [digest(key), at]));
  return (token) => places.get(digest(token));
}
