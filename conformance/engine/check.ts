/** What judges: invariants over what was recorded, scenarios that send, observers of what the interface leaves open. */

import type { AnswerId, OpenGapId } from '../../spec/gaps.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Keys, SentCredential } from './evidence/credentials.ts';
import type { Exchange } from './evidence/exchange.ts';
import type { History } from './evidence/history.ts';
import type { Session } from './session.ts';

/** What one look at the evidence gives for one requirement: it holds here, or here is why not. */
export interface Finding {
  readonly requirement: RequirementId;
  readonly exchanges: readonly Exchange[];
  /** `code` is stable; `message` has the form "expected …, received …". */
  readonly failure?: { readonly code: string; readonly message: string };
}

/** A finding that something is broken. */
export type Failing = Finding & { readonly failure: NonNullable<Finding['failure']> };

export function isFailing(finding: Finding): finding is Failing {
  return finding.failure !== undefined;
}

/** What the invariants find in some exchanges, for one requirement or all; sends nothing. */
export type Judge = (exchanges: readonly Exchange[], only?: RequirementId) => readonly Finding[];

/** A pure function over recorded exchanges. */
export interface Invariant {
  readonly kind: 'invariant';
  readonly id: string;
  readonly verifies: readonly RequirementId[];
  readonly title: string;
  /** What holds and what does not, in all that was exchanged so far. */
  readonly judge: (history: History) => Iterable<Finding>;
}

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

/** What a scenario may ask and tell beside sending. */
export interface Inquiry {
  readonly suite: Suite;
  readonly judge: Judge;
  /** Says why a requirement may stay without evidence, for a person. */
  readonly note: (requirement: RequirementId, reason: string) => void;
  /** By requirement. */
  readonly counterexamples: ReadonlyMap<RequirementId, Counterexample>;
  readonly noteCounterexample: (counterexample: Counterexample) => void;
}

/**
 * Sends requests that give the invariants something to judge. Scenarios run by `rank`, the most valuable first: 1 fits
 * twenty requests, 2 sixty, 3 is what needs a second key; what follows takes what the budget leaves.
 */
export interface Scenario {
  readonly kind: 'scenario';
  readonly id: string;
  readonly verifies: readonly RequirementId[];
  readonly title: string;
  readonly rank: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
  /**
   * Set where it rests on nothing that its neighbours of this mark bring about: where several requests at a time are allowed,
   * those are sent side by side.
   */
  readonly isBesideOthers?: true;
  /** Sends. Rejects with RunStopped or BudgetSpent where it may send no more; else it is our own error. */
  readonly run: (session: Session, inquiry: Inquiry) => Promise<void>;
}

/** What the target was seen to do where the interface is silent. */
export interface Observation<Answer extends AnswerId = AnswerId> {
  /** More than one where it answers the same question differently. */
  readonly answers: readonly [Answer, ...Answer[]];
  /** Shows the first of them. */
  readonly exchange: Exchange;
}

/** Reads the answer of the target to an open question, or undefined where nothing shows it. */
export interface Observer {
  readonly kind: 'observer';
  readonly gap: OpenGapId;
  /** Its answer, or undefined where nothing shows one. */
  readonly observe: (history: History) => Observation | undefined;
}

/** What a suite is made of. */
export type Check = Invariant | Scenario | Observer;

/** All that a run judges with. */
export interface Suite {
  readonly checks: readonly Check[];
  /** The credential with an id, for sending an exchange again; undefined where these keys have none such. */
  readonly findCredential: (id: string, keys: Keys) => SentCredential | undefined;
}

export function holds(requirement: RequirementId, ...exchanges: readonly Exchange[]): Finding {
  return { requirement, exchanges };
}

export function fails(
  requirement: RequirementId,
  code: string,
  message: string,
  ...exchanges: readonly Exchange[]
): Failing {
  return { requirement, exchanges, failure: { code, message } };
}
