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
import { each, type Fault, ordinary, rare } from './fault.ts';

const limitOf = (query: URLSearchParams): number => Number(query.get('limit') ?? 'none');
const ofWhole = (pick: (page: readonly JsonValue[], query: URLSearchParams) => number | undefined): Wrap =>
  fromWholeCatalogue((page, query) => page.slice(0, pick(page, query)));
/** Changes the query where its status matches. */
const changeFilter = (status: string, change: (query: URLSearchParams) => void): Wrap =>
  changeQuery((query) => query.get('status') === status && change(query));
const changeFiltered = (change: (page: readonly JsonValue[]) => JsonValue): Wrap =>
  changePage((page, { query }) => (query.has('status') ? change(page) : undefined));
const mapPage = (change: (entry: JsonValue) => JsonValue): Wrap => changePage((page) => page.map(change));

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

/** Repeats the first answer to a query for a span of time or of requests. */
function remembered(span: number, unit: 'milliseconds' | 'requests'): Wrap {
  return (handle, keys) => {
    const kept = new Map<string, { readonly body: string; readonly since: number }>();
    return changeAnswer((answer, { operation, request, now }, count) => {
      const at = unit === 'requests' ? count : now;
      if (operation !== 'listPets' || answer.status !== 200) return undefined;
      const known = kept.get(request.target);
      if (known !== undefined && at - known.since < span) return { ...answer, body: known.body };
      kept.set(request.target, { body: answer.body, since: at });
      return undefined;
    })(handle, keys);
  };
}

/** Answers each request with the answer to the one before it. */
const lateByOne: Wrap = (handle, keys) => {
  let last: ReturnType<typeof handle> | undefined;
  return changeAnswer((answer, _call, count) => {
    const before = last;
    if (count >= 6) last = answer;
    return before;
  })(handle, keys);
};

const withOtherIds = (offset: bigint, only: OperationName): Wrap =>
  changeAnimals(
    mapField('id', (id) => (typeof id === 'bigint' ? id + offset : id)),
    only,
  );

/** Gives one animal more than these limits allow. */
const offByOne = (matches: (limit: number) => boolean): Wrap =>
  changeQuery((query) => matches(limitOf(query)) && query.set('limit', String(limitOf(query) + 1)));

const tenMinutes = 600_000;

