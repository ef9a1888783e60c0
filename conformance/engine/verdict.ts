/** Folds findings into one verdict for each requirement, and the verdicts into one for the run. */

import { type Requirement, type RequirementId, requirements } from '../../spec/requirements.ts';
import type { Finding } from './check.ts';
import { type Plan, removalOfGetPet, type Settings } from './settings.ts';
import { stateOf, type Waiver, type WaiverState, type Waivers } from './waivers.ts';

/** What a run says of a requirement; `error` is a fault of the kit, not of the target. */
export type Verdict = 'pass' | 'fail' | 'warn' | 'inconclusive' | 'skipped' | 'not-applicable' | 'error';

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
  /** Of one that is not verifiable: it takes something that the user did not give, as a statement that is skipped. */
  readonly isExcused?: true;
}

/** What a run says of a target. */
export type RunVerdict = 'conforms' | 'does-not-conform' | 'inconclusive';

export interface RequirementVerdict {
  readonly requirement: Requirement & { readonly id: RequirementId };
  readonly verdict: Verdict;
  /** How many exchanges bear a pass or a failure out. */
  readonly evidence: number;
  readonly reason?: string;
  readonly failures: readonly Finding[];
}

/** What else a fold needs to know of a run. */
export interface Circumstances {
  readonly settings: Settings;
  readonly notes: ReadonlyMap<RequirementId, string>;
  /** Requirements whose checks threw: our own errors. */
  readonly errors: ReadonlyMap<RequirementId, string>;
  /** Why the run ended before its end, if it did. */
  readonly ended?: string;
}

/** Statements that a read-only run cannot see. */
const needsCreation: ReadonlySet<RequirementId> = new Set<RequirementId>([
  'pet-name-kept',
  'pet-category-id-kept',
  'pet-status-kept',
  'pet-status-omitted',
  'list-complete',
  'create-answer',
  'create-required-fields',
  'create-invalid-values',
  'create-malformed-body',
  'create-refused-stores-nothing',
  'auth-refused-stores-nothing',
]);

const needsRateLimitKey: ReadonlySet<RequirementId> = new Set<RequirementId>([
  'rate-exceeded',
  'rate-retry-after',
  'rate-recovery',
  'rate-per-key',
]);

const needsGetPet: ReadonlySet<RequirementId> = new Set<RequirementId>([
  'get-answer',
  'get-not-found',
  'get-id-not-int64',
  'get-until-removal',
]);

/** Without these a run has seen too little of the target to say anything. */
const essential: readonly RequirementId[] = ['list-answer', 'auth-valid-key', 'create-answer'];

function planReason(plan: Plan | undefined): string | undefined {
  if (plan === undefined) return 'name the plan of the key with --plan';
  return plan === 'enterprise' ? 'the limits of the Enterprise plan are custom' : undefined;
}

/** Why there is no evidence for a requirement, where the user or the day explains it. */
function excuse(
  requirement: Requirement & { readonly id: RequirementId },
  settings: Settings,
): { readonly verdict: Verdict; readonly reason: string } | undefined {
  const { id, untested } = requirement;
  if (untested !== undefined) return { verdict: 'not-applicable', reason: untested };
  if (needsGetPet.has(id) && settings.today >= removalOfGetPet) {
    return { verdict: 'not-applicable', reason: 'getPet is removed from 5 December 2030 on' };
  }
  if (needsRateLimitKey.has(id) && !settings.hasRateLimitKey) {
    return { verdict: 'skipped', reason: 'give a key that may be exhausted with --rate-limit-key-env' };
  }
  if (needsCreation.has(id) && settings.isReadOnly) return { verdict: 'skipped', reason: 'the run is read-only' };
  const plan = id === 'rate-limit-plan' ? planReason(settings.plan) : undefined;
  if (plan === undefined) return undefined;
  return { verdict: settings.plan === 'enterprise' ? 'not-applicable' : 'skipped', reason: plan };
}

function judgeRequirement(
  requirement: Requirement & { readonly id: RequirementId },
  findings: readonly Finding[],
  circumstances: Circumstances,
): RequirementVerdict {
  const failures = findings.filter((finding) => finding.failure !== undefined);
  const shown = failures.length > 0 ? failures : findings;
  const evidence = new Set(shown.flatMap((finding) => finding.exchanges.map((exchange) => exchange.number))).size;
  const base = { requirement, evidence, failures };
  if (failures.length > 0) return { ...base, verdict: requirement.level === 'required' ? 'fail' : 'warn' };
  const error = circumstances.errors.get(requirement.id);
  if (error !== undefined) return { ...base, verdict: 'error', reason: error };
  if (evidence > 0) return { ...base, verdict: 'pass' };
  const excused = excuse(requirement, circumstances.settings);
  if (excused !== undefined) return { ...base, ...excused };
  const reason = circumstances.notes.get(requirement.id) ?? circumstances.ended ?? 'no answer showed it';
  return { ...base, verdict: 'inconclusive', reason };
}

