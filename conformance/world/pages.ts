/** §4.1 The pages of a run with their parameters, and which animals of the run each of them lacks or shows. */

import type { PetStatus } from '../../spec/operations.ts';
import { isJsonObject } from '../http/json.ts';
import { memoize } from '../http/memoize.ts';
import { isAllowed, pageSize, readListing } from '../http/read-request.ts';
import { createdByName } from './ground.ts';
import { type CreatedPet, createdBefore, type History, idsOf, type Page } from './history.ts';

export interface ListedPage extends Page {
  /** Path, query and kind of key: equal ones ask for the same. */
  readonly query: string;
  readonly status: PetStatus | 'any';
  /** The most animals that it may hold. */
  readonly most: number;
  readonly isDefault: boolean;
  readonly ids: ReadonlySet<bigint>;
}

/** A page with its parameters; undefined if the interface does not allow them. */
const readListedPage = memoize((page: Page): ListedPage | undefined => {
  const { exchange } = page;
  const listing = readListing(exchange);
  const { limit, status } = listing;
  if (!isAllowed(listing) || status === 'invalid') return undefined;
  const query = `${exchange.credential.kind === 'rate-limit' ? 'rate-limit ' : ''}${exchange.request.target}`;
  const most = pageSize(listing);
  return { ...page, query, status, most, isDefault: limit === 'default', ids: new Set(idsOf(page)) };
});

/** The pages of a history, in the order in which they were asked for. */
export const listedPages = memoize(({ pages }: History): readonly ListedPage[] =>
  pages.toSorted((one, other) => one.exchange.sent - other.exchange.sent).flatMap((page) => readListedPage(page) ?? []),
);

export const pagesByQuery = memoize(
  (history: History): ReadonlyMap<string, readonly ListedPage[]> =>
    Map.groupBy(listedPages(history), ({ query }) => query),
);

export function isFull({ entries, most }: ListedPage): boolean {
  return entries.length >= most;
}

/** The animals of the run that were created before a page was asked for, match its query, and are not on it under any id. */
export function missingAnimals(history: History, view: ListedPage): readonly CreatedPet[] {
  const { exchange, entries, status, ids } = view;
  if (isFull(view)) return [];
  const named = new Set(
    entries.flatMap((entry) => (isJsonObject(entry) ? (createdByName(history).get(entry['name'] ?? null) ?? []) : [])),
  );
  // A transition may have changed a status (§3): only one that was sent and returned counts.
  const matches = ({ sent, returned }: CreatedPet): boolean =>
    status === 'any' || ((sent?.status ?? status) === status && returned['status'] === status);
  return createdBefore(history, exchange).filter((pet) => !ids.has(pet.id) && matches(pet) && !named.has(pet));
}
