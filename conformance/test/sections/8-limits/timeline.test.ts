/** The course of one key: what no window, no bucket and no other client explains, and what they do. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, exchangesOf, failuresIn, failuresOf, heldIn } from './limit-answers.ts';

/** Answers a hundredth of a second apart, from one second on. */
function course(remaining: readonly number[], change: (at: number) => Partial<Answer> = () => ({})): readonly Answer[] {
  return remaining.map((left, at) => ({
    at: 1 + at / 100,
    limit: 60,
    remaining: left,
    reset: 45,
    ...change(at),
  }));
}

function count(from: number, length: number, step = -1): readonly number[] {
  return Array.from({ length }, (_nothing, at) => from + at * step);
}

const rises = 'rate-remaining-falls: rises';
const stays = 'rate-remaining-falls: stays';
const never = 'rate-remaining-falls: never-falls';

test('what remains falls with each request', () => {
  assert.equal(failuresIn(course(count(59, 20))), []);
  assert.ok(heldIn(course(count(59, 3))).includes('rate-remaining-falls'));
  assert.equal(failuresIn(course([40, 40, 40, 40])), [never]);
  assert.equal(failuresIn(course([40, 40])), []);
});

test('what stands still for longer than a bucket could keep it never falls', () => {
  const slow = (at: number): Partial<Answer> => ({ at: 1 + at * 0.3, limit: 1_000 });
  assert.equal(failuresIn(course(count(42, 10, 0), slow)), [never]);
  assert.equal(failuresIn(course(count(42, 9, 0), slow)), []);
  assert.equal(failuresIn(course([...count(42, 9, 0), 43], slow)), []);
  assert.equal(failuresIn(course(count(1_000, 9, 0), slow)), [never]);
});

test('what remains rises only at a reset', () => {
  assert.equal(failuresIn(course([59, 58, 59, 57])), [rises]);
  assert.equal(failuresIn(course([30, 59], (at) => ({ reset: 45 + 60 * at }))), []);
  assert.equal(failuresIn(course([30, 29, 59], (at) => ({ limit: at === 2 ? 1_000 : 60 }))), []);
  // Whole seconds do not tell whether this reset has passed.
  assert.equal(failuresIn(course([30, 59], (at) => ({ at: 43.5 + at }))), []);
});

test('a rise is one as well where the reset steps back with it: two counts take turns', () => {
  assert.equal(failuresIn(course([30, 40, 29], (at) => ({ reset: at === 1 ? 43 : 45 }))), [rises]);
});

test('what comes back evenly until the reset is no rise', () => {
  // All sixty of the last window leave evenly until the reset in 44 s: a sliding counter.
  const slow = (at: number): Partial<Answer> => ({ at: 1 + at * 4 });
  assert.equal(failuresIn(course([10, 13, 16], slow)), []);
  assert.equal(failuresIn(course([10, 20, 30], slow)), [rises, rises]);
});

test('an error takes what it takes or nothing, and gives nothing back', () => {
  const withErrors = (remaining: readonly number[], status = 404): readonly Answer[] =>
    course(remaining, (at) => (at % 2 === 1 ? { status, operation: 'getPet' } : {}));
  assert.equal(failuresIn(withErrors([50, 49, 48, 47, 46, 45])), []);
  assert.equal(failuresIn(withErrors([50, 50, 49, 49, 48, 48])), []);
  assert.equal(failuresIn(withErrors([50, 49, 49, 48, 48, 47])), []);
  assert.equal(failuresIn(withErrors([50, 60, 48, 60, 46, 60])), [rises, rises, rises]);
  assert.equal(failuresIn(withErrors([50, 60, 48, 60, 46, 60], 422)), []);
});

test('requests that failed side by side may be forgotten a moment later', () => {
  const answers = course([58, 56, 57], (at) => (at === 1 ? { status: 404, operation: 'getPet' } : {}));
  const [first, failed, last] = exchangesOf(answers);
  assert.equal(failuresOf([first!, { ...failed!, sent: 1.5 }, last!]), []);
  assert.equal(failuresOf(exchangesOf(course([58, 56, 57]))), [rises]);
});

test('answers that overtake each other are no rise', () => {
  const answers = course([55, 58, 57, 59, 56]);
  assert.equal(failuresOf(exchangesOf(answers, true)), []);
  // Exchanges are recorded as they are answered.
  assert.equal(failuresOf(exchangesOf(course(count(59, 8))).toReversed()), []);
});

test('what others sent before the run may leave a window that slides, as many as they were', () => {
  const sliding = (at: number): Partial<Answer> => ({ reset: Math.ceil(1 + at / 100) + 59 });
  assert.equal(failuresIn(course([20, 30, 40, 39], sliding)), []);
  assert.equal(failuresIn(course([50, 49, 59, 49, 59, 49], sliding)), [rises, rises]);
  assert.equal(failuresIn(course([59, 58, 59, 57], sliding)), [rises]);
});

test('what the run itself sent may leave it after a minute', () => {
  const later = (at: number): Partial<Answer> => (at < 2 ? {} : { at: 70 + at / 100, reset: 131 });
  assert.equal(failuresIn(course([59, 58, 40, 50, 55], later)), []);
});

test('remaining that falls in steps does not fall with each request', () => {
  const inSteps = count(59, 20).map((left) => left - (left % 2));
  assert.equal(failuresIn(course(inSteps)), [stays]);
  assert.equal(failuresIn(course([59, 58, 58, 57, 56, 55])), []);
});

test('a window of a day gives back so little that each request shows', () => {
  const ofTheDay = { limit: 100_000, reset: 40_000 };
  assert.equal(failuresIn(course(count(90_000, 20, 0), () => ofTheDay)), [never]);
});

