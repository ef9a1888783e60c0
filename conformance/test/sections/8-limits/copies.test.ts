/** §8: copies from a cache are no readings of a limit. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, count, failuresIn, timeline } from './limit-answers.ts';

const rises = 'rate-remaining-falls: rises';
const _stays = 'rate-remaining-falls: stays';
const never = 'rate-remaining-falls: never-falls';

test('copies from a cache are no readings, and neither are the other reads behind it', () => {
  const target = '/pets?limit=1';
  const create = { operation: 'createPet', status: 201 } as const;
  const copied = timeline([59, 58, 59, 57, 58, 56], (at) => (at % 2 === 1 ? create : { target }));
  assert.equal(failuresIn(copied), []);
  const refreshed = timeline([59, 58, 59, 57, 50, 56], (at) => (at % 2 === 1 ? create : { target }));
  assert.equal(failuresIn(refreshed), []);
  const aged = timeline([59, 58, 57, 57, 58, 56], (at) => (at === 4 ? { age: 1 } : {}));
  assert.equal(failuresIn(aged), []);
  // A different body, or another request, is no copy.
  assert.equal(failuresIn(timeline([59, 58, 59, 57], (at) => (at === 1 ? create : {}))), [rises]);
});

test('an answer that is repeated with its Date is a copy once that has passed', () => {
  const repeated = (dateAhead: (at: number) => number): readonly Answer[] =>
    timeline(count(40, 12, 0), (at) => ({
      at: 1 + at * 0.25,
      target: '/pets?limit=9',
      limit: 1_000,
      dateAhead: dateAhead(at * 0.25),
    }));
  assert.equal(failuresIn(repeated((later) => -later)), []);
  assert.equal(failuresIn(repeated(() => 0)), [never]);
});

test('an answer to one key is no copy of an equal answer to another key', () => {
  const target = '/pets?limit=1';
  const changes: readonly Partial<Answer>[] = [{ target }, {}, { target, kind: 'rate-limit' }];
  assert.equal(failuresIn(timeline([59, 58, 59, 57, 58], (at) => changes[at] ?? {})), [rises]);
});

test('behind a cache other requests still show a rise', () => {
  const create = { operation: 'createPet', status: 201 } as const;
  const answers = timeline([59, 58, 59, 50, 57], (at) => (at % 2 === 0 && at < 4 ? { target: '/pets' } : create));
  assert.equal(failuresIn(answers), [rises]);
});

test('the reset of a copy may have passed', () => {
  const answers = [
    { at: 1, limit: 60, remaining: 59, reset: 2, target: '/pets' },
    { at: 50, limit: 60, remaining: 58, reset: 100, operation: 'createPet', status: 201 },
    { at: 51, limit: 60, remaining: 59, reset: 2, target: '/pets' },
  ] as const;
  assert.equal(failuresIn(answers), []);
  assert.equal(failuresIn(answers.map((one, at) => ({ ...one, target: `/pets?limit=${at + 1}` }))), [
    'rate-reset-header: in-the-past',
  ]);
});

test.run();
