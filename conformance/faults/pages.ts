/** Faults of §4.1: incomplete pages, and answers that are no page. */

import type { StoreResponse } from '../../reference-server/index.ts';
import { isJsonObject, type JsonValue } from '../http/json.ts';
import {
  changePage,
  changeQuery,
  exchanging,
  fromWholeCatalogue,
  hasStatus,
  limitIn,
} from '../services/page-changes.ts';
import { isListing, lagging } from '../services/visibility-changes.ts';
import {
  answerError,
  type Call,
  changeAnimals,
  changeAnswer,
  changeServed,
  errorAnswer,
  mapField,
  type Wrap,
  withTarget,
} from '../services/wraps.ts';
import { type Fault, ordinary, ordinaryEach, rare, rareEach } from './fault.ts';

const isFiltered = (call: Call): boolean => isListing(call) && call.query.has('status');

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

function inBatches(size: number): Wrap {
  return (handle, keys) => {
    const waiting = new Set<JsonValue>();
    const isWaiting = (entry: JsonValue): boolean => isJsonObject(entry) && waiting.has(entry['id'] ?? null);
    const collect = changeAnimals((animal) => {
      waiting.add(animal['id'] ?? null);
      if (waiting.size === size) waiting.clear();
      return animal;
    }, 'createPet');
    const page = fromWholeCatalogue((whole, query) =>
      whole.filter((one) => !isWaiting(one)).slice(0, limitIn(query, 20)),
    );
    return page(collect(handle, keys), keys);
  };
}

/** Answers each request with the answer to the one before it, from a request on. */
function lateByOne(from: number): Wrap {
  return (handle, keys) => {
    let last: StoreResponse | undefined;
    return changeAnswer((answer, _call, count) => {
      const before = last;
      if (count >= from) last = answer;
      return before;
    })(handle, keys);
  };
}

/** Answers a listing that equals the request before it with 304. */
const notModified: Wrap = (handle, keys) => {
  let last = '';
  return changeAnswer((answer, { operation, request }) => {
    const isAgain = operation === 'listPets' && answer.status === 200 && last === request.target;
    last = request.target;
    return isAgain ? { ...answer, status: 304, body: '' } : undefined;
  })(handle, keys);
};

function emptyPage(change: (answer: StoreResponse) => StoreResponse): Wrap {
  return changeServed('listPets', (answer) => (answer.body === '[]' ? change(answer) : undefined));
}

const withOtherIds = (offset: bigint, only: 'createPet' | 'listPets'): Wrap =>
  changeAnimals(
    mapField('id', (id) => (typeof id === 'bigint' ? id + offset : id)),
    only,
  );

/** Answers a page that is filled to its last place with an empty one. */
const emptyWhenFilled = (parameter: 'limit' | 'status'): Wrap =>
  fromWholeCatalogue((page, query) =>
    query.has(parameter) && page.length === limitIn(query, 20) ? [] : page.slice(0, limitIn(query, 20)),
  );

const answersWith = (status: number): Wrap => changeServed('listPets', (answer) => ({ ...answer, status }));

export const pageFaults: readonly Fault[] = [
  ...ordinary(['list-complete', 'create-answer', 'get-answer', 'pet-name-kept'], {
    'id-of-the-next-animal': withOtherIds(1n, 'createPet'),
  }),
  ...ordinary(['list-complete', 'get-answer', 'list-limit-default'], {
    'id-other-in-pages': withOtherIds(100_000n, 'listPets'),
  }),
  ...ordinary('list-complete', {
    'page-lags-ten-minutes': lagging(600_000, isListing),
    'filtered-page-lags-ten-minutes': lagging(600_000, isFiltered),
  }),
  ...rare('list-complete', {
    'page-filled-to-its-last-place-is-empty': emptyWhenFilled('limit'),
    'filtered-page-filled-to-its-last-place-is-empty': emptyWhenFilled('status'),
    'page-of-more-than-66-lacks-one': changePage((page) =>
      page.length > 66 ? page.filter((_entry, at) => at !== 59) : undefined,
    ),
    'page-exchanges-names': exchanging('name'),
    'page-exchanges-ids': exchanging('id'),
    'page-shows-animals-by-sevens': inBatches(7),
    'page-forgets-the-oldest-late': changePage((page, _call, count) =>
      count > 250 ? page.filter((entry) => !isJsonObject(entry) || entry['id'] !== 1n) : undefined,
    ),
  }),
  ...ordinary('list-status-filter', {
    'filter-without-matches-ignored': (handle) => (request, now) => {
      const answer = handle(request, now);
      const isUnmatched = /[?&]status=/.test(request.target) && answer.body === '[]';
      return isUnmatched ? handle(withTarget(request, '/v1/pets'), now) : answer;
    },
  }),
  ...ordinary(['list-complete', 'list-limit-default'], {
    'page-remembered-for-ten-minutes': remembered(600_000, 'milliseconds'),
    'page-as-it-was-before': remembered(100, 'requests'),
    'page-lacks-the-newest': changePage((page) => page.slice(0, -1)),
    'page-lacks-the-oldest': changePage((page) => page.slice(1)),
    'page-without-sold': changePage((page, { query }) =>
      query.has('status') ? undefined : page.filter((entry) => !hasStatus('sold')(entry)),
    ),
  }),
  ...rare(['list-answer', 'create-answer', 'get-answer'], {
    'answers-to-the-request-before': lateByOne(6),
    'answers-to-the-request-before-from-the-150th-on': lateByOne(150),
  }),
  ...rare('list-answer', { 'page-asked-again-not-modified': notModified }),
  ...ordinary('list-answer', {
    'empty-page-of-a-status-missing': answerError(
      404,
      ({ operation, query }, { body }) => operation === 'listPets' && query.has('status') && body === '[]',
    ),
    'page-wrapped-in-data': changePage((page) => ({ data: page })),
    'page-by-id': changePage((page) => ({ first: page[0] ?? null })),
    'page-ids-only': changePage((page) => page.map((entry) => (isJsonObject(entry) ? (entry['id'] ?? null) : null))),
    'page-of-nulls': changePage((page) => page.map(() => null)),
    'page-nested': changePage((page) => [page]),
  }),
  ...ordinary(['list-limit', 'list-status-filter'], {
    'query-read-by-its-first-parameter': changeQuery((query) => {
      for (const name of [...query.keys()].slice(1)) query.delete(name);
    }),
  }),
  ...ordinary(['list-answer', 'service-json'], {
    'empty-page-null': emptyPage((answer) => ({ ...answer, body: 'null' })),
    'empty-page-object': emptyPage((answer) => ({ ...answer, body: '{}' })),
    'empty-page-missing': emptyPage((answer) => errorAnswer(404, answer)),
    'empty-page-no-content': emptyPage((answer) => ({ ...answer, status: 204, body: '' })),
    'empty-page-broken': emptyPage((answer) => ({ ...answer, body: '[' })),
  }),
  ...ordinaryEach('list-answer', 'listing-answers-*', [206, 404, 500], answersWith),
  ...rareEach('list-answer', 'listing-answers-*', [202, 203, 301, 304, 503], answersWith),
];
