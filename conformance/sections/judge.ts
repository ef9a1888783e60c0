/** What sections are made of: judges, which say what exchanges show, and observers, which read the answers to gaps. */

import type { FailureCode } from '../../spec/failure-codes.ts';
import type { AnswerId, OpenGapId } from '../../spec/gaps.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Failing, Finding } from '../verdict/finding.ts';
import type { PlannedRequest } from '../world/requests.ts';
import type { World } from '../world/world.ts';

/** A pure function over what a record shows. */
export interface Judge {
  readonly id: string;
  readonly verifies: readonly RequirementId[];
  readonly title: string;
  /** `key`: it looks at the animals of one key, and sees the world of each key by itself. */
  readonly scope: 'key' | 'record';
  /** Returns a finding for each piece of evidence. */
  readonly judge: (world: World) => Iterable<Finding>;
  /** Suspicions that the record alone cannot prove. */
  readonly claims?: (world: World) => Iterable<Claim>;
}

/** Sends a request, waits as the headers say, and repeats what was not answered. */
export type Ask = (request: PlannedRequest) => Promise<Exchange>;

/** What a claim asks with. */
export interface Means {
  readonly ask: Ask;
  /** What the exchanges show by now. */
  readonly world: () => World;
  /** A name that no other animal has. */
  readonly newName: () => string;
}

/**
 * One look of a confirmation. `shown`: the suspicion stands, and the control holds. `refuted`: it is gone. `moved`: the
 * control is gone as well, so the look says nothing.
 */
export type Look =
  | { readonly result: 'refuted' }
  | { readonly result: 'moved' }
  | { readonly result: 'shown'; readonly failing: Failing };

/** A suspicion: a question, and a control without which its answer would mean nothing. */
export interface Claim {
  readonly requirement: RequirementId;
  readonly code: FailureCode;
  /** Claims with one key are one question. */
  readonly key: string;
  readonly exchange: Exchange;
  /** Whether time may settle it: everything else is asked once more, at once. */
  readonly takesTime: boolean;
  /** How many requests one look takes. */
  readonly cost: number;
  /** What must be seen before the first look, so that nobody waits for what means nothing. */
  readonly condition?: (means: Means) => Promise<boolean>;
  readonly look: (means: Means) => Promise<Look>;
  /** What must be seen after the last look. */
  readonly proof?: (means: Means) => Promise<boolean>;
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
  readonly observe: (world: World) => Observation | undefined;
}
