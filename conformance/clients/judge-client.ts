/** Folds compatibility runs into one verdict for each client requirement. */

import { type ClientRequirementId, clientRequirements } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import { gaps } from '../../spec/gaps.ts';
import type { Exchange } from '../http/exchange.ts';
import { clientChecks } from '../sections/client-checks/index.ts';
import { type Failing, fails, isFailing } from '../verdict/finding.ts';
import type { RequirementVerdict } from '../verdict/verdict.ts';
import type { ClientRun } from './client-run.ts';
import { type CompatibilityRuns, goesOn, hasMetLimit, notRun } from './compatibility-runs.ts';
import type { Breakage } from './exploration.ts';
import { isDeliberate, type RunFinding } from './refusal-tests.ts';
import { concerns } from './relevance.ts';
import type { Variation } from './service-variant.ts';
import { variations } from './variations/index.ts';

export type ClientVerdict = RequirementVerdict<ClientRequirementId>;
type ClientFailure = Failing<ClientRequirementId>;

/** The last exchanges that a requirement concerns show best what the client met. */
const mostShown = 3;

function relianceOn({ requirement }: Variation): string {
  if (requirement === 'any-after-removal') return 'it relies on getPet, which is removed on 5 December 2030 (§9)';
  if (requirement === 'any-known-categories') {
    return 'it relies on a category of its own, and the interface names none (§2): the variable PETSTORE_CATEGORY_ID holds one that exists';
  }
  if (requirement === 'any-name-limits') {
    return 'it relies on a name that not every service accepts (§2): one of at most 30 letters, digits, spaces and hyphens works with all services here';
  }
  if (requirement === 'any-ban') return 'it does not wait, and repeated requests after a 429 may cause a ban (§8)';
  const gap = gaps.find((one) => requirement === `any-${one.id}`);
  if (gap?.reference !== undefined) {
    return `it relies on ${gap.id}: ${gap.reference}, and the interface does not say so (§${gap.section})`;
  }
  const { section, text } = clientRequirements.find((one) => one.id === requirement)!;
  if (requirement.startsWith('any-')) return `the interface leaves that open (§${section})`;
  return `§${section} says: ${text.replace(/\.$/, '')}`;
}

export function outputOf({ output }: ClientRun): string {
  return output === undefined ? '' : ` (see ${output})`;
}

function failureOf(
  { variations: own, run }: Breakage,
  requirement: ClientRequirementId,
  { reference }: CompatibilityRuns,
): ClientFailure {
  const service = own.map(({ id, meaning }) => `${id} (${meaning})`).join(' together with ');
  const reliance = own.map(relianceOn).join('; ');
  const shown = run.exchanges.filter((exchange) => concerns(requirement, exchange)).slice(-mostShown);
  return fails(
    requirement,
    own.length === 1 ? 'relies-on-an-answer' : 'relies-on-answers',
    { expected: `the client to work with ${service}`, received: `${run.ending}${outputOf(run)}: ${reliance}` },
    // A client that failed before its first request met nothing but the usual answers.
    ...(shown.length > 0 ? shown : (run.exchanges.length > 0 ? run : reference).exchanges.slice(-mostShown)),
  );
}

function isFollowedByAnother({ operation, answered }: Exchange, exchanges: readonly Exchange[]): boolean {
  return exchanges.some((later) => later.operation === operation && later.sent > answered);
}

/**
 * Exchanges that show the question, of runs in which the client passed and nothing else differed. Where a client may go on
 * or give up, that it passed shows nothing.
 */
function evidenceFor(requirement: ClientRequirementId, runs: readonly ClientRun[]): readonly Exchange[] {
  return runs
    .filter(
      ({ variant: { variations: own }, isPassed }) =>
        isPassed && own.length === 1 && own[0]!.requirement === requirement && !own[0]!.isOutcomeOpen,
    )
    .flatMap(({ exchanges, differences }) =>
      exchanges
        .filter((exchange) => concerns(requirement, exchange) && differences.has(exchange))
        .filter((exchange) => requirement !== 'client-goes-on' || isFollowedByAnother(exchange, exchanges)),
    );
}