/** One verdict for each requirement, in the order of the interface. */
export function judgeRequirements(
  findings: readonly Finding[],
  circumstances: Circumstances,
): readonly RequirementVerdict[] {
  const byRequirement = Map.groupBy(findings, (finding) => finding.requirement);
  return requirements.map((requirement) =>
    judgeRequirement(requirement, byRequirement.get(requirement.id) ?? [], circumstances),
  );
}

/** What the user asks of a run beyond the verdict of each requirement. */
export interface Demands {
  /** Requirements that the run was asked for; `shown`: those that its exchanges bear; all of them when undefined. */
  readonly only?: ReadonlySet<RequirementId> | 'shown';
  readonly requiresAll: boolean;
  readonly waivers?: Waivers;
}

/** Whether a report tells this verdict. */
export function isWanted({ requirement, verdict, evidence }: RequirementVerdict, { only }: Demands): boolean {
  if (only === 'shown') return evidence > 0 || verdict === 'error';
  return only === undefined || only.has(requirement.id);
}

/** A verdict together with the waiver of its statement, if there is one. */
export interface WaivedVerdict extends RequirementVerdict {
  readonly waiver?: Waiver & { readonly state: WaiverState };
}

/** Puts each waiver beside the verdict that it is for. */
export function applyWaivers(
  verdicts: readonly RequirementVerdict[],
  waivers: Waivers | undefined,
  today: number,
): readonly WaivedVerdict[] {
  return verdicts.map((verdict) => {
    const waiver = waivers?.get(verdict.requirement.id);
    return waiver === undefined
      ? verdict
      : { ...verdict, waiver: { ...waiver, state: stateOf(waiver, verdict.verdict, today) } };
  });
}

/** What an expired or stale waiver says: it fails the run, so that no list of waivers outlives its reasons. */
function waiverComplaint({ requirement: { id }, waiver }: WaivedVerdict): string | undefined {
  if (waiver?.state === 'expired') return `the waiver of ${id} expired on ${waiver.expires}: remove or renew it`;
  return waiver?.state === 'stale' ? `the waiver of ${id} is stale, the statement holds: remove it` : undefined;
}

/** The verdict of the run and its exit code: 0 conforms, 1 does not, 3 could not judge, 4 our own error. */
export function judgeRun(
  verdicts: readonly WaivedVerdict[],
  ended: string | undefined,
  demands: Demands,
  interactions?: readonly JudgedInteraction[],
): { readonly verdict: RunVerdict; readonly exitCode: 0 | 1 | 3 | 4; readonly reason?: string } {
  const failed =
    verdicts.some(({ verdict, waiver }) => verdict === 'fail' && waiver?.state !== 'waived') ||
    interactions?.some(({ verdict }) => verdict === 'fail');
  const complaint = verdicts.map(waiverComplaint).find((text) => text !== undefined);
  if (failed || complaint !== undefined) {
    const reason = ended ?? complaint;
    return { verdict: 'does-not-conform', exitCode: 1, ...(reason === undefined ? {} : { reason }) };
  }
  const broken = verdicts.find(({ verdict }) => verdict === 'error');
  if (broken !== undefined) {
    return {
      verdict: 'inconclusive',
      exitCode: 4,
      reason: `a check of ${broken.requirement.id} broke: ${broken.reason}`,
    };
  }
  if (ended !== undefined) return { verdict: 'inconclusive', exitCode: 3, reason: ended };
  const isMissing = ({ requirement, verdict }: RequirementVerdict): boolean => {
    if (demands.requiresAll && requirement.level === 'required' && verdict === 'skipped') return true;
    if (verdict !== 'inconclusive') return false;
    return demands.requiresAll ? requirement.level === 'required' : isEssential(requirement, demands);
  };
  // What was asked for by name and skipped was not judged; among others it may be.
  const isIdle = demands.only !== undefined && verdicts.every(({ evidence }) => evidence === 0);
  const missing =
    verdicts.find(isMissing) ?? (isIdle ? verdicts.find(({ verdict }) => verdict === 'skipped') : undefined);
  if (missing !== undefined) {
    const reason = `${missing.requirement.id} could not be judged: ${missing.reason}`;
    return { verdict: 'inconclusive', exitCode: 3, reason };
  }
  // Green must not mean that nothing was verified.
  const isExcusing = !demands.requiresAll && interactions?.some(({ verdict }) => verdict !== 'not-verifiable');
  const unverified = interactions?.find(
    ({ verdict, isExcused }) => verdict === 'not-verifiable' && !(isExcused && isExcusing),
  );
  if (unverified !== undefined) {
    const reason = `"${unverified.description}" could not be verified: ${unverified.messages[0]}`;
    return { verdict: 'inconclusive', exitCode: 3, reason };
  }
  if (interactions?.length === 0) {
    return { verdict: 'inconclusive', exitCode: 3, reason: 'there was no interaction to verify' };
  }
  return { verdict: 'conforms', exitCode: 0 };
}

/** Whether a run without this statement has not judged what it was for. What is advised counts only on its own. */
function isEssential({ id, level }: RequirementVerdict['requirement'], { only }: Demands): boolean {
  if (only === undefined) return essential.includes(id);
  return only !== 'shown' && only.has(id) && (level === 'required' || only.size === 1);
}
