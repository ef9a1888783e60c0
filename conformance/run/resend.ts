/** Sends recorded requests again, with new names and the ids that the animals have this time. */

import { defined } from '../../spec/defined.ts';
import type { Exchange } from '../http/exchange.ts';
import { createdId, type Step, stepOf } from '../verdict/counterexample.ts';
import { namePattern } from '../world/names.ts';
import { isSettled } from '../world/settings.ts';
import type { PlannedRequest } from './planned-request.ts';
import type { Session } from './session.ts';
import { waitToSettle } from './settling.ts';
import type { Suite } from './suite.ts';

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

function planStep(
  step: Step,
  session: Session,
  suite: Pick<Suite, 'findCredential'>,
  { ids, names, mode }: Renaming,
): PlannedRequest {
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
  const sentAt = ({ startedAt }: Step): number => Date.parse(startedAt);
  const shownBy = last && { endedAt: sentAt(last) + last.durationMs };
  return shownBy !== undefined && isSettled(settings, shownBy, { startedAt: sentAt(step) });
}

/** Sends steps again, one after the other. Rejects with BudgetSpent, RunStopped or NotRepeatable. */
export async function resend(
  session: Session,
  suite: Pick<Suite, 'findCredential'>,
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

/** Whether sending steps again takes waits for new animals to become visible. */
export function isPatient(session: Session, steps: readonly Step[]): boolean {
  return steps.some((step, at) => wasSettled(step, steps.slice(0, at), session));
}
