/** Faults of §4.1: limits that are not kept, filters that do not filter, pages that lack animals or are none. */

import { isPetStatus } from '../../reference-server/index.ts';
import { type OperationName, petStatuses } from '../../spec/operations.ts';
import { isJsonObject, type JsonValue } from '../http/json.ts';
import {
  changePage,
  changeQuery,
  exchanging,
  fromWholeCatalogue,
  hasStatus,
  limitIn,
} from '../services/page-changes.ts';
import { isListing, lagging } from '../services/visibility.ts';
import {
  changeAnimals,
  changeAnswer,
  changeCreated,
  dropField,
  mapField,
  sentPet,
  type Wrap,
  withTarget,
} from '../services/wraps.ts';
import { type Breaks, each, type Fault, ordinary, rare } from './fault.ts';

type Page = readonly JsonValue[];
const limitOf = (query: URLSearchParams): number => Number(query.get('limit') ?? 'none');
const hasFilter = (query: URLSearchParams): boolean => query.has('status');
const ofWhole = (pick: (query: URLSearchParams) => number | undefined): Wrap =>
  fromWholeCatalogue((page, query) => page.slice(0, pick(query)));
/** Asks with another limit where the query matches. */
const limitWhere = (matches: (query: URLSearchParams) => boolean, limit: (sent: number) => number): Wrap =>
  changeQuery((query) => matches(query) && query.set('limit', String(limit(limitOf(query)))));
const without = (name: 'limit' | 'status', matches: (query: URLSearchParams) => boolean = () => true): Wrap =>
  changeQuery((query) => matches(query) && query.delete(name));
const changeFiltered = (change: (page: Page) => JsonValue, only?: string): Wrap =>
  changePage((page, { query }) =>
    hasFilter(query) && (only === undefined || query.get('status') === only) ? change(page) : undefined,
  );
const mapPage = (change: (entry: JsonValue) => JsonValue): Wrap => changePage((page) => page.map(change));
const mapEntries = (change: (entry: JsonValue) => JsonValue) => (page: Page) => page.map(change);

/** Filters by the status that was sent, so that animals without one match no filter. */
const filtersBySent: Wrap = (handle, keys) => {
  const unsent = new Set<JsonValue | undefined>();
  const remember = changeCreated(({ id }, call) => {
    if (!Object.hasOwn(sentPet(call), 'status')) unsent.add(id);
    return undefined;
  });
  const filter = changeFiltered((page) => page.filter((entry) => isJsonObject(entry) && !unsent.has(entry['id'])));
  return filter(remember(handle, keys), keys);
};

const matchlessFilterIgnored: Wrap = (handle) => (request, now) => {
  const answer = handle(request, now);
  const isUnmatched = /[?&]status=/.test(request.target) && answer.body === '[]';
  return isUnmatched ? handle(withTarget(request, '/v1/pets'), now) : answer;
};

/** Repeats the first answer to a query for a span of time. */
function remembered(spanMs: number): Wrap {
  return (handle, keys) => {
    const kept = new Map<string, { readonly body: string; readonly since: number }>();
    return changeAnswer((answer, { operation, request, now }) => {
      if (operation !== 'listPets' || answer.status !== 200) return undefined;
      const known = kept.get(request.target);
      if (known !== undefined && now - known.since < spanMs) return { ...answer, body: known.body };
      kept.set(request.target, { body: answer.body, since: now });
      return undefined;
    })(handle, keys);
  };
}

const withOtherIds = (offset: bigint, only: OperationName): Wrap =>
  changeAnimals(
    mapField('id', (id) => (typeof id === 'bigint' ? id + offset : id)),
    only,
  );

const tenMinutes = 600_000;
const ofPages: Breaks = ['list-complete', 'list-limit-default'];

