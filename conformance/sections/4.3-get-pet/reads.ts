/** Reads of animals (§4.3): which of them count, and when an animal may legally be missing. */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { readListing } from '../../http/read-request.ts';
import { idsShownIn, statusOf } from '../../http/read-response.ts';
import { hasRoom } from '../../verdict/emptied.ts';
import {
  type CreatedPet,
  createdBefore,
  type History,
  idsOf,
  isAuthorized,
  isCreatedAfter,
  isRemovedFor,
  isSameKey,
  isSettledBefore,
  type KnownPet,
  lastSent,
  type Page,
  settledBefore,
} from '../../verdict/history.ts';
import { areConfirmed, isBeyondCopies } from '../4.1-list-pets/freshness.ts';
import { unrefusedExcess } from '../8-limits/ledger.ts';
import { mayBeExpired } from './expired.ts';

/** Whether getPet is removed at the end of a record, so that a run asks for no more animals. */
export function isRemoved(record: Pick<History, 'settings' | 'exchanges'>): boolean {
  return isRemovedFor(record, { operation: 'getPet', endedAt: record.exchanges.at(-1)?.endedAt ?? 0 });
}

/** Whether an answer says that the operation is gone, which §9 judges. */
export function saysRemoved(exchange: Exchange): boolean {
  return statusOf(exchange) === 410 || statusOf(exchange) === 405;
}

/** The answered reads with a valid key before the removal. §4.3 shows no query: how one is answered is open. */
export const reads = memoize((history: History): readonly Exchange[] => {
  const excess = unrefusedExcess(history);
  return history.answered.filter(
    (exchange) =>
      exchange.operation === 'getPet' &&
      isAuthorized(exchange) &&
      !exchange.request.target.includes('?') &&
      !isRemovedFor(history, exchange) &&
      !excess.has(exchange),
  );
});

const readsByTarget = memoize(
  (history: History): ReadonlyMap<string, readonly Exchange[]> =>
    Map.groupBy(reads(history), ({ request }) => request.target),
);

/**
 * Whether a 404 for a known animal comes neither too early nor from an old copy: the animal was created so long ago that
 * no cache has a copy from before, and the read is the first one, or misses the animal for the second time.
 */
function isTimely(history: History, exchange: Exchange, id: bigint): boolean {
  const since = history.known.get(id)?.shownBy?.endedAt ?? Number.NEGATIVE_INFINITY;
  if (!isBeyondCopies(history, exchange, since)) return false;
  const ofTarget = readsByTarget(history).get(exchange.request.target) ?? [];
  const like = ofTarget.filter((other) => isSameKey(other, exchange));
  if (!like.some((other) => happenedBefore(other, exchange))) return true;
  return areConfirmed(
    history,
    like.filter((other) => statusOf(other) === 404),
    since,
  );
}

/** Whether the service may answer a read of a known animal with 404: it is too young, removed or evicted. */
export function mayBeMissing(history: History, exchange: Exchange, id: bigint): boolean {
  if (!isSettledBefore(history, exchange, id) || !isTimely(history, exchange, id)) return true;
  return mayBeRemoved(history, exchange, id) || mayBeEvicted(history, id, exchange);
}

/**
 * Whether another client may have removed its animal by an operation that is not shown (§4.4). A later page that lists
 * the animal refutes that, unless it is an old copy: it has to show an animal that the run has created since, or to be
 * the second of two that were asked for long after the read.
 */
function mayBeRemoved(history: History, exchange: Exchange, id: bigint): boolean {
  if (history.createdById.has(id)) return false;
  const listing = history.pages.filter(
    (page) => happenedBefore(exchange, page.exchange) && idsShownIn(page.exchange).includes(id),
  );
  const isFresh = listing.some((page) =>
    idsShownIn(page.exchange).some((shown) => isCreatedAfter(history, exchange, shown)),
  );
  const byQuery = Map.groupBy(listing, (page) => page.exchange.request.target);
  return (
    !isFresh &&
    ![...byQuery.values()].some((pages) =>
      areConfirmed(
        history,
        pages.map((page) => page.exchange),
        exchange.endedAt,
      ),
    )
  );
}

/** The length of the longest page: the service keeps at least as many animals. */
export const longestPage = memoize(({ pages }: History): number =>
  pages.reduce((longest, { entries }) => Math.max(longest, entries.length), 0),
);

