/** Reads of animals (§4.3): which of them count, and when an animal may legally be missing. */

import { isRemovedAt } from '../../../spec/operation-roles.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { createdBefore, type History, isAuthorized, isSettledBefore, mayBeGone } from '../../verdict/history.ts';

export function isRemoved(history: Pick<History, 'settings'>): boolean {
  return isRemovedAt('getPet', history.settings.today);
}

/** The answered reads with a valid key; none from the day of removal on. */
export function reads(history: History): readonly Exchange[] {
  if (isRemoved(history)) return [];
  return history.answered.filter((exchange) => exchange.operation === 'getPet' && isAuthorized(exchange));
}

/** Whether the service may answer a read of a known animal with 404: it is too young, removed or evicted. */
export function mayBeMissing(history: History, exchange: Exchange, id: bigint): boolean {
  if (!isSettledBefore(history, exchange, id)) return true;
  return mayBeGone(history, exchange, id) || mayBeEvicted(history, id, exchange);
}

/** The length of the longest page: the service keeps at least as many animals. */
function longestPage({ pages }: History): number {
  return pages.reduce((longest, { entries }) => Math.max(longest, entries.length), 0);
}

/**
 * Whether the service may have evicted an animal of the run, as sandboxes do that keep only their newest animals. It
 * may have where newer animals are shown, no older one is shown any more, and no page was ever longer than the number
 * of newer animals.
 */
export function mayBeEvicted(history: History, id: bigint, exchange: Exchange): boolean {
  const pet = history.createdById.get(id);
  if (pet === undefined) return false;
  const isStillShown = (other: bigint): boolean => (history.lastShown.get(other) ?? 0) >= exchange.sent;
  if (isStillShown(id)) return false;
  const ours = createdBefore(history, exchange).filter((other) => other !== pet);
  const newer = ours.filter((other) => !happenedBefore(other.exchange, pet.exchange));
  if (!newer.some((other) => history.lastShown.has(other.id))) return false;
  const others = [...history.known].filter(([known]) => !history.createdById.has(known));
  const isOlder = ([known, { since }]: (typeof others)[number]): boolean =>
    since < pet.exchange.sent && isStillShown(known);
  const hasOlder = ours.some((other) => !newer.includes(other) && isStillShown(other.id)) || others.some(isOlder);
  const after = newer.length + others.filter(([, { since }]) => since > pet.exchange.sent).length;
  return !hasOlder && longestPage(history) <= after;
}
