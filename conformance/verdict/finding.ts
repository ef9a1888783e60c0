/** Findings of the checks, and the shortest evidence for a failure. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import type { FailureCode } from '../../spec/failure-codes.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Failure, FailureFacts } from './failure.ts';

/** The result of one check for one requirement in some exchanges: it holds there, or `failure` says why not. */
export interface Finding<Id extends AnyRequirementId = RequirementId> {
  readonly requirement: Id;
  readonly exchanges: readonly Exchange[];
  readonly failure?: Failure;
  /** Set where the run has repeated the requests until they could mean nothing else, so that a recheck adds nothing. */
  readonly isConfirmed?: true;
}

/** A finding that a requirement is broken. */
export type Failing<Id extends AnyRequirementId = RequirementId> = Finding<Id> & {
  readonly failure: NonNullable<Finding['failure']>;
};

export function isFailing<Id extends AnyRequirementId>(finding: Finding<Id>): finding is Failing<Id> {
  return finding.failure !== undefined;
}

/** Runs the invariants over some exchanges, for one requirement or all; sends nothing. */
export type Judge = (exchanges: readonly Exchange[], only?: RequirementId) => readonly Finding[];

/**
 * The result of a recheck. `flaky`: the same requests did not fail again; `not-asked-again`: the budget was spent, or the
 * sequence is too long or needs a key to exhaust.
 */
export type Recheck = 'fails-again' | 'flaky' | 'not-asked-again';

/** The shortest sequence of requests that is known to show a failure. */
export interface Counterexample {
  /** The finding in these exchanges alone. */
  readonly finding: Failing;
  readonly exchanges: readonly Exchange[];
  readonly recheck: Recheck;
  /** Set where smaller requests were tried: whether all of them were, or the budget ended the search. */
  readonly shrinking?: 'finished' | 'stopped';
}

export function holds<Id extends AnyRequirementId>(requirement: Id, ...exchanges: readonly Exchange[]): Finding<Id> {
  return { requirement, exchanges };
}

export function fails<Id extends AnyRequirementId>(
  requirement: Id,
  code: FailureCode,
  facts: FailureFacts,
  ...exchanges: readonly Exchange[]
): Failing<Id> {
  return { requirement, exchanges, failure: defined({ code, ...facts }) };
}
