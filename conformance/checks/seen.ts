/** What scenarios take from the answers so far: ids of animals, and ids that none has. */

import type { Exchange } from '../engine/exchange.ts';
import { isInt64 } from '../engine/json.ts';
import { animalsOf, statusOf } from '../engine/read-response.ts';
import type { Session } from '../engine/session.ts';

/** An int64 that no animal has but by an odd chance: far from zero and from both ends. */
export function drawUnknownId(session: Session): bigint {
  return 2n ** 61n + BigInt(Math.floor(session.random() * 2 ** 48)) * 8_191n;
}

/** The ids of the animals that an answer to listPets or createPet shows. */
export function idsIn(exchange: Exchange): readonly bigint[] {
  if (exchange.operation === 'getPet') return [];
  return animalsOf(exchange).flatMap(({ id }) => (isInt64(id) ? [id] : []));
}

/** The ids of animals that the session has seen so far, or that the user names: those it created first. */
export function idsSeen(session: Session): readonly bigint[] {
  const [created, others] = [true, false].map((isOurs) =>
    session.exchanges.filter((exchange) => (statusOf(exchange) === 201) === isOurs).flatMap(idsIn),
  );
  return [...new Set([...(created ?? []), ...session.settings.petIds, ...(others ?? [])])];
}
