/** What a user says of a run, read from the command line and the environment. */

export type Plan = 'free' | 'pro' | 'business' | 'enterprise';

/** Requests per minute and per day by plan (§8); Enterprise is custom. */
export const planLimits: Readonly<Record<Plan, readonly number[]>> = {
  free: [60, 1_000],
  pro: [300, 10_000],
  business: [1_000, 100_000],
  enterprise: [],
};

export interface Settings {
  /** Without a trailing slash, query or fragment. */
  readonly baseUrl: string;
  readonly plan?: Plan;
  /** Categories that the target is said to know. */
  readonly categoryIds: readonly bigint[];
  /** Animals that the target is said to have, for runs that create none. */
  readonly petIds: readonly bigint[];
  readonly maxRequests: number;
  readonly maxCreates: number;
  readonly isReadOnly: boolean;
  readonly concurrency: number;
  /** The longest single wait for a rate limit, milliseconds. */
  readonly maxWaitMs: number;
  readonly seed: number;
  /** The day that the run takes for today, Unix milliseconds; §9 depends on it. */
  readonly today: number;
  readonly hasRateLimitKey: boolean;
  /** Sent with every request, for gateways before the target. */
  readonly headers: Readonly<Record<string, string>>;
}

/** getPet is to be removed on 5 December 2030 (§9). */
export const removalOfGetPet = Date.UTC(2030, 11, 5);