test('failures that are forgotten late keep what remains the same for once', () => {
  const remaining = count(50, 8, -2).flatMap((left) => [left, left - 1, left - 2, left - 2]);
  const withErrors = (at: number): Partial<Answer> => (at % 4 === 1 ? { status: 404, operation: 'getPet' } : {});
  assert.equal(failuresIn(course(remaining, withErrors)), []);
});

test('what a window has forgotten after a minute says nothing of what counts', () => {
  const remaining = [59, 50, 50, 49, 49, 48, 48];
  const answers = course(remaining, (at) =>
    at === 0 ? {} : { at: 70 + at / 100, reset: 131, ...(at % 2 === 0 ? { operation: 'createPet', status: 201 } : {}) },
  );
  assert.equal(failuresIn(answers), []);
});

test('a bucket that fills keeps what remains the same as often as it fills', () => {
  const filling = (at: number): Partial<Answer> => ({ at: 1 + at / 20, limit: 1_000, reset: Math.ceil(3 + at / 20) });
  const remaining = Array.from({ length: 40 }, (_nothing, at) => 960 - Math.ceil(at / 6));
  assert.equal(failuresIn(course(remaining, filling)), []);
});

test('requests of one operation that never count are told by its name', () => {
  const mixed = [59, 59, 58, 58, 57, 57, 56, 56];
  const answers = course(mixed, (at) => (at % 2 === 1 ? { operation: 'createPet', status: 201 } : {}));
  assert.equal(failuresIn(answers), [stays]);
  assert.equal(failuresIn(answers.slice(0, 6)), [stays]);
  const few = course([59, 58, 58, 57, 57, 56, 56], (at) =>
    at > 0 && at % 2 === 0 ? { operation: 'createPet', status: 201, limit: 1_000 } : { limit: 1_000 },
  );
  assert.equal(failuresIn(few), ['rate-remaining-falls: not-counted']);
});

test('a limit is one until it resets', () => {
  const byTurns = course(count(40, 8), (at) => ({ limit: at % 2 === 0 ? 60 : 1_000 }));
  assert.ok(failuresIn(byTurns).includes('rate-limit-header: alternates'));
  assert.equal(failuresIn(course(count(40, 8), (at) => ({ limit: at < 4 ? 60 : 1_000 }))), []);
  const ofOperations = course(count(40, 8), (at) => (at % 2 === 0 ? {} : { limit: 1_000, operation: 'getPet' }));
  assert.equal(failuresIn(ofOperations), []);
  const ofWindows = course(count(40, 8), (at) => (at % 2 === 0 ? {} : { limit: 1_000, reset: 40_000 }));
  assert.equal(failuresIn(ofWindows), []);
});

test('a reset that has not come does not jump back', () => {
  const jumping = (resets: readonly number[]): readonly Answer[] =>
    course(count(50, resets.length), (at) => ({ reset: resets[at]! }));
  assert.equal(failuresIn(jumping([900, 40, 800, 30])), ['rate-reset-header: jumps-back']);
  assert.equal(failuresIn(jumping([900, 40, 41, 42])), []);
  assert.equal(failuresIn(jumping([60, 56, 61, 57, 62])), []);
  assert.equal(failuresIn(jumping([60, 61, 70, 80])), []);
});

const usedUp = [7, 6, 5, 4, 3, 2, 1, 0];
const comesBack = (back: Partial<Answer>, reset: number): readonly Answer[] => [
  ...course(usedUp, () => ({ limit: 8, reset })),
  { at: 46, limit: 8, remaining: 7, reset: reset + 45, ...back },
];

test('a limit does not come back long before its reset', () => {
  const early = ['rate-reset-header: resets-earlier'];
  assert.equal(failuresIn(comesBack({}, 43_245)), early);
  assert.equal(failuresIn(comesBack({}, 100)), early);
  assert.equal(failuresIn(comesBack({}, 70)), []);
  assert.equal(failuresIn(comesBack({ remaining: 3 }, 43_245)), []);
  assert.equal(failuresIn(comesBack({ limit: 1_000 }, 43_245)), []);
  assert.equal(failuresIn(comesBack({}, 43_245).map((answer) => ({ ...answer, dateAhead: 'none' as const }))), []);
});

test('half a minute before its reset a limit may be back, by another clock', () => {
  const backAt = (reset: number): readonly Answer[] => [
    ...course(count(59, 60), () => ({ reset })),
    { at: 46, limit: 60, remaining: 59, reset: reset + 45 },
  ];
  assert.equal(failuresIn(backAt(76)), []);
  assert.equal(failuresIn(backAt(78)), ['rate-reset-header: resets-earlier']);
});

test('what a bucket has filled by then comes back before it is full', () => {
  const filled = [...course(count(59, 59), () => ({ reset: 121 })), { at: 61, limit: 60, remaining: 29, reset: 151 }];
  assert.equal(failuresIn(filled), []);
});

test('what others had used before the run may come back sooner', () => {
  const [, ...later] = comesBack({}, 43_245);
  assert.equal(failuresIn(later.slice(4)), []);
});

test('the two keys have a course each', () => {
  const [one, other] = [course(count(59, 6)), course(count(30, 6))];
  const mixed = one.flatMap((answer, at) => [answer, { ...other[at]!, kind: 'rate-limit' as const }]);
  assert.equal(failuresIn(mixed), []);
  assert.equal(failuresIn(mixed.map((answer) => ({ ...answer, kind: 'valid' as const }))).includes(rises), true);
});

test.run();
