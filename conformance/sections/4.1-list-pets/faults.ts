/** Faults of §4.1: limits and filters. */

import { isPetStatus } from '../../../reference-server/index.ts';
import type { RequirementId } from '../../../spec/requirements.ts';
import { isJsonObject, type JsonValue } from '../../http/json.ts';
import {
  breaking,
  changeAnswer,
  changeJson,
  errorAnswer,
  type Fault,
  type FaultDraft,
  ordinaryExcept,
  rare,
  type Wrap,
  withHeader,
} from '../fault.ts';
import { drawnListingFaults } from './drawn-faults.ts';
import { oddQueryFaults } from './odd-query-faults.ts';
import { changePage, changeQuery, fromWholeCatalogue, limitIn } from './page-changes.ts';
import { pageFaults } from './page-faults.ts';

/** Uses another default limit. */
function withDefault(limit: number): Wrap {
  return changeQuery((query) => {
    if (!query.has('limit')) query.set('limit', String(limit));
  });
}

/** Refuses the listings with this parameter. */
function refusesListing(parameter: string, value: string): Wrap {
  return changeAnswer((answer, { operation, query }) =>
    operation === 'listPets' && query.get(parameter) === value && answer.status === 200
      ? errorAnswer(400, answer)
      : undefined,
  );
}

const limitFaults: readonly FaultDraft[] = [
  ...[1, 10, 15, 19, 21, 25, 50, 100].map(
    (limit): FaultDraft => ({
      id: `default-limit-${limit}`,
      breaks: ['list-limit-default'],
      wrap: withDefault(limit),
    }),
  ),
  ...breaking('list-limit', {
    'limit-ignored': changeQuery((query) => query.delete('limit')),
    'limit-one-too-many': fromWholeCatalogue((page, query) => page.slice(0, limitIn(query, 19) + 1)),
    'limit-one-too-many-for-one': fromWholeCatalogue((page, query) => page.slice(0, Math.max(2, limitIn(query, 20)))),
    'limit-ignored-with-filter': fromWholeCatalogue((page, query) =>
      query.has('status') ? page : page.slice(0, limitIn(query, 20)),
    ),
    'limit-10-to-19-is-20': changeQuery((query) => /^1\d$/.test(query.get('limit') ?? '') && query.set('limit', '20')),
    'limit-behind-status-ignored': changeQuery((query) => [...query.keys()][0] === 'status' && query.delete('limit')),
  }),
  ...breaking(['list-limit', 'list-limit-default'], {
    'limit-always-whole': changeQuery((query) => query.set('limit', '100')),
  }),
  ...(['available', 'pending', 'sold'] as const).map(
    (status): FaultDraft => ({
      id: `limit-of-${status}-doubled`,
      breaks: ['list-limit'],
      wrap: changeQuery((query) => {
        const limit = limitIn(query, 20);
        if (query.get('status') === status && limit >= 1 && limit <= 50) query.set('limit', String(2 * limit));
      }),
    }),
  ),
  ...breaking(['list-complete', 'list-limit-default'], {
    'limit-one-too-few': changePage((page) => page.slice(0, -1)),
  }),
  ...breaking('list-answer', {
    'limit-100-refused': refusesListing('limit', '100'),
    'limit-1-refused': refusesListing('limit', '1'),
    'limit-0-answers-no-pets': changeAnswer((answer, { query, isAuthorized }) =>
      isAuthorized && query.get('limit') === '0' ? { ...answer, status: 200, body: '{"error":"limit"}' } : undefined,
    ),
    'limit-101-answers-no-pets': changeAnswer((answer, { query, isAuthorized }) =>
      isAuthorized && query.get('limit') === '101' ? { ...answer, status: 200, body: 'null' } : undefined,
    ),
  }),
];

/** The limit in a query as a number; NaN where there is none. */
const limitOf = (query: URLSearchParams): number => Number(query.get('limit') ?? 'none');

/** Refuses a listing with plain text instead of an Error. */
function refusedInWords(id: string, requirement: RequirementId, parameter: string): FaultDraft {
  return {
    id,
    breaks: [requirement],
    wrap: changeAnswer((answer, { operation, query }) =>
      operation === 'listPets' && answer.status === 400 && query.has(parameter)
        ? { ...withHeader(answer, 'Content-Type', 'text/plain'), body: 'Bad Request' }
        : undefined,
    ),
  };
}

