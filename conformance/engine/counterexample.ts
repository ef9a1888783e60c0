/** Sequences of requests that show a failure: the shortest in the evidence, and whether they show it once more. */

import { type RequirementId, requirements } from '../../spec/requirements.ts';
import { BudgetSpent } from './budget.ts';
import type { Finding } from './check.ts';
import { credentialShownAs, noKey } from './credentials.ts';
import type { Exchange, Operation } from './exchange.ts';
import { isInt64, isJsonObject, type JsonValue, readJson } from './json.ts';
import { nameTag } from './read-request.ts';
import type { PlannedRequest, Session } from './session.ts';

/** What the invariants find in some exchanges, for one requirement or all. */
export type Judge = (exchanges: readonly Exchange[], only?: RequirementId) => readonly Finding[];

/** One request to send again, as recorded. */
export interface Step {
  readonly operation: Operation;
  readonly request: Exchange['request'];
  /** In words, as `Credential.shown` has it. */
  readonly credential: string;
  readonly response?: { readonly status: number; readonly body: string } | undefined;
}

/**
 * What came of asking once more. `flaky`: the same requests did not fail again; `not-asked-again`: the budget was spent,
 * or it takes a key to exhaust or too many requests.
 */
export type Recheck = 'fails-again' | 'flaky' | 'not-asked-again';

/** A finding that something is broken. */
export type Failing = Finding & { readonly failure: NonNullable<Finding['failure']> };

/** The shortest sequence that is known to show a failure. */
export interface Sequence {
  /** What the invariants find in these exchanges alone. */
  readonly finding: Failing;
  readonly exchanges: readonly Exchange[];
  readonly recheck: Recheck;
  /** Of a failure that was found by drawn sequences: whether shorter ones were tried to the end. */
  readonly shrinking?: 'finished' | 'stopped';
}

/** Longer sequences are not sent again: so many requests are better spent on what was not looked at yet. */
const longestRecheck = 8;
/** Evidence of hundreds of exchanges is cut down in no more steps than this. */
const mostJudgements = 60;

export function isFailing(finding: Finding): finding is Failing {
  return finding.failure !== undefined;
}

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
): Pick<Sequence, 'finding' | 'exchanges'> {
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

/** The id that a creation was answered with. */
function createdId({ operation, response }: Step): bigint | undefined {
  if (operation !== 'createPet' || response?.status !== 201) return undefined;
  const reading = readJson(response.body);
  const body: JsonValue = 'value' in reading ? reading.value : null;
  return isJsonObject(body) && isInt64(body['id']) ? body['id'] : undefined;
}

/**
 * Sends requests again, with names of their own, and with the ids that the animals get this time. Throws BudgetSpent.
 */
export async function sendAgain(session: Session, steps: readonly Step[]): Promise<readonly Exchange[]> {
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  const renamed = (tag: string): string => {
    if (!names.has(tag)) names.set(tag, session.newName());
    return names.get(tag)!;
  };
  const sent: Exchange[] = [];
  for (const step of steps) {
    const { method, contentType } = step.request;
    const [, path = '', id = '', rest = ''] = /^(\/pets\/)([^/?]+)(.*)$/.exec(step.request.target) ?? [];
    const target = ids.has(id) ? path + ids.get(id) + rest : step.request.target;
    const body = step.request.body
      ?.replace(new RegExp(nameTag, 'g'), renamed)
      .replace(/"id":(-?\d+)/, (field, old: string) => (ids.has(old) ? `"id":${ids.get(old)}` : field));
    const request: PlannedRequest = {
      operation: step.operation,
      method,
      target,
      ...(contentType === undefined ? {} : { contentType }),
      ...(body === undefined ? {} : { body }),
      credential: credentialShownAs(step.credential, session.keys) ?? noKey,
    };
    const exchange = await session.send(request);
    sent.push(exchange);
    const [before, after] = [createdId(step), createdId(stepOf(exchange))];
    if (before !== undefined && after !== undefined) ids.set(String(before), String(after));
  }
  return sent;
}

/** An exchange as a step to send again. */
export function stepOf(exchange: Exchange): Step {
  const { operation, request, credential, response } = exchange;
  return { operation, request, credential: credential.shown, ...(response === undefined ? {} : { response }) };
}

/** Whether a statement fails in these exchanges, on their own or by what else is known of the target. */
export function isBrokenAgain(session: Session, again: readonly Exchange[], requirement: RequirementId): boolean {
  const failuresIn = (exchanges: readonly Exchange[]): readonly Finding[] =>
    session.judge(exchanges, requirement).filter((one) => isFailing(one) && one.requirement === requirement);
  const isCited = (one: Finding): boolean => one.exchanges.some((exchange) => again.includes(exchange));
  return failuresIn(again).length > 0 || failuresIn(session.exchanges).some(isCited);
}

/** Asks a failing sequence once more, if that is cheap and the budget has it. */
export async function askAgain(
  session: Session,
  { finding, exchanges }: Pick<Sequence, 'finding' | 'exchanges'>,
): Promise<Recheck> {
  const isDear =
    exchanges.length > Math.min(longestRecheck, session.budget.requestsLeft()) ||
    exchanges.some(({ credential }) => credential.kind === 'rate-limit');
  if (isDear) return 'not-asked-again';
  try {
    const again = await sendAgain(session, exchanges.map(stepOf));
    return isBrokenAgain(session, again, finding.requirement) ? 'fails-again' : 'flaky';
  } catch (error) {
    if (error instanceof BudgetSpent) return 'not-asked-again';
    throw error;
  }
}

const advised: ReadonlySet<RequirementId> = new Set(
  requirements.filter(({ level }) => level === 'advised').map(({ id }) => id),
);

/**
 * Finds a sequence for every failing statement that has none yet, and asks it once more. What is only advised is not
 * worth the requests.
 */
export async function recheckFailures(session: Session): Promise<void> {
  const evidence = [...session.exchanges];
  for (const failing of session.judge(evidence).filter(isFailing)) {
    if (session.sequences.has(failing.requirement) || advised.has(failing.requirement)) continue;
    const shortest = shortestSequence(session.judge, evidence, failing);
    session.noteSequence({ ...shortest, recheck: 'not-asked-again' });
    session.noteSequence({ ...shortest, recheck: await askAgain(session, shortest) });
  }
}
