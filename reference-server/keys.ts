/** API keys and their plans (§5, §8). */

import { createHash, timingSafeEqual } from 'node:crypto';

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

const plans: Readonly<Record<Exclude<Plan, 'enterprise'>, Limits>> = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
};

export const freeLimits = plans.free;

/** The limits of a key; throws a RangeError for an Enterprise key without numbers. */
export function limitsOf({ plan, perMinute, perDay }: ApiKey): Limits {
  const usual = plan === 'enterprise' ? undefined : plans[plan];
  const limits = { perMinute: perMinute ?? usual?.perMinute ?? 0, perDay: perDay ?? usual?.perDay ?? 0 };
  if (limits.perMinute < 1 || limits.perDay < 1) {
    throw new RangeError('A key of the Enterprise plan needs perMinute and perDay, both 1 or more.');
  }
  return limits;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Finds the key that a token is, in a time that tells nothing of how near it is to one. */
export function createKeyring(keys: readonly ApiKey[]): (token: string) => number | undefined {
  const digests = keys.map(({ key }) => digest(key));
  return (token) => {
    const sought = digest(token);
    let found: number | undefined;
    for (const [index, candidate] of digests.entries()) {
      if (timingSafeEqual(candidate, sought)) found = index;
    }
    return found;
  };
}
