/** Sequences of requests that show a failure: the shortest in the evidence, and the creations that they need. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { animalsShownBy } from '../../spec/operation-roles.ts';
import type { Exchange, Operation, RecordedRequest } from '../http/exchange.ts';
import { isInt64, isJsonObject, type JsonValue, readJson } from '../http/json.ts';
import { type Counterexample, type Failing, type Finding, isFailing, type Judge } from './finding.ts';
import type { ReportedExchange } from './report.ts';

/** One request to send again, as recorded. */
export interface Step {
  /** Position in the run where it was recorded. */
  readonly number: number;
  readonly operation: Operation;
  readonly request: RecordedRequest;
  /** As `Credential.id` has it. */
  readonly credentialId: string;
  readonly response?: { readonly status: number; readonly body: string } | undefined;
  /** When it was sent and answered the first time, Unix milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** What was asked and what came, whenever. */
type Asked = Pick<Step, 'operation' | 'request' | 'response'>;

/** Evidence of hundreds of exchanges is cut down in no more steps than this. */
const mostJudgements = 60;

/** Whether two findings tell the same failure, whatever exchanges show it. */
export function isSameFailure(one: Finding<AnyRequirementId>, other: Finding<AnyRequirementId>): boolean {
  return one.requirement === other.requirement && one.failure?.code === other.failure?.code;
}

/** The failure as these exchanges show it on their own. */
function shownBy(judge: Judge, exchanges: readonly Exchange[], failing: Failing): Failing | undefined {
  return judge(exchanges, failing.requirement)
    .filter(isFailing)
    .find((finding) => isSameFailure(finding, failing));
}

/**
 * The exchanges that show a failure on their own: those it cites, else as few of those before as can be found without
 * sending anything. Where it takes what came later, it is cited as it is.
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

/** More animals than these are not created again for a failure to rest on. */
const mostFoundations = 25;

/** The ids of animals that a step asks for or shows. */
function idsIn({ operation, request, response }: Asked): readonly string[] {
  const asked = /^\/pets\/(-?\d+)$/.exec(request.target)?.[1];
  const reading = animalsShownBy(operation) === 'page' && response !== undefined ? readJson(response.body) : undefined;
  const page = reading !== undefined && 'value' in reading && Array.isArray(reading.value) ? reading.value : [];
  const shown = page.flatMap((entry: JsonValue) => (isJsonObject(entry) && isInt64(entry['id']) ? [entry['id']] : []));
  return [...(asked === undefined ? [] : [asked]), ...shown.map(String)];
}

/**
 * What steps rest on: the creations among other recorded steps whose animals they ask for or show, in the order in which
 * these were sent. A target that was started anew has none of them.
 */
export function requiredCreations<Recorded extends Asked>(
  steps: readonly Recorded[],
  recorded: readonly Recorded[],
): readonly Recorded[] {
  const needed = new Set(steps.flatMap(idsIn));
  const isNeeded = (step: Recorded): boolean => !steps.includes(step) && needed.has(String(createdId(step)));
  return recorded.filter(isNeeded).slice(0, mostFoundations);
}

/** The id that a creation was answered with. */
export function createdId({ operation, response }: Asked): bigint | undefined {
  if (animalsShownBy(operation) !== 'new-animal' || response?.status !== 201) return undefined;
  const reading = readJson(response.body);
  const body: JsonValue = 'value' in reading ? reading.value : null;
  return isJsonObject(body) && isInt64(body['id']) ? body['id'] : undefined;
}

/** An exchange as a step to send again. */
export function stepOf(exchange: Exchange): Step {
  const { number, operation, request, credential, response, startedAt, endedAt } = exchange;
  const answer = response === undefined ? {} : { response };
  return { number, operation, request, credentialId: credential.id, startedAt, endedAt, ...answer };
}

/** An exchange of a report as a step to send again. */
export function stepOfReport({ startedAt, durationMs, ...step }: ReportedExchange): Step {
  const at = Date.parse(startedAt);
  return { ...step, startedAt: at, endedAt: at + durationMs };
}
