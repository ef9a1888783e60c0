/** Sends recorded requests again, with new names and the ids that the animals have this time. */

import { defined } from '../../spec/defined.ts';
import type { SentCredential } from '../http/credentials.ts';
import type { Exchange } from '../http/exchange.ts';
import { createdId, type Step } from '../verdict/counterexample.ts';
import { namePattern } from '../world/names.ts';
import type { PlannedRequest } from './planned-request.ts';
import type { Session } from './session.ts';
import type { Suite } from './suite.ts';

/** The request of a step, with the ids and the names of this time. */
function planStep(
  { operation, request }: Step,
  credential: SentCredential,
  ids: ReadonlyMap<string, string>,
  rename: (body: string) => string,
): PlannedRequest {
  const { method, target, headers, body } = request;
  const [, path = '', id = '', rest = ''] = /^(\/pets\/)([^/?]+)(.*)$/.exec(target) ?? [];
  const coding = headers['transfer-encoding'];
  return defined({
    operation,
    method,
    target: ids.has(id) ? path + ids.get(id) + rest : target,
    contentType: headers['content-type'],
    headers: coding === undefined ? undefined : { 'transfer-encoding': coding },
    body: body && rename(body),
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
  const [ids, names] = [new Map<string, string>(), new Map<string, string>()];
  const newNameFor = (name: string): string => {
    if (!names.has(name)) names.set(name, session.newName());
    return names.get(name)!;
  };
  const pattern = new RegExp(namePattern(session.settings), 'g');
  const rename = (body: string): string => body.replace(pattern, newNameFor);
  const sent: Exchange[] = [];
  for (const step of steps) {
    const credential = findCredential(step.credentialId, session.keys);
    if (credential === undefined) break;
    const exchange = await session.send(planStep(step, credential, ids, rename));
    sent.push(exchange);
    const [before, after] = [createdId(step), createdId(exchange)];
    if (before !== undefined && after !== undefined) ids.set(String(before), String(after));
  }
  return sent;
}
