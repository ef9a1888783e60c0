/** The core evidence of a run: an answer that serves each operation (§4) that the run may use. */

import { type OperationName, operations } from '../../spec/operations.ts';
import type { Exchange } from '../http/exchange.ts';
import { readPetId } from '../http/read-request.ts';
import { statusOf } from '../http/read-response.ts';
import { type Reason, reason } from '../verdict/reasons.ts';
import { isRemovedFor, type World } from '../world/world.ts';

/** Whether an answer shows the operation at work: a success, or the 404 of an id that no animal has. */
function isAtWork(exchange: Exchange): boolean {
  const status = statusOf(exchange) ?? 0;
  if (status >= 200 && status < 300) return true;
  return status === 404 && typeof readPetId(exchange) === 'bigint';
}

/** The operations that a run may use: a read-only one creates nothing, and getPet is gone after its removal (§9). */
function usableOperations({ settings, exchanges }: World): readonly OperationName[] {
  const endedAt = exchanges.at(-1)?.endedAt ?? 0;
  const isUsable: Readonly<Record<OperationName, boolean>> = {
    listPets: true,
    createPet: !settings.isReadOnly,
    getPet: !isRemovedFor({ settings, exchanges }, { operation: 'getPet', endedAt }),
  };
  return (Object.keys(operations) as readonly OperationName[]).filter((name) => isUsable[name]);
}

/** Why a run has not seen an operation that it may use, whatever its verdicts say; undefined where it has seen all. */
export function whyUnserved(world: World): Reason | undefined {
  const ofKey = world.exchanges.filter(({ credential }) => credential.kind === 'valid');
  const operation = usableOperations(world).find(
    (name) => !ofKey.some((exchange) => exchange.operation === name && isAtWork(exchange)),
  );
  if (operation === undefined) return undefined;
  const asked = ofKey.filter((exchange) => exchange.operation === operation);
  if (asked.length === 0)
    return reason('operation-unserved', { operation, answers: 'none was sent', advice: 'raise --max-requests' });
  const answers = [...new Set(asked.map((exchange) => statusOf(exchange) ?? 'no answer'))].join(', ');
  return reason('operation-unserved', { operation, answers, advice: 'check that the scope of the key allows it' });
}
