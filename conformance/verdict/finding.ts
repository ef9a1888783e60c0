/** What one look at the evidence gives for a requirement, and the shortest evidence for it. */

import type { FailureCode } from '../../spec/failure-codes.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';

/** What one look at the evidence gives for one requirement: it holds here, or here is why not. */
export interface Finding {
  readonly requirement: RequirementId;
  readonly exchanges: readonly Exchange[];
  /** `code` is stable; `message` has the form "expected …, received …". */
  readonly failure?: { readonly code: FailureCode; readonly message: string };
}

/** A finding that something is broken. */
export type Failing = Finding & { readonly failure: NonNullable<Finding['failure']> };

export function isFailing(finding: Finding): finding is Failing {
  return finding.failure !== undefined;
}

/** What the invariants find in some exchanges, for one requirement or all; sends nothing. */
export type Judge = (exchanges: readonly Exchange[], only?: RequirementId) => readonly Finding[];

/**
 * What came of asking once more. `flaky`: the same requests did not fail again; `not-asked-again`: the budget was spent,
 * or it takes a key to exhaust or too many requests.
 */
export type Recheck = 'fails-again' | 'flaky' | 'not-asked-again';

/** The shortest sequence of requests that is known to show a failure. */
export interface Counterexample {
  /** What the invariants find in these exchanges alone. */
  readonly finding: Failing;
  readonly exchanges: readonly Exchange[];
  readonly recheck: Recheck;
  /** Of a failure that was found by drawn sequences: whether shorter ones were tried to the end. */
  readonly shrinking?: 'finished' | 'stopped';
}

export function holds(requirement: RequirementId, ...exchanges: readonly Exchange[]): Finding {
  return { requirement, exchanges };
}

export function fails(
  requirement: RequirementId,
  code: FailureCode,
  message: string,
  ...exchanges: readonly Exchange[]
): Failing {
  return { requirement, exchanges, failure: { code, message } };
}
