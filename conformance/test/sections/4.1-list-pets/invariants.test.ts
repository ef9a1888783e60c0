/** §4.1: what a page proves by itself. What pages lack is a claim, which confirm asks again (run/confirm.test.ts). */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rateLimitKey } from '../../../http/credentials.ts';
import { listPets } from '../../../sections/requests.ts';
import {
  animalOf,
  checkRows,
  created,
  type EvidenceRow,
  failuresIn,
  type HandMadeAnswer,
  page,
  read,
} from '../evidence.ts';

const sold = { status: 'sold' };
const pending = { status: 'pending' };
const many = (count: number, fields: object = {}) =>
  Array.from({ length: count }, (_nothing, at) => animalOf(at + 1, fields));
const listed = (query: string, status: number, body?: string): HandMadeAnswer => ({
  request: listPets(query),
  status,
  ...(body !== undefined && { body }),
});

const rows: readonly EvidenceRow[] = [
  ['list-answer', ['holds'], listed('limit=1', 200)],
  ['list-answer', [], listed('limit=0', 400)],
  ['list-answer', [], listed('limit=1', 401)],
  ['list-answer', ['not-an-animal'], listed('limit=0', 200, '[7]')],
  ['list-answer', [], listed('', 200, 'no JSON')],
  // A page is too long, or full where more animals match.
  ['list-limit', ['holds'], page('', ...many(2)), page('limit=1', ...many(1))],
  ['list-limit', [], page('limit=1', ...many(1))],
  ['list-limit', [], page('', ...many(2)), page('limit=2', ...many(2))],
  ['list-limit', ['too-many'], page('limit=0', ...many(101))],
  ['list-limit', [], page('limit=0', ...many(100))],
  ['list-limit-default', ['holds'], page('limit=20', ...many(20)), page('', ...many(20))],
  ['list-limit-default', [], page('limit=20', ...many(19)), page('', ...many(19))],
  ['list-limit-default', [], page('limit=20&status=sold', ...many(20, sold)), page('', ...many(20, sold))],
  // A filter leaves out what the page before shows.
  [
    'list-status-filter',
    ['holds'],
    page('', animalOf(1, sold), animalOf(2, pending)),
    page('status=sold', animalOf(1, sold)),
  ],
  ['list-status-filter', [], page('status=sold', animalOf(1, sold))],
  ['list-status-filter', [], page('', animalOf(1, sold)), page('status=sold', animalOf(1, sold))],
  ['list-status-filter', [], page('status=sold&limit=0', animalOf(1, pending))],
  ['list-status-filter', [], page('status=unknown', animalOf(1, pending))],
  // An animal has the id of its 201.
  ['list-complete', ['holds'], created(1), page('', animalOf(1))],
  ['list-complete', [], created(1), page('', animalOf(2))],
  ['list-complete', [], page('', animalOf(1)), created(1)],
  ['list-complete', [], page('', animalOf(1, { id: 101n })), created(1)],
  ['list-complete', [], created(1), page('', animalOf(1), animalOf(1, { id: 101n }))],
  ['create-answer', ['holds'], created(1), created(2), page('', animalOf(1), animalOf(1, { id: 2n }))],
  ['list-complete', ['id-differs'], created(1), created(2), page('', animalOf(1, { id: 2n }), animalOf(2, { id: 1n }))],
  ['list-complete', ['holds'], created(1), created(2), page('', animalOf(2), animalOf(1))],
  // Names that the run has given twice distinguish nothing, nor does another catalogue, as after a reset.
  [
    'list-complete',
    ['holds'],
    created(1, { name: 'cf-abc123-09' }),
    created(2, { name: 'cf-abc123-09' }),
    page('', animalOf(1, { name: 'cf-abc123-09' }), animalOf(7, { name: 'cf-abc123-09' })),
  ],
  [
    'list-complete',
    ['holds'],
    created(1),
    created(2),
    read(2, animalOf(2)),
    page('', animalOf(2)),
    page('', animalOf(1, { id: 101n })),
  ],
  // Another key may see other animals.
  ['list-complete', [], created(1), { ...page('', animalOf(1)), credential: rateLimitKey('Key-2') }],
  // Refusals are advised.
  ['list-limit-refused', ['holds'], listed('limit=0', 400)],
  ['list-limit-refused', ['refusal-without-error'], listed('limit=0', 400, '"No."')],
  ['list-limit-refused', [], listed('limit=0', 500)],
  ['list-limit-refused', [], listed('limit=+1', 200)],
  ['list-status-refused', ['holds'], listed('status=x', 422)],
  ['list-status-refused', [], listed('status=x&limit=0', 200)],
  ['list-limit-refused', [], listed('status=x&limit=0', 200)],
];

test('a page is judged by its status, its body, its limit, its filter and the ids of its animals', () =>
  checkRows(rows));

test('a failure names the id and its rounding', () => {
  const id = 1574418335171346456n;
  // A double is either written in full or in the digits that JavaScript shows.
  for (const [shown, words] of [
    [1574418335171346432n, /^its name with the id 1574418335171346432, .*rounded to a double$/],
    [1574418335171346400n, /rounded to a double$/],
    [id - 8n, /^its name with the id 1574418335171346448$/],
  ] as const) {
    const [found] = failuresIn([created(id), page('', animalOf(id, { id: shown }))], /^list-complete$/);
    assert.match(found!.failure.received ?? '', words);
  }
});

test.run();
