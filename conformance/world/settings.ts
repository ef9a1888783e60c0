/** The settings of a run, as the user gave them on the command line or in the environment. */

import type { Plan } from '../../spec/facts.ts';

/** How many requests and creations a run may spend. */
export interface BudgetSize {
  readonly maxRequests: number;
  readonly maxCreates: number;
}

/** The budget where nothing is known of the target; one creation is kept for requests that must not create. */
export const defaultBudget: BudgetSize = { maxRequests: 300, maxCreates: 61 };
/** The budget of a target that may be damaged for good, or whose rate limit allows it without waiting. */
export const largeBudget: BudgetSize = { maxRequests: 1_000, maxCreates: 201 };

/** The user's knowledge of the target, and the limits of the run. */
export interface Settings extends BudgetSize {
  /** Without a trailing slash, query or fragment. */
  readonly baseUrl: string;
  readonly plan?: Plan;
  /** Categories that the target knows, according to the user. */
  readonly categoryIds: readonly bigint[];
  /** The budget that applies instead if the first answers show that the target allows it. */
  readonly raisedBudget?: BudgetSize;
  readonly isReadOnly: boolean;
  readonly concurrency: number;
  /** Requests a minute that the user allows, for each key and for requests without one. */
  readonly ratePerMinute?: number;
  /** For one exchange, milliseconds; the transport enforces it. */
  readonly timeoutMs?: number;
  /** The longest single wait, milliseconds. */
  readonly maxWaitMs: number;
  readonly seed: number;
  /** The time that the run takes for now, Unix milliseconds; §9 depends on it. */
  readonly today: number;
  readonly hasRateLimitKey: boolean;
  /** A created animal must be listed and found after so many milliseconds; the interface does not say how soon. */
  readonly settleMs: number;
  /** The template of the run's names, for targets that accept few; `{n}` stands for letters that make each name unique. */
  readonly nameTemplate?: string;
  /** Whether the target may be broken for good: only then the run sends values from which some services never recover. */
  readonly isDisposable: boolean;
  /** Sent with every request, for gateways in front of the target. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Settings that ask for nothing and allow nothing, no requests, no waits and no keys, with these changes. */
export function settingsWith(changes: Partial<Settings> & Pick<Settings, 'baseUrl' | 'today'>): Settings {
  return {
    categoryIds: [],
    maxRequests: 0,
    maxCreates: 0,
    isReadOnly: false,
    concurrency: 1,
    maxWaitMs: 0,
    seed: 0,
    hasRateLimitKey: false,
    settleMs: 0,
    isDisposable: false,
    headers: {},
    ...changes,
  };
}
