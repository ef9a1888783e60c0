/** Folds compatibility runs into one verdict for each client requirement. */

import { type ClientRequirementId, clientRequirements } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import { gaps } from '../../spec/gaps.ts';
import type { Exchange } from '../http/exchange.ts';
import { type Failing, fails, isFailing } from '../verdict/finding.ts';
import type { RequirementVerdict } from '../verdict/verdict.ts';
import type { ClientRun } from './client-run.ts';
import { type Compatibility, refusedRuns } from './compatibility.ts';
import { usualRefusals } from './refusals.ts';
import type { ClientFinding } from './requests.ts';
import { amongOthers, type LegalService, services } from './services.ts';
import { isLimited } from './waits.ts';

export type ClientVerdict = RequirementVerdict<ClientRequirementId>;
type ClientFailure = Failing<ClientRequirementId>;

/** The last exchanges whose answers are not the usual ones show best what the client met. */
const mostShown = 3;

/** What a client relies on that breaks a requirement, for those where the gap alone says too little. */
const relianceIn: { readonly [Id in ClientRequirementId]?: string } = {
  'any-after-removal': 'it relies on getPet, which is removed on 5 December 2030 (§9)',
  'any-known-categories':
    'it relies on a category of its own, and the interface names none (§2): the variable PETSTORE_CATEGORY_ID holds one that exists',
  'any-name-limits':
    'it relies on a name that not every service accepts (§2): one of at most 30 letters, digits, spaces and hyphens works with all services here',
  'any-ban': 'it does not wait, and repeated requests after a 429 may cause a ban (§8)',
};

function relianceOn({ requirement }: LegalService): string {
  const own = relianceIn[requirement];
  if (own !== undefined) return own;
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

function failureOf(run: ClientRun, { usual }: Compatibility): ClientFailure {
  const { service, exchanges, telling, ending } = run;
  const shown = [telling, exchanges, usual.exchanges].find(({ length }) => length > 0)!.slice(-mostShown);
  const facts = {
    expected: `the client to work with ${service.id} (${service.meaning})`,
    received: `${ending}${outputOf(run)}: ${relianceOn(service)}`,
  };
  return fails(service.requirement, 'relies-on-an-answer', facts, ...shown);
}

/**
 * Exchanges that show a requirement, of runs in which the client passed. Where a client may go on or give up, that it passed
 * shows nothing.
 */
function evidenceFor(requirement: ClientRequirementId, runs: readonly ClientRun[]): readonly Exchange[] {
  return runs
    .filter(({ service, isPassed }) => isPassed && service.requirement === requirement && !service.isOpen)
    .flatMap((run) => {
      const isRepeated = ({ operation, answered }: Exchange): boolean =>
        run.exchanges.some((later) => later.operation === operation && later.sent > answered);
      const isShown = (one: Exchange): boolean => isLimited(one) && isRepeated(one);
      return run.telling.filter((one) => requirement !== 'client-goes-on' || isShown(one));
    });
}

type Excuse = readonly [verdict: 'skipped' | 'not-applicable' | 'inconclusive', reason: string];

/** Why a requirement has neither evidence nor a failure. */
function excuseOf(requirement: ClientRequirementId, { usual, runs, alike, unexplained }: Compatibility): Excuse {
  const isOwn = (service: LegalService): boolean => service.requirement === requirement;
  const own = [amongOthers, ...services, ...usualRefusals].filter(isOwn);
  const tried = new Set([...runs.map(({ service }) => service.id), ...alike.map(({ id }) => id)]);
  const refused = refusedRuns(runs);
  if (requirement === 'client-goes-on' && refused.length > 0) {
    return ['inconclusive', 'the client ended well after a 429, and sent the request no more'];
  }
  if (own.some(({ isSlow }) => isSlow) && refused.length > 0 && !refused.some(({ isPassed }) => isPassed)) {
    return ['inconclusive', 'the client does not go on after any 429'];
  }
  if (unexplained.some(({ run }) => isOwn(run.service))) {
    return ['inconclusive', 'the client failed, and nothing confirms that this is why'];
  }
  if (own.some(({ id }) => !tried.has(id))) {
    const why = usual.isPassed
      ? 'did not run under the services that show it'
      : 'fails with the reference server already';
    return ['skipped', `the client ${why}`];
  }
  return ['not-applicable', 'no request of the client shows it'];
}

/** Requirements of which each run shows another wait or id, so that one failure stands for all. */
const isOfTime = /^client-(waits|backs-off|no-hammering|id-exact|deprecated)$/;

const ignored = 'the client is content whether such requests are refused, served or fail: it ignores the answers';
const survived = 'such requests are refused, and the client goes on as if they were served';
const tested = 'the client sent requests against it, was refused, and would notice if it were not: a test of refusals';

function judgeRequirement(
  requirement: ClientVerdict['requirement'],
  findings: readonly ClientFinding[],
  made: Compatibility,
): ClientVerdict {
  const { id, level } = requirement;
  const suspicion = made.suspicions.find((one) => one.requirement === id)?.verdict;
  const relied = made.reliances.filter(({ service }) => service.requirement === id);
  const broke = suspicion === 'test' ? [] : findings.filter(isFailing);
  // A client sends the same under one service after another.
  const distinct = Map.groupBy(broke, ({ failure: { code, expected, received } }) =>
    JSON.stringify(isOfTime.test(id) ? code : [code, expected, received]),
  );
  const failures = [...relied.map((run) => failureOf(run, made)), ...[...distinct.values()].map(([first]) => first!)];
  if (failures.length > 0) {
    const evidence = new Set(failures.flatMap(({ exchanges }) => exchanges)).size;
    const verdict = level === 'required' && suspicion !== 'warn' ? 'fail' : 'warn';
    const reason = suspicion && (suspicion === 'warn' ? survived : ignored);
    const recheck = relied.length === 0 ? undefined : ('fails-again' as const);
    return { requirement, verdict, evidence, failures, ...defined({ recheck, reason }) };
  }
  const held = findings.filter((finding) => !isFailing(finding)).flatMap(({ exchanges }) => exchanges);
  const evidence = new Set([...held, ...evidenceFor(id, made.runs)]).size;
  const givesUp = id === 'client-goes-on' ? made.givesUpAt.map((service) => service.id) : [];
  const note = givesUp.length > 0 ? `the client gives up after ${givesUp.join(' and ')}` : undefined;
  const remark = suspicion === 'test' ? tested : note;
  if (evidence > 0) return { requirement, verdict: 'pass', evidence, failures, ...defined({ reason: remark }) };
  const [verdict, reason] = excuseOf(id, made);
  return { requirement, verdict, evidence, failures, reason: remark ?? reason };
}

/** One verdict for each requirement, in the order of the interface. */
export function judgeClient(made: Compatibility): readonly ClientVerdict[] {
  const findings = made.findings.map(({ finding }) => finding);
  const byRequirement = Map.groupBy(findings, (finding) => finding.requirement);
  return clientRequirements.map((requirement) =>
    judgeRequirement(requirement, byRequirement.get(requirement.id) ?? [], made),
  );
}
