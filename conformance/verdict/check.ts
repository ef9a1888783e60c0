/** What judges without sending: invariants over recorded exchanges, and observers of what the interface leaves open. */

import type { AnswerId, OpenGapId } from '../../spec/gaps.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Finding } from './finding.ts';
import type { History } from './history.ts';

/** A pure function over recorded exchanges. */
export interface Invariant {
  readonly kind: 'invariant';
  readonly id: string;
  readonly verifies: readonly RequirementId[];
  readonly title: string;
  /** What holds and what does not, in all that was exchanged so far. */
  readonly judge: (history: History) => Iterable<Finding>;
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