type Excuse = Pick<ClientVerdict, 'reason'> & { readonly verdict: 'skipped' | 'not-applicable' | 'inconclusive' };

/** Why a requirement has neither evidence nor a failure. */
function excuseOf(requirement: ClientRequirementId, made: CompatibilityRuns): Excuse {
  const own = variations.filter((variation) => variation.requirement === requirement);
  if (requirement.startsWith('any-') && own.length === 0) {
    return { verdict: 'not-applicable', reason: 'no service variant differs in it' };
  }
  if (requirement === 'client-goes-on' && hasMetLimit(made)) {
    return { verdict: 'inconclusive', reason: 'the client ended well after a 429, and sent the request no more' };
  }
  if (own.some(({ isSlow }) => isSlow) && hasMetLimit(made) && !goesOn(made)) {
    return { verdict: 'inconclusive', reason: 'the client does not go on after any 429' };
  }
  if (made.unexplained.some(({ run, why }) => why === 'not-confirmed' && own.includes(run.variant.variations[0]!))) {
    return { verdict: 'inconclusive', reason: 'the client failed, and no run was left to confirm it (--runs)' };
  }
  const left = notRun(made);
  if (own.some((variation) => left.includes(variation))) {
    return { verdict: 'skipped', reason: 'the client did not run under the service variants that show it' };
  }
  const isOfService = requirement.startsWith('any-');
  const reason = isOfService ? 'the client sent nothing that it concerns' : 'no request of the client shows it';
  return { verdict: 'not-applicable', reason };
}

/** Remarks that change no verdict. */
function noteOn(requirement: ClientRequirementId, made: CompatibilityRuns, deliberate: number): string | undefined {
  if (requirement === 'client-goes-on' && made.givesUpAt.length > 0) {
    return `the client gives up after ${made.givesUpAt.map(({ id }) => id).join(' and ')}`;
  }
  if (deliberate === 0) return undefined;
  const requests = deliberate === 1 ? '1 request' : `${deliberate} requests`;
  return `the client sent ${requests} against it, was refused and went on: a test of refusals`;
}

function judgeRequirement(
  requirement: ClientVerdict['requirement'],
  findings: readonly RunFinding[],
  made: CompatibilityRuns,
): ClientVerdict {
  const { id, level } = requirement;
  const broken = made.breakages.filter((breakage) => breakage.variations.some((one) => one.requirement === id));
  const broke = findings.filter(({ finding }) => finding.failure !== undefined);
  const deliberate = broke.filter((one) => isDeliberate(one, broke, made));
  const failures = [
    ...broken.map((breakage) => failureOf(breakage, id, made)),
    ...broke
      .filter((one) => !deliberate.includes(one))
      .map(({ finding }) => finding)
      .filter(isFailing),
  ];
  if (failures.length > 0) {
    const evidence = new Set(failures.flatMap(({ exchanges }) => exchanges)).size;
    const recheck = broken.length === 0 ? undefined : broken.every(({ isFlaky }) => isFlaky) ? 'flaky' : 'fails-again';
    return {
      requirement,
      verdict: level === 'required' ? 'fail' : 'warn',
      evidence,
      failures,
      ...defined({ recheck }),
    };
  }
  const held = findings
    .filter(({ finding }) => finding.failure === undefined)
    .flatMap(({ finding }) => finding.exchanges);
  const evidence = new Set([...held, ...evidenceFor(id, made.runs)]).size;
  const reason = noteOn(id, made, deliberate.length);
  if (evidence > 0) return { requirement, verdict: 'pass', evidence, failures, ...defined({ reason }) };
  return { requirement, evidence, failures, ...excuseOf(id, made), ...defined({ reason }) };
}

/** One verdict for each requirement, in the order of the interface. */
export function judgeClient(made: CompatibilityRuns): readonly ClientVerdict[] {
  const findings = made.runs.flatMap((run) =>
    clientChecks.flatMap(({ judge }) => [...judge(run)].map((finding) => ({ finding, run }))),
  );
  const byRequirement = Map.groupBy(findings, ({ finding }) => finding.requirement);
  return clientRequirements.map((requirement) =>
    judgeRequirement(requirement, byRequirement.get(requirement.id) ?? [], made),
  );
}
