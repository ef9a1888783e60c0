/** What sends: scenarios, and the suite that they form with invariants and observers. */

import type { RequirementId } from '../../spec/requirements.ts';
import type { Keys, SentCredential } from '../http/credentials.ts';
import type { Invariant, Observer } from '../verdict/check.ts';
import type { Counterexample, Judge } from '../verdict/finding.ts';
import type { Session } from './session.ts';

/** What a scenario may ask and tell beside sending. */
export interface ScenarioContext {
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
  readonly canRunInParallel?: true;
  /** Sends. Rejects with RunStopped or BudgetSpent where it may send no more; else it is our own error. */
  readonly run: (session: Session, inquiry: ScenarioContext) => Promise<void>;
}

/** What a suite is made of. */
export type Check = Invariant | Scenario | Observer;

/** All that a run judges with. */
export interface Suite {
  readonly checks: readonly Check[];
  /** The credential with an id, for sending an exchange again; undefined where these keys have none such. */
  readonly findCredential: (id: string, keys: Keys) => SentCredential | undefined;
}