/** Break advised requirements: a query that is not allowed is refused with an Error. */
const advisedFaults: readonly FaultDraft[] = [
  ...breaking('list-limit-refused', {
    'limit-beyond-100-clamped': changeQuery((query) => limitOf(query) > 100 && query.set('limit', '100')),
    'limit-below-1-ignored': changeQuery((query) => limitOf(query) < 1 && query.delete('limit')),
    'limit-that-is-no-number-ignored': changeQuery((query) => Number.isNaN(limitOf(query)) && query.delete('limit')),
  }),
  refusedInWords('limit-refused-in-words', 'list-limit-refused', 'limit'),
  ...breaking('list-status-refused', {
    'filter-unknown-ignored': changeQuery((query) => !isPetStatus(query.get('status')) && query.delete('status')),
    'filter-unknown-matches-nothing': changeAnswer((answer, { operation, query, isAuthorized }) =>
      operation === 'listPets' && isAuthorized && query.has('status') && !isPetStatus(query.get('status'))
        ? { ...answer, status: 200, body: '[]' }
        : undefined,
    ),
  }),
  refusedInWords('filter-refused-in-words', 'list-status-refused', 'status'),
];

const statuses = ['available', 'pending', 'sold'] as const;

const filterWithDefault: readonly FaultDraft[] = [15, 100].map((limit) => ({
  id: `default-limit-${limit}-with-filter`,
  breaks: ['list-limit-default'],
  wrap: changeQuery((query) => {
    if (query.has('status') && !query.has('limit')) query.set('limit', String(limit));
  }),
}));

const filterFaults: readonly FaultDraft[] = [
  ...breaking('list-complete', {
    'filter-finds-nothing': changePage((_page, { query }) => (query.has('status') ? [] : undefined)),
    'filter-knows-no-status-that-was-not-sent': (handle) => {
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
  }),
  ...breaking('list-status-filter', {
    'filter-ignored': changeQuery((query) => query.delete('status')),
    'filter-ignored-with-limit': changeQuery((query) => query.has('limit') && query.delete('status')),
  }),
  ...statuses.flatMap((status): readonly FaultDraft[] => [
    ...breaking('list-status-filter', {
      [`filter-${status}-ignored`]: changeQuery((query) => query.get('status') === status && query.delete('status')),
      [`filter-${status}-shows-another`]: changeQuery((query) => {
        const next = statuses[(statuses.indexOf(status) + 1) % 3]!;
        if (query.get('status') === status) query.set('status', next);
      }),
    }),
    ...breaking('list-complete', {
      [`filter-${status}-empty`]: changePage((_page, { query }) => (query.get('status') === status ? [] : undefined)),
      [`filter-${status}-lacks-one`]: changePage((page, { query }) =>
        query.get('status') === status ? page.slice(1) : undefined,
      ),
    }),
    ...breaking('list-answer', {
      [`filter-${status}-refused`]: refusesListing('status', status),
    }),
  ]),
  ...breaking(['list-status-filter', 'pet-status-kept'], {
    'filter-without-status-in-animals': changePage((page, { query }) =>
      query.has('status')
        ? page.map((entry) => {
            if (!isJsonObject(entry)) return entry;
            const { status: _status, ...rest } = entry;
            return rest;
          })
        : undefined,
    ),
  }),
];

export const listingFaults: readonly Fault[] = [
  ...ordinaryExcept(
    ['limit-10-to-19-is-20', 'limit-behind-status-ignored', ...statuses.map((status) => `limit-of-${status}-doubled`)],
    ...limitFaults,
  ),
  ...ordinaryExcept(
    statuses.flatMap((status) =>
      ['ignored', 'empty', 'refused', 'shows-another', 'lacks-one'].map((what) => `filter-${status}-${what}`),
    ),
    ...filterFaults,
  ),
  ...ordinaryExcept(
    [
      'page-of-more-than-66-lacks-one',
      'page-exchanges-names',
      'page-exchanges-ids',
      'page-filled-to-its-last-place-is-empty',
      'page-shows-animals-by-sevens',
      'page-asked-again-not-modified',
      'page-forgets-the-oldest-late',
      ...[202, 203, 301, 304, 503].map((status) => `listing-answers-${status}`),
    ],
    ...pageFaults,
  ),
  ...rare(...filterWithDefault, ...advisedFaults),
  ...oddQueryFaults,
  ...drawnListingFaults,
];
