/** Reads of animals (§4.3): which of them count. */

import type { Exchange } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { readPetId } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import { isAuthorized, isKnownBefore, isRemovedFor, isSameKey, type World } from '../../world/world.ts';

/** Whether getPet is removed at the end of a record, so that a run asks for no more animals. */
export function isRemoved(record: Pick<World, 'settings' | 'exchanges'>): boolean {
  return isRemovedFor(record, { operation: 'getPet', endedAt: record.exchanges.at(-1)?.endedAt ?? 0 });
}

/** Whether an answer says that the operation is gone, which §9 judges. */
export function saysRemoved(exchange: Exchange): boolean {
  return statusOf(exchange) === 410 || statusOf(exchange) === 405;
}

/**
 * The answered reads with a valid key before the removal, except for those with a key whose scope forbids all reads. §4.3 shows
 * no query, so how a read with a query is answered is open.
 */
export const reads = memoize((world: World): readonly Exchange[] => {
  const all = world.answered.filter(
    (exchange) =>
      exchange.operation === 'getPet' &&
      isAuthorized(exchange) &&
      !exchange.request.target.includes('?') &&
      !isRemovedFor(world, exchange),
  );
  const allowed = all.filter((exchange) => statusOf(exchange) !== 403);
  return all.filter((exchange) => allowed.some((other) => isSameKey(other, exchange)));
});

/** The reads of animals that an answer had shown before. */
export const readsOfKnown = memoize((world: World): readonly Exchange[] =>
  reads(world).filter((exchange) => isKnownBefore(world, exchange, readPetId(exchange))),
);
