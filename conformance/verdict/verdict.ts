/** Folds the findings of a run into one verdict for each requirement, and says what a waiver does to it. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { removalDayInWords, removalOfGetPet } from '../../spec/facts.ts';
import { type Need, type Requirement, type RequirementId, requirements } from '../../spec/requirements.ts';
import { dayMs } from '../http/tolerances.ts';
import type { Settings } from '../world/settings.ts';
import { type Failing, type Finding, isFailing, type Recheck } from './finding.ts';
import { type Reason, reasonInWords } from './reasons.ts';
import { newWays } from './ways.ts';

/** The reason for a requirement without evidence, if no check noted another. */
export const notShown = 'no answer showed it';

/** The verdicts of requirements; `error` means that the kit broke, not the target. */
export const verdicts = ['pass', 'fail', 'warn', 'inconclusive', 'skipped', 'not-applicable', 'error'] as const;

export type Verdict = (typeof verdicts)[number];

/** A failure that a team knows and accepts until a day. */
export interface Waiver {
  readonly reason: string;
  readonly owner: string;
  /** The last day on which it holds, such as 2027-01-31. */
  readonly expires: string;
  /** The ways of failing that it excuses, as the reporter waivers writes them; every way of the requirement when left out. */
  readonly covers?: readonly string[];
}

/** By the id of the requirement that they are for. */
export type Waivers = ReadonlyMap<AnyRequirementId, Waiver>;

/**
 * The effect of a waiver in a run. `waived`: the failure stays visible and does not fail the run; `exceeded`: it fails in a way
 * that the waiver does not cover; `expired`: its last day is over; `stale`: the requirement holds in this run; `unused`: the run
 * did not judge the requirement.
 */
export type WaiverState = 'waived' | 'exceeded' | 'expired' | 'stale' | 'unused';

/** A waiver with its effect in a run. */
export type AppliedWaiver = Waiver & { readonly state: WaiverState };

/** The waiver of a requirement that has this verdict and fails in these ways; `today` is in Unix milliseconds. */
export function applyWaiver(
  waiver: Waiver,
  verdict: Verdict,
  today: number,
  ways: readonly string[] = [],
): AppliedWaiver {
  if (today >= Date.parse(waiver.expires) + dayMs) return { ...waiver, state: 'expired' };
  const isExceeded = waiver.covers !== undefined && newWays(ways, waiver.covers).length > 0;
  if (verdict === 'fail' || verdict === 'warn') return { ...waiver, state: isExceeded ? 'exceeded' : 'waived' };
  return { ...waiver, state: verdict === 'pass' ? 'stale' : 'unused' };
}

/** A requirement and its verdict. */
export interface JudgedRequirement<Id extends AnyRequirementId = AnyRequirementId>
  extends Pick<Requirement, 'section' | 'level' | 'text'> {
  readonly id: Id;
  readonly verdict: Verdict;
  /** The number of exchanges that show it, never 0 for a pass. */
  readonly evidence: number;
  readonly reason?: string;
  /** The result of the recheck of a failure. */
  readonly recheck?: Recheck;
  readonly waiver?: AppliedWaiver;
}

export interface RequirementVerdict<Id extends AnyRequirementId = RequirementId> extends JudgedRequirement<Id> {
  readonly failures: readonly Failing<Id>[];
  /** Findings that it holds, where all of them are known: what a failure is compared with. */
  readonly holding?: readonly Finding<Id>[];
}

/** What a run notes of requirements while it sends and judges. */
export interface RunNotes {
  /** Why a requirement may have no evidence, for a person. */
  readonly notes: Map<RequirementId, string>;
  /** Why requirements are inconclusive although they have evidence: a claim against them was not settled. */
  readonly unsettled: Map<RequirementId, string>;
  /** Requirements whose checks threw: our own errors. */
  readonly errors: Map<RequirementId, string>;
}

/** Facts about a run that explain a verdict without evidence. */
export interface RunFacts extends Partial<RunNotes> {
  readonly settings: Settings;
  /** Why the run ended early, if it did. */
  readonly ended?: Reason | undefined;
}

/** A verdict without evidence that the settings or the date explain. */
type Excuse = Pick<JudgedRequirement, 'verdict' | 'reason'>;

/** For each need of a requirement: the excuse where the settings or the date do not meet it. */
const excuses: Readonly<Record<Need, (settings: Settings) => Excuse | undefined>> = {
  'get-pet': ({ today }) =>
    today < removalOfGetPet
      ? undefined
      : { verdict: 'not-applicable', reason: `getPet is removed from ${removalDayInWords} on` },
  'rate-limit-key': ({ hasRateLimitKey }) =>
    hasRateLimitKey
      ? undefined
      : { verdict: 'skipped', reason: 'set PETSTORE_RATE_LIMIT_KEY to a key that may be exhausted' },
  creation: ({ isReadOnly }) => (isReadOnly ? { verdict: 'skipped', reason: 'the run is read-only' } : undefined),
  plan: ({ plan }) => {
    if (plan === undefined) return { verdict: 'skipped', reason: 'name the plan of the key with --plan' };
    const isCustom = plan === 'enterprise';
    return isCustom ? { verdict: 'not-applicable', reason: 'the limits of the Enterprise plan are custom' } : undefined;
  },
};

