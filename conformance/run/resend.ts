/** Sends recorded requests again, with new names for animals and with the ids that these have now. */

import { defined } from '../../spec/defined.ts';
import type { Exchange } from '../http/exchange.ts';
import { createdId } from '../http/read-response.ts';
import type { RequestStep } from '../verdict/counterexample.ts';
import { namePattern } from '../world/names.ts';
import type { Session } from './session.ts';
import type { Suite } from './suite.ts';

/** New names and ids by the recorded ones. */
interface Renamed {
  readonly names: Map<string, string>;
  readonly ids: Map<string, string>;
}

/** The text with a new name for each name of an animal; a name that comes again gets the same one. */
function renamedIn(text: string, { names }: Renamed, session: Session): string {
  const pattern = new RegExp(namePattern(session.settings), 'g');
  return text.replace(pattern, (name) => {
    const known = names.get(name) ?? session.newName();
    names.set(name, known);
    return known;
  });
}

/** The target with the id that its animal has now. */
function targetNow(target: string, { ids }: Renamed): string {
  return target.replace(/^\/pets\/([^/?]+)/, (path, id: string) => {
    const now = ids.get(id);
    return now === undefined ? path : `/pets/${now}`;
  });
}

/**
 * Sends recorded requests again, one after the other. Animals get new names, and where a request names the id of an animal
 * that was created before, it gets the id of the new one. Ends before a request whose credential the keys of this run do not
 * have. Rejects with BudgetSpent or RunStopped.
 */
export async function resend(
  session: Session,
  { findCredential }: Pick<Suite, 'findCredential'>,
  steps: readonly RequestStep[],
): Promise<readonly Exchange[]> {
  const renamed: Renamed = { names: new Map(), ids: new Map() };
  const sent: Exchange[] = [];
  for (const step of steps) {
    const credential = findCredential(step.credentialId, session.keys);
    if (credential === undefined) break;
    const { method, target, headers, body } = step.request;
    const coding = headers['transfer-encoding'];
    const exchange = await session.send(
      defined({
        operation: step.operation,
        method,
        target: targetNow(target, renamed),
        contentType: headers['content-type'],
        headers: coding === undefined ? undefined : { 'transfer-encoding': coding },
        body: body === undefined ? undefined : renamedIn(body, renamed, session),
        credential,
      }),
    );
    sent.push(exchange);
    const before = createdId(step);
    const now = createdId(exchange);
    if (before !== undefined && now !== undefined) renamed.ids.set(String(before), String(now));
  }
  return sent;
}
