/** Folds a tour into one verdict for each requirement about clients. */

import { type ClientRequirementId, clientRequirements } from '../../spec/client-requirements.ts';
import { type Gap, gaps } from '../../spec/gaps.ts';
import type { Exchange } from '../http/exchange.ts';
import { type Failing, type Finding, fails, isFailing } from '../verdict/finding.ts';
import type { RequirementVerdict } from '../verdict/verdict.ts';
import { clientChecks } from './checks/index.ts';
import type { ClientRun } from './client-run.ts';
import { type CompatibilityRuns, goesOn } from './compatibility.ts';
import type { Breakage } from './explorer.ts';

import { concerns } from './relevance.ts';
import type { Variation } from './service-variant.ts';
import { variations } from './variations/index.ts';

type ClientFailure = Failing<ClientRequirementId>;
export type ClientVerdict = RequirementVerdict<ClientRequirementId>;

/** Requests that show best what a client met: the last that the requirement concerns. */
const exchangesShown = 3;

/** What a client relies on that fails with a turn, in words. */
function relianceOn({ requirement }: Variation): string {
  const gap = (gaps as readonly Gap[]).find((one) => requirement === `any-${one.id}`);
  if (gap?.reference === undefined) {
    const { section } = clientRequirements.find((one) => one.id === requirement)!;
    return requirement.startsWith('any-') ? `the interface leaves that open (§${section})` : `see §${section}`;
  }
  return `it relies on ${gap.id}: ${gap.reference}, and the interface does not say so (§${gap.section})`;
}

function failureOf({ turns: own, visit }: Breakage, requirement: ClientRequirementId): ClientFailure {
  const { ending, output, exchanges } = visit;
  const where = own.map(({ id, meaning }) => `${id} (${meaning})`).join(' together with ');
  const reliance = own.map(relianceOn).join('; ');
  const see = output === undefined ? '' : `; see ${output}`;
  const shown = exchanges.filter((exchange) => concerns(requirement, exchange)).slice(-exchangesShown);
  return fails(
    requirement,
    own.length === 1 ? 'relies-on-an-answer' : 'relies-on-answers',
    `expected the client to work with ${where}, received ${ending}: ${reliance}${see}`,
    ...(shown.length > 0 ? shown : exchanges.slice(-exchangesShown)),
  );
}

/** The exchanges of runs that a client passed and that have a turn of a requirement. */
function borneBy(requirement: ClientRequirementId, runs: readonly ClientRun[]): readonly Exchange[] {
  return runs
    .filter(
      ({ variant: world, isPassed }) => isPassed && world.variations.some((turn) => turn.requirement === requirement),
    )
    .flatMap(({ exchanges }) => exchanges.filter((exchange) => concerns(requirement, exchange)));
}

interface Excuse {
  readonly verdict: 'skipped' | 'not-applicable' | 'inconclusive';
  readonly reason: string;
}

/** Why a requirement has neither evidence nor a failure. */
function excuseOf(requirement: ClientRequirementId, tour: CompatibilityRuns): Excuse {
  const own = variations.filter((turn) => turn.requirement === requirement);
  const isVisited = (turn: Variation): boolean =>
    tour.runs.some(({ variant: world }) => world.variations.includes(turn));
  if (requirement.startsWith('any-') && own.length === 0) {
    return { verdict: 'not-applicable', reason: 'no world differs in it' };
  }
  if (own.some((turn) => turn.isSlow && isVisited(turn)) && !goesOn(tour)) {
    return { verdict: 'inconclusive', reason: 'the client does not go on after any 429' };
  }
  if (own.length > 0 && !own.some(isVisited)) return { verdict: 'skipped', reason: 'its worlds were not visited' };
  return { verdict: 'not-applicable', reason: 'the client sent nothing that it concerns' };
}

/** A breakage that says nothing of its own: who does not go on after the plainest 429 does not after another. */
function isImplied({ turns: own }: Breakage, tour: CompatibilityRuns): boolean {
  return own.every(({ isSlow, requirement }) => isSlow && requirement !== 'client-goes-on') && !goesOn(tour);
}

function judgeRequirement(
  requirement: (typeof clientRequirements)[number],
  findings: readonly Finding<ClientRequirementId>[],
  tour: CompatibilityRuns,
): ClientVerdict {
  const broken = tour.breakages
    .filter((breakage) => breakage.turns.some((turn) => turn.requirement === requirement.id))
    .filter((breakage) => !isImplied(breakage, tour));
  const failures = [...broken.map((breakage) => failureOf(breakage, requirement.id)), ...findings.filter(isFailing)];
  const recheck =
    broken.length === 0 ? {} : ({ recheck: broken.every(({ isFlaky }) => isFlaky) ? 'flaky' : 'fails-again' } as const);
  if (failures.length > 0) {
    const evidence = new Set(failures.flatMap(({ exchanges }) => exchanges)).size;
    const verdict = requirement.level === 'required' ? 'fail' : 'warn';
    return { requirement, verdict, evidence, failures, ...recheck };
  }
  const bearing = new Set([...findings.flatMap(({ exchanges }) => exchanges), ...borneBy(requirement.id, tour.runs)]);
  const base = { requirement, evidence: bearing.size, failures };
  return bearing.size > 0 ? { ...base, verdict: 'pass' } : { ...base, ...excuseOf(requirement.id, tour) };
}

/** One verdict for each requirement, in the order of the interface. */
export function judgeClient(tour: CompatibilityRuns): readonly ClientVerdict[] {
  const findings = tour.runs.flatMap((visit) => clientChecks.flatMap(({ judge }) => [...judge(visit)]));
  const byRequirement = Map.groupBy(findings, ({ requirement }) => requirement);
  return clientRequirements.map((requirement) =>
    judgeRequirement(requirement, byRequirement.get(requirement.id) ?? [], tour),
  );
}
