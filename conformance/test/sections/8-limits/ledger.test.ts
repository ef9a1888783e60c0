/** The ledger of a key: what a legal limit gives back never fails, and the rest is an overdraft. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { seededRandom } from '../../../../spec/random.ts';
import { type Answer, count, exchangesOf, failuresIn, failuresOf, heldIn, timeline } from './limit-answers.ts';

/** A limit on a stepped clock: takes one request at a time, in seconds; undefined where it is refused. */
type Limiter = (now: number) => { readonly remaining: number; readonly reset: number } | undefined;

/** Requests may stay in the account until they leave; `leavesAt` says when the whole window is empty again. */
function windowed(
  limit: number,
  isOver: (taken: number, now: number) => boolean,
  resetAt: (now: number) => number,
): Limiter {
  let taken: number[] = [];
  return (now) => {
    taken = taken.filter((at) => !isOver(at, now));
    if (taken.length >= limit) return undefined;
    taken.push(now);
    return { remaining: limit - taken.length, reset: Math.ceil(resetAt(now)) };
  };
}

const minute = (now: number): number => Math.floor(now / 60);

const limiters: Readonly<Record<string, (limit: number) => Limiter>> = {
  'a fixed window of a minute': (limit) =>
    windowed(
      limit,
      (at, now) => minute(at) < minute(now),
      (now) => 60 * (minute(now) + 1),
    ),
  'a fixed window of ten seconds': (limit) =>
    windowed(
      limit,
      (at, now) => Math.floor(at / 10) < Math.floor(now / 10),
      (now) => 10 * (Math.floor(now / 10) + 1),
    ),
  'a window of a day': (limit) =>
    windowed(
      limit,
      () => false,
      () => 40_000,
    ),
  'a sliding log of a minute': (limit) =>
    windowed(
      limit,
      (at, now) => now - at >= 60,
      (now) => now + 60,
    ),
  'a bucket': (limit) => {
    let [level, last] = [limit, 0];
    return (now) => {
      level = Math.min(limit, level + ((now - last) * limit) / 60);
      last = now;
      if (level < 1) return undefined;
      level -= 1;
      return { remaining: Math.floor(level), reset: Math.ceil(now + ((limit - level) * 60) / limit) };
    };
  },
  'an estimate from two windows': (limit) => {
    const counts = new Map<number, number>();
    return (now) => {
      const window = minute(now);
      const before = (counts.get(window - 1) ?? 0) * (1 - (now / 60 - window));
      const used = Math.ceil(before + (counts.get(window) ?? 0));
      if (used >= limit) return undefined;
      counts.set(window, (counts.get(window) ?? 0) + 1);
      return { remaining: limit - used - 1, reset: 60 * (window + 1) };
    };
  },
};

interface Ground {
  /** The largest pause between two requests, seconds. */
  readonly pause: number;
  /** How often another client takes one between two requests. */
  readonly others?: number;
  /** The request before which the service loses its counts. */
  readonly restartBefore?: number;
}

/** What a run of up to eighty requests sees of a limiter; it ends where it would have to wait for more than a minute. */
function seenOf(create: (limit: number) => Limiter, limit: number, seed: number, ground: Ground): readonly Answer[] {
  const random = seededRandom(seed);
  let limiter = create(limit);
  let now = 1 + 50 * random();
  const answers: Answer[] = [];
  for (let at = 0; at < 80; at += 1) {
    now += 0.005 + ground.pause * random();
    if (at === ground.restartBefore) limiter = create(limit);
    if (random() < (ground.others ?? 0)) limiter(now);
    let state = limiter(now);
    for (let waited = 0; state === undefined && waited < 61; waited += 1) {
      now += 1;
      state = limiter(now);
    }
    if (state === undefined) break;
    answers.push({ at: now, limit, ...state });
  }
  return answers;
}

const grounds: Readonly<Record<string, Ground>> = {
  'asked at once': { pause: 0.02 },
  'asked now and then': { pause: 3 },
  'with other clients': { pause: 0.5, others: 0.4 },
  'restarted once': { pause: 0.02, restartBefore: 30 },
};