export const listingFaults: readonly Fault[] = [
  ...ordinary({
    ...each('list-limit-default', 'default-limit-*', [1, 10, 15, 19, 21, 25, 50, 100], (limit) =>
      limitWhere(
        (query) => !query.has('limit'),
        () => limit,
      ),
    ),
    'limit-ignored': ['list-limit', without('limit')],
    'limit-one-too-many': ['list-limit', ofWhole((query) => limitIn(query, 19) + 1)],
    'limit-one-too-many-for-one': ['list-limit', ofWhole((query) => Math.max(2, limitIn(query, 20)))],
    'limit-ignored-with-filter': [
      'list-limit',
      ofWhole((query) => (hasFilter(query) ? undefined : limitIn(query, 20))),
    ],
    'limit-ignored-without-filter': [
      'list-limit',
      ofWhole((query) => (hasFilter(query) ? limitIn(query, 20) : undefined)),
    ],
    'limit-always-whole': [
      ['list-limit', 'list-limit-default'],
      limitWhere(
        () => true,
        () => 100,
      ),
    ],
    'limit-one-too-few': [ofPages, changePage((page) => page.slice(0, -1))],
    'query-read-by-its-first-parameter': [
      ['list-limit', 'list-status-filter'],
      changeQuery((query) => {
        for (const name of [...query.keys()].slice(1)) query.delete(name);
      }),
    ],
    'filter-finds-nothing': ['list-complete', changeFiltered(() => [])],
    'filter-knows-no-status-that-was-not-sent': ['list-complete', filtersBySent],
    'filter-ignored': ['list-status-filter', without('status')],
    'filter-ignored-with-limit': ['list-status-filter', without('status', (query) => query.has('limit'))],
    'filter-without-matches-ignored': ['list-status-filter', matchlessFilterIgnored],
    'filter-without-status-in-animals': [
      ['list-status-filter', 'pet-status-kept'],
      changeFiltered(mapEntries((entry) => (isJsonObject(entry) ? dropField('status')(entry) : entry))),
    ],
    'page-lags-ten-minutes': ['list-complete', lagging(tenMinutes, isListing)],
    'filtered-page-lags-ten-minutes': [
      'list-complete',
      lagging(tenMinutes, (call) => isListing(call) && hasFilter(call.query)),
    ],
    'page-remembered-for-ten-minutes': [ofPages, remembered(tenMinutes)],
    'page-lacks-the-newest': [ofPages, changePage((page) => page.slice(0, -1))],
    'page-lacks-the-oldest': [ofPages, changePage((page) => page.slice(1))],
    'page-without-sold': [
      ofPages,
      changePage((page, { query }) => (hasFilter(query) ? undefined : page.filter((one) => !hasStatus('sold')(one)))),
    ],
    'id-of-the-next-animal': [
      ['list-complete', 'create-answer', 'get-answer', 'pet-name-kept'],
      withOtherIds(1n, 'createPet'),
    ],
    'id-other-in-pages': [['list-complete', 'get-answer', 'list-limit-default'], withOtherIds(100_000n, 'listPets')],
    'id-other-on-getPet': ['get-answer', withOtherIds(1n, 'getPet')],
    ...each(
      'list-answer',
      '*',
      {
        'animals-within-objects': mapPage((pet) => ({ pet })),
        'page-wrapped-in-data': changePage((page) => ({ data: page })),
        'page-by-id': changePage((page) => ({ first: page[0] ?? null })),
        'page-ids-only': mapPage((entry) => (isJsonObject(entry) ? (entry['id'] ?? null) : null)),
        'page-of-nulls': mapPage(() => null),
        'page-nested': changePage((page) => [page]),
      },
      (wrap) => wrap,
    ),
  }),
  ...rare({
    'limit-beyond-100-clamped': [
      'list-limit-refused',
      limitWhere(
        (query) => limitOf(query) > 100,
        () => 100,
      ),
    ],
    'limit-below-1-ignored': ['list-limit-refused', without('limit', (query) => limitOf(query) < 1)],
    'limit-that-is-no-number-ignored': [
      'list-limit-refused',
      without('limit', (query) => Number.isNaN(limitOf(query))),
    ],
    'filter-unknown-ignored': ['list-status-refused', without('status', (query) => !isPetStatus(query.get('status')))],
    ...each('list-limit', 'limit-*-one-too-many', [10, 13, 25, 30, 37, 50, 99], (one) =>
      limitWhere(
        (query) => limitOf(query) === one,
        (limit) => limit + 1,
      ),
    ),
    ...each('list-limit-default', 'default-limit-*-with-filter', [15, 100], (limit) =>
      limitWhere(
        (query) => hasFilter(query) && !query.has('limit'),
        () => limit,
      ),
    ),
    ...each('list-status-filter', 'filter-*-ignored', petStatuses, (status) =>
      without('status', (query) => query.get('status') === status),
    ),
    ...each('list-status-filter', 'filter-*-shows-another', petStatuses, (status) =>
      changeQuery(
        (query) =>
          query.get('status') === status && query.set('status', petStatuses[(petStatuses.indexOf(status) + 1) % 3]!),
      ),
    ),
    ...each('list-complete', 'filter-*-empty', petStatuses, (status) => changeFiltered(() => [], status)),
    ...each('list-complete', 'filter-*-lacks-one', petStatuses, (status) =>
      changeFiltered((page) => page.slice(1), status),
    ),
    ...each('list-complete', 'page-exchanges-*', { names: 'name', ids: 'id' }, exchanging),
    'page-exchanges-categories': ['pet-category-id-kept', exchanging('categoryId')],
    'page-exchanges-statuses': [['pet-status-kept', 'list-status-filter'], exchanging('status')],
    'page-of-more-than-66-lacks-one': [
      'list-complete',
      changePage((page) => (page.length > 66 ? page.filter((_entry, at) => at !== 59) : undefined)),
    ],
    'id-twice-in-a-page': [
      'pet-id-unique',
      changePage((page) => (page.length > 1 && page.length < 100 ? [...page.slice(1), page[1]!] : undefined)),
    ],
  }),
];
