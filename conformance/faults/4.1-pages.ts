/** Faults of §4.1: pages that are incomplete, or no pages; and how a fault changes queries and pages. */

import { isJsonObject, type JsonValue } from '../engine/json.ts';
import {
  type Call,
  changeAnimals,
  changeAnswer,
  changeJson,
  changeRequest,
  errorAnswer,
  type Fault,
  mapField,
  type Wrap,
  withTarget,
} from './fault.ts';

/** Changes the query of listings. */
export function changeQuery(change: (query: URLSearchParams) => void): Wrap {
  return changeRequest((request, { operation, query }) => {
    if (operation !== 'listPets') return request;
    change(query);
    return withTarget(request, `/v1/pets?${query}`);
  });
}

/** Changes the entries of pages. */
export function changePage(change: (page: readonly JsonValue[], call: Call) => JsonValue | undefined): Wrap {
  return changeJson((json, call, { status }) =>
    call.operation === 'listPets' && status === 200 && Array.isArray(json) ? change(json, call) : undefined,
  );
}

/** The limit that a query names. */
export function numberIn(query: URLSearchParams, usual: number): number {
  const text = query.get('limit');
  return text !== null && /^\d+$/.test(text) ? Number(text) : usual;
}

/** Asks the server for the largest page, then shows what `pick` makes of it. */
export function fromWhole(pick: (page: readonly JsonValue[], query: URLSearchParams) => readonly JsonValue[]): Wrap {
  return (handle) => (request, now) => {
    const whole = changeQuery((query) => query.set('limit', '100'))(handle);
    const isPlain = !/limit=(0|-|[^0-9&]|10[1-9])/.test(request.target);
    const shown = changePage((page) => pick(page, new URLSearchParams(request.target.split('?')[1] ?? '')));
    return isPlain ? shown(whole)(request, now) : handle(request, now);
  };
}

export function hasStatus(status: string): (entry: JsonValue) => boolean {
  return (entry) => isJsonObject(entry) && entry['status'] === status;
}

/** Answers a query as it did before, until that is `forRequests` ago. */
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

/** Keeps what was created first no longer than `forRequests`. */
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

/** Shows an animal no sooner than `forRequests` after it was created, as a replica that lags behind. */
function lagging(forRequests: number): Wrap {
  return (handle) => {
    const since = new Map<JsonValue, number>();
    let count = 0;
    const isHere = (entry: JsonValue): boolean => {
      const id = isJsonObject(entry) ? (entry['id'] ?? null) : null;
      if (!since.has(id)) since.set(id, count);
      return count - since.get(id)! >= forRequests;
    };
    const remember = changeJson((json, { operation }, { status }) => {
      count += 1;
      if (operation === 'createPet' && status === 201) isHere(json);
      return undefined;
    });
    const lag = changePage((page) => page.filter(isHere));
    return lag(remember(handle));
  };
}

export const pageFaults: readonly Fault[] = [
  {
    id: 'id-of-the-next-animal',
    breaks: ['list-complete', 'get-answer', 'pet-name-kept'],
    wrap: changeAnimals(
      mapField('id', (id) => (typeof id === 'bigint' ? id + 1n : id)),
      'createPet',
    ),
  },
  {
    id: 'id-other-in-pages',
    breaks: ['list-complete', 'get-answer', 'list-limit-default'],
    wrap: changeAnimals(
      mapField('id', (id) => (typeof id === 'bigint' ? id + 100_000n : id)),
      'listPets',
    ),
  },

  {
    id: 'page-filled-to-its-last-place-is-empty',
    breaks: ['list-complete'],
    wrap: fromWhole((page, query) =>
      query.has('limit') && page.length === numberIn(query, 20) ? [] : page.slice(0, numberIn(query, 20)),
    ),
  },
  {
    id: 'filter-without-matches-ignored',
    breaks: ['list-status-filter'],
    wrap: (handle) => (request, now) => {
      const answer = handle(request, now);
      const isUnmatched = /[?&]status=/.test(request.target) && answer.body === '[]';
      return isUnmatched ? handle(withTarget(request, '/v1/pets'), now) : answer;
    },
  },
  { id: 'page-lags-behind', breaks: ['list-complete', 'list-limit-default'], wrap: lagging(25) },
  { id: 'page-as-it-was-before', breaks: ['list-complete', 'list-limit-default'], wrap: cached(100) },
  { id: 'page-forgets-the-oldest-late', breaks: ['list-complete'], wrap: forgetful(250) },
  {
    id: 'query-read-by-its-first-parameter',
    breaks: ['list-limit', 'list-status-filter'],
    wrap: changeQuery((query) => {
      for (const name of [...query.keys()].slice(1)) query.delete(name);
    }),
  },
  {
    id: 'empty-page-of-a-status-missing',
    breaks: ['list-answer'],
    wrap: changeAnswer((answer, { operation, query }) =>
      operation === 'listPets' && query.has('status') && answer.body === '[]' ? errorAnswer(404, answer) : undefined,
    ),
  },
  ...(
    [
      ['wrapped-in-data', (page) => ({ data: page })],
      ['by-id', (page) => ({ first: page[0] ?? null })],
      ['ids-only', (page) => page.map((entry) => (isJsonObject(entry) ? (entry['id'] ?? null) : null))],
      ['of-nulls', (page) => page.map(() => null)],
      ['nested', (page) => [page]],
    ] as const satisfies readonly (readonly [string, (page: readonly JsonValue[]) => JsonValue])[]
  ).map(
    ([id, change]): Fault => ({
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
    ([id, status, body]): Fault => ({
      id: `empty-page-${id}`,
      breaks: ['list-answer', 'service-json'],
      wrap: changeAnswer((answer, { operation }) => {
        if (operation !== 'listPets' || answer.status !== 200 || answer.body !== '[]') return undefined;
        return body === undefined ? errorAnswer(status, answer) : { ...answer, status, body };
      }),
    }),
  ),
  ...[202, 203, 206, 301, 304, 404, 500, 503].map(
    (status): Fault => ({
      id: `listing-answers-${status}`,
      breaks: ['list-answer'],
      wrap: changeAnswer((answer, { operation }) =>
        operation === 'listPets' && answer.status === 200 ? { ...answer, status } : undefined,
      ),
    }),
  ),
  {
    id: 'page-lacks-the-newest',
    breaks: ['list-complete', 'list-limit-default'],
    wrap: changePage((page) => page.slice(0, -1)),
  },
  {
    id: 'page-lacks-the-oldest',
    breaks: ['list-complete', 'list-limit-default'],
    wrap: changePage((page) => page.slice(1)),
  },
  {
    id: 'page-without-sold',
    breaks: ['list-complete', 'list-limit-default'],
    wrap: changePage((page, { query }) =>
      query.has('status') ? undefined : page.filter((entry) => !hasStatus('sold')(entry)),
    ),
  },
  {
    id: 'page-never-beyond-twenty',
    breaks: ['list-complete'],
    wrap: changePage((page) => page.slice(0, 20)),
  },
];
