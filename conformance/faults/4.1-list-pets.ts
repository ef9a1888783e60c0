/** Faults of §4.1: limits, filters and completeness of pages. */

import { isJsonObject, type JsonValue } from '../engine/json.ts';
import {
  type Call,
  changeAnswer,
  changeJson,
  changeRequest,
  errorAnswer,
  type Fault,
  type Wrap,
  withTarget,
} from './fault.ts';

/** Changes the query of listings. */
function changeQuery(change: (query: URLSearchParams) => void): Wrap {
  return changeRequest((request, { operation, query }) => {
    if (operation !== 'listPets') return request;
    change(query);
    return withTarget(request, `/v1/pets?${query}`);
  });
}

/** Changes the entries of pages. */
function changePage(change: (page: readonly JsonValue[], call: Call) => JsonValue | undefined): Wrap {
  return changeJson((json, call, { status }) =>
    call.operation === 'listPets' && status === 200 && Array.isArray(json) ? change(json, call) : undefined,
  );
}

function numberIn(query: URLSearchParams, usual: number): number {
  const text = query.get('limit');
  return text !== null && /^\d+$/.test(text) ? Number(text) : usual;
}

/** Uses another default limit. */
function withDefault(limit: number): Wrap {
  return changeQuery((query) => {
    if (!query.has('limit')) query.set('limit', String(limit));
  });
}

/** Asks the server for the largest page, then shows what `pick` makes of it. */
function fromWhole(pick: (page: readonly JsonValue[], query: URLSearchParams) => readonly JsonValue[]): Wrap {
  return (handle) => (request, now) => {
    const whole = changeQuery((query) => query.set('limit', '100'))(handle);
    const isPlain = !/limit=(0|-|[^0-9&]|10[1-9])/.test(request.target);
    const shown = changePage((page) => pick(page, new URLSearchParams(request.target.split('?')[1] ?? '')));
    return isPlain ? shown(whole)(request, now) : handle(request, now);
  };
}

function hasStatus(status: string): (entry: JsonValue) => boolean {
  return (entry) => isJsonObject(entry) && entry['status'] === status;
}

const limitFaults: readonly Fault[] = [
  ...[1, 10, 15, 19, 21, 25, 50, 100].map(
    (limit): Fault => ({
      id: `default-limit-${limit}`,
      breaks: ['list-limit-default'],
      wrap: withDefault(limit),
    }),
  ),
  { id: 'limit-ignored', breaks: ['list-limit'], wrap: changeQuery((query) => query.delete('limit')) },
  {
    id: 'limit-always-whole',
    breaks: ['list-limit', 'list-limit-default'],
    wrap: changeQuery((query) => query.set('limit', '100')),
  },
  {
    id: 'limit-one-too-many',
    breaks: ['list-limit'],
    wrap: fromWhole((page, query) => page.slice(0, numberIn(query, 19) + 1)),
  },
  {
    id: 'limit-one-too-many-for-one',
    breaks: ['list-limit'],
    wrap: fromWhole((page, query) => page.slice(0, Math.max(2, numberIn(query, 20)))),
  },
  {
    id: 'limit-ignored-with-filter',
    breaks: ['list-limit'],
    wrap: fromWhole((page, query) => (query.has('status') ? page : page.slice(0, numberIn(query, 20)))),
  },
  {
    id: 'limit-one-too-few',
    breaks: ['list-complete', 'list-limit-default'],
    wrap: changePage((page) => page.slice(0, -1)),
  },
  {
    id: 'limit-100-refused',
    breaks: ['list-answer'],
    wrap: changeAnswer((answer, { operation, query }) =>
      operation === 'listPets' && query.get('limit') === '100' && answer.status === 200
        ? errorAnswer(400, answer)
        : undefined,
    ),
  },
  {
    id: 'limit-1-refused',
    breaks: ['list-answer'],
    wrap: changeAnswer((answer, { operation, query }) =>
      operation === 'listPets' && query.get('limit') === '1' && answer.status === 200
        ? errorAnswer(400, answer)
        : undefined,
    ),
  },
  ...['0', '101', '-1', 'abc', '', '1.5', '9223372036854775808'].flatMap((limit): readonly Fault[] => [
    {
      id: `limit-${limit === '' ? 'empty' : limit}-breaks-the-server`,
      breaks: ['errors-listed'],
      wrap: changeAnswer((answer, { query, isAuthorized }) =>
        isAuthorized && query.get('limit') === limit ? errorAnswer(500, answer) : undefined,
      ),
    },
  ]),
  {
    id: 'limit-0-answers-no-pets',
    breaks: ['list-answer'],
    wrap: changeAnswer((answer, { query, isAuthorized }) =>
      isAuthorized && query.get('limit') === '0' ? { ...answer, status: 200, body: '{"error":"limit"}' } : undefined,
    ),
  },
  {
    id: 'limit-101-answers-no-pets',
    breaks: ['list-answer'],
    wrap: changeAnswer((answer, { query, isAuthorized }) =>
      isAuthorized && query.get('limit') === '101' ? { ...answer, status: 200, body: 'null' } : undefined,
    ),
  },
];