for (const [what, create] of Object.entries(limiters)) {
  for (const [how, ground] of Object.entries(grounds)) {
    test(`${what}, ${how}, fails nothing`, () => {
      for (const limit of [60, 1_000])
        for (let seed = 1; seed <= 10; seed += 1)
          assert.equal([limit, seed, failuresIn(seenOf(create, limit, seed, ground))], [limit, seed, []]);
    });
  }
}

test('Remaining that falls is evidence', () => {
  assert.ok(heldIn(timeline(count(59, 3))).includes('rate-remaining-falls'));
});

const ofOperation = (operation: 'createPet' | 'getPet') => (at: number) =>
  at > 0 && at % 2 === 0 ? { operation, limit: 1_000 } : { limit: 1_000 };
const restarts = [...count(40, 4), ...count(59, 6), ...count(59, 6), ...count(59, 6)];
/** One for a listing and five for a read, in turn. */
const priced = Array.from({ length: 17 }, (_nothing, at) => 900 - 3 * at + (at % 2) * 2);
const served = Array.from({ length: 6 }, (_nothing, at) => ({ at: 1 + at / 10, limit: 60, remaining: 0, reset: 45 }));

/** What no limit, no restart and no other client explains. */
const faults: Readonly<Record<string, readonly [answers: readonly Answer[], code: string]>> = {
  'stays the same': [timeline(count(42, 8, 0)), 'rate-remaining-falls: never-falls'],
  'stays the same where it is full': [
    timeline(count(1_000, 8, 0), () => ({ limit: 1_000 })),
    'rate-remaining-falls: never-falls',
  ],
  'stays the same for a day': [
    timeline(count(90_000, 20, 0), () => ({ limit: 100_000, reset: 40_000 })),
    'rate-remaining-falls: never-falls',
  ],
  'goes up and down': [timeline([50, 60, 48, 60, 46, 60].map((left) => left - 1)), 'rate-remaining-falls: rises'],
  'starts anew three times': [timeline(restarts), 'rate-remaining-falls: rises'],
  'never falls for one operation': [
    timeline([59, 58, 58, 57, 57, 56, 56], ofOperation('createPet')),
    'rate-remaining-falls: stays',
  ],
  'falls by five with each read': [timeline(priced, ofOperation('getPet')), 'rate-remaining-falls: counts-several'],
  'is nothing and requests are served': [served, 'rate-remaining-falls: served-without-rest'],
  'comes back with a new reset while the old one is a day ahead': [
    [...timeline(count(7, 8), () => ({ limit: 8, reset: 43_245 })), { at: 46, limit: 8, remaining: 7, reset: 43_290 }],
    'rate-reset-header: resets-earlier',
  ],
};

for (const [what, [answers, code]] of Object.entries(faults))
  test(`a limit fails where Remaining ${what}`, () =>
    assert.ok(failuresIn(answers).includes(code), failuresIn(answers).join()));

const withErrors = (remaining: readonly number[]): readonly Answer[] =>
  timeline(remaining, (at) => (at % 2 === 1 ? { status: 404, operation: 'getPet' } : {}));

/** What is no overdraft, although Remaining does not fall with each request. */
const legal: Readonly<Record<string, readonly Answer[]>> = {
  'an error that counts': withErrors([50, 49, 48, 47, 46, 45]),
  'an error that does not count': withErrors([50, 50, 49, 49, 48, 48]),
  'one request that is given back': timeline([59, 58, 58, 57, 56, 55]),
  'a rise at the reset': timeline([30, 59], (at) => ({ reset: 45 + 60 * at })),
  'a rise with another limit': timeline([30, 29, 59], (at) => ({ limit: at === 2 ? 1_000 : 60 })),
  'a reset that may just have passed': timeline([30, 59], (at) => ({ at: 43.5 + at })),
  'another key': timeline(count(59, 6)).flatMap((answer, at) => [
    answer,
    { ...answer, remaining: 30 - at, kind: 'rate-limit' },
  ]),
};

for (const [what, answers] of Object.entries(legal))
  test(`${what} is no overdraft`, () => assert.equal(failuresIn(answers), []));

test('answers that overtake each other are no rise', () => {
  assert.equal(failuresOf(exchangesOf(timeline([55, 58, 57, 59, 56]), true)), []);
  assert.equal(failuresOf(exchangesOf(timeline(count(59, 8))).toReversed()), []);
});

test.run();
