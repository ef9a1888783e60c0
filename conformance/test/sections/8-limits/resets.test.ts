/** Until it resets, a limit has one value and one reset. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, count, failuresIn, timeline } from './limit-answers.ts';

test('a limit has one value until it resets', () => {
  const byTurns = timeline(count(40, 8), (at) => ({ limit: at % 2 === 0 ? 60 : 1_000 }));
  assert.ok(failuresIn(byTurns).includes('rate-limit-header: alternates'));
  assert.equal(failuresIn(timeline(count(40, 8), (at) => ({ limit: at < 4 ? 60 : 1_000 }))), []);
  assert.equal(failuresIn(timeline(count(40, 8), (at) => ({ limit: 100 - at }))), []);
  const midnight = 12 * 3_600;
  const nearMidnight = (at: number) =>
    timeline(count(40, 8), (turn) => ({
      at: at + turn / 100,
      limit: turn % 2 === 0 ? 60 : 1_000,
      reset: midnight,
    }));
  assert.equal(failuresIn(nearMidnight(midnight - 50)), []);
  assert.equal(failuresIn(nearMidnight(midnight - 70)), ['rate-limit-header: alternates']);
  const ofOperations = timeline(count(40, 8), (at) => (at % 2 === 0 ? {} : { limit: 1_000, operation: 'getPet' }));
  assert.equal(failuresIn(ofOperations), []);
  const ofWindows = timeline(count(40, 8), (at) => (at % 2 === 0 ? {} : { limit: 1_000, reset: 40_000 }));
  assert.equal(failuresIn(ofWindows), []);
});

test('a reset that has not come does not jump back', () => {
  const jumping = (resets: readonly number[]): readonly Answer[] =>
    timeline(count(50, resets.length), (at) => ({ reset: resets[at]! }));
  assert.equal(failuresIn(jumping([900, 40, 800, 30])), ['rate-reset-header: jumps-back']);
  assert.equal(failuresIn(jumping([900, 40, 41, 42])), []);
  assert.equal(failuresIn(jumping([60, 56, 61, 57, 62])), []);
  assert.equal(failuresIn(jumping([60, 61, 70, 80])), []);
});

test('each instance has the reset of its own clock, and none that jumps back by that', () => {
  const ahead = (at: number, seconds: number): Partial<Answer> => ({ dateAhead: seconds, reset: 45 + seconds - at });
  assert.equal(failuresIn(timeline(count(59, 20), (at) => ahead(0, at % 2 === 0 ? 0 : 90))), []);
  assert.equal(failuresIn(timeline(count(59, 20), (at) => ahead(0, -7 * (at % 3)))), []);
  const steppingBack = timeline(count(59, 20), (at) => ahead(at >= 10 ? 9 : 0, at % 2 === 0 ? 0 : 90));
  assert.equal(failuresIn(steppingBack), []);
  const jumping = timeline(count(59, 20), (at) => ahead(at % 4 > 1 ? 9 : 0, at % 2 === 0 ? 0 : 90));
  assert.equal(failuresIn(jumping), ['rate-reset-header: jumps-back', 'rate-reset-header: jumps-back']);
});

test('up to three instances behind the Date of a gateway differ by up to half a minute', () => {
  const apart = (...seconds: readonly number[]): readonly string[] =>
    failuresIn(timeline(count(59, 12), (at) => ({ reset: 45 + seconds[at % seconds.length]! })));
  assert.equal(apart(0, 20), []);
  assert.equal(apart(0, 0, 29), []);
  assert.equal(apart(0, 32), ['rate-reset-header: jumps-back']);
  assert.equal(apart(0, 20, 0, 10), []);
  assert.equal(apart(10, 0, 20), []);
  assert.equal(apart(0, 21, 14, 7), ['rate-reset-header: jumps-back']);
});

test('a reset that is always now fails where Remaining falls all the same', () => {
  const always = (ahead: number, change: Partial<Answer> = {}): readonly Answer[] =>
    timeline(count(900, 12), (at) => ({
      at: 1 + at * 0.4,
      limit: 1_000,
      reset: 1 + Math.floor(at * 0.4) + ahead,
      ...change,
    }));
  const nothing = ['rate-reset-header: resets-nothing'];
  assert.equal(failuresIn(always(0)), nothing);
  assert.equal(failuresIn(always(1)), nothing);
  assert.equal(failuresIn(always(-5)), nothing);
  // A sliding window is a whole window ahead, and the end of a window that has come by another clock stays.
  assert.equal(failuresIn(always(60)), []);
  assert.equal(failuresIn(always(0, { reset: 1 })), []);
  assert.equal(failuresIn(always(0, { dateAhead: 'none' })), []);
  assert.equal(failuresIn(always(0).slice(0, 9)), []);
});

test('a reset that is always near gives something back', () => {
  const answers = (remaining: readonly number[]): readonly Answer[] =>
    timeline(remaining, (at) => ({ at: 1 + at * 0.25, reset: 1 + Math.ceil((at + 1) * 0.25) }));
  // A bucket that gains a request a second, and a window of one second.
  assert.equal(failuresIn(answers([50, 49, 48, 48, 47, 46, 45, 45, 44, 43, 42, 42, 41, 40])), []);
  assert.equal(failuresIn(answers([59, 58, 57, 56, 59, 58, 57, 56, 59, 58, 57, 56, 59])), []);
  // A bucket that gains one in three seconds: a minute's limit of 20 explains that nothing came back so far.
  const slow = timeline(count(19, 19), (at) => ({ at: 1 + at * 0.2, limit: 20, reset: 1 + Math.ceil(at * 0.2) }));
  assert.equal(failuresIn(slow), []);
  // The same bucket with a request of another client each time that it gains one, and at another time.
  assert.equal(failuresIn(answers([50, 49, 48, 47, 46, 45, 43, 42, 41, 40, 39, 38, 36, 35, 34])), []);
});

test.run();
