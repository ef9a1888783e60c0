/** Folds compatibility runs into one verdict for each client requirement. */

import { type ClientRequirementId, clientRequirements } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import { removalDayInWords } from '../../spec/facts.ts';
import { gaps } from '../../spec/gaps.ts';
import type { Exchange } from '../http/exchange.ts';
import { type Failing, fails, isFailing } from '../verdict/finding.ts';
import type { RequirementVerdict } from '../verdict/verdict.ts';
import { type ClientRun, tellingApart } from './client-run.ts';
import { type Compatibility, givesUpAnyway } from './compatibility.ts';
import { bodyRequirement, plainRefusal, refusalsTo } from './refusals.ts';
import type { ClientFinding } from './requests.ts';
import { clientServices, type LegalService } from './services.ts';
import type { Suspicion } from './suspicions.ts';
import { judgeSent } from './waits.ts';

export type ClientVerdict = RequirementVerdict<ClientRequirementId>;
type ClientFailure = Failing<ClientRequirementId>;

/** A failure cites at most so many of the exchanges whose answers are not the usual ones: the last. */
const mostShown = 3;

/** What a client relies on, for requirements whose gap alone says too little. */
const relianceIn: { readonly [Id in ClientRequirementId]?: string } = {
  'any-after-removal': `it relies on getPet, which is removed on ${removalDayInWords} (§9)`,
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
  return `§${section} says: ${text.slice(0, -1)}`;
}

export function outputOfRun({ output }: ClientRun): string {
  return output === undefined ? '' : ` (see ${output})`;
}

/** The exchanges of a run that the usual service answers differently; of the usual run, those that others' animals change. */
function tellingOf(run: ClientRun, { usual }: Compatibility): readonly Exchange[] {
  const { service } = usual;
  const isUsual = run.service.id === service.id;
  return tellingApart(run, run.service, isUsual ? { ...service, animals: [] } : service);
}

function failureOf(run: ClientRun, made: Compatibility): ClientFailure {
  const { service, exchanges, ending } = run;
  const shown = [tellingOf(run, made), exchanges, made.usual.exchanges]
    .find(({ length }) => length > 0)!
    .slice(-mostShown);
  const facts = {
    expected: `the client to work with ${service.id} (${service.meaning})`,
    received: `${ending}${outputOfRun(run)}: ${relianceOn(service)}`,
  };
  return fails(service.requirement, 'relies-on-an-answer', facts, ...shown);
}

/** Exchanges that show that the client works with other answers to a gap. */
function evidenceFor(requirement: ClientRequirementId, made: Compatibility): readonly Exchange[] {
  return made.runs
    .filter(({ service, isPassed }) => isPassed && service.requirement === requirement)
    .flatMap((run) => tellingOf(run, made));
}

/** How parsers of JSON name their errors, in the languages in which most clients are written. */
const parserError =
  /\bSyntaxError\b|JSON\w*(Error|Exception)|Parser?(Error|Exception)\b|Expecting value|looking for beginning of value|unexpected (end of|token|character)|EOF while parsing|expected value at line|invalid start of a value/i;

function printsParserError({ printed = [] }: ClientRun): boolean {
  return printed.some((line) => parserError.test(line));
}

/**
 * Runs of a client that gives up after any 429, but that a parser of JSON ended where the body of the 429 was no JSON: its exit
 * code says nothing, and what it prints says that it reads each such body as an Error.
 */
function parsedRefusals({ runs, unexplained }: Compatibility): readonly ClientRun[] {
  const plain = runs.filter(({ service }) => service.id === plainRefusal);
  if (plain.some(printsParserError)) return [];
  return unexplained
    .filter(({ run, why }) => run.service.requirement === bodyRequirement && why === givesUpAnyway)
    .map(({ run }) => run)
    .filter(printsParserError);
}

type ClientExcuse = readonly [verdict: 'skipped' | 'not-applicable' | 'inconclusive', reason: string];

/** Why a requirement has neither evidence nor a failure. */
function excuseOfClient(requirement: ClientRequirementId, { usual, tried, unexplained }: Compatibility): ClientExcuse {
  const isOwn = (service: LegalService): boolean => service.requirement === requirement;
  const [unconfirmed] = unexplained.filter(({ run }) => isOwn(run.service));
  if (unconfirmed !== undefined) return ['inconclusive', `the client ${unconfirmed.why}`];
  if ([...clientServices, ...refusalsTo()].some((service) => isOwn(service) && !tried.has(service.id))) {
    const why = usual.isPassed
      ? 'did not run under the services that show it'
      : 'fails with the reference server already';
    return ['skipped', `the client ${why}`];
  }
  return ['not-applicable', 'no request of the client shows it'];
}