export const listingFaults: readonly Fault[] = [
  ...ordinary({
    ...each('list-limit-default', 'default-limit-*', [1, 10, 15, 19, 21, 25, 50, 100], (limit) =>
      changeQuery((query) => query.has('limit') || query.set('limit', String(limit))),
    ),
    'limit-ignored': ['list-limit', changeQuery((query) => query.delete('limit'))],
    'limit-one-too-many': ['list-limit', ofWhole((_page, query) => limitIn(query, 19) + 1)],
    'limit-one-too-many-for-one': ['list-limit', ofWhole((_page, query) => Math.max(2, limitIn(query, 20)))],
    'limit-ignored-with-filter': [
      'list-limit',
      ofWhole((_page, query) => (query.has('status') ? undefined : limitIn(query, 20))),
    ],
    'limit-ignored-without-filter': [
      'list-limit',
      ofWhole((_page, query) => (query.has('status') ? limitIn(query, 20) : undefined)),
    ],
    'limit-always-whole': [['list-limit', 'list-limit-default'], changeQuery((query) => query.set('limit', '100'))],
    'limit-one-too-few': [['list-complete', 'list-limit-default'], changePage((page) => page.slice(0, -1))],
    'query-read-by-its-first-parameter': [
      ['list-limit', 'list-status-filter'],
      changeQuery((query) => {
        for (const name of [...query.keys()].slice(1)) query.delete(name);
      }),
    ],
    'filter-finds-nothing': ['list-complete', changeFiltered(() => [])],
    'filter-knows-no-status-that-was-not-sent': ['list-complete', filtersBySent],
    'filter-ignored': ['list-status-filter', changeQuery((query) => query.delete('status'))],
    'filter-ignored-with-limit': [
      'list-status-filter',
      changeQuery((query) => query.has('limit') && query.delete('status')),
    ],
    'filter-without-matches-ignored': ['list-status-filter', matchlessFilterIgnored],
    'filter-without-status-in-animals': [
      ['list-status-filter', 'pet-status-kept'],
      changeFiltered((page) => page.map((entry) => (isJsonObject(entry) ? dropField('status')(entry) : entry))),
    ],
    'page-lags-ten-minutes': ['list-complete', lagging(tenMinutes, isListing)],
    'filtered-page-lags-ten-minutes': [
      'list-complete',
      lagging(tenMinutes, (call) => isListing(call) && call.query.has('status')),
    ],
    'page-remembered-for-ten-minutes': [
      ['list-complete', 'list-limit-default'],
      remembered(tenMinutes, 'milliseconds'),
    ],
    'page-lacks-the-newest': [['list-complete', 'list-limit-default'], changePage((page) => page.slice(0, -1))],
    'page-lacks-the-oldest': [['list-complete', 'list-limit-default'], changePage((page) => page.slice(1))],
    'page-without-sold': [
      ['list-complete', 'list-limit-default'],
      changePage((page, { query }) =>
        query.has('status') ? undefined : page.filter((one) => !hasStatus('sold')(one)),
      ),
    ],
    'id-of-the-next-animal': [
      ['list-complete', 'create-answer', 'get-answer', 'pet-name-kept'],
      withOtherIds(1n, 'createPet'),
    ],
    'id-other-in-pages': [['list-complete', 'get-answer', 'list-limit-default'], withOtherIds(100_000n, 'listPets')],
    'animals-within-objects': ['list-answer', mapPage((pet) => ({ pet }))],
    'page-wrapped-in-data': ['list-answer', changePage((page) => ({ data: page }))],
    'page-by-id': ['list-answer', changePage((page) => ({ first: page[0] ?? null }))],
    'page-ids-only': ['list-answer', mapPage((entry) => (isJsonObject(entry) ? (entry['id'] ?? null) : null))],
    'page-of-nulls': ['list-answer', mapPage(() => null)],
    'page-nested': ['list-answer', changePage((page) => [page])],
  }),
  ...rare({
    'page-as-it-was-before': [['list-complete', 'list-limit-default'], remembered(100, 'requests')],
    'limit-beyond-100-clamped': [
      'list-limit-refused',
      changeQuery((query) => limitOf(query) > 100 && query.set('limit', '100')),
    ],
    'limit-below-1-ignored': [
      'list-limit-refused',
      changeQuery((query) => limitOf(query) < 1 && query.delete('limit')),
    ],
    'limit-that-is-no-number-ignored': [
      'list-limit-refused',
      changeQuery((query) => Number.isNaN(limitOf(query)) && query.delete('limit')),
    ],
    'filter-unknown-ignored': [
      'list-status-refused',
      changeQuery((query) => !isPetStatus(query.get('status')) && query.delete('status')),
    ],
    ...each('list-limit', 'limit-of-*-doubled', petStatuses, (status) =>
      changeFilter(status, (query) => {
        const limit = limitIn(query, 20);
        if (limit >= 1 && limit <= 50) query.set('limit', String(2 * limit));
      }),
    ),
    ...each('list-limit', 'limit-*-one-too-many', [10, 13, 25, 30, 37, 50, 99], (one) =>
      offByOne((limit) => limit === one),
    ),
    'limits-from-64-one-too-many': ['list-limit', offByOne((limit) => limit >= 64 && limit < 100)],
    ...each('list-limit-default', 'default-limit-*-with-filter', [15, 100], (limit) =>
      changeQuery((query) => query.has('status') && !query.has('limit') && query.set('limit', String(limit))),
    ),
    ...each('list-status-filter', 'filter-*-ignored', petStatuses, (status) =>
      changeFilter(status, (query) => query.delete('status')),
    ),
    ...each('list-status-filter', 'filter-*-shows-another', petStatuses, (status) =>
      changeFilter(status, (query) => query.set('status', petStatuses[(petStatuses.indexOf(status) + 1) % 3]!)),
    ),
    ...each('list-complete', 'filter-*-empty', petStatuses, (status) =>
      changePage((_page, { query }) => (query.get('status') === status ? [] : undefined)),
    ),
    ...each('list-complete', 'filter-*-lacks-one', petStatuses, (status) =>
      changePage((page, { query }) => (query.get('status') === status ? page.slice(1) : undefined)),
    ),
    ...each('list-complete', 'page-exchanges-*', { names: 'name', ids: 'id' }, exchanging),
    'page-exchanges-categories': ['pet-category-id-kept', exchanging('categoryId')],
    'page-exchanges-statuses': [['pet-status-kept', 'list-status-filter'], exchanging('status')],
    'page-of-more-than-66-lacks-one': [
      'list-complete',
      changePage((page) => (page.length > 66 ? page.filter((_entry, at) => at !== 59) : undefined)),
    ],
    'page-forgets-the-oldest-late': [
      'list-complete',
      changePage((page, _call, count) => (count > 250 ? page.filter((entry) => !isFirst(entry)) : undefined)),
    ],
    'id-twice-in-a-page': [
      'pet-id-unique',
      changePage((page) => (page.length > 1 && page.length < 100 ? [...page.slice(1), page[1]!] : undefined)),
    ],
    'answers-to-the-request-before': [['list-answer', 'create-answer', 'get-answer'], lateByOne],
  }),
];

function isFirst(entry: JsonValue): boolean {
  return isJsonObject(entry) && entry['id'] === 1n;
}
