/** Finds the shortest sequence of exchanges that shows a failure, and the creations that the sequence needs. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import type { Exchange } from '../http/exchange.ts';
import { createdId, idsShownIn, pageOf } from '../http/read-response.ts';
import { type Counterexample, type Failing, type Finding, isFailing, type JudgeAll } from './finding.ts';
import type { ReportedExchange } from './report.ts';

/** One request to send again, as a report shows it. */
export type RequestStep = ReportedExchange;

/** How a report shows an exchange, whole. */
export function stepOf(exchange: Exchange): RequestStep {
  const { number, check, operation, credential, request, response, failure } = exchange;
  return defined({
    number,
    check,
    operation,
    credential: credential.title,
    credentialId: credential.id,
    request,
    response,
    failure,
    startedAt: new Date(exchange.startedAt).toISOString(),
    durationMs: exchange.endedAt - exchange.startedAt,
  });
}

type Asked = Pick<RequestStep, 'operation' | 'request' | 'response'>;

/** Whether two findings are the same failure, possibly shown by different exchanges. */
export function isSameFailure(one: Failing<AnyRequirementId>, other: Failing<AnyRequirementId>): boolean {
  return one.requirement === other.requirement && one.failure.code === other.failure.code;
}

/** A request with the key that is used up cannot be sent again, so that any other one is the better evidence. */
const effortOfUsedUp = 1_000_000;
/** How much there is to read in one animal of a page: the value in question has to be found among all of them. */
const effortOfEntry = 250;

/** A longer page is only counted. */
const mostEntriesRead = 10;

/** How much a reader has to read in order to see a failure: everything that its requests send, and the pages that came back. */
function readingEffort({ exchanges }: Finding<AnyRequirementId>): number {
  return exchanges.reduce((sum, exchange) => {
    const { request, credential } = exchange;
    const sent = JSON.stringify([request, credential.curl]).length;
    const entries = Math.min(pageOf(exchange)?.length ?? 0, mostEntriesRead);
    return sum + sent + entries * effortOfEntry + (credential.kind === 'rate-limit' ? effortOfUsedUp : 0);
  }, 0);
}

/**
 * The findings in the order of what a reader has to read: a creation whose request and response stand side by side comes before
 * a read, a read before a page.
 */
export function plainestFirst<One extends Finding<AnyRequirementId>>(findings: readonly One[]): readonly One[] {
  const efforts = new Map(findings.map((finding) => [finding, readingEffort(finding)]));
  return findings.toSorted((one, other) => efforts.get(one)! - efforts.get(other)!);
}

/** For each failing requirement, the plainest failure among those with the code of its first failure. */
export function plainestFailures(findings: readonly Finding[]): readonly Failing[] {
  const byRequirement = Map.groupBy(findings.filter(isFailing), ({ requirement }) => requirement);
  return [...byRequirement.values()].map(
    (failures) => plainestFirst(failures.filter((failing) => isSameFailure(failing, failures[0]!)))[0]!,
  );
}

export function inOrder(exchanges: readonly Exchange[]): readonly Exchange[] {
  return [...new Set(exchanges)].sort((one, other) => one.number - other.number);
}

/** The exchanges that show a failure on their own: the cited ones, where needed with the creations that they rest on. */
export function shortestSequence(
  judge: JudgeAll,
  exchanges: readonly Exchange[],
  failing: Failing,
): Pick<Counterexample, 'finding' | 'exchanges'> {
  const cited = inOrder(failing.exchanges);
  for (const shown of [cited, inOrder([...requiredCreations(cited, exchanges), ...cited])]) {
    const failures = judge(shown, failing.requirement).filter(isFailing);
    const finding = failures.find((one) => isSameFailure(one, failing));
    if (finding !== undefined) return { finding, exchanges: shown };
  }
  return { finding: failing, exchanges: cited };
}

/** A replay creates at most so many animals in advance. */
const mostRequiredCreations = 25;

/** The ids in the path and in the page of a step. */
function idsIn(step: Asked): readonly string[] {
  const asked = /^\/pets\/(-?\d+)$/.exec(step.request.target)?.[1];
  const shown = step.operation === 'listPets' ? idsShownIn(step) : [];
  return [...(asked === undefined ? [] : [asked]), ...shown.map(String)];
}

/**
 * Returns the recorded creations of the animals that the steps request or show, in the order in which they were sent. A
 * restarted target does not have these animals.
 */
export function requiredCreations<Recorded extends Asked>(
  steps: readonly Recorded[],
  recorded: readonly Recorded[],
): readonly Recorded[] {
  const needed = new Set(steps.flatMap(idsIn));
  const isNeeded = (step: Recorded): boolean => !steps.includes(step) && needed.has(String(createdId(step)));
  return recorded.filter(isNeeded).slice(0, mostRequiredCreations);
}
