/** Folds the verdicts of a run into one, with its exit code. */

import type { RequirementId } from '../../spec/requirements.ts';
import { notShown, type RequirementVerdict } from './verdict.ts';
import { complaintOf, type WaivedVerdict, type Waivers } from './waivers.ts';

/**
 * What came of one interaction of a pact. `pending`: it fails, and does not fail the run, since the provider has not
 * verified it before; `not-verifiable`: the target cannot be brought into its state.
 */
export type InteractionVerdict = 'pass' | 'fail' | 'pending' | 'not-verifiable';

/** One interaction of a pact, judged. */
export interface JudgedInteraction {
  readonly description: string;
  readonly verdict: InteractionVerdict;
  /** Why it is not a pass. */
  readonly messages: readonly string[];
  /** Of one that is not verifiable: it takes something that the user did not give, as a requirement that is skipped. */
  readonly isExcused?: true;
}

/** What a run says of a target. */
export type RunVerdict = 'conforms' | 'does-not-conform' | 'inconclusive';

/** What the user asks of a run beyond the verdict of each requirement. */
export interface VerdictOptions {
  /** Requirements that the run was asked for; `shown`: those that its exchanges bear; all of them when undefined. */
  readonly only?: ReadonlySet<RequirementId> | 'shown';
  readonly requiresAll: boolean;
  readonly waivers?: Waivers;
  /** Set where others sent what is judged: nobody tried to show the core of the requirements. */
  readonly judgesRecordedTraffic?: true;
}

/** Whether a report tells this verdict. */
export function isWanted({ requirement, verdict, evidence }: RequirementVerdict, { only }: VerdictOptions): boolean {
  if (only === 'shown') return evidence > 0 || verdict === 'error';
  return only === undefined || only.has(requirement.id);
}

/** What a run says as a whole: 0 conforms, 1 does not, 3 could not judge, 4 our own error. */
export interface Outcome {
  readonly verdict: RunVerdict;
  readonly exitCode: 0 | 1 | 3 | 4;
  /** Why it is inconclusive, or ended early. */
  readonly reason?: string;
}

/** All that the outcome of a run depends on. */
export interface OutcomeInput {
  readonly verdicts: readonly WaivedVerdict[];
  readonly demands: VerdictOptions;
  readonly requests: number;
  /** Requests that were owed an answer and got none. */
  readonly unanswered: number;
  /** Why the run ended before its end, if it did. */
  readonly ended?: string;
  /** Of a verification of pacts only. */
  readonly interactions?: readonly JudgedInteraction[];
}

function inconclusive(reason: string): Outcome {
  return { verdict: 'inconclusive', exitCode: 3, reason };
}

function whereBroken({ verdicts, interactions, ended }: OutcomeInput): Outcome | undefined {
  const isFailed =
    verdicts.some(({ verdict, waiver }) => verdict === 'fail' && waiver?.state !== 'waived') ||
    interactions?.some(({ verdict }) => verdict === 'fail');
  const complaint = verdicts.map(complaintOf).find((text) => text !== undefined);
  if (!isFailed && complaint === undefined) return undefined;
  const reason = ended ?? complaint;
  return { verdict: 'does-not-conform', exitCode: 1, ...(reason === undefined ? {} : { reason }) };
}

function whereWeBroke({ verdicts }: OutcomeInput): Outcome | undefined {
  const broken = verdicts.find(({ verdict }) => verdict === 'error');
  if (broken === undefined) return undefined;
  const reason = `a check of ${broken.requirement.id} broke: ${broken.reason}`;
  return { verdict: 'inconclusive', exitCode: 4, reason };
}

function whereEnded({ ended }: OutcomeInput): Outcome | undefined {
  return ended === undefined ? undefined : inconclusive(ended);
}

/** A run in which more than one request in so many, and more than so few, got no answer has not seen the target. */
const unansweredOneIn = 50;
const unansweredAtMost = 2;

function whereUnanswered({ requests, unanswered }: OutcomeInput): Outcome | undefined {
  if (unanswered <= unansweredAtMost || unanswered * unansweredOneIn <= requests) return undefined;
  return inconclusive(`${unanswered} of ${requests} requests got no answer: see what the network or a proxy does`);
}

/** Whether a run without this requirement has not judged what it was for. What is advised counts only on its own. */
function isEssential(
  { id, level, core }: RequirementVerdict['requirement'],
  { only, judgesRecordedTraffic: isOfOthers }: VerdictOptions,
): boolean {
  if (only === undefined) return core === 'traffic' || (core === 'run' && isOfOthers !== true);
  return only !== 'shown' && only.has(id) && (level === 'required' || only.size === 1);
}

function isMissing({ requirement, verdict }: RequirementVerdict, demands: VerdictOptions): boolean {
  if (demands.requiresAll && requirement.level === 'required' && verdict === 'skipped') return true;
  if (verdict !== 'inconclusive') return false;
  return demands.requiresAll ? requirement.level === 'required' : isEssential(requirement, demands);
}

function whereEvidenceIsMissing({ verdicts, demands }: OutcomeInput): Outcome | undefined {
  // What was asked for by name and skipped was not judged; among others it may be.
  const isIdle = demands.only !== undefined && verdicts.every(({ evidence }) => evidence === 0);
  const wanted = verdicts.filter((verdict) => isMissing(verdict, demands));
  // One that says why tells more: what it lacks, others may lack as well.
  const missing =
    wanted.find(({ reason }) => reason !== notShown) ??
    wanted[0] ??
    (isIdle ? verdicts.find(({ verdict }) => verdict === 'skipped') : undefined);
  return missing && inconclusive(`${missing.requirement.id} could not be judged: ${missing.reason}`);
}

/** Green must not mean that nothing was verified. */
function whereUnverified({ interactions, demands }: OutcomeInput): Outcome | undefined {
  if (interactions === undefined) return undefined;
  if (interactions.length === 0) return inconclusive('there was no interaction to verify');
  const isExcusing = !demands.requiresAll && interactions.some(({ verdict }) => verdict !== 'not-verifiable');
  const unverified = interactions.find(
    ({ verdict, isExcused }) => verdict === 'not-verifiable' && !(isExcused && isExcusing),
  );
  return unverified && inconclusive(`"${unverified.description}" could not be verified: ${unverified.messages[0]}`);
}

/** The gravest first. */
const rules = [whereBroken, whereWeBroke, whereEnded, whereUnanswered, whereEvidenceIsMissing, whereUnverified];

/** The verdict of a run and its exit code: every output of the kit takes them from here. */
export function judgeRun(judged: OutcomeInput): Outcome {
  for (const rule of rules) {
    const outcome = rule(judged);
    if (outcome !== undefined) return outcome;
  }
  return { verdict: 'conforms', exitCode: 0 };
}
