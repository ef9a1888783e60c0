/** §4.1 The pages of a run with their parameters, and which animals of the run each of them lacks or shows. */

import type { PetStatus } from '../../spec/operations.ts';
import type { Exchange } from '../http/exchange.ts';
import { isJsonObject } from '../http/json.ts';
import { memoize } from '../http/memoize.ts';
import { isAllowed, pageSize, readListing } from '../http/read-request.ts';
import { secondMs } from '../http/tolerances.ts';
import { createdByName } from './ground.ts';
import { type CreatedPet, createdBefore, type History, idsOf, type Page } from './history.ts';

export interface ListedPage {
  readonly page: Page;
  readonly exchange: Exchange;
  /** Path, query and kind of key: equal ones ask for the same. */
  readonly query: string;
  readonly status: PetStatus | 'any';
  /** The most animals that it may hold. */
  readonly most: number;
  readonly isDefault: boolean;
  readonly ids: ReadonlySet<bigint>;
}

/** A page with its parameters; undefined if it was cut, or if the interface does not allow them. */
const readListedPage = memoize((page: Page): ListedPage | undefined => {
  const { exchange } = page;
  const listing = readListing(exchange);
  const { limit, status } = listing;
  if (!isAllowed(listing) || status === 'invalid' || page.isCut) return undefined;
  const query = `${exchange.credential.kind === 'rate-limit' ? 'rate-limit ' : ''}${exchange.request.target}`;
  const most = pageSize(listing);
  return { page, exchange, query, status, most, isDefault: limit === 'default', ids: new Set(idsOf(page)) };
});

/** The pages of a history, in the order in which they were asked for. */
export const listedPages = memoize(({ pages }: History): readonly ListedPage[] =>
  pages.toSorted((one, other) => one.exchange.sent - other.exchange.sent).flatMap((page) => readListedPage(page) ?? []),
);

export const pagesByQuery = memoize(
  (history: History): ReadonlyMap<string, readonly ListedPage[]> =>
    Map.groupBy(listedPages(history), ({ query }) => query),
);

export function isFull({ page, most }: ListedPage): boolean {
  return page.entries.length >= most;
}

/** The length of the longest page of any allowed query: no page that is shorter has reached a cap of the service. */
export const longestPage = memoize((history: History): number =>
  listedPages(history).reduce((longest, { page }) => Math.max(longest, page.entries.length), 0),
);

/** The animals of the run that were created before a page was asked for, match its query, and are not on it under any id. */
export function missingAnimals(history: History, view: ListedPage): readonly CreatedPet[] {
  const { exchange, status, ids, page } = view;
  if (isFull(view)) return [];
  const named = new Set(
    page.entries.flatMap((entry) =>
      isJsonObject(entry) ? (createdByName(history).get(entry['name'] ?? null) ?? []) : [],
    ),
  );
  // A transition may have changed a status (§3): only one that was sent and returned counts.
  const matches = ({ sent, returned }: CreatedPet): boolean =>
    status === 'any' || ((sent?.status ?? status) === status && returned['status'] === status);
  return createdBefore(history, exchange).filter((pet) => !ids.has(pet.id) && matches(pet) && !named.has(pet));
}

/**
 * Pages that lack an animal of the run which a later one of the same query shows beside all the others: the service lists it
 * later. A page by status may vary, where the limit comes before the filter, and so may one that is capped.
 */
export const latePages = memoize((history: History): readonly ListedPage[] =>
  [...pagesByQuery(history).values()].flatMap((pages) =>
    pages.filter((page, at) => {
      if (page.status !== 'any' || isFull(page)) return false;
      const longer = pages.find(({ ids }, other) => other > at && ids.size > page.ids.size);
      const isLonger = longer?.ids.isSupersetOf(page.ids) === true;
      return isLonger && missingAnimals(history, page).some(({ id }) => longer.ids.has(id));
    }),
  ),
);

/** An animal that is shown this soon after its creation was shown at once. */
const promptMs = secondMs;

/** The pages that show an animal of the run right after its creation which the page of the same query before lacked: no copies. */
export const promptPages = memoize((history: History): readonly ListedPage[] =>
  [...pagesByQuery(history).values()].flatMap((pages) =>
    pages.filter(({ ids, exchange }, at) => {
      const isNew = ({ id }: CreatedPet): boolean => ids.has(id) && pages[at - 1]?.ids.has(id) !== true;
      return createdBefore(history, exchange).some(
        (pet) => isNew(pet) && exchange.startedAt - pet.exchange.endedAt < promptMs,
      );
    }),
  ),
);