const statuses = ['available', 'pending', 'sold'] as const;

const filterWithDefault: readonly Fault[] = [15, 100].map((limit) => ({
  id: `default-limit-${limit}-with-filter`,
  breaks: ['list-limit-default'],
  wrap: changeQuery((query) => {
    if (query.has('status') && !query.has('limit')) query.set('limit', String(limit));
  }),
}));

const filterFaults: readonly Fault[] = [
  { id: 'filter-ignored', breaks: ['list-status-filter'], wrap: changeQuery((query) => query.delete('status')) },
  {
    id: 'filter-ignored-with-limit',
    breaks: ['list-status-filter'],
    wrap: changeQuery((query) => query.has('limit') && query.delete('status')),
  },
  {
    id: 'filter-after-limit',
    breaks: ['list-complete', 'list-limit'],
    wrap: (handle) => (request, now) => {
      const unfiltered = changeQuery((query) => query.delete('status'))(handle);
      const status = new URLSearchParams(request.target.split('?')[1] ?? '').get('status');
      const filter = changePage((page) => (status === null ? undefined : page.filter(hasStatus(status))));
      return statuses.includes(status as never) ? filter(unfiltered)(request, now) : handle(request, now);
    },
  },
  ...statuses.flatMap((status): readonly Fault[] => [
    {
      id: `filter-${status}-ignored`,
      breaks: ['list-status-filter'],
      wrap: changeQuery((query) => query.get('status') === status && query.delete('status')),
    },
    {
      id: `filter-${status}-empty`,
      breaks: ['list-complete'],
      wrap: changePage((_page, { query }) => (query.get('status') === status ? [] : undefined)),
    },
    {
      id: `filter-${status}-refused`,
      breaks: ['list-answer'],
      wrap: changeAnswer((answer, { query, operation }) =>
        operation === 'listPets' && query.get('status') === status && answer.status === 200
          ? errorAnswer(400, answer)
          : undefined,
      ),
    },
    {
      id: `filter-${status}-shows-another`,
      breaks: ['list-status-filter'],
      wrap: changeQuery((query) => {
        const next = statuses[(statuses.indexOf(status) + 1) % 3]!;
        if (query.get('status') === status) query.set('status', next);
      }),
    },
    {
      id: `filter-${status}-lacks-one`,
      breaks: ['list-complete'],
      wrap: changePage((page, { query }) => (query.get('status') === status ? page.slice(1) : undefined)),
    },
  ]),
  {
    id: 'filter-knows-no-status-that-was-not-sent',
    breaks: ['list-complete'],
    wrap: (handle) => {
      const sent = new Map<JsonValue, boolean>();
      const remember = changeJson((json, { operation, request }, { status }) => {
        if (operation === 'createPet' && status === 201 && isJsonObject(json))
          sent.set(json['id'] ?? null, new TextDecoder().decode(request.body).includes('"status"'));
        return undefined;
      });
      const filter = changePage((page, { query }) =>
        query.has('status')
          ? page.filter((entry) => isJsonObject(entry) && sent.get(entry['id'] ?? null) !== false)
          : undefined,
      );
      return filter(remember(handle));
    },
  },
  {
    id: 'filter-without-status-in-animals',
    breaks: ['list-status-filter', 'pet-status-kept'],
    wrap: changePage((page, { query }) =>
      query.has('status')
        ? page.map((entry) => {
            if (!isJsonObject(entry)) return entry;
            const { status: _status, ...rest } = entry;
            return rest;
          })
        : undefined,
    ),
  },
  {
    id: 'parameter-given-twice-breaks-the-server',
    breaks: ['errors-listed'],
    wrap: changeAnswer((answer, { query, isAuthorized }) =>
      isAuthorized && new Set(query.keys()).size < query.size ? errorAnswer(500, answer) : undefined,
    ),
  },
  ...['unknown', 'AVAILABLE', ''].map(
    (status): Fault => ({
      id: `filter-${status === '' ? 'none' : status}-breaks-the-server`,
      breaks: ['errors-listed'],
      wrap: changeAnswer((answer, { query, isAuthorized }) =>
        isAuthorized && query.get('status') === status ? errorAnswer(500, answer) : undefined,
      ),
    }),
  ),
];

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

const pageFaults: readonly Fault[] = [
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
  ...[202, 203, 206, 301, 304, 403, 404, 500, 503].map(
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
  {
    id: 'page-twenty-first-without-name',
    breaks: ['pet-name'],
    wrap: changePage((page) =>
      page.map((entry, at) => (at === 20 && isJsonObject(entry) ? { ...entry, name: null } : entry)),
    ),
  },
];

export const listingFaults: readonly Fault[] = [...limitFaults, ...filterWithDefault, ...filterFaults, ...pageFaults];
