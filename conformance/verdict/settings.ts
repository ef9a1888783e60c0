/** What a user says of a run, read from the command line and the environment. */

import type { Plan } from '../../spec/facts.ts';

/** What a run is told of its target and of what it may spend. */
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
  /** For one exchange, milliseconds; the transport holds it. */
  readonly timeoutMs?: number;
  /** The longest single wait for a rate limit, milliseconds. */
  readonly maxWaitMs: number;
  readonly seed: number;
  /** The day that the run takes for today, Unix milliseconds; §9 depends on it. */
  readonly today: number;
  readonly hasRateLimitKey: boolean;
  /** The plan of the key that may be exhausted. */
  readonly rateLimitPlan?: Plan;
  /** After so long an animal that was created is asked for again, milliseconds: how soon it is listed or found is open. */
  readonly settleMs: number;
  /** What the names of the run look like, where the target accepts few; `{n}` stands for letters that no other name has. */
  readonly nameTemplate?: string;
  /** Whether the target may be broken for good: only then values are sent that some services never recover from. */
  readonly isDisposable: boolean;
  /** Sent with every request, for gateways before the target. */
  readonly headers: Readonly<Record<string, string>>;
}