function mostOnPage({ pages }: History, matches: (id: bigint) => boolean): number {
  return pages.reduce((most, page) => Math.max(most, idsOf(page).filter(matches).length), 0);
}

const isOfLimitKey = ({ exchange }: CreatedPet): boolean => exchange.credential.kind === 'rate-limit';

/** The most animals that one page shows of those that the run created with a key: the service keeps at least as many. */
const mostOwnOnPage = memoize((history: History) => {
  const countFor = (isOfThatKey: boolean): number =>
    mostOnPage(history, (id) => {
      const pet = history.createdById.get(id);
      return pet !== undefined && isOfLimitKey(pet) === isOfThatKey;
    });
  return new Map([true, false].map((key) => [key, countFor(key)]));
});

/** The most animals on one page that may be younger than the run: the service has as much room for new ones. */
const mostNewOnPage = memoize((history: History): number => {
  const start = history.created[0]?.exchange.sent ?? 0;
  return mostOnPage(history, (id) => (history.known.get(id)?.since ?? 0) > start);
});

/** The unfiltered pages that are shorter than their limit, so that they had room for every animal. */
const pagesWithRoom = memoize(({ pages }: History) => pages.filter(hasRoom));

/** Whether a page with room for all animals lacked one that had time to appear: the service is late, or keeps no more. */
const lacksSettled = memoize((history: History): boolean =>
  pagesWithRoom(history).some((page) => {
    const ids = new Set(idsOf(page));
    return settledBefore(history, page.exchange).some(({ id }) => !ids.has(id));
  }),
);

/** Whether a page shows the newest animal of the run that it had time to show: what an older copy shows may be gone. */
function showsNewest(history: History, page: Page): boolean {
  const { status } = readListing(page.exchange);
  const newest = settledBefore(history, page.exchange).findLast(
    ({ returned }) => status === 'any' || returned['status'] === status,
  );
  return newest === undefined || idsOf(page).includes(newest.id);
}

/** By the id of an animal: the event number of the last request whose answer shows it, and is no old copy of a page. */
export const lastShownFresh = memoize((history: History): ReadonlyMap<bigint, number> => {
  if (!lacksSettled(history)) return history.lastShown;
  const fresh = history.pages.filter((page) => showsNewest(history, page)).map(({ exchange }) => exchange);
  return lastSent([...fresh, ...reads(history)].map((exchange) => [exchange, idsShownIn(exchange)]));
});

/**
 * Whether the service may have evicted an animal of the run, as sandboxes do that keep only their newest animals. It
 * may have where newer animals are shown, no older one of the run is shown any more, and no page ever had more animals
 * of the run than are newer. Other clients that add animals may fill the room as well, or have room of their own.
 */
export function mayBeEvicted(history: History, id: bigint, exchange: Exchange): boolean {
  const pet = history.createdById.get(id);
  if (pet === undefined) return false;
  const isStillShown = (other: bigint): boolean => (lastShownFresh(history).get(other) ?? 0) >= exchange.sent;
  if (isStillShown(id)) return false;
  if (mayBeExpired(history, pet, exchange)) return true;
  const isOlder = (other: CreatedPet): boolean => happenedBefore(other.exchange, pet.exchange);
  if (createdBefore(history, exchange).some((other) => isOlder(other) && isStillShown(other.id))) return false;
  const newerOthers = [...history.known].filter(
    ([known, { since }]) => since > pet.exchange.sent && !history.createdById.has(known),
  );
  // Other clients added what a page with room lacked at first. Pages need not have shown all that they added.
  const wasAddedLater = ({ shownBy }: KnownPet): boolean =>
    shownBy !== undefined && pagesWithRoom(history).some((page) => happenedBefore(page.exchange, shownBy));
  if (newerOthers.some(([, other]) => wasAddedLater(other))) return true;
  const newer = history.created.filter(
    (other) => other !== pet && !isOlder(other) && other.exchange.sent < exchange.answered,
  );
  if (!newer.some((other) => history.lastShown.has(other.id))) return false;
  if (mostOwnOnPage(history).get(isOfLimitKey(pet))! <= newer.length) return true;
  return mostNewOnPage(history) <= newer.length + newerOthers.length;
}
