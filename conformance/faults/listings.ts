/** Faults of §4.1: limits and filters. */

import { isPetStatus } from '../../reference-server/index.ts';
import { petStatuses } from '../../spec/operations.ts';
import { isJsonObject, type JsonValue } from '../http/json.ts';
import { changePage, changeQuery, fromWholeCatalogue, limitIn } from '../services/page-changes.ts';
import {
  answerError,
  changeAnswer,
  changeCreated,
  dropField,
  requestHeader,
  sentPet,
  type Wrap,
  withHeader,
} from '../services/wraps.ts';
import { type Fault, ordinary, ordinaryEach, rare, rareEach } from './fault.ts';
import { pageFaults } from './pages.ts';

function withDefault(limit: number): Wrap {
  return changeQuery((query) => {
    if (!query.has('limit')) query.set('limit', String(limit));
  });
}

function refusesListing(parameter: string, value: string): Wrap {
  return answerError(400, ({ operation, query }, { status }) => {
    return operation === 'listPets' && query.get(parameter) === value && status === 200;
  });
}

/** Answers 200 with another body than Pets to listings with this limit. */
function answersInstead(limit: string, body: string): Wrap {
  return changeAnswer((answer, { query, isAuthorized }) =>
    isAuthorized && query.get('limit') === limit ? { ...answer, status: 200, body } : undefined,
  );
}

const limitFaults: readonly Fault[] = [
  ...ordinaryEach('list-limit-default', 'default-limit-*', [1, 10, 15, 19, 21, 25, 50, 100], withDefault),
  ...ordinary('list-limit', {
    'limit-ignored': changeQuery((query) => query.delete('limit')),
    'limit-one-too-many': fromWholeCatalogue((page, query) => page.slice(0, limitIn(query, 19) + 1)),
    'limit-one-too-many-for-one': fromWholeCatalogue((page, query) => page.slice(0, Math.max(2, limitIn(query, 20)))),
    'limit-ignored-with-filter': fromWholeCatalogue((page, query) =>
      query.has('status') ? page : page.slice(0, limitIn(query, 20)),
    ),
    'limit-ignored-without-filter': fromWholeCatalogue((page, query) =>
      query.has('status') ? page.slice(0, limitIn(query, 20)) : page,
    ),
  }),
  ...rare('list-limit', {
    'limit-10-to-19-is-20': changeQuery((query) => /^1\d$/.test(query.get('limit') ?? '') && query.set('limit', '20')),
    'limit-behind-status-ignored': changeQuery((query) => [...query.keys()][0] === 'status' && query.delete('limit')),
  }),
  ...ordinary(['list-limit', 'list-limit-default'], {
    'limit-always-whole': changeQuery((query) => query.set('limit', '100')),
  }),
  ...rareEach('list-limit', 'limit-of-*-doubled', petStatuses, (status) =>
    changeQuery((query) => {
      const limit = limitIn(query, 20);
      if (query.get('status') === status && limit >= 1 && limit <= 50) query.set('limit', String(2 * limit));
    }),
  ),
  ...ordinary(['list-complete', 'list-limit-default'], {
    'limit-one-too-few': changePage((page) => page.slice(0, -1)),
  }),
  ...ordinary('list-answer', {
    'limit-100-refused': refusesListing('limit', '100'),
    'limit-1-refused': refusesListing('limit', '1'),
    'limit-0-answers-no-pets': answersInstead('0', '{"error":"limit"}'),
    'limit-101-answers-no-pets': answersInstead('101', 'null'),
  }),
];

const limitOf = (query: URLSearchParams): number => Number(query.get('limit') ?? 'none');

function refusedInWords(parameter: string): Wrap {
  return changeAnswer(
    (answer) => ({ ...withHeader(answer, 'Content-Type', 'text/plain'), body: 'Bad Request' }),
    ({ operation, query }, { status }) => operation === 'listPets' && status === 400 && query.has(parameter),
  );
}

/** Break advised requirements: a query that is not allowed is refused with an Error. */
const advisedFaults: readonly Fault[] = [
  ...rare('list-limit-refused', {
    'limit-beyond-100-clamped': changeQuery((query) => limitOf(query) > 100 && query.set('limit', '100')),
    'limit-below-1-ignored': changeQuery((query) => limitOf(query) < 1 && query.delete('limit')),
    'limit-that-is-no-number-ignored': changeQuery((query) => Number.isNaN(limitOf(query)) && query.delete('limit')),
    'limit-refused-in-words': refusedInWords('limit'),
  }),
  ...rare('list-status-refused', {
    'filter-unknown-ignored': changeQuery((query) => !isPetStatus(query.get('status')) && query.delete('status')),
    'filter-unknown-matches-nothing': changeAnswer(
      (answer) => ({ ...answer, status: 200, body: '[]' }),
      ({ operation, query, isAuthorized }) =>
        operation === 'listPets' && isAuthorized && query.has('status') && !isPetStatus(query.get('status')),
    ),
    'filter-refused-in-words': refusedInWords('status'),
  }),
];

