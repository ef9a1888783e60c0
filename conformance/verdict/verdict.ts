/** Folds findings into one verdict for each requirement. */

import { removalOfGetPet } from '../../spec/facts.ts';
import { type Need, type Requirement, type RequirementId, requirements } from '../../spec/requirements.ts';
import type { Finding } from './finding.ts';
import type { Settings } from './settings.ts';

/** The reason of a requirement without evidence, where nothing says why. */
export const notShown = 'no answer showed it';

/** What a run says of a requirement; `error` is a fault of the kit, not of the target. */
export type Verdict = 'pass' | 'fail' | 'warn' | 'inconclusive' | 'skipped' | 'not-applicable' | 'error';

export interface RequirementVerdict {
  readonly requirement: Requirement & { readonly id: RequirementId };
  readonly verdict: Verdict;
  /** How many exchanges bear a pass or a failure out. */
  readonly evidence: number;
  /** Of a pass: numbers of some of them, the first. */
  readonly examples?: readonly number[];
  readonly reason?: string;
  readonly failures: readonly Finding[];
}

/** What else a fold needs to know of a run. */
export interface RunFacts {
  readonly settings: Settings;
  readonly notes: ReadonlyMap<RequirementId, string>;
  /** Requirements whose checks threw: our own errors. */
  readonly errors: ReadonlyMap<RequirementId, string>;
  /** Why the run ended before its end, if it did. */
  readonly ended?: string;
}

/** A verdict without evidence, and why there is none. */
interface Excuse {
  readonly verdict: 'skipped' | 'not-applicable';
  readonly reason: string;
}

/** Why something that a requirement needs is not there, where the user or the day explains it. */
const excuses: Readonly<Record<Need, (settings: Settings) => Excuse | undefined>> = {
  'get-pet': ({ today }) =>
    today < removalOfGetPet
      ? undefined
      : { verdict: 'not-applicable', reason: 'getPet is removed from 5 December 2030 on' },
  'rate-limit-key': ({ hasRateLimitKey }) =>
    hasRateLimitKey
      ? undefined
      : { verdict: 'skipped', reason: 'give a key that may be exhausted with --rate-limit-key-env' },
  creation: ({ isReadOnly }) => (isReadOnly ? { verdict: 'skipped', reason: 'the run is read-only' } : undefined),
  plan: ({ plan }) => {
    if (plan === undefined) return { verdict: 'skipped', reason: 'name the plan of the key with --plan' };
    const isCustom = plan === 'enterprise';
    return isCustom ? { verdict: 'not-applicable', reason: 'the limits of the Enterprise plan are custom' } : undefined;
  },
};

/** Why there is no evidence for a requirement, where the user or the day explains it. */
function excuseOf({ untested, needs = [] }: Requirement, settings: Settings): Excuse | undefined {
  if (untested !== undefined) return { verdict: 'not-applicable', reason: untested };
  return needs.map((need) => excuses[need](settings)).find((excuse) => excuse !== undefined);
}

/** Exchanges of a pass that are told: who looks into one wants a few. */
const mostExamples = 5;

function judgeRequirement(
  requirement: Requirement & { readonly id: RequirementId },
  findings: readonly Finding[],
  run: RunFacts,
): RequirementVerdict {
  const failures = findings.filter((finding) => finding.failure !== undefined);
  const shown = failures.length > 0 ? failures : findings;
  const numbers = new Set(shown.flatMap((finding) => finding.exchanges.map((exchange) => exchange.number)));
  const evidence = numbers.size;
  const base = { requirement, evidence, failures };
  if (failures.length > 0) return { ...base, verdict: requirement.level === 'required' ? 'fail' : 'warn' };
  const error = run.errors.get(requirement.id);
  if (error !== undefined) return { ...base, verdict: 'error', reason: error };
  if (evidence > 0) return { ...base, verdict: 'pass', examples: [...numbers].slice(0, mostExamples) };
  const excuse = excuseOf(requirement, run.settings);
  if (excuse !== undefined) return { ...base, ...excuse };
  const reason = run.notes.get(requirement.id) ?? run.ended ?? notShown;
  return { ...base, verdict: 'inconclusive', reason };
}

/** One verdict for each requirement, in the order of the interface. */
export function judgeRequirements(findings: readonly Finding[], run: RunFacts): readonly RequirementVerdict[] {
  const byRequirement = Map.groupBy(findings, (finding) => finding.requirement);
  return requirements.map((requirement) => judgeRequirement(requirement, byRequirement.get(requirement.id) ?? [], run));
}
