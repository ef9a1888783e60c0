/** §4.1 The pages of a run with their parameters, and the room that they had. */

import type { PetStatus } from '../../../spec/operations.ts';
import type { Exchange } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { isAllowed, pageSize, readListing } from '../../http/read-request.ts';
import { type CreatedPet, type History, idsOf, type Page } from '../../verdict/history.ts';

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

export function pagesOfQuery(history: History, { query }: Pick<ListedPage, 'query'>): readonly ListedPage[] {
  return pagesByQuery(history).get(query) ?? [];
}

export function isFull({ page, most }: ListedPage): boolean {
  return page.entries.length >= most;
}

/** No service or gateway cuts a page that is shorter than this, in bytes. */
const shortestCut = 65_536;
/** What a page adds around an animal in its 201: a comma, line ends, deeper indentation. Bytes. */
const bytesAround = 64;

/** In UTF-16 units, of which a page has at most as many as bytes. */
function lengthOf({ response }: Exchange): number {
  return response?.bodyLength ?? response?.body.length ?? 0;
}

function bytesOf({ response }: Exchange): number {
  return Math.max(response?.bodyLength ?? 0, Buffer.byteLength(response?.body ?? ''));
}

/**
 * Whether a page had room for any of the animals that it lacks, in bytes: a service or its gateway may cap a page by its
 * size, and stop at the first animal that does not fit, but it shows one. Pages of the same query show how long they may be.
 */
export function hasRoomFor(history: History, view: ListedPage, missing: readonly CreatedPet[]): boolean {
  if (view.page.entries.length === 0) return true;
  const longest = Math.max(0, ...missing.map(({ exchange }) => bytesOf(exchange)));
  const needed = bytesOf(view.exchange) + longest + bytesAround;
  return needed <= shortestCut || pagesOfQuery(history, view).some(({ exchange }) => lengthOf(exchange) >= needed);
}
