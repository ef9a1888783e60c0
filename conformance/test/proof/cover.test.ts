/** The cover: which requests find which faults, and the fewest that find the most. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../http/exchange.ts';
import { shownBy } from '../../proof/trial.ts';
import { fails } from '../../verdict/finding.ts';
import { coverOf, showCover } from './cover.ts';

function exchange(number: number, check: string): Exchange {
  return { number, check } as Exchange;
}

const exchanges = [exchange(1, 'lists'), exchange(2, 'creates'), exchange(3, 'lists'), exchange(4, 'lists')];
const [first, second, third, fourth] = exchanges as [Exchange, Exchange, Exchange, Exchange];

test('a fault is shown by the requests of the finding that is complete first', () => {
  const late = fails('list-limit', 'too-many', { expected: 'a', received: 'b' }, first, fourth);
  const early = fails('list-limit', 'too-many', { expected: 'a', received: 'b' }, second, third);
  assert.equal(shownBy(exchanges, [late, early]), ['creates 1', 'lists 2']);
  assert.equal(shownBy(exchanges, []), []);
});

const trials = [
  { id: 'a', shownBy: ['x'] },
  { id: 'b', shownBy: ['x'] },
  { id: 'c', shownBy: ['y', 'z'] },
  { id: 'd', shownBy: ['y', 'z'] },
  { id: 'e', shownBy: ['y', 'z'] },
  { id: 'f', shownBy: ['x', 'z'] },
  { id: 'g', shownBy: [] },
];

test('the cover takes the scenario that finds the most faults a request, and counts the requests that it needs', () => {
  assert.equal(coverOf(trials), [
    { requests: ['x'], faults: ['a', 'b'] },
    { requests: ['y', 'z'], faults: ['c', 'd', 'e', 'f'] },
  ]);
});

test('the table counts up, and names faults as examples', () => {
  const more = ['h', 'i', 'j'].map((id) => ({ id, shownBy: ['y', 'z'] }));
  assert.is(
    showCover(coverOf([...trials, ...more])),
    'requests faults  what finds them\n   2     6  y + z: c, d, e, h and 2 more\n   3     9  x: a, b, f\n',
  );
});

test.run();