/** Their failures differ from run to run, by a wait, an id or a date, so one stands for all with its code. */
const isOfTime = /^client-(waits|backs-off|no-hammering|id-exact|deprecated)$/;

/** Why a requirement has its verdict, by how the client took other answers to requests that break it. */
const reasonOfSuspicion: Readonly<Record<Suspicion['verdict'], string>> = {
  fail: 'the client is content whatever such requests get: it ignores the answers',
  warn: 'such requests are refused, and the client goes on as if they were served',
  test: 'the client sent requests against it, was refused, and would notice if it were not: a test of refusals',
};
const readsAnyBody =
  'the client gives up after any 429, and here an error of a JSON parser ends it: it reads the body, which no sentence shows';

type ClientJudgement = Pick<ClientVerdict, 'verdict' | 'evidence' | 'failures' | 'recheck' | 'reason'>;

/** One of the failures that say the same: a client sends the same under one service after another. */
function distinctFailures(id: ClientRequirementId, all: readonly ClientFailure[]): readonly ClientFailure[] {
  const groups = Map.groupBy(all, ({ failure: { code, expected, received } }) =>
    JSON.stringify(isOfTime.test(id) ? code : [code, expected, received]),
  );
  return [...groups.values()].map(([first]) => first!);
}

/** The verdict on a requirement that requests or runs show to be broken; undefined if none does. */
function judgeBroken(
  { id, level }: Pick<ClientVerdict, 'id' | 'level'>,
  findings: readonly ClientFinding[],
  suspicions: readonly Suspicion[],
  made: Compatibility,
): ClientJudgement | undefined {
  const suspicionOf = ({ failure }: ClientFailure) => suspicions.find(({ code }) => code === failure.code)?.verdict;
  const broken = findings.filter(isFailing).filter((one) => suspicionOf(one) !== 'test');
  const relied = made.reliances.filter(({ service }) => service.requirement === id);
  const failures = [...relied.map((run) => failureOf(run, made)), ...distinctFailures(id, broken)];
  if (failures.length === 0) return undefined;
  const verdicts = [...new Set(broken.map(suspicionOf))];
  const shared = verdicts.length === 1 ? verdicts[0] : undefined;
  return defined({
    verdict: level === 'required' && shared !== 'warn' ? 'fail' : 'warn',
    evidence: new Set(failures.flatMap(({ exchanges }) => exchanges)).size,
    failures,
    recheck: relied.length === 0 ? undefined : 'fails-again',
    reason: shared && reasonOfSuspicion[shared],
  });
}

/** The warning for a client that reads the body of each 429; undefined if nothing shows that. */
function judgeParsing(id: ClientRequirementId, made: Compatibility): ClientJudgement | undefined {
  const [run] = id === bodyRequirement ? parsedRefusals(made) : [];
  if (run === undefined) return undefined;
  const failure = failureOf(run, made);
  return { verdict: 'warn', evidence: failure.exchanges.length, failures: [failure], reason: readsAnyBody };
}

/** The verdict on a requirement that nothing shows to be broken. */
function judgeUnbroken(
  id: ClientRequirementId,
  findings: readonly ClientFinding[],
  suspicions: readonly Suspicion[],
  made: Compatibility,
): ClientJudgement {
  const held = findings.filter((finding) => !isFailing(finding)).flatMap(({ exchanges }) => exchanges);
  // A passing run is evidence for any-… only: whether a client waited, for example, its exchanges alone show.
  const shown = id.startsWith('any-') ? evidenceFor(id, made) : [];
  const evidence = new Set([...held, ...shown]).size;
  const note = suspicions.length > 0 ? reasonOfSuspicion.test : undefined;
  if (evidence > 0) return defined({ verdict: 'pass', evidence, failures: [], reason: note });
  const [verdict, reason] = excuseOfClient(id, made);
  return { verdict, evidence, failures: [], reason: note ?? reason };
}

/** One verdict for each requirement, in the order of the interface. */
export function judgeClient(made: Compatibility): readonly ClientVerdict[] {
  const all = made.runs.flatMap(({ exchanges }) => judgeSent(exchanges));
  const byRequirement = Map.groupBy(all, (finding) => finding.requirement);
  return clientRequirements.map((requirement) => {
    const { id, section, level, text } = requirement;
    const findings = byRequirement.get(id) ?? [];
    const suspicions = made.suspicions.filter((one) => one.requirement === id);
    const judged =
      judgeBroken(requirement, findings, suspicions, made) ??
      judgeParsing(id, made) ??
      judgeUnbroken(id, findings, suspicions, made);
    return { id, section, level, text, ...judged };
  });
}
