/** Faults of §4.1: incomplete pages, and answers that are no page. */

import { isJsonObject, type JsonValue } from '../../http/json.ts';
import {
  breaking,
  type Call,
  changeAnimals,
  changeAnswer,
  errorAnswer,
  type FaultDraft,
  mapField,
  type Wrap,
  withTarget,
} from '../fault.ts';
import { changePage, changeQuery, exchanging, fromWholeCatalogue, hasStatus, limitIn } from './page-changes.ts';
import { isListing, lagging } from './visibility-changes.ts';

const isFiltered = (call: Call): boolean => isListing(call) && call.query.has('status');

/** Repeats the first answer to a query for the next `forRequests` requests. */
function cached(forRequests: number): Wrap {
  return (handle) => {
    const kept = new Map<string, { readonly body: string; readonly since: number }>();
    let count = 0;
    const fromCache = changeAnswer((answer, { operation, request }) => {
      count += 1;
      if (operation !== 'listPets' || answer.status !== 200) return undefined;
      const known = kept.get(request.target);
      if (known !== undefined && count - known.since < forRequests) return { ...answer, body: known.body };
      kept.set(request.target, { body: answer.body, since: count });
      return undefined;
    });
    return fromCache(handle);
  };
}

/** Repeats the first answer to a query for so many milliseconds. */
function remembered(ms: number): Wrap {
  return (handle) => {
    const kept = new Map<string, { readonly body: string; readonly at: number }>();
    return changeAnswer((answer, { operation, request, now }) => {
      if (operation !== 'listPets' || answer.status !== 200) return undefined;
      const known = kept.get(request.target);
      if (known !== undefined && now - known.at < ms) return { ...answer, body: known.body };
      kept.set(request.target, { body: answer.body, at: now });
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
    'page-remembered-for-ten-minutes': remembered(600_000),
    'page-as-it-was-before': cached(100),
    'page-lacks-the-newest': changePage((page) => page.slice(0, -1)),
    'page-lacks-the-oldest': changePage((page) => page.slice(1)),
    'page-without-sold': changePage((page, { query }) =>
      query.has('status') ? undefined : page.filter((entry) => !hasStatus('sold')(entry)),
    ),
  }),
  ...breaking('list-answer', {
    'page-asked-again-not-modified': notModified,
    'empty-page-of-a-status-missing': changeAnswer((answer, { operation, query }) =>
      operation === 'listPets' && query.has('status') && answer.body === '[]' ? errorAnswer(404, answer) : undefined,
    ),
  }),
  ...breaking(['list-limit', 'list-status-filter'], {
    'query-read-by-its-first-parameter': changeQuery((query) => {
      for (const name of [...query.keys()].slice(1)) query.delete(name);
    }),
  }),
  ...(
    [
      ['wrapped-in-data', (page) => ({ data: page })],
      ['by-id', (page) => ({ first: page[0] ?? null })],
      ['ids-only', (page) => page.map((entry) => (isJsonObject(entry) ? (entry['id'] ?? null) : null))],
      ['of-nulls', (page) => page.map(() => null)],
      ['nested', (page) => [page]],
    ] as const satisfies readonly (readonly [string, (page: readonly JsonValue[]) => JsonValue])[]
  ).map(
    ([id, change]): FaultDraft => ({
      id: `page-${id}`,
      breaks: ['list-answer'],
      wrap: changePage((page) => change(page)),
    }),
  ),
  ...(
    [
      ['null', 200, 'null'],
      ['object', 200, '{}'],
      ['missing', 404, undefined],
      ['no-content', 204, ''],
      ['broken', 200, '['],
    ] as const
  ).map(
    ([id, status, body]): FaultDraft => ({
      id: `empty-page-${id}`,
      breaks: ['list-answer', 'service-json'],
      wrap: changeAnswer((answer, { operation }) => {
        if (operation !== 'listPets' || answer.status !== 200 || answer.body !== '[]') return undefined;
        return body === undefined ? errorAnswer(status, answer) : { ...answer, status, body };
      }),
    }),
  ),
  ...[202, 203, 206, 301, 304, 404, 500, 503].map(
    (status): FaultDraft => ({
      id: `listing-answers-${status}`,
      breaks: ['list-answer'],
      wrap: changeAnswer((answer, { operation }) =>
        operation === 'listPets' && answer.status === 200 ? { ...answer, status } : undefined,
      ),
    }),
  ),
];
