/** Faults of §4.1: limits that are not kept, filters that do not filter, pages that lack animals or are none. */

import { isPetStatus } from '../../reference-server/index.ts';
import { type OperationName, pageLimit, petStatuses } from '../../spec/operations.ts';
import type { JsonObject, JsonValue } from '../http/json.ts';
import { cache, changePage, changeQuery, fromWholeCatalogue, lagging, onCreation } from '../services/pages.ts';
import { changes, dropField, isListing, layers, mapField, type Wrap } from '../services/wraps.ts';
import { eachRow, type FaultTable } from './fault.ts';

type PageOfPets = readonly JsonObject[];
type Query = URLSearchParams;
const limitAskedFor = (query: Query, otherwise?: number): number => Number(query.get('limit') ?? otherwise);
const hasFilter = (query: Query): boolean => query.has('status');
const hasNoLimit = (query: Query): boolean => !query.has('limit');
const isForOneBy = (status: string) => (query: Query) => query.get('status') === status;

const ofWhole = (most: (query: Query) => number | undefined): Wrap =>
  fromWholeCatalogue((page, query) => page.slice(0, most(query)));
/** Asks with another limit where the query matches. */
const limitWhere = (matches: (query: Query) => boolean, limit: number): Wrap =>
  changeQuery((query) => matches(query) && query.set('limit', String(limit)));
const without = (name: 'limit' | 'status', matches: (query: Query) => boolean = () => true): Wrap =>
  changeQuery((query) => matches(query) && query.delete(name));
const mapPage = (change: (pet: JsonObject) => JsonValue): Wrap => changePage((page) => page.map(change));
const changeFiltered = (
  change: (page: PageOfPets) => JsonValue,
  matches: (query: Query) => boolean = hasFilter,
): Wrap => changePage((page, { query }) => (matches(query) ? change(page) : undefined));
const withoutFirst = (page: PageOfPets): PageOfPets => page.slice(1);
const withoutLast = (page: PageOfPets): PageOfPets => page.slice(0, -1);

/** Filters by the status that was sent, so that animals without one match no filter. */
const filtersBySent: Wrap = (handle, keys) => {
  const unsent = new Set<JsonValue | undefined>();
  const noted = onCreation(({ id }, { pet }) => {
    if (!Object.hasOwn(pet, 'status')) unsent.add(id);
  })(handle, keys);
  return changeFiltered((page) => page.filter(({ id }) => !unsent.has(id)))(noted, keys);
};

const matchlessFilterIgnored: Wrap = changes.answer(
  (_empty, { request }, send) => send({ ...request, target: '/v1/pets' }),
  ({ query }, { body }) => hasFilter(query) && body === '[]',
);

const otherIds = (offset: bigint, only: OperationName): Wrap =>
  changes.animals(
    mapField('id', (id) => (typeof id === 'bigint' ? id + offset : id)),
    only,
  );

/** What a service may take for the default limit: those next to it, both ends, and usual ones. */
const otherDefaults = [pageLimit.least, 10, 15, pageLimit.usual - 1, pageLimit.usual + 1, 25, 50, pageLimit.most];

const tenMinutes = 600_000;

