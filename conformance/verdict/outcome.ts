/** Folds the verdicts of a run into one verdict with its exit code. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import { requirements as stated } from '../../spec/requirements.ts';
import { type Reason, reason } from './reasons.ts';
import { type JudgedRequirement, notShown, type Waivers } from './verdict.ts';

/**
 * The verdict of one interaction of a pact. `pending`: it fails, but does not fail the run, since the provider has never
 * verified it before; `not-verifiable`: the target cannot be brought into its state.
 */
export type InteractionVerdict = 'pass' | 'fail' | 'pending' | 'not-verifiable';

/** One interaction of a pact, judged. */
export interface JudgedInteraction {
  readonly description: string;
  readonly verdict: InteractionVerdict;
  /** Why it is not a pass. */
  readonly messages: readonly string[];
  /** Set if a `not-verifiable` one needs something that the user did not give, like a skipped requirement. */
  readonly isExcused?: true;
}

/** Options of the user that decide how verdicts count. */
export interface VerdictOptions {
  /** The requirements to judge; `shown`: those for which there is evidence; all of them when undefined. */
  readonly only?: ReadonlySet<AnyRequirementId> | 'shown';
  /** Set if --last-failed chose them. */
  readonly isLastFailed?: boolean;
  readonly requiresAll: boolean;
  /** The most outages after which a run still conforms; any number where undefined. */
  readonly maxOutages?: number;
  readonly waivers?: Waivers;
  /** Set for recorded traffic: its senders did not try to show the core requirements. */
  readonly judgesRecordedTraffic?: true;
}

/** Whether a report contains this verdict. */
export function isWanted({ id, verdict, evidence }: JudgedRequirement, { only }: VerdictOptions): boolean {
  if (only === 'shown') return evidence > 0 || verdict === 'error';
  return only === undefined || only.has(id);
}

/** The verdict of a run as a whole. Exit codes: 0 conforms, 1 does not, 3 could not judge, 4 our own error. */
export interface Outcome {
  readonly verdict: 'conforms' | 'does-not-conform' | 'inconclusive';
  readonly exitCode: 0 | 1 | 3 | 4;
  /** Why it is inconclusive, or ended early. */
  readonly reason?: Reason;
}

/** Everything that the outcome of a run depends on. */
export interface OutcomeInput {
  readonly requirements: readonly JudgedRequirement[];
  readonly verdictOptions: VerdictOptions;
  readonly requests: number;
  /** Requests to which an answer was due and none came. */
  readonly unanswered: number;
  /** Answers of a gateway in place of the service, and missing ones, those to repeated requests included. */
  readonly outages: number;
  /** Why nothing can be judged, whatever the verdicts say. */
  readonly blocked?: Reason | undefined;
  /** Why the run ended early, if it did. */
  readonly ended?: Reason | undefined;
  /** Why a run without a failure has not seen an operation that it may use. */
  readonly unserved?: Reason | undefined;
  /** Only for a verification of pacts. */
  readonly interactions?: readonly JudgedInteraction[] | undefined;
}

function inconclusive(why: Reason | undefined): Outcome | undefined {
  return why && { verdict: 'inconclusive', exitCode: 3, reason: why };
}

function whereBroken({ requirements, interactions = [], ended }: OutcomeInput): Outcome | undefined {
  const isBroken = requirements.some(({ verdict, waiver }) => verdict === 'fail' && waiver?.state !== 'waived');
  // An expired waiver fails the run, so that none outlives its last day.
  const [complaint] = requirements.flatMap(({ id, waiver }) =>
    waiver?.state === 'expired' ? [reason('waiver-expired', { id, date: waiver.expires })] : [],
  );
  if (!isBroken && complaint === undefined && interactions.every(({ verdict }) => verdict !== 'fail')) return undefined;
  // What breaks the interface fails a requirement as well.
  const why = ended ?? complaint ?? (isBroken ? undefined : reason('interaction-overclaims', {}));
  return defined({ verdict: 'does-not-conform', exitCode: 1, reason: why });
}

