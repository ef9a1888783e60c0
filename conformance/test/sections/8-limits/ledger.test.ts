/** The timeline of one key: which changes of its headers no window, bucket or other client explains. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, count, exchangesOf, failuresIn, failuresOf, heldIn, timeline } from './limit-answers.ts';

const rises = 'rate-remaining-falls: rises';
const stays = 'rate-remaining-falls: stays';
const never = 'rate-remaining-falls: never-falls';

test('Remaining falls with each request', () => {
  assert.equal(failuresIn(timeline(count(59, 20))), []);
  assert.ok(heldIn(timeline(count(59, 3))).includes('rate-remaining-falls'));
  assert.equal(failuresIn(timeline([40, 40, 40, 40])), [never]);
  assert.equal(failuresIn(timeline([40, 40])), []);
});

test('Remaining that is constant for longer than a bucket explains never falls', () => {
  const slow = (at: number): Partial<Answer> => ({ at: 1 + at * 0.3, limit: 1_000 });
  assert.equal(failuresIn(timeline(count(42, 10, 0), slow)), [never]);
  assert.equal(failuresIn(timeline(count(42, 9, 0), slow)), []);
  assert.equal(failuresIn(timeline([...count(42, 9, 0), 43], slow)), []);
  assert.equal(failuresIn(timeline(count(1_000, 9, 0), slow)), [never]);
});

test('a counter that starts anew with each answer never falls, though its reset is always near', () => {
  const near = (limit: number) => (at: number) => ({ limit, reset: Math.ceil(1.06 + at / 100) });
  assert.equal(failuresIn(timeline(count(59, 20, 0), near(60))), [never]);
  // Sixty a second may have been given back.
  assert.equal(failuresIn(timeline(count(59, 10, 0), near(100))), []);
  assert.equal(failuresIn(timeline(count(999, 20, 0), near(1_000))), []);
  assert.equal(failuresIn(timeline(count(999, 20, 0), near(1_000)), { plan: 'business' }), [never]);
});

test('a pause between requests explains nothing of what a counter gives back after it', () => {
  const paused = (at: number): Partial<Answer> => ({
    limit: 1_000,
    reset: at < 3 ? 2 : 6,
    at: at < 3 ? 1 + at / 100 : 5 + at / 100,
  });
  assert.equal(failuresIn(timeline(count(999, 24, 0), paused), { plan: 'business' }), [never]);
});

test('one reset is no reason to fail, and several within a second are', () => {
  const sawtooth = (length: number): readonly number[] => Array.from({ length: 30 }, (_, at) => 999 - (at % length));
  const near = (at: number): Partial<Answer> => ({ limit: 1_000, reset: Math.ceil(1.06 + at / 100) });
  assert.equal(failuresIn(timeline(sawtooth(15), near)), []);
  assert.equal(failuresIn(timeline(sawtooth(6), (at) => ({ ...near(at), at: 1 + at / 1_000 }))), [rises]);
});

test('Remaining rises only at a reset', () => {
  assert.equal(failuresIn(timeline([59, 58, 59, 57])), [rises]);
  assert.equal(failuresIn(timeline([30, 59], (at) => ({ reset: 45 + 60 * at }))), []);
  assert.equal(failuresIn(timeline([30, 29, 59], (at) => ({ limit: at === 2 ? 1_000 : 60 }))), []);
  // Whole seconds do not tell whether this reset has passed.
  assert.equal(failuresIn(timeline([30, 59], (at) => ({ at: 43.5 + at }))), []);
});

test('a rise counts as well if the reset steps back with it: two counters alternate', () => {
  assert.equal(failuresIn(timeline([30, 40, 29], (at) => ({ reset: at === 1 ? 43 : 45 }))), [rises]);
});

test('a restart may lose the count of a window once, and only to the limit', () => {
  const restarts = (...parts: readonly (readonly number[])[]): readonly string[] => failuresIn(timeline(parts.flat()));
  assert.equal(restarts(count(53, 4), count(59, 6)), []);
  assert.equal(restarts(count(54, 4), count(55, 4)), [rises]);
  assert.equal(restarts(count(59, 4), count(59, 6)), [rises]);
  assert.equal(restarts(count(40, 4), count(59, 6), count(59, 6)), [rises]);
  const withStatus = (status: number): readonly Answer[] =>
    timeline([...count(53, 4), ...count(59, 5)], (at) => (at === 4 ? { status } : {}));
  assert.equal(failuresIn(withStatus(401)), []);
  const failedBefore = timeline([...count(56, 6), ...count(57, 5)], (at) => (at < 3 ? { status: 401 } : {}));
  assert.equal(failuresIn(failedBefore), [rises]);
});

test('an even refill until the reset is no rise', () => {
  // All sixty of the last window leave evenly until the reset in 44 s: a sliding counter.
  const slow = (at: number): Partial<Answer> => ({ at: 1 + at * 4 });
  assert.equal(failuresIn(timeline([10, 13, 16], slow)), []);
  assert.equal(failuresIn(timeline([10, 20, 30], slow)), [rises]);
});

test('an error counts or does not count, and gives nothing back', () => {
  const withErrors = (remaining: readonly number[], status = 404): readonly Answer[] =>
    timeline(remaining, (at) => (at % 2 === 1 ? { status, operation: 'getPet' } : {}));
  assert.equal(failuresIn(withErrors([50, 49, 48, 47, 46, 45])), []);
  assert.equal(failuresIn(withErrors([50, 50, 49, 49, 48, 48])), []);
  assert.equal(failuresIn(withErrors([50, 49, 49, 48, 48, 47])), []);
  assert.equal(failuresIn(withErrors([50, 60, 48, 60, 46, 60])), [rises]);
  assert.equal(failuresIn(withErrors([50, 60, 48, 60, 46, 60], 422)), []);
});

test('concurrent failed requests may be refunded a moment later', () => {
  const answers = timeline([58, 56, 57], (at) => (at === 1 ? { status: 404, operation: 'getPet' } : {}));
  const [first, failed, last] = exchangesOf(answers);
  assert.equal(failuresOf([first!, { ...failed!, sent: 1.5 }, last!]), []);
  assert.equal(failuresOf(exchangesOf(timeline([58, 56, 57]))), [rises]);
});

test('answers that overtake each other are no rise', () => {
  const answers = timeline([55, 58, 57, 59, 56]);
  assert.equal(failuresOf(exchangesOf(answers, true)), []);
  // Exchanges are recorded as they are answered.
  assert.equal(failuresOf(exchangesOf(timeline(count(59, 8))).toReversed()), []);
});

test('a sliding window may drop the requests that others sent before the run, and no more', () => {
  const sliding = (at: number): Partial<Answer> => ({ reset: Math.ceil(1 + at / 100) + 59 });
  assert.equal(failuresIn(timeline([20, 30, 40, 39], sliding)), []);
  assert.equal(failuresIn(timeline([50, 49, 59, 49, 59, 49], sliding)), [rises]);
  assert.equal(failuresIn(timeline([59, 58, 59, 57], sliding)), [rises]);
});

test("it may drop the run's own requests after a minute", () => {
  const later = (at: number): Partial<Answer> => (at < 2 ? {} : { at: 70 + at / 100, reset: 131 });
  assert.equal(failuresIn(timeline([59, 58, 40, 50, 55], later)), []);
  // Its reset stays while a service counts none of the failed requests.
  const paused = (at: number): Partial<Answer> => (at < 2 ? {} : { at: 70 + at * 3, reset: 136 });
  assert.equal(failuresIn(timeline([59, 58, 30, 50], paused)), []);
  const ofTheDay = (at: number): Partial<Answer> => ({ ...paused(at), reset: 40_000 });
  assert.equal(failuresIn(timeline([59, 58, 30, 50], ofTheDay)), [rises]);
});

test('Remaining that falls in steps does not fall with each request', () => {
  const inSteps = count(59, 20).map((left) => left - (left % 2));
  assert.equal(failuresIn(timeline(inSteps)), [stays]);
  assert.equal(failuresIn(timeline([59, 58, 58, 57, 56, 55])), []);
});

test('a window of a day gives back so little that each request shows', () => {
  const ofTheDay = { limit: 100_000, reset: 40_000 };
  assert.equal(failuresIn(timeline(count(90_000, 20, 0), () => ofTheDay)), [never]);
});

test('failures that are refunded late keep Remaining the same once', () => {
  const remaining = count(50, 8, -3).flatMap((left) => [left, left - 1, left - 2, left - 2]);
  const withErrors = (at: number): Partial<Answer> => (at % 4 === 1 ? { status: 404, operation: 'getPet' } : {});
  assert.equal(failuresIn(timeline(remaining, withErrors)), []);
});

test('requests that leave the window after a minute do not show which requests count', () => {
  const remaining = [59, 50, 50, 49, 49, 48, 48];
  const answers = timeline(remaining, (at) =>
    at === 0 ? {} : { at: 70 + at / 100, reset: 131, ...(at % 2 === 0 ? { operation: 'createPet', status: 201 } : {}) },
  );
  assert.equal(failuresIn(answers), []);
});

test('a bucket keeps Remaining the same as often as it refills', () => {
  const filling = (at: number): Partial<Answer> => ({ at: 1 + at / 20, limit: 1_000, reset: Math.ceil(3 + at / 20) });
  const remaining = Array.from({ length: 40 }, (_nothing, at) => 960 - Math.ceil(at / 6));
  assert.equal(failuresIn(timeline(remaining, filling)), []);
});

test('requests of one operation that never count are an overdraft', () => {
  const mixed = [59, 59, 58, 58, 57, 57, 56, 56];
  const answers = timeline(mixed, (at) => (at % 2 === 1 ? { operation: 'createPet', status: 201 } : {}));
  assert.equal(failuresIn(answers), [stays]);
  assert.equal(failuresIn(answers.slice(0, 6)), [stays]);
  const few = timeline([59, 58, 58, 57, 57, 56, 56], (at) =>
    at > 0 && at % 2 === 0 ? { operation: 'createPet', status: 201, limit: 1_000 } : { limit: 1_000 },
  );
  assert.equal(failuresIn(few), [stays]);
});

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

const usedUp = [7, 6, 5, 4, 3, 2, 1, 0];
const comesBack = (back: Partial<Answer>, reset: number): readonly Answer[] => [
  ...timeline(usedUp, () => ({ limit: 8, reset })),
  { at: 46, limit: 8, remaining: 7, reset: reset + 45, ...back },
];

test('a limit does not come back long before its reset', () => {
  const early = ['rate-reset-header: resets-earlier'];
  assert.equal(failuresIn(comesBack({}, 43_245)), early);
  assert.equal(failuresIn(comesBack({}, 100)), early);
  assert.equal(failuresIn(comesBack({}, 70)), []);
  assert.equal(failuresIn(comesBack({ limit: 1_000 }, 43_245)), []);
  assert.equal(failuresIn(comesBack({}, 43_245).map((answer) => ({ ...answer, dateAhead: 'none' as const }))), []);
});

test('a limit may come back half a minute before its reset, by another clock', () => {
  const backAt = (reset: number): readonly Answer[] => [
    ...timeline(count(59, 60), () => ({ reset })),
    { at: 46, limit: 60, remaining: 59, reset: reset + 45 },
  ];
  assert.equal(failuresIn(backAt(76)), []);
  assert.equal(failuresIn(backAt(78)), ['rate-reset-header: resets-earlier']);
});

test('a restart may open a new window of a minute once, before the reset of the last one', () => {
  const restarted = (times: number, reset: number): readonly Answer[] =>
    Array.from({ length: times + 1 }, (_nothing, nth) =>
      timeline(count(59, 8), (at) => ({ at: nth + at / 10, reset: reset + nth })),
    ).flat();
  assert.equal(failuresIn(restarted(1, 60)), []);
  assert.equal(failuresIn(restarted(2, 60)), ['rate-reset-header: resets-earlier']);
  assert.equal(failuresIn(restarted(1, 90)), ['rate-reset-header: resets-earlier']);
});

test('a bucket gives back what it has refilled before it is full, as a gateway with a late Date shows it, too', () => {
  const late = (before: number, after: number, change: (at: number) => Partial<Answer>): readonly string[] =>
    failuresIn(timeline([before, after], (at) => ({ limit: 1_000, at: 1 + 2.1 * at, ...change(at) })));
  const filled = [...timeline(count(59, 59), () => ({ reset: 121 })), { at: 61, limit: 60, remaining: 29, reset: 151 }];
  assert.equal(failuresIn(filled), []);
  assert.equal([late(953, 986, () => ({ reset: 24 })), late(953, 986, () => ({ reset: 45 }))], [[], [rises]]);
});

test('each key has its own timeline', () => {
  const [one, other] = [timeline(count(59, 6)), timeline(count(30, 6))];
  const mixed = one.flatMap((answer, at) => [answer, { ...other[at]!, kind: 'rate-limit' as const }]);
  assert.equal(failuresIn(mixed), []);
  assert.equal(failuresIn(mixed.map((answer) => ({ ...answer, kind: 'valid' as const }))).includes(rises), true);
});

test('after none is left, the API key is served before the reset only as often as a bucket refills', () => {
  const empty = { limit: 60, remaining: 0, reset: 45 };
  const rest = (limit: number, count: number): readonly Answer[] =>
    Array.from({ length: count }, (_nothing, at) => ({ limit, remaining: 50 - at, reset: 45, at: 1.1 + at / 10 }));
  const served = ['rate-remaining-falls: served-without-rest'];
  const beyond = Array.from({ length: 3 }, (_nothing, at) => ({ ...empty, at: 1 + at / 10 }));
  assert.equal(failuresIn(beyond), served);
  const ofOtherKey = beyond.map((answer) => ({ ...answer, kind: 'rate-limit' as const }));
  assert.equal(failuresIn(ofOtherKey), ['rate-exceeded: not-refused']);
  assert.equal(failuresIn([{ ...empty, at: 1 }, ...rest(1_000, 1)]), []);
  assert.equal(failuresIn([{ ...empty, at: 1, reset: 2 }, ...rest(1_000, 2)]), []);
  assert.equal(failuresIn([{ ...empty, at: 1, limit: 0 }, ...rest(1_000, 2)]), []);
});

test('requests of others that leave a sliding window make room although none was left', () => {
  const empty = { kind: 'valid', limit: 100, remaining: 0, reset: 62, at: 1 } as const;
  const before = { ...empty, remaining: 1, at: 0.9 };
  const more = [20, 25, 30, 35, 40].map((remaining) => ({ ...empty, remaining, at: 1 + remaining / 100, reset: 62 }));
  assert.equal(failuresIn([before, empty, ...more]), []);
  const near = [before, empty, ...more].map((answer) => ({
    ...answer,
    reset: 46,
    remaining: Math.min(1, answer.remaining),
  }));
  assert.ok(failuresIn(near).length > 0);
});

test.run();
