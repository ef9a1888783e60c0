/** Sends recorded requests again, with new names and the ids that the animals have this time. */

import { defined } from '../../spec/defined.ts';
import type { SentCredential } from '../http/credentials.ts';
import type { Exchange } from '../http/exchange.ts';
import { createdId, type Step } from '../verdict/counterexample.ts';
import { namePattern } from '../world/names.ts';
import type { PlannedRequest } from './planned-request.ts';
import type { Session } from './session.ts';
import type { Suite } from './suite.ts';

/** The recorded names and ids, by which those of this time are found. */
interface Renaming {
  readonly ids: Map<string, string>;
  readonly names: Map<string, string>;
}

function planStep(
  { operation, request }: Step,
  session: Session,
  credential: SentCredential,
  { ids, names }: Renaming,
): PlannedRequest {
  const rename = (name: string): string => {
    if (!names.has(name)) names.set(name, session.newName());
    return names.get(name)!;
  };
  const { method, target, headers, body } = request;
  const [, path = '', id = '', rest = ''] = /^(\/pets\/)([^/?]+)(.*)$/.exec(target) ?? [];
  const coding = headers['transfer-encoding'];
  return defined({
    operation,
    method,
    target: ids.has(id) ? path + ids.get(id) + rest : target,
    contentType: headers['content-type'],
    headers: coding === undefined ? undefined : { 'transfer-encoding': coding },
    body: body?.replace(new RegExp(namePattern(session.settings), 'g'), rename),
    credential,
  });
}

/**
 * Sends steps again, one after the other, up to one whose credential another key may lack. Rejects with BudgetSpent or
 * RunStopped.
 */
export async function resend(
  session: Session,
  { findCredential }: Pick<Suite, 'findCredential'>,
  steps: readonly Step[],
): Promise<readonly Exchange[]> {
  const renaming: Renaming = { ids: new Map(), names: new Map() };
  const sent: Exchange[] = [];
  for (const step of steps) {
    const credential = findCredential(step.credentialId, session.keys);
    if (credential === undefined) break;
    const exchange = await session.send(planStep(step, session, credential, renaming));
    sent.push(exchange);
    const [before, after] = [createdId(step), createdId(exchange)];
    if (before !== undefined && after !== undefined) renaming.ids.set(String(before), String(after));
  }
  return sent;
}