function whereKitBroke({ requirements }: OutcomeInput): Outcome | undefined {
  const broken = requirements.find(({ verdict }) => verdict === 'error');
  if (broken === undefined) return undefined;
  const why = reason('check-broke', { id: broken.id, error: broken.reason ?? '' });
  return { verdict: 'inconclusive', exitCode: 4, reason: why };
}

/** So few requests without an answer say nothing of the target. */
const unansweredAtMost = 2;
/** Where more got none, the run saw the target all the same if they are no more than one in so many. */
const unansweredOneIn = 50;

function whyUnseen({ requests, unanswered }: OutcomeInput): Reason | undefined {
  const isSeen = unanswered <= unansweredAtMost || unanswered * unansweredOneIn <= requests;
  return isSeen ? undefined : reason('requests-unanswered', { count: unanswered, requests });
}

function whyInterrupted({ requests, outages, verdictOptions: { maxOutages } }: OutcomeInput): Reason | undefined {
  if (maxOutages === undefined || outages <= maxOutages) return undefined;
  return reason('too-many-outages', { count: outages, requests, most: maxOutages });
}

/** Whether a run without evidence for this requirement missed its purpose. An advised one counts only on its own. */
function isUnjudged({ id, level, verdict }: JudgedRequirement, options: VerdictOptions): boolean {
  const { only, requiresAll, judgesRecordedTraffic } = options;
  if (requiresAll) return level === 'required' && (verdict === 'skipped' || verdict === 'inconclusive');
  if (verdict !== 'inconclusive') return false;
  const core = stated.find((one) => one.id === id)?.core;
  if (only === undefined) return core === 'traffic' || (core === 'run' && !judgesRecordedTraffic);
  return only !== 'shown' && only.has(id) && (level === 'required' || only.size === 1);
}

function whyUnjudged({ requirements, verdictOptions }: OutcomeInput): Reason | undefined {
  const missing = requirements.filter((requirement) => isUnjudged(requirement, verdictOptions));
  // With --only, a requirement that was skipped or does not apply counts as missing if nothing else was judged either.
  const { only } = verdictOptions;
  const isIdle = only !== undefined && only !== 'shown' && requirements.every(({ evidence }) => evidence === 0);
  // A requirement whose reason is specific explains more than one for which no answer came.
  const first =
    missing.find(({ reason: why }) => why !== notShown) ??
    missing[0] ??
    (isIdle ? (requirements.find(({ verdict }) => verdict === 'skipped') ?? requirements[0]) : undefined);
  if (first === undefined) return undefined;
  const alike = missing.filter(({ reason: why }) => why === first.reason).map(({ id }) => id);
  const others = missing.filter(({ id }) => !alike.includes(id)).map(({ id }) => id);
  const why = [first.reason ?? '', ...(others.length === 0 ? [] : [`nor could ${others.join(', ')}`])].join('; ');
  return reason('requirement-unjudged', { id: alike.length === 0 ? first.id : alike.join(', '), why });
}

/** A verification that verified nothing must not be green. */
function whyUnverified({ interactions, verdictOptions }: OutcomeInput): Reason | undefined {
  if (interactions === undefined) return undefined;
  if (interactions.length === 0) return reason('nothing-to-verify', {});
  const isExcusing = !verdictOptions.requiresAll && interactions.some(({ verdict }) => verdict !== 'not-verifiable');
  const unverified = interactions.find(
    ({ verdict, isExcused }) => verdict === 'not-verifiable' && !(isExcused && isExcusing),
  );
  const [why = ''] = unverified?.messages ?? [];
  return unverified && reason('interaction-unverified', { title: unverified.description, why });
}

/** The verdict of a run and its exit code: every output of the kit takes them from here. The gravest comes first. */
export function judgeRun(input: OutcomeInput): Outcome {
  return (
    inconclusive(input.blocked) ??
    whereBroken(input) ??
    whereKitBroke(input) ??
    inconclusive(
      input.ended ??
        whyUnseen(input) ??
        whyInterrupted(input) ??
        whyUnjudged(input) ??
        input.unserved ??
        whyUnverified(input),
    ) ?? {
      verdict: 'conforms',
      exitCode: 0,
    }
  );
}
