/** Sends failing sequences of requests once more. */

import { type RequirementId, requirements } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import { createdId, type Step, shortestSequence, stepOf } from '../verdict/counterexample.ts';
import { type Counterexample, type Finding, isFailing, type Recheck } from '../verdict/finding.ts';
import { isSettled } from '../verdict/settling.ts';
import { BudgetSpent } from './budget.ts';
import { namePattern } from './names.ts';
import type { PlannedRequest } from './planned-request.ts';
import type { ScenarioContext, Suite } from './scenario.ts';
import type { Session } from './session.ts';
import { waitToSettle } from './settling.ts';

/** Longer sequences are not sent again: so many requests are better spent on what was not looked at yet. */
const longestRecheck = 8;
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
export async function resend(
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

/** Whether a requirement fails in these exchanges, on their own or by what else is known of the target. */
function isBrokenAgain(
  session: Session,
  { judge }: ScenarioContext,
  again: readonly Exchange[],
  requirement: RequirementId,
): boolean {
  const failuresIn = (exchanges: readonly Exchange[]): readonly Finding[] =>
    judge(exchanges, requirement).filter((one) => isFailing(one) && one.requirement === requirement);
  const isCited = (one: Finding): boolean => one.exchanges.some((exchange) => again.includes(exchange));
  return failuresIn(again).length > 0 || failuresIn(session.exchanges).some(isCited);
}

/** Asks a failing sequence once more, if that is cheap and the budget has it. */
async function recheck(
  session: Session,
  inquiry: ScenarioContext,
  { finding, exchanges }: Pick<Counterexample, 'finding' | 'exchanges'>,
): Promise<Recheck> {
  const isTooCostly =
    exchanges.length > Math.min(longestRecheck, session.budget.requestsLeft()) ||
    exchanges.some(({ credential }) => credential.kind === 'rate-limit');
  if (isTooCostly) return 'not-asked-again';
  try {
    const again = await resend(session, inquiry.suite, exchanges.map(stepOf));
    return isBrokenAgain(session, inquiry, again, finding.requirement) ? 'fails-again' : 'flaky';
  } catch (error) {
    if (error instanceof BudgetSpent || error instanceof NotRepeatable) return 'not-asked-again';
    throw error;
  }
}

/** Notes a counterexample, asks it once more, and notes what came of that. */
export async function noteAndRecheck(
  session: Session,
  inquiry: ScenarioContext,
  found: Omit<Counterexample, 'recheck'>,
): Promise<void> {
  inquiry.noteCounterexample({ ...found, recheck: 'not-asked-again' });
  inquiry.noteCounterexample({ ...found, recheck: await recheck(session, inquiry, found) });
}

const advised: ReadonlySet<RequirementId> = new Set(
  requirements.filter(({ level }) => level === 'advised').map(({ id }) => id),
);

/**
 * Finds a counterexample for every failing requirement that has none yet, and asks it once more. What is only advised is
 * not worth the requests.
 */
export async function recheckFailures(session: Session, inquiry: ScenarioContext): Promise<void> {
  const failures = inquiry.judge(session.exchanges).filter(isFailing);
  const evidence = [...session.exchanges];
  for (const failing of failures) {
    if (inquiry.counterexamples.has(failing.requirement) || advised.has(failing.requirement)) continue;
    await noteAndRecheck(session, inquiry, shortestSequence(inquiry.judge, evidence, failing));
  }
}
