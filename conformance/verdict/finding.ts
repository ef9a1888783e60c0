/** What judges and observers say of exchanges: findings, each with its failure as data, and the answers to gaps. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import type { FailureCode } from '../../spec/failure-codes.ts';
import type { AnswerId, OpenGapId } from '../../spec/gaps.ts';
import { levelOf, type RequirementId } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import type { World } from '../world/world.ts';

/** The facts of a failure: no reader takes them out of a sentence. */
export interface FailureFacts {
  /** Completes "expected …". */
  readonly expected: string;
  /** Completes "received …". */
  readonly received: string;
  /** The status that was received, where it is the wrong one. */
  readonly status?: number | undefined;
  /** JSON pointer (RFC 6901) into the body of the last exchange: the value that the failure is about. */
  readonly pointer?: string | undefined;
  /** The input that was sent and led to the failure, such as a categoryId, a query or a credential by its id. */
  readonly input?: { readonly name: string; readonly value: string } | undefined;
  /** What else is wrong with the request, such as its body, where the failure is about its key. */
  readonly otherFault?: string | undefined;
}

/** The reason why a requirement is broken. `code` is stable. */
export interface Failure extends FailureFacts {
  readonly code: FailureCode;
}

export function sentenceOf({ expected, received }: Pick<FailureFacts, 'expected' | 'received'>): string {
  return `expected ${expected}, received ${received}`;
}

/** The result of one check for one requirement in some exchanges: it holds there, or `failure` says why not. */
export interface Finding<Id extends AnyRequirementId = RequirementId> {
  readonly requirement: Id;
  /** Of a failure, the last one shows it: a report has the line that sends it again. */
  readonly exchanges: readonly Exchange[];
  readonly failure?: Failure;
}

/** A finding that a requirement is broken. */
export type Failing<Id extends AnyRequirementId = RequirementId> = Finding<Id> & { readonly failure: Failure };

export function isFailing<Id extends AnyRequirementId>(finding: Finding<Id>): finding is Failing<Id> {
  return finding.failure !== undefined;
}

/** Whether a finding fails the run: to break what is advised only warns. */
export function failsRun(finding: Finding): boolean {
  return isFailing(finding) && levelOf(finding.requirement) === 'required';
}

/** Runs the judges over some exchanges, for one requirement or all; sends nothing. */
export type JudgeAll = (exchanges: readonly Exchange[], only?: RequirementId) => readonly Finding[];

/**
 * The result of a recheck. `flaky`: the same requests did not fail again; `not-asked-again`: the budget was spent, or the
 * sequence is too long or needs a key to exhaust.
 */
export type Recheck = 'fails-again' | 'flaky' | 'not-asked-again';

/** The check that sends failing sequences again, and smaller ones in their place. */
export const recheckId = 're-check';

/** The shortest sequence of requests that is known to show a failure. */
export interface Counterexample {
  /** The finding in these exchanges alone. */
  readonly finding: Failing;
  readonly exchanges: readonly Exchange[];
  readonly recheck: Recheck;
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

/** A pure function over recorded exchanges. */
export interface Judge {
  readonly id: string;
  readonly verifies: readonly RequirementId[];
  /** Returns a finding for each piece of evidence in the exchanges so far. */
  readonly judge: (world: World) => Iterable<Finding>;
}

/** The observed answer of the target to a gap. */
export interface Observation<Answer extends AnswerId = AnswerId> {
  /** More than one if the target answers the same question in several ways. */
  readonly answers: readonly [Answer, ...Answer[]];
  readonly exchange: Exchange;
}

/** Reads the answer of the target to a gap. */
export interface Observer {
  readonly gap: OpenGapId;
  /** Returns the answer; undefined if no exchange shows one. */
  readonly observe: (world: World, gap: OpenGapId) => Observation | undefined;
}