function excuseOf({ untested, needs = [] }: Requirement, settings: Settings): Excuse | undefined {
  if (untested !== undefined) return { verdict: 'not-applicable', reason: untested };
  return needs.map((need) => excuses[need](settings)).find((excuse) => excuse !== undefined);
}

/** What shows created animals: they are created, their answers can be read, and each has an id by which it is found again. */
const createdAnimals = ['create-answer', 'service-json', 'pet-id', 'auth-valid-key'] as const;
const limitHeaders = ['rate-limit-header', 'rate-remaining-header', 'rate-reset-header'] as const;

/** Requirements that only answers show in which others hold. If one of these fails, its failure is what to mend first. */
const restsOn: { readonly [Id in RequirementId]?: readonly RequirementId[] } = {
  'pet-id-unique': createdAnimals,
  'pet-id-assigned': createdAnimals,
  'pet-name-kept': createdAnimals,
  'pet-category-id-kept': createdAnimals,
  'pet-status-kept': createdAnimals,
  'pet-id': ['create-answer', 'service-json', 'list-answer'],
  'pet-name': ['create-answer', 'service-json', 'list-answer'],
  'pet-category-id': ['create-answer', 'service-json', 'list-answer'],
  'pet-status': ['create-answer', 'service-json', 'list-answer'],
  'list-limit': ['list-answer', ...createdAnimals],
  'list-limit-default': ['list-answer', ...createdAnimals],
  'list-status-filter': ['list-answer', ...createdAnimals],
  'list-complete': ['list-answer', ...createdAnimals],
  'create-answer': ['service-json', 'pet-id'],
  'create-invalid-values': createdAnimals,
  'create-malformed-body': createdAnimals,
  'create-body-utf8': createdAnimals,
  'create-refused-stores-nothing': ['list-answer', ...createdAnimals],
  'auth-refused-stores-nothing': ['list-answer', ...createdAnimals],
  'get-answer': createdAnimals,
  'get-until-removal': ['get-answer', ...createdAnimals],
  'error-code': ['error-shape', 'service-json'],
  'error-message': ['error-shape', 'service-json'],
  'error-status': ['error-shape', 'service-json'],
  'error-status-equals': ['error-status', 'error-shape', 'service-json'],
  'error-not-empty': ['error-code', 'error-message', 'error-shape'],
  'rate-headers-plain': limitHeaders,
  'rate-limit-plan': limitHeaders,
  'rate-remaining-falls': limitHeaders,
  'rate-retry-after-length': ['rate-retry-after'],
  'rate-recovery': ['rate-retry-after'],
};

/** Whether only animals that the run has created may show a requirement: nothing else may be in the catalogue. */
export function restsOnCreations(id: AnyRequirementId): boolean {
  const stated = requirements.find((one) => one.id === id);
  if (stated === undefined) return false;
  return stated.needs?.includes('creation') === true || restsOn[stated.id]?.includes('create-answer') === true;
}

/** The failure that leaves a requirement without evidence, in words; undefined if there is none. */
function spoiledBy(id: RequirementId, failing: ReadonlyMap<RequirementId, Failing>): string | undefined {
  const cause = restsOn[id]?.find((other) => failing.has(other));
  return cause && `${cause} fails (#${failing.get(cause)!.exchanges.at(-1)!.number}), so no answer shows it`;
}

function judgeRequirement(
  requirement: Requirement & { readonly id: RequirementId },
  findings: readonly Finding[],
  run: RunFacts,
  failing: ReadonlyMap<RequirementId, Failing>,
): RequirementVerdict {
  const failures = findings.filter(isFailing);
  const shown = failures.length > 0 ? failures : findings;
  const evidence = new Set(shown.flatMap(({ exchanges }) => exchanges.map(({ number }) => number))).size;
  const { id, section, level, text } = requirement;
  const holding = findings.filter((finding) => !isFailing(finding));
  const base = { id, section, level, text, evidence, failures, holding };
  if (failures.length > 0) return { ...base, verdict: level === 'required' ? 'fail' : 'warn' };
  const error = run.errors?.get(id);
  if (error !== undefined) return { ...base, verdict: 'error', reason: error };
  const unsettled = run.unsettled?.get(id);
  if (unsettled !== undefined) return { ...base, verdict: 'inconclusive', reason: unsettled };
  if (evidence > 0) return { ...base, verdict: 'pass' };
  const excuse = excuseOf(requirement, run.settings);
  if (excuse !== undefined) return { ...base, ...excuse };
  const reason = spoiledBy(id, failing) ?? run.notes?.get(id) ?? reasonInWords(run.ended) ?? notShown;
  return { ...base, verdict: 'inconclusive', reason };
}

/** One verdict for each requirement, in the order of the interface. */
export function judgeRequirements(findings: readonly Finding[], run: RunFacts): readonly RequirementVerdict[] {
  const byRequirement = Map.groupBy(findings, (finding) => finding.requirement);
  const failing = new Map(findings.filter(isFailing).map((finding) => [finding.requirement, finding]));
  return requirements.map((requirement) =>
    judgeRequirement(requirement, byRequirement.get(requirement.id) ?? [], run, failing),
  );
}
