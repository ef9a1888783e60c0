/** What judges: invariants over what was recorded, scenarios that send, observers of what the interface leaves open. */

import type { AnswerId, OpenGapId } from '../../spec/gaps.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange } from './exchange.ts';
import type { History } from './history.ts';
import type { Session } from './session.ts';

/** What one look at the evidence gives for one requirement: it holds here, or here is why not. */
export interface Finding {
  readonly requirement: RequirementId;
  readonly exchanges: readonly Exchange[];
  /** `code` is stable; `message` has the form "expected …, received …". */
  readonly failure?: { readonly code: string; readonly message: string };
}

/** A pure function over recorded exchanges. */
export interface Invariant {
  readonly kind: 'invariant';
  readonly id: string;
  readonly verifies: readonly RequirementId[];
  readonly title: string;
  readonly judge: (history: History) => Iterable<Finding>;
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
  readonly run: (session: Session) => Promise<void>;
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
  readonly observe: (history: History) => Observation | undefined;
}

export type Check = Invariant | Scenario | Observer;

export function holds(requirement: RequirementId, ...exchanges: readonly Exchange[]): Finding {
  return { requirement, exchanges };
}

export function fails(
  requirement: RequirementId,
  code: string,
  message: string,
  ...exchanges: readonly Exchange[]
): Finding {
  return { requirement, exchanges, failure: { code, message } };
}
