/** Finds the shortest sequence of exchanges that shows a failure, and the creations that the sequence needs. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import type { Exchange, Operation, RecordedRequest } from '../http/exchange.ts';
import { isInt64, isJsonObject, type JsonValue, readJson } from '../http/json.ts';
import { type Counterexample, type Failing, type Finding, isFailing, type Judge } from './finding.ts';
import type { ReportedExchange } from './report.ts';

/** One request to send again, as recorded. */
export interface Step {
  readonly number: number;
  readonly operation: Operation;
  readonly request: RecordedRequest;
  /** `Credential.id`. */
  readonly credentialId: string;
  readonly response?: { readonly status: number; readonly body: string } | undefined;
  /** The times at which it was first sent and answered, Unix milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
}

type Asked = Pick<Step, 'operation' | 'request' | 'response'>;

/** The search for a shorter sequence judges at most so many candidates. */
const mostJudgements = 60;

/** Whether two findings are the same failure, possibly shown by different exchanges. */
export function isSameFailure(one: Finding<AnyRequirementId>, other: Finding<AnyRequirementId>): boolean {
  return one.requirement === other.requirement && one.failure?.code === other.failure?.code;
}

/** The length of everything that the requests of a failure send, with something for each request. */
function sizeOf({ exchanges }: Finding<AnyRequirementId>): number {
  const perRequest = 100;
  // A request with the key that is used up cannot be sent again, so that any other one is the better evidence.
  const perUsedUp = 1_000_000;
  return exchanges.reduce(
    (sum, { request, credential }) =>
      sum +
      (credential.kind === 'rate-limit' ? perUsedUp : perRequest) +
      request.target.length +
      Object.entries(request.headers).join().length +
      Object.values(credential.curl).join().length +
      (request.body?.length ?? 0),
    0,
  );
}

/** The findings in the order of what their requests send, the smallest first. */
export function bySize<One extends Finding<AnyRequirementId>>(findings: readonly One[]): readonly One[] {
  return findings.toSorted((one, other) => sizeOf(one) - sizeOf(other));
}

/** For each failing requirement, the failure with the smallest requests among those with the code of its first failure. */
export function smallestFailures(findings: readonly Finding[]): readonly Failing[] {
  const byRequirement = Map.groupBy(findings.filter(isFailing), ({ requirement }) => requirement);
  return [...byRequirement.values()].map((failures) => {
    return bySize(failures.filter((failing) => isSameFailure(failing, failures[0]!)))[0]!;
  });
}

/** Returns the failure as these exchanges alone show it; undefined if they do not. */
function shownBy(judge: Judge, exchanges: readonly Exchange[], failing: Failing): Failing | undefined {
  return judge(exchanges, failing.requirement)
    .filter(isFailing)
    .find((finding) => isSameFailure(finding, failing));
}

/**
 * Returns the exchanges that show a failure on their own: the cited ones if they do, else the cited ones with as few
 * earlier ones as the search finds. If the failure depends on later exchanges, it returns the cited ones. Sends nothing.
 */
export function shortestSequence(
  judge: Judge,
  exchanges: readonly Exchange[],
  failing: Failing,
): Pick<Counterexample, 'finding' | 'exchanges'> {
  const cited = [...new Set(failing.exchanges)].sort((one, other) => one.number - other.number);
  let kept = cited;
  let finding = shownBy(judge, kept, failing);
  if (finding !== undefined) return { finding, exchanges: kept };
  kept = exchanges.filter(({ number }) => number <= (cited.at(-1)?.number ?? 0));
  finding = shownBy(judge, kept, failing);
  if (finding === undefined) return { finding: failing, exchanges: cited };
  let judgements = 0;
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < kept.length && judgements < mostJudgements; ) {
      const without = kept.filter((exchange, at) => at < start || at >= start + size || cited.includes(exchange));
      judgements += 1;
      const still = without.length < kept.length ? shownBy(judge, without, failing) : undefined;
      if (still === undefined) start += size;
      else [kept, finding] = [without, still];
    }
  }
  return { finding, exchanges: kept };
}

/** A replay creates at most so many animals in advance. */
const mostRequiredCreations = 25;

/** Returns the ids in the path and in the page of a step. */
function idsIn({ operation, request, response }: Asked): readonly string[] {
  const asked = /^\/pets\/(-?\d+)$/.exec(request.target)?.[1];
  const reading = operation === 'listPets' && response !== undefined ? readJson(response.body) : undefined;
  const page = reading !== undefined && 'value' in reading && Array.isArray(reading.value) ? reading.value : [];
  const shown = page.flatMap((entry: JsonValue) => (isJsonObject(entry) && isInt64(entry['id']) ? [entry['id']] : []));
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

export function createdId({ operation, response }: Asked): bigint | undefined {
  if (operation !== 'createPet' || response?.status !== 201) return undefined;
  const reading = readJson(response.body);
  const body: JsonValue = 'value' in reading ? reading.value : null;
  return isJsonObject(body) && isInt64(body['id']) ? body['id'] : undefined;
}

export function stepOf(exchange: Exchange): Step {
  const { number, operation, request, credential, response, startedAt, endedAt } = exchange;
  const answer = response === undefined ? {} : { response };
  return { number, operation, request, credentialId: credential.id, startedAt, endedAt, ...answer };
}

export function stepOfReport({ startedAt, durationMs, ...step }: ReportedExchange): Step {
  const at = Date.parse(startedAt);
  return { ...step, startedAt: at, endedAt: at + durationMs };
}
