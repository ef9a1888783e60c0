/** §4.1: with which queries a run lists animals, and how its limits follow from the number of animals. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listings, type ValueRow, wrongQueries } from '../../../sections/values.ts';
import { created, type HandMadeAnswer, pending, requestsOf, sold } from '../evidence.ts';

const rowsIn = (rows: readonly ValueRow[]): readonly string[] =>
  rows.map(({ rank, text }) => `${rank} GET /pets${text === '' ? '' : `?${text}`}`);

/** The listings that depend on the animals of the run: the rank of each, and its query. */
const statefulAfter = (...answers: readonly HandMadeAnswer[]): readonly string[] =>
  requestsOf('listings', answers)
    .slice(listings.length)
    .map((sent) => sent.replace('GET /pets?', ''));

const several = (from: number, count: number, fields = {}): readonly HandMadeAnswer[] =>
  Array.from({ length: count }, (_nothing, at) => created(from + at, fields));

/** Without animals of a status, or with one, only a later page by it asks for that one. */
const ofFew = (status: string): readonly string[] => [`5 limit=1&status=${status}`];

test('every query of the tables is sent, whatever the target has', () => {
  assert.equal(requestsOf('listings', []).slice(0, listings.length), rowsIn(listings));
  assert.equal(requestsOf('wrong-queries', []), rowsIn(wrongQueries));
});

test('an early page is of a status that no animal has, and one of that which most have', () => {
  const early = (...answers: readonly HandMadeAnswer[]) => statefulAfter(...answers).slice(0, 2);
  assert.equal(early(), ['1.5 status=sold&limit=2', '1.5 status=available&limit=1']);
  assert.equal(early(created(1, sold)), ['1.5 status=pending&limit=2', '1.5 status=sold&limit=1']);
  assert.equal(early(created(1, sold), created(2, pending)), ['1.5 status=available&limit=2', '1.5 limit=1']);
  assert.equal(early(...several(1, 2, sold), created(3)), ['1.5 status=pending&limit=2', '1.5 status=sold&limit=1']);
  const ofEach = ['available', 'pending', 'sold'].map((status, at) => created(at + 1, { status }));
  assert.equal(early(...ofEach), ['1.5 status=pending&limit=2', '1.5 limit=1']);
});

test('a page is cut off by a limit below the number of animals with its status, or of all', () => {
  assert.equal(statefulAfter(...several(1, 12, sold), ...several(13, 20, pending)).slice(2), [
    '2.2 limit=20',
    ...ofFew('available'),
    '4 limit=12&status=pending',
    '5 limit=20&status=pending',
    '4 limit=7&status=sold',
    '5 limit=12&status=sold',
    '4 limit=12',
    '4 limit=25',
    '5 limit=32',
  ]);
});

test('with less than two animals no page is cut off, and with less than ten none is compared with the default', () => {
  const later = (...answers: readonly HandMadeAnswer[]) => statefulAfter(...answers).slice(2);
  const ofNone = [...ofFew('available'), ...ofFew('pending'), ...ofFew('sold')];
  assert.equal(later(created(1, sold)), [...ofNone, '5 limit=1']);
  assert.equal(later(...several(1, 2)), [...ofNone, '4 limit=1', '4 limit=1', '5 limit=2']);
  assert.equal(later(...several(1, 9)), [...ofNone, '4 limit=3', '4 limit=7', '5 limit=9']);
  assert.equal(later(...several(1, 10)), ['2.2 limit=20', ...ofNone, '4 limit=4', '4 limit=8', '5 limit=10']);
  assert.equal(later(...several(1, 110)).at(-1), '5 limit=100');
});

test.run();
