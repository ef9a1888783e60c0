/** Sequences of requests that show a failure: the shortest in the evidence, and whether they show it once more. */

import { type RequirementId, requirements } from '../../spec/requirements.ts';
import { BudgetSpent } from './budget.ts';
import {
  type Counterexample,
  type Failing,
  type Finding,
  type Inquiry,
  isFailing,
  type Judge,
  type Recheck,
  type Suite,
} from './check.ts';
import type { Exchange, Operation, RecordedRequest } from './evidence/exchange.ts';
import { isInt64, isJsonObject, type JsonValue, readJson } from './evidence/json.ts';
import { namePattern } from './names.ts';
import type { PlannedRequest } from './planned-request.ts';
import type { ReportedExchange } from './report/report.ts';
import type { Session } from './session.ts';
import { isSettled, waitToSettle } from './settling.ts';

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

/** Longer sequences are not sent again: so many requests are better spent on what was not looked at yet. */
const longestRecheck = 8;
/** Evidence of hundreds of exchanges is cut down in no more steps than this. */
const mostJudgements = 60;

/** Whether two findings tell the same failure, whatever exchanges show it. */
export function isSameFailure(one: Finding, other: Finding): boolean {
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
  const reading = operation === 'listPets' && response !== undefined ? readJson(response.body) : undefined;
  const page = reading !== undefined && 'value' in reading && Array.isArray(reading.value) ? reading.value : [];
  const shown = page.flatMap((entry: JsonValue) => (isJsonObject(entry) && isInt64(entry['id']) ? [entry['id']] : []));
  return [...(asked === undefined ? [] : [asked]), ...shown.map(String)];
}

/**
 * What steps rest on: the creations among other recorded steps whose animals they ask for or show, in the order in which
 * these were sent. A target that was started anew has none of them.
 */
export function foundationsOf<Recorded extends Asked>(
  steps: readonly Recorded[],
  recorded: readonly Recorded[],
): readonly Recorded[] {
  const needed = new Set(steps.flatMap(idsIn));
  const isNeeded = (step: Recorded): boolean => !steps.includes(step) && needed.has(String(createdId(step)));
  return recorded.filter(isNeeded).slice(0, mostFoundations);
}

/** The id that a creation was answered with. */
function createdId({ operation, response }: Asked): bigint | undefined {
  if (operation !== 'createPet' || response?.status !== 201) return undefined;
  const reading = readJson(response.body);
  const body: JsonValue = 'value' in reading ? reading.value : null;
  return isJsonObject(body) && isInt64(body['id']) ? body['id'] : undefined;
}

/** Thrown for a step that cannot be sent again as it was. */
export class NotRepeatable extends Error {}

/** Whether names are given anew: another animal may have them where they were sent before. */
export type Names = 'new' | 'same';

/** The names and ids of steps, and those that take their place when they are sent again. */
interface Renaming {
  readonly ids: Map<string, string>;
  readonly names: Map<string, string>;
  readonly given: Names;
}

/** A step as a request, with a name of its own and with the ids that the animals have this time. */
function planStep(step: Step, session: Session, suite: Suite, { ids, names, given }: Renaming): PlannedRequest {
  const credential = suite.findCredential(step.credentialId, session.keys);
  if (credential === undefined) throw new NotRepeatable(`there is no credential "${step.credentialId}" for this key`);
  const renamed = (tag: string): string => {
    if (given === 'same') return tag;
    if (!names.has(tag)) names.set(tag, session.newName());
    return names.get(tag)!;
  };
  const { method, headers } = step.request;
  const [, path = '', id = '', rest = ''] = /^(\/pets\/)([^/?]+)(.*)$/.exec(step.request.target) ?? [];
  const target = ids.has(id) ? path + ids.get(id) + rest : step.request.target;
  const body = step.request.body
    ?.replace(new RegExp(namePattern(session.settings), 'g'), renamed)
    .replace(/"id":(-?\d+)/, (field, old: string) => (ids.has(old) ? `"id":${ids.get(old)}` : field));
  const { 'content-type': contentType, 'transfer-encoding': coding } = headers;
  return {
    operation: step.operation,
    method,
    target,
    ...(contentType === undefined ? {} : { contentType }),
    ...(coding === undefined ? {} : { headers: { 'transfer-encoding': coding } }),
    ...(body === undefined ? {} : { body }),
    credential,
  };
}

