/** What tells a service that keeps only its newest animals, as sandboxes do, from one that loses some. */

import type { Exchange } from '../../http/exchange.ts';
import { happenedBefore } from '../../http/exchange.ts';
import { createdBefore, type History } from '../../verdict/history.ts';

/** The length of the longest page that was brought without a filter: a service keeps no fewer animals. */
function longestPage({ pages }: History): number {
  return pages.reduce((longest, { entries }) => Math.max(longest, entries.length), 0);
}

/**
 * Whether an animal of the run may have made room for newer ones before an exchange that lacks it: newer ones are seen,
 * none that is older is seen any more, and no page ever held more than those that came after it.
 */
export function mayBeOutlived(history: History, id: bigint, exchange: Exchange): boolean {
  const pet = history.createdById.get(id);
  if (pet === undefined) return false;
  const isSeenStill = (other: bigint): boolean => (history.lastShown.get(other) ?? 0) >= exchange.sent;
  if (isSeenStill(id)) return false;
  const ours = createdBefore(history, exchange).filter((other) => other !== pet);
  const newer = ours.filter((other) => !happenedBefore(other.exchange, pet.exchange));
  if (!newer.some((other) => history.lastShown.has(other.id))) return false;
  const others = [...history.known].filter(([known]) => !history.createdById.has(known));
  const isOlder = ([known, { since }]: (typeof others)[number]): boolean =>
    since < pet.exchange.sent && isSeenStill(known);
  const hasOlder = ours.some((other) => !newer.includes(other) && isSeenStill(other.id)) || others.some(isOlder);
  const after = newer.length + others.filter(([, { since }]) => since > pet.exchange.sent).length;
  return !hasOlder && longestPage(history) <= after;
}