export const listingFaults: FaultTable = {
  'list-limit-default': {
    ...eachRow('default-limit-*', otherDefaults, (limit) => limitWhere(hasNoLimit, limit)),
    'default-limit-15-with-filter': limitWhere((query) => hasFilter(query) && hasNoLimit(query), 15),
  },
  'list-limit': {
    'limit-ignored': without('limit'),
    'limit-one-too-many': ofWhole((query) => limitAskedFor(query, pageLimit.usual - 1) + 1),
    'limit-one-too-many-for-one': ofWhole((query) =>
      Math.max(pageLimit.least + 1, limitAskedFor(query, pageLimit.usual)),
    ),
    ...eachRow('limit-*-one-too-many', [10, 25], (one) => limitWhere((query) => limitAskedFor(query) === one, one + 1)),
    'limit-ignored-with-filter': ofWhole((query) =>
      hasFilter(query) ? undefined : limitAskedFor(query, pageLimit.usual),
    ),
    'limit-ignored-without-filter': ofWhole((query) =>
      hasFilter(query) ? limitAskedFor(query, pageLimit.usual) : undefined,
    ),
    'limit-always-whole': limitWhere(() => true, pageLimit.most),
    'query-read-by-its-first-parameter': changeQuery((query) => {
      for (const name of [...query.keys()].slice(1)) query.delete(name);
    }),
  },
  'list-limit-refused': {
    [`limit-beyond-${pageLimit.most}-clamped`]: limitWhere(
      (query) => limitAskedFor(query) > pageLimit.most,
      pageLimit.most,
    ),
    'limit-below-1-ignored': without('limit', (query) => limitAskedFor(query) < pageLimit.least),
    'limit-that-is-no-number-ignored': without('limit', (query) => Number.isNaN(limitAskedFor(query))),
  },
  'list-status-refused': {
    'filter-unknown-ignored': without('status', (query) => !isPetStatus(query.get('status'))),
  },
  'list-status-filter': {
    'filter-ignored': without('status'),
    ...eachRow('filter-*-ignored', petStatuses, (status) => without('status', isForOneBy(status))),
    'filter-ignored-with-limit': without('status', (query) => query.has('limit')),
    'filter-without-matches-ignored': matchlessFilterIgnored,
    'filter-without-status-in-animals': changeFiltered((page) => page.map(dropField('status'))),
  },
  'list-complete': {
    'filter-finds-nothing': changeFiltered(() => []),
    ...eachRow('filter-*-empty', petStatuses, (status) => changeFiltered(() => [], isForOneBy(status))),
    ...eachRow('filter-*-lacks-one', petStatuses, (status) => changeFiltered(withoutFirst, isForOneBy(status))),
    'filter-pending-empty-where-pages-lag': layers(
      changeFiltered(() => [], isForOneBy('pending')),
      lagging(800, isListing),
    ),
    'filter-knows-no-status-that-was-not-sent': filtersBySent,
    'page-lags-ten-minutes': lagging(tenMinutes, isListing),
    'filtered-page-lags-ten-minutes': lagging(tenMinutes, (call) => isListing(call) && hasFilter(call.query)),
    'limit-one-too-few': changePage(withoutLast),
    // A loop that assigns its result instead of adding to it.
    'page-of-the-last-alone': changePage((page) => page.slice(-1)),
    'page-lacks-the-newest': changePage(withoutLast),
    'page-lacks-the-oldest': changePage(withoutFirst),
    // An inner join with a table of categories; then DISTINCT ON of PostgreSQL, or a GROUP BY.
    'page-of-known-categories': changePage((page) => page.filter(({ categoryId }) => categoryId === 1n)),
    'page-of-one-animal-for-each-category': changePage((page) => [
      ...new Map(page.map((pet) => [pet['categoryId'], pet])).values(),
    ]),
    'page-remembered-for-ten-minutes': cache(tenMinutes, { only: 'listPets' }),
    'page-without-sold': changeFiltered(
      (page) => page.filter(({ status }) => status !== 'sold'),
      (query) => !hasFilter(query),
    ),
    'id-of-the-next-animal': otherIds(1n, 'createPet'),
    'id-other-in-pages': otherIds(100_000n, 'listPets'),
  },
  'get-answer': { 'id-other-on-getPet': otherIds(1n, 'getPet') },
  'list-answer': {
    'animals-within-objects': mapPage((pet) => ({ pet })),
    'page-wrapped-in-data': changePage((page) => ({ data: page })),
    'page-by-id': changePage((page) => ({ first: page[0] ?? null })),
    'page-ids-only': mapPage(({ id = null }) => id),
    'page-of-nulls': mapPage(() => null),
    'page-nested': changePage((page) => [page]),
  },
};