/** Whether a step was sent when what the steps before had created must have been seen. */
function wasSettled(step: Step, before: readonly Step[], { settings }: Session): boolean {
  const last = before.findLast((earlier) => createdId(earlier) !== undefined);
  return last !== undefined && isSettled(settings, last, step);
}

/** Sends requests again, one after the other. Throws BudgetSpent, RunStopped or NotRepeatable. */
export async function sendAgain(
  session: Session,
  suite: Suite,
  steps: readonly Step[],
  given: Names = 'new',
): Promise<readonly Exchange[]> {
  const renaming: Renaming = { ids: new Map(), names: new Map(), given };
  const sent: Exchange[] = [];
  for (const [at, step] of steps.entries()) {
    if (wasSettled(step, steps.slice(0, at), session)) await waitToSettle(session);
    const exchange = await session.send(planStep(step, session, suite, renaming));
    sent.push(exchange);
    const [before, after] = [createdId(step), createdId(stepOf(exchange))];
    if (before !== undefined && after !== undefined) renaming.ids.set(String(before), String(after));
  }
  return sent;
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

/** Whether a statement fails in these exchanges, on their own or by what else is known of the target. */
function isBrokenAgain(
  session: Session,
  { judge }: Inquiry,
  again: readonly Exchange[],
  requirement: RequirementId,
): boolean {
  const failuresIn = (exchanges: readonly Exchange[]): readonly Finding[] =>
    judge(exchanges, requirement).filter((one) => isFailing(one) && one.requirement === requirement);
  const isCited = (one: Finding): boolean => one.exchanges.some((exchange) => again.includes(exchange));
  return failuresIn(again).length > 0 || failuresIn(session.exchanges).some(isCited);
}

/** Asks a failing sequence once more, if that is cheap and the budget has it. */
async function askAgain(
  session: Session,
  inquiry: Inquiry,
  { finding, exchanges }: Pick<Counterexample, 'finding' | 'exchanges'>,
): Promise<Recheck> {
  const isDear =
    exchanges.length > Math.min(longestRecheck, session.budget.requestsLeft()) ||
    exchanges.some(({ credential }) => credential.kind === 'rate-limit');
  if (isDear) return 'not-asked-again';
  try {
    const again = await sendAgain(session, inquiry.suite, exchanges.map(stepOf));
    return isBrokenAgain(session, inquiry, again, finding.requirement) ? 'fails-again' : 'flaky';
  } catch (error) {
    if (error instanceof BudgetSpent || error instanceof NotRepeatable) return 'not-asked-again';
    throw error;
  }
}

/** Notes a counterexample, asks it once more, and notes what came of that. */
export async function noteAndRecheck(
  session: Session,
  inquiry: Inquiry,
  found: Omit<Counterexample, 'recheck'>,
): Promise<void> {
  inquiry.noteCounterexample({ ...found, recheck: 'not-asked-again' });
  inquiry.noteCounterexample({ ...found, recheck: await askAgain(session, inquiry, found) });
}

const advised: ReadonlySet<RequirementId> = new Set(
  requirements.filter(({ level }) => level === 'advised').map(({ id }) => id),
);

/**
 * Finds a counterexample for every failing statement that has none yet, and asks it once more. What is only advised is
 * not worth the requests.
 */
export async function recheckFailures(session: Session, inquiry: Inquiry): Promise<void> {
  const failures = inquiry.judge(session.exchanges).filter(isFailing);
  const evidence = [...session.exchanges];
  for (const failing of failures) {
    if (inquiry.counterexamples.has(failing.requirement) || advised.has(failing.requirement)) continue;
    await noteAndRecheck(session, inquiry, shortestSequence(inquiry.judge, evidence, failing));
  }
}
