/** Faults of §4.1: incomplete pages, and answers that are no page. */

import type { StoreResponse } from '../../../reference-server/index.ts';
import { isJsonObject, type JsonValue } from '../../http/json.ts';
import {
  answerError,
  breaking,
  breakingEach,
  type Call,
  changeAnimals,
  changeAnswer,
  changeServed,
  errorAnswer,
  type FaultDraft,
  mapField,
  type Wrap,
  withTarget,
} from '../fault.ts';
import { changePage, changeQuery, exchanging, fromWholeCatalogue, hasStatus, limitIn } from './page-changes.ts';
import { isListing, lagging } from './visibility-changes.ts';

const isFiltered = (call: Call): boolean => isListing(call) && call.query.has('status');

/** Repeats the first answer to a query for a span of time or of requests. */
function remembered(span: number, unit: 'milliseconds' | 'requests'): Wrap {
  return (handle) => {
    const kept = new Map<string, { readonly body: string; readonly since: number }>();
    let count = 0;
    return changeAnswer((answer, { operation, request, now }) => {
      count += 1;
      const at = unit === 'requests' ? count : now;
      if (operation !== 'listPets' || answer.status !== 200) return undefined;
      const known = kept.get(request.target);
      if (known !== undefined && at - known.since < span) return { ...answer, body: known.body };
      kept.set(request.target, { body: answer.body, since: at });
      return undefined;
    })(handle);
  };
}

/** Shows new animals in batches of `size`. */
function inBatches(size: number): Wrap {
  return (handle) => {
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
    return page(collect(handle));
  };
}

/** Answers each request with the answer to the one before it, from a request on. */
function lateByOne(from: number): Wrap {
  return (handle) => {
    let [count, last]: [number, StoreResponse | undefined] = [0, undefined];
    return (request, now) => {
      const answer = handle(request, now);
      const before = last ?? answer;
      count += 1;
      if (count >= from) last = answer;
      return before;
    };
  };
}

/** Answers a listing that equals the request before it with 304. */
const notModified: Wrap = (handle) => {
  let last = '';
  return changeAnswer((answer, { operation, request }) => {
    const isAgain = operation === 'listPets' && answer.status === 200 && last === request.target;
    last = request.target;
    return isAgain ? { ...answer, status: 304, body: '' } : undefined;
  })(handle);
};

/** Loses the first animal after `forRequests` requests. */
function forgetful(forRequests: number): Wrap {
  return (handle) => {
    let count = 0;
    const forget = changePage((page) => {
      const isFirst = (entry: JsonValue): boolean => isJsonObject(entry) && entry['id'] === 1n;
      return count > forRequests ? page.filter((entry) => !isFirst(entry)) : undefined;
    });
    return (request, now) => {
      count += 1;
      return forget(handle)(request, now);
    };
  };
}

function emptyPage(change: (answer: StoreResponse) => StoreResponse): Wrap {
  return changeServed('listPets', (answer) => (answer.body === '[]' ? change(answer) : undefined));
}

export const pageFaults: readonly FaultDraft[] = [
  ...breaking(['list-complete', 'get-answer', 'pet-name-kept'], {
    'id-of-the-next-animal': changeAnimals(
      mapField('id', (id) => (typeof id === 'bigint' ? id + 1n : id)),
      'createPet',
    ),
  }),
  ...breaking(['list-complete', 'get-answer', 'list-limit-default'], {
    'id-other-in-pages': changeAnimals(
      mapField('id', (id) => (typeof id === 'bigint' ? id + 100_000n : id)),
      'listPets',
    ),
  }),
  ...breaking('list-complete', {
    'page-filled-to-its-last-place-is-empty': fromWholeCatalogue((page, query) =>
      query.has('limit') && page.length === limitIn(query, 20) ? [] : page.slice(0, limitIn(query, 20)),
    ),
    'filtered-page-filled-to-its-last-place-is-empty': fromWholeCatalogue((page, query) =>
      query.has('status') && page.length === limitIn(query, 20) ? [] : page.slice(0, limitIn(query, 20)),
    ),
    'page-of-more-than-66-lacks-one': changePage((page) =>
      page.length > 66 ? page.filter((_entry, at) => at !== 59) : undefined,
    ),
    'page-exchanges-names': exchanging('name'),
    'page-exchanges-ids': exchanging('id'),
    'page-lags-ten-minutes': lagging(600_000, isListing),
    'filtered-page-lags-ten-minutes': lagging(600_000, isFiltered),
    'page-shows-animals-by-sevens': inBatches(7),
    'page-forgets-the-oldest-late': forgetful(250),
  }),
  ...breaking('list-status-filter', {
    'filter-without-matches-ignored': (handle) => (request, now) => {
      const answer = handle(request, now);
      const isUnmatched = /[?&]status=/.test(request.target) && answer.body === '[]';
      return isUnmatched ? handle(withTarget(request, '/v1/pets'), now) : answer;
    },
  }),
  ...breaking(['list-complete', 'list-limit-default'], {
    'page-remembered-for-ten-minutes': remembered(600_000, 'milliseconds'),
    'page-as-it-was-before': remembered(100, 'requests'),
    'page-lacks-the-newest': changePage((page) => page.slice(0, -1)),
    'page-lacks-the-oldest': changePage((page) => page.slice(1)),
    'page-without-sold': changePage((page, { query }) =>
      query.has('status') ? undefined : page.filter((entry) => !hasStatus('sold')(entry)),
    ),
  }),
  ...breaking(['list-answer', 'create-answer', 'get-answer'], {
    'answers-to-the-request-before': lateByOne(6),
    'answers-to-the-request-before-from-the-150th-on': lateByOne(150),
  }),
  ...breaking('list-answer', {
    'page-asked-again-not-modified': notModified,
    'empty-page-of-a-status-missing': answerError(
      404,
      ({ operation, query }, { body }) => operation === 'listPets' && query.has('status') && body === '[]',
    ),
  }),
  ...breaking(['list-limit', 'list-status-filter'], {
    'query-read-by-its-first-parameter': changeQuery((query) => {
      for (const name of [...query.keys()].slice(1)) query.delete(name);
    }),
  }),
  ...breaking('list-answer', {
    'page-wrapped-in-data': changePage((page) => ({ data: page })),
    'page-by-id': changePage((page) => ({ first: page[0] ?? null })),
    'page-ids-only': changePage((page) => page.map((entry) => (isJsonObject(entry) ? (entry['id'] ?? null) : null))),
    'page-of-nulls': changePage((page) => page.map(() => null)),
    'page-nested': changePage((page) => [page]),
  }),
  ...breaking(['list-answer', 'service-json'], {
    'empty-page-null': emptyPage((answer) => ({ ...answer, body: 'null' })),
    'empty-page-object': emptyPage((answer) => ({ ...answer, body: '{}' })),
    'empty-page-missing': emptyPage((answer) => errorAnswer(404, answer)),
    'empty-page-no-content': emptyPage((answer) => ({ ...answer, status: 204, body: '' })),
    'empty-page-broken': emptyPage((answer) => ({ ...answer, body: '[' })),
  }),
  ...breakingEach('list-answer', 'listing-answers-*', [202, 203, 206, 301, 304, 404, 500, 503], (status) =>
    changeServed('listPets', (answer) => ({ ...answer, status })),
  ),
];
