/** What scenarios take from the answers so far: ids of animals, and ids that none has. */

import { isInt64, isJsonObject } from '../json.ts';
import { bodyOf, statusOf } from '../response.ts';
import type { Session } from '../session.ts';

/** An int64 that no animal has but by an odd chance: far from zero and from both ends. */
export function drawUnknownId(session: Session): bigint {
  return 2n ** 61n + BigInt(Math.floor(session.random() * 2 ** 48)) * 8_191n;
}

/** The ids of animals that the session has seen so far, those it created first. */
export function idsSeen(session: Session): readonly bigint[] {
  const ids = session.exchanges.flatMap((exchange) => {
    const status = statusOf(exchange);
    const body = status === 200 || status === 201 ? bodyOf(exchange) : undefined;
    const animals = Array.isArray(body) ? body : [body];
    const found = animals.flatMap((animal) => (isJsonObject(animal) && isInt64(animal['id']) ? [animal['id']] : []));
    return exchange.operation === 'getPet' ? [] : found.map((id) => ({ id, isOurs: status === 201 }));
  });
  return [...new Set(ids.sort((one, other) => Number(other.isOurs) - Number(one.isOurs)).map(({ id }) => id))];
}
