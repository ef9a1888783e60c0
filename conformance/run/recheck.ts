/** Sends failing sequences of requests again. */

import { defined } from '../../spec/defined.ts';
import { type RequirementId, requirements } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import { createdId, type Step, shortestSequence, smallestFailures, stepOf } from '../verdict/counterexample.ts';
import { type Counterexample, type Finding, isFailing, type Recheck } from '../verdict/finding.ts';
import { looksLikeOutage, readOutages } from '../verdict/outages.ts';
import { isSettled } from '../verdict/settling.ts';
import { BudgetSpent } from './budget.ts';
import { namePattern } from './names.ts';
import type { PlannedRequest } from './planned-request.ts';
import type { ScenarioContext, Suite } from './scenario.ts';
import type { Session } from './session.ts';
import { waitToSettle } from './settling.ts';

/** Longer sequences are not sent again: the requests are better spent on what has not been tried yet. */
const longestRecheck = 8;

/** Thrown for a step that cannot be sent again as it was. */
export class NotRepeatable extends Error {}

/** Whether the animals get new names: others may have the recorded names already. */
export type Names = 'new' | 'same';

/** The recorded names and ids, and those that replace them this time. */
interface Renaming {
  readonly ids: Map<string, string>;
  readonly names: Map<string, string>;
  readonly mode: Names;
}

/** A step as a request, with new names and with the ids that the animals have this time. */
function planStep(step: Step, session: Session, suite: Suite, { ids, names, mode }: Renaming): PlannedRequest {
  const credential = suite.findCredential(step.credentialId, session.keys);
  if (credential === undefined) throw new NotRepeatable(`there is no credential "${step.credentialId}" for this key`);
  const rename = (name: string): string => {
    if (mode === 'same') return name;
    if (!names.has(name)) names.set(name, session.newName());
    return names.get(name)!;
  };
  const { method, headers } = step.request;
  const [, path = '', id = '', rest = ''] = /^(\/pets\/)([^/?]+)(.*)$/.exec(step.request.target) ?? [];
  const coding = headers['transfer-encoding'];
  return defined({
    operation: step.operation,
    method,
    target: ids.has(id) ? path + ids.get(id) + rest : step.request.target,
    contentType: headers['content-type'],
    headers: coding === undefined ? undefined : { 'transfer-encoding': coding },
    body: step.request.body
      ?.replace(new RegExp(namePattern(session.settings), 'g'), rename)
      .replace(/"id":(-?\d+)/, (field, old: string) => (ids.has(old) ? `"id":${ids.get(old)}` : field)),
    credential,
  });
}

/** Whether a step was sent when the animals of earlier steps had had time to become visible. */
function wasSettled(step: Step, before: readonly Step[], { settings }: Session): boolean {
  const last = before.findLast((earlier) => createdId(earlier) !== undefined);
  return last !== undefined && isSettled(settings, last, step);
}

/** Sends steps again, one after the other. Rejects with BudgetSpent, RunStopped or NotRepeatable. */
export async function resend(
  session: Session,
  suite: Suite,
  steps: readonly Step[],
  mode: Names = 'new',
): Promise<readonly Exchange[]> {
  const renaming: Renaming = { ids: new Map(), names: new Map(), mode };
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

/** Whether a requirement fails in the new exchanges, alone or together with the rest of the run. */
function failsAgain(
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

/** Sends a failing sequence once more, if it is short and the budget allows. */
async function recheck(
  session: Session,
  context: ScenarioContext,
  { finding, exchanges }: Pick<Counterexample, 'finding' | 'exchanges'>,
): Promise<Recheck> {
  // These requests have been repeated several times already.
  if (finding.isConfirmed || readOutages(exchanges).persistent.size > 0) return 'fails-again';
  const isTooCostly =
    exchanges.length > Math.min(longestRecheck, session.budget.requestsLeft()) ||
    exchanges.some(({ credential }) => credential.kind === 'rate-limit');
  if (isTooCostly) return 'not-asked-again';
  try {
    const again = await resend(session, context.suite, exchanges.map(stepOf));
    if (again.some(looksLikeOutage)) return 'not-asked-again';
    return failsAgain(session, context, again, finding.requirement) ? 'fails-again' : 'flaky';
  } catch (error) {
    if (error instanceof BudgetSpent || error instanceof NotRepeatable) return 'not-asked-again';
    throw error;
  }
}

/** Notes a counterexample, rechecks it, and notes the result. */
export async function noteAndRecheck(
  session: Session,
  context: ScenarioContext,
  found: Omit<Counterexample, 'recheck'>,
): Promise<void> {
  context.noteCounterexample({ ...found, recheck: 'not-asked-again' });
  context.noteCounterexample({ ...found, recheck: await recheck(session, context, found) });
}

const advised: ReadonlySet<RequirementId> = new Set(
  requirements.filter(({ level }) => level === 'advised').map(({ id }) => id),
);

/** Finds and rechecks a counterexample for every failing required requirement that has none yet. */
export async function recheckFailures(session: Session, context: ScenarioContext): Promise<void> {
  const failures = smallestFailures(context.judge(session.exchanges));
  const evidence = [...session.exchanges];
  for (const failing of failures) {
    if (context.counterexamples.has(failing.requirement) || advised.has(failing.requirement)) continue;
    await noteAndRecheck(session, context, shortestSequence(context.judge, evidence, failing));
  }
}