const changeFiltered = (change: (page: readonly JsonValue[]) => JsonValue): Wrap =>
  changePage((page, { query }) => (query.has('status') ? change(page) : undefined));

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

const filterFaults: readonly Fault[] = [
  ...ordinary('list-complete', {
    'filter-finds-nothing': changeFiltered(() => []),
    'filter-knows-no-status-that-was-not-sent': filtersBySent,
  }),
  ...ordinary('list-status-filter', {
    'filter-ignored': changeQuery((query) => query.delete('status')),
    'filter-ignored-with-limit': changeQuery((query) => query.has('limit') && query.delete('status')),
  }),
  ...ordinary('list-answer', { 'animals-within-objects': changePage((page) => page.map((pet) => ({ pet }))) }),
  ...ordinary(['list-status-filter', 'pet-status-kept'], {
    'filter-without-status-in-animals': changeFiltered((page) =>
      page.map((entry) => (isJsonObject(entry) ? dropField('status')(entry) : entry)),
    ),
  }),
  ...rareEach('list-limit-default', 'default-limit-*-with-filter', [15, 100], (limit) =>
    changeQuery((query) => {
      if (query.has('status') && !query.has('limit')) query.set('limit', String(limit));
    }),
  ),
  ...rareEach('list-status-filter', 'filter-*-ignored', petStatuses, (status) =>
    changeQuery((query) => query.get('status') === status && query.delete('status')),
  ),
  ...rareEach('list-status-filter', 'filter-*-shows-another', petStatuses, (status) =>
    changeQuery((query) => {
      const next = petStatuses[(petStatuses.indexOf(status) + 1) % 3]!;
      if (query.get('status') === status) query.set('status', next);
    }),
  ),
  ...rareEach('list-complete', 'filter-*-empty', petStatuses, (status) =>
    changePage((_page, { query }) => (query.get('status') === status ? [] : undefined)),
  ),
  ...rareEach('list-complete', 'filter-*-lacks-one', petStatuses, (status) =>
    changePage((page, { query }) => (query.get('status') === status ? page.slice(1) : undefined)),
  ),
  ...rareEach('list-answer', 'filter-*-refused', petStatuses, (status) => refusesListing('status', status)),
];

/** Gives one animal more than these limits allow. */
const offByOne = (matches: (limit: number, status: string | null) => boolean): Wrap =>
  changeQuery((query) => {
    const limit = Number(query.get('limit'));
    if (matches(limit, query.get('status'))) query.set('limit', String(limit + 1));
  });

const singleLimits: readonly Fault[] = [
  ...rareEach('list-limit', 'limit-*-one-too-many', [10, 13, 25, 30, 37, 50, 99], (one) =>
    offByOne((limit) => limit === one),
  ),
  ...rare('list-limit', {
    'limits-from-64-one-too-many': offByOne((limit) => limit >= 64 && limit < 100),
    'limits-of-sixteens-one-too-many': offByOne((limit) => limit > 0 && limit % 16 === 0),
    'filtered-limits-of-two-digits-one-too-many': offByOne(
      (limit, status) => limit > 10 && limit < 20 && status !== null,
    ),
  }),
];

/** Refuses reads and listings whose header matches. */
const refusedHeader = (name: string, status: number, pattern: RegExp): Wrap =>
  answerError(
    status,
    ({ operation, request }, answer) =>
      operation !== 'createPet' && answer.status === 200 && pattern.test(requestHeader(request, name) ?? ''),
  );

export const listingFaults: readonly Fault[] = [
  ...limitFaults,
  ...advisedFaults,
  ...filterFaults,
  ...singleLimits,
  ...pageFaults,
  ...ordinary(['list-answer', 'get-answer'], {
    'accept-of-several-types-refused': refusedHeader('accept', 406, /,/),
    'accept-with-parameters-refused': refusedHeader('accept', 406, /;/),
  }),
  ...rare(['list-answer', 'get-answer'], {
    'cache-control-refused': refusedHeader('cache-control', 400, /no-cache/),
    'content-type-without-body-refused': refusedHeader('content-type', 415, /./),
  }),
];
