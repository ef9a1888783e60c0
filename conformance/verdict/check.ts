/** The checks that send nothing: invariants judge recorded exchanges, observers read the answers to gaps. */

import type { AnswerId, OpenGapId } from '../../spec/gaps.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Finding } from './finding.ts';
import type { History } from './history.ts';

/** A pure function over recorded exchanges. */
export interface Invariant {
  readonly id: string;
  readonly verifies: readonly RequirementId[];
  readonly title: string;
  /** Returns a finding for each piece of evidence in the exchanges so far. */
  readonly judge: (history: History) => Iterable<Finding>;
}

/** The observed answer of the target to a gap. */
export interface Observation<Answer extends AnswerId = AnswerId> {
  /** More than one if the target answers the same question in several ways. */
  readonly answers: readonly [Answer, ...Answer[]];
  readonly exchange: Exchange;
  /** The size that goes with the first answer, as `GapChoices` writes it. */
  readonly size?: string;
}

/** Reads the answer of the target to a gap. */
export interface Observer {
  readonly gap: OpenGapId;
  /** Returns the answer; undefined if no exchange shows one. */
  readonly observe: (history: History) => Observation | undefined;
}
