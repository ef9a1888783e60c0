/** Sends recorded requests again, with new names and the ids that the animals have this time. */

import { defined } from '../../spec/defined.ts';
import type { Exchange } from '../http/exchange.ts';
import { createdId, type Step, stepOf } from '../verdict/counterexample.ts';
import { namePattern } from '../world/names.ts';
import type { Settings } from '../world/settings.ts';
import type { PlannedRequest } from './planned-request.ts';
import type { Session } from './session.ts';
import type { Suite } from './suite.ts';

/** Thrown for a step that cannot be sent again as it was. */
export class NotRepeatable extends Error {}

/** The recorded names and ids, and those that replace them this time. */
interface Renaming {
  readonly ids: Map<string, string>;
  readonly names: Map<string, string>;
}

function planStep(
  step: Step,
  session: Session,
  suite: Pick<Suite, 'findCredential'>,
  { ids, names }: Renaming,
): PlannedRequest {
  const credential = suite.findCredential(step.credentialId, session.keys);
  if (credential === undefined) throw new NotRepeatable(`there is no credential "${step.credentialId}" for this key`);
  const rename = (name: string): string => {
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

/** Whether a step was sent when the animals of earlier steps had had time to become visible; §4 names no time. */
export function wasSettled(step: Step, before: readonly Step[], { settleMs }: Settings): boolean {
  const last = before.findLast((earlier) => createdId(earlier) !== undefined);
  return last !== undefined && Date.parse(step.startedAt) - Date.parse(last.startedAt) - last.durationMs >= settleMs;
}

/**
 * Waits until `settleMs` have passed since the last creation, so that new animals appear: §4 does not say how soon one is
 * listed or found. Does not wait if that takes longer than --max-wait.
 */
export async function waitToSettle(session: Session, settleMs = session.settings.settleMs): Promise<void> {
  const { exchanges, settings, clock, budget, wait } = session;
  if (budget.requestsLeft() === 0) return;
  const last = exchanges.findLast(({ operation, response }) => operation === 'createPet' && response?.status === 201);
  const ms = last === undefined ? 0 : last.endedAt + settleMs - clock.now();
  if (ms > 0 && ms <= settings.maxWaitMs) await wait(ms, 'new animals may not be listed yet');
}

/** Sends steps again, one after the other. Rejects with BudgetSpent, RunStopped or NotRepeatable. */
export async function resend(
  session: Session,
  suite: Pick<Suite, 'findCredential'>,
  steps: readonly Step[],
): Promise<readonly Exchange[]> {
  const renaming: Renaming = { ids: new Map(), names: new Map() };
  const sent: Exchange[] = [];
  for (const [at, step] of steps.entries()) {
    if (wasSettled(step, steps.slice(0, at), session.settings)) await waitToSettle(session);
    const exchange = await session.send(planStep(step, session, suite, renaming));
    sent.push(exchange);
    const [before, after] = [createdId(step), createdId(stepOf(exchange))];
    if (before !== undefined && after !== undefined) renaming.ids.set(String(before), String(after));
  }
  return sent;
}
