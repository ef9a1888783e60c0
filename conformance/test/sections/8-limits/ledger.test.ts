/** The account of one key: which changes of its headers no window, bucket or other client explains. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { trialSettings } from '../../../proof/trial.ts';
import { accountCheck } from '../../../sections/8-limits/ledger.ts';
import { readWorld } from '../../../world/world.ts';
import * as evidence from '../evidence.ts';
import { type Answer, count, exchangesOf, failuresIn, handMade, heldIn, timeline } from './limit-answers.ts';

const tooFar = 'rate-remaining-falls: falls-too-far';
const placeholder = 'rate-limit-header: placeholder';
const silent = 'rate-retry-after: unusable';
const rises = 'rate-remaining-falls: rises';
const stays = 'rate-remaining-falls: stays';
const early = 'rate-reset-header: resets-earlier';
const alternates = 'rate-limit-header: alternates';

type Change = Partial<Answer> | ((at: number) => Partial<Answer>);
type Row = readonly [remaining: readonly number[], change: Change, failures: readonly string[]];

const slow = (at: number): Partial<Answer> => ({ at: 1 + at * 4 });
const sliding = (at: number): Partial<Answer> => ({ reset: Math.ceil(1 + at / 100) + 59 });
const creation = { operation: 'createPet', status: 201 } as const;
const missing = { operation: 'getPet', status: 404 } as const;
const refusedOnce = (at: number): Partial<Answer> => (at === 1 ? { status: 429, retryAfter: 0 } : {});
const refusedSilently =
  (seconds: number) =>
  (at: number): Partial<Answer> => ({
    ...(at === 1 ? { status: 429 } : {}),
    ...(at < 2 ? {} : { at: seconds }),
    reset: 3_000,
  });
const limitsInTurn = (at: number): Partial<Answer> => ({ limit: at % 2 ? 1_000 : 60 });
const everyOther = (change: Partial<Answer>) => (at: number) => (at % 2 === 1 ? change : {});
const afterPause = (reset: number) => (at: number) => (at < 2 ? {} : { at: 70 + at / 100, reset });
const fallsSlowly = (at: number): Partial<Answer> => {
  const seconds = at < 12 ? at : 12 + at / 100;
  return { at: 1 + seconds, reset: Math.ceil(4 + seconds + at) };
};
const usedUp = count(7, 8);
const comesBack = (reset: number, back: number, change: Partial<Answer> = {}) => {
  return (at: number) => ({ limit: 8, reset, ...(at === 8 ? { at: 46, reset: back } : {}), ...change });
};

const ofBusiness = { limit: 1_000 } as const;
/** What is left after falls of some sizes. */
const falling = (size: (at: number) => number, length: number): readonly number[] => {
  let left = 958;
  return Array.from({ length }, (_nothing, at) => {
    left -= at === 0 ? 0 : size(at);
    return left;
  });
};
const creationsBetween = (at: number): Partial<Answer> => ({ ...ofBusiness, ...(at % 2 === 1 ? creation : {}) });

const rows: Readonly<Record<string, Row>> = {
  'stays once, as a fraction of a bucket explains': [[40, 40], {}, []],
  'falls in steps of two': [count(59, 20).map((left) => left - (left % 2)), {}, [stays]],
  'never falls in a day, which gives back little': [count(90_000, 20, 0), { limit: 100_000, reset: 40_000 }, [stays]],
  'rises before the reset': [[59, 58, 59, 57], {}, [rises]],
  'rises after a refusal that is over': [[30, 30, 29, 45], refusedOnce, [rises]],
  'rises within the minute after a refusal that says no time': [[30, 30, 45], refusedSilently(20), [rises, silent]],
  'rises a minute after it': [[30, 30, 45], refusedSilently(70), [silent]],
  'rises with a reset that moves on': [[30, 59], (at) => ({ reset: 45 + 60 * at }), []],
  'rises with another limit': [[30, 29, 59], (at) => ({ limit: at === 2 ? 1_000 : 60 }), []],
  'rises where whole seconds leave open whether the reset has passed': [[30, 59], (at) => ({ at: 43.5 + at }), []],
  'rises where the later clock says that the reset has passed': [[30, 50], (at) => ({ dateAhead: 43 * at }), []],
  'rises where the earlier clock says that the reset has passed': [
    [30, 50],
    (at) => ({ at: 1 + 45 * at, dateAhead: -43 * at }),
    [],
  ],
  'rises and steps back: two counters': [[30, 40, 29], (at) => ({ reset: at === 1 ? 43 : 45 }), [rises]],
  'a restart loses the count once': [[...count(53, 4), ...count(59, 6)], {}, []],
  'a restart within a day loses the count once': [[...count(53, 4), ...count(59, 6)], { reset: 40_000 }, []],
  'after a restart a window of a minute begins anew': [
    [...count(53, 4), ...count(59, 6)],
    (at) => ({ reset: at < 4 ? 45 : 60 }),
    [],
  ],
  'a window of a day does not begin anew': [
    [...count(53, 4), ...count(59, 6)],
    (at) => ({ reset: at < 4 ? 40_000 : 40_500 }),
    [early],
  ],
  'a rise of four is the smallest of a restart': [[...count(58, 4), ...count(59, 6)], {}, []],
  'a rise to less than the limit is no restart': [[...count(54, 4), ...count(50, 4), ...count(54, 4)], {}, [rises]],
  'a small rise is no restart': [[...count(59, 4), ...count(59, 6)], {}, [rises]],
  'one more than was sent since is no restart': [[...count(53, 4), ...count(57, 6)], {}, [rises]],
  'a restart after which one request is shown': [[...count(53, 4), ...count(58, 6)], {}, []],
  'a second restart': [[...count(40, 4), ...count(59, 6), ...count(59, 6)], {}, [rises]],
  'an error follows a restart': [[...count(53, 4), ...count(59, 5)], (at) => (at === 4 ? { status: 401 } : {}), []],
  'sixty of the last window leave evenly until the reset: a sliding counter': [[10, 13, 16], slow, []],
  'more than sixty leave': [[10, 20, 30], slow, [rises]],
  'errors do not count': [[50, 50, 49, 49, 48, 48], everyOther(missing), []],
  'errors are counted, and given back late': [[50, 49, 49, 48, 48, 47], everyOther(missing), []],
  'what others used before the run leaves a sliding window': [[20, 30, 40, 39], sliding, []],
  'it does from 58 s on': [[20, 30, 40, 39], (at) => ({ at: 1 + at, reset: 59 + at }), []],
  'more leaves it': [[50, 49, 59, 49, 59, 49], sliding, [rises]],
  'what counts up with each of many requests is none of theirs': [count(20, 12, 1), sliding, [early]],
  'ten steps are many': [count(20, 11, 1), sliding, [early]],
  'nine are not, nor some of which one falls': [count(20, 10, 1), sliding, []],
  'nor eleven of which one falls': [[...count(20, 6, 1), ...count(24, 6, 1)], sliding, []],
  'something leaves an unused one': [[59, 58, 59, 57], sliding, [rises]],
  "the run's own requests leave it after a minute": [[59, 58, 40, 50, 55], afterPause(131), []],
  'those of a day do not': [[59, 58, 30, 50], (at) => ({ reset: 40_000, at: at < 2 ? at : 70 + at * 3 }), [rises]],
  'a bucket stays as often as it refills': [
    Array.from({ length: 40 }, (_nothing, at) => 960 - Math.ceil(at / 6)),
    (at) => ({ at: 1 + at / 30, limit: 1_000, reset: Math.ceil(3 + at / 30) }),
    [],
  ],
  'a bucket refills before the next request': [count(57, 6, 0), (at) => ({ at: 1 + at, reset: 61 + at }), []],
  'a bucket falls for a while, and then no more': [[...count(57, 12), ...count(46, 6, 0)], fallsSlowly, [stays]],
  'a bucket refills after a while': [[59, 29], (at) => ({ reset: 121 + 30 * at, at: 1 + at * 60 }), []],
  'a bucket whose reset lies two minutes ahead refills within them': [
    [59, 29, 39],
    (at) => ({ at: at < 2 ? 1 + at / 100 : 21, reset: at < 2 ? 121 : 131 }),
    [],
  ],
  'it gives back no more than that': [
    [59, 29, 41],
    (at) => ({ at: at < 2 ? 1 + at / 100 : 21, reset: at < 2 ? 121 : 131 }),
    [early],
  ],
  'rises a minute after an error, which is no refusal': [
    [30, 30, 45],
    (at) => ({ ...(at === 1 ? missing : {}), ...(at < 2 ? {} : { at: 70 }), reset: 3_000 }),
    [rises],
  ],
  'nothing is left of a limit that is no placeholder': [count(0, 12, 0), {}, [stays]],
  'a bucket is one request ahead of what it shows': [
    [957, 957],
    (at) => ({ limit: 1_000, at: 1 + at / 1e3, reset: 5 }),
    [],
  ],
  'it is no more than that': [[957, 957, 957], (at) => ({ limit: 1_000, at: 1 + at * 0.012, reset: 5 }), [stays]],
  'it is refilled faster than that': [[953, 986], (at) => ({ limit: 1_000, at: 1 + 2.1 * at, reset: 45 }), [rises]],
  'the other key is served, none left': [count(0, 3, 0), { kind: 'rate-limit' }, ['rate-exceeded: not-refused']],
  'a limit of zero is a placeholder': [count(0, 9, 0), { limit: 0 }, []],
  'a placeholder while many requests are served': [count(0, 10, 0), { limit: 0 }, [placeholder]],
  'a limit of zero without a key': [count(0, 20, 0), { limit: 0, kind: 'missing' }, []],
  'a limit of zero on errors': [count(0, 20, 0), { limit: 0, status: 404, operation: 'getPet' }, []],
  'comes back half a day before its reset': [[...usedUp, 7], comesBack(43_245, 43_290), [early]],
  'comes back half a minute before its reset, by another clock': [[...usedUp, 7], comesBack(74, 119), []],
  'comes back where no Date shows the clock': [[...usedUp, 7], comesBack(43_245, 43_290, { dateAhead: 'none' }), []],
  'limits alternate while one number falls': [count(40, 8), (at) => ({ limit: at % 2 ? 60 : 1_000 }), [alternates]],
  'a limit repeats the number that is left': [count(40, 8), (at) => ({ limit: 40 - at }), [alternates]],
  'a limit changes and back': [count(40, 8), (at) => ({ limit: at < 3 || at > 5 ? 60 : 1_000 }), []],
  'a limit alternates three times': [count(40, 4), limitsInTurn, [alternates]],
  'a limit alternates twice': [count(40, 3), limitsInTurn, []],
  'two windows are described in turn': [[40, 900, 39, 899, 38, 898, 37, 897], limitsInTurn, []],
};

for (const [title, [remaining, change, failures]] of Object.entries(rows)) {
  test(`Remaining: ${title}`, () => {
    assert.equal(failuresIn(timeline(remaining, typeof change === 'function' ? change : () => change)), failures);
  });
}

/** Twenty falls or more: of all requests, or with creations in between that take another number. */
const falls: Readonly<Record<string, Row>> = {
  'by two each time': [count(958, 21, -2), ofBusiness, [tooFar]],
  'by two, twenty times at least': [count(958, 20, -2), ofBusiness, []],
  'by one': [count(958, 40), ofBusiness, []],
  'by two, given back now and then': [falling((at) => (at % 11 === 10 ? 1 : 2), 40), ofBusiness, [tooFar]],
  'by two, but for the first': [falling((at) => (at === 1 ? 1 : 2), 40), ofBusiness, [tooFar]],
  'by two in three of four, as beside another client': [falling((at) => (at % 4 === 3 ? 1 : 2), 40), ofBusiness, []],
  'by two in six of seven': [falling((at) => (at % 7 === 6 ? 1 : 2), 40), ofBusiness, []],
  'by two with all operations, each of which is too rare': [count(958, 30, -2), creationsBetween, [tooFar]],
  'by two and by three': [falling((at) => 2 + (at % 2), 40), ofBusiness, []],
  'by five for each creation': [falling((at) => (at % 2 === 1 ? 5 : 1), 50), creationsBetween, [tooFar]],
  'by two with each new limit': [count(958, 21, -2), (at) => ({ ...ofBusiness, limit: 1_000 + at }), []],
  'by ten of the key that only the run uses': [count(958, 11, -2), { ...ofBusiness, kind: 'rate-limit' }, [tooFar]],
  'by two where answers in between have no number': [
    count(958, 26, -2),
    (at) => ({ ...ofBusiness, ...(at % 12 === 5 ? { limit: 'many' } : {}) }),
    ['rate-limit-header: not-an-integer', 'rate-limit-header: not-an-integer', tooFar],
  ],
  'by two where a copy may lie in between': [count(958, 40, -2), (at) => ({ ...ofBusiness, age: at }), []],
};

for (const [title, [remaining, change, failures]] of Object.entries(falls)) {
  test(`Remaining falls ${title}`, () => {
    assert.equal(failuresIn(timeline(remaining, typeof change === 'function' ? change : () => change)), failures);
  });
}

test('requests beside which the run sent others, with any key, show no steady fall', () => {
  const answers = timeline(count(958, 60, -1), (at) => ({ ...ofBusiness, kind: at % 2 === 1 ? 'missing' : 'valid' }));
  assert.equal(failuresIn(answers), []);
  assert.equal(
    failuresIn(
      timeline(count(958, 40, -2), () => ofBusiness),
      {},
      true,
    ),
    [],
  );
});

test('a steady fall is seen between requests during which no other was under way', () => {
  const alone = handMade(timeline(count(958, 40, -2), () => ofBusiness)).map((answer, at) => {
    return { ...answer, events: [10 * at, 10 * at + 5] as const };
  });
  const [other] = handMade([{ at: 1, kind: 'missing', status: 401, ...ofBusiness, remaining: 59, reset: 45 }]);
  const withOthers = (...events: readonly (readonly [number, number])[]) =>
    evidence
      .failuresIn([...alone, ...events.map((one) => ({ ...other!, events: one }))], /^rate-remaining/)
      .map(({ requirement, failure }) => `${requirement}: ${failure.code}`);
  const each = (sent: number, answered: number) =>
    alone.map((_one, at) => [10 * at + sent, 10 * at + answered] as const);
  assert.equal(withOthers(), [tooFar]);
  // Two at a time, the second of which is sent before the first is answered.
  const inPairs = alone.map((answer, at) => {
    const sent = 20 * Math.floor(at / 2) + 4 * (at % 2);
    return { ...answer, events: [sent, sent + 8] as const };
  });
  assert.equal(evidence.failuresIn(inPairs, /^rate-remaining/), []);
  assert.equal(withOthers([-9, -8], [900, 901]), [tooFar]);
  assert.equal(withOthers([-9, 1_000]), []);
  assert.equal(withOthers(...each(2, 12)), []);
  assert.equal(withOthers(...each(4, 7)), []);
  assert.equal(withOthers(...each(6, 8)), []);
  // Under way with the later one alone: it is sent before that one is answered.
  assert.equal(withOthers(...each(12, 18).filter((_one, at) => at % 2 === 0)), []);
});

test('requests of two keys in turn show none of either', () => {
  for (const kinds of [
    ['valid', 'rate-limit'],
    ['rate-limit', 'valid'],
  ] as const) {
    const inTurn = timeline(count(958, 60, -2), (at) => ({ ...ofBusiness, kind: kinds[at % 2] ?? 'valid' }));
    assert.equal(failuresIn(inTurn), []);
  }
});

test('a steady fall counts no request that was refused or is a copy', () => {
  const twenty = count(958, 21, -2);
  const changed = (change: Partial<Answer>) =>
    timeline(twenty, (at) => ({ ...ofBusiness, ...(at === 20 ? change : {}) }));
  assert.equal(failuresIn(changed({ status: 404, operation: 'getPet' })), []);
  assert.equal(failuresIn(changed({ age: 1 })), []);
  assert.equal(failuresIn(timeline(twenty, (at) => ({ ...ofBusiness, ...(at === 0 ? { age: 1 } : {}) }))), []);
  // Nine of ten is enough.
  assert.equal(
    failuresIn(
      timeline(
        falling((at) => (at % 10 === 9 ? 1 : 2), 41),
        () => ofBusiness,
      ),
    ),
    [tooFar],
  );
});

test('a message compares the numbers of one limit', () => {
  const inTurn = timeline([970, 970, 970, 280, 280, 280], (at) => ({ limit: at < 3 ? 1_000 : 300 }));
  const [finding] = accountCheck.judge(readWorld(exchangesOf(inTurn), trialSettings(60)));
  assert.match(JSON.stringify(finding), /to fall by 2 or more","received":"970 after 970"/);
  const falling = accountCheck.judge(readWorld(exchangesOf(timeline(count(40, 8), limitsInTurn)), trialSettings(60)));
  assert.match(JSON.stringify(falling), /"received":"1000 and 60 while X-RateLimit-Remaining fell by one each"/);
});

test('a fall is evidence, also where the reset may have come in between, unless the limit is another', () => {
  const isShown = (change: (at: number) => Partial<Answer>, remaining: readonly number[] = [40, 39]) =>
    heldIn(timeline(remaining, change)).includes('rate-remaining-falls');
  assert.ok(isShown(() => ({})));
  assert.ok(isShown(() => ({ reset: 2 })));
  assert.not.ok(isShown(() => ({ reset: 2 }), [40, 40]));
  assert.not.ok(isShown((at) => ({ limit: 60 + at })));
});

test('answers that overtake each other are no rise', () => {
  assert.equal(failuresIn(timeline([55, 58, 57, 59, 56]), {}, true), []);
});

test('each key has its own account', () => {
  const other = timeline(count(30, 6));
  const mixed = timeline(count(59, 6)).flatMap((one, at) => {
    const ofOther = { ...other[at]!, kind: 'rate-limit' } as const;
    return [one, ofOther, { ...ofOther, kind: 'missing', remaining: 59 } as const];
  });
  assert.equal(failuresIn(mixed), []);
  assert.ok(failuresIn(mixed.map((answer) => ({ ...answer, kind: 'valid' as const }))).includes(rises));
});

test('503 to a used-up key is no outage where another key is served meanwhile', () => {
  const [served] = timeline([0], () => ({ kind: 'rate-limit' }));
  const bare = { at: 1.01, status: 503, kind: 'rate-limit' } as const;
  const other = { ...served!, kind: 'valid', remaining: 40 } as const;
  const parts = { served: served!, other, '503': bare, '500': { ...bare, status: 500 } } as const;
  const failuresOf = (order: string) =>
    failuresIn(order.split(' ').map((name) => parts[name as keyof typeof parts])).filter(
      (one) => !one.endsWith('missing'),
    );
  assert.equal(failuresOf('served 503 503 other 503'), ['rate-exceeded: not-refused']);
  for (const outage of ['503 503 503 other', 'other 503 503 503', '503 served 503 503', '500 500 other 500'])
    assert.equal(failuresOf(`served ${outage}`), [], outage);
});

test('copies from a cache are no readings', () => {
  const target = '/pets?limit=1';
  const between = (at: number): Partial<Answer> => (at % 2 === 1 ? creation : { target });
  for (const [remaining, change, failures] of [
    [[59, 58, 59, 57, 59, 56], between, []],
    [[59, 58, 57, 57, 58, 56], (at: number) => (at === 4 ? { age: 1 } : {}), []],
    // Another request is no copy, and neither is an equal answer to the other key, or that to a creation.
    [[59, 58, 59, 57], (at: number) => (at === 1 ? creation : {}), [rises]],
    [
      [59, 58, 59, 57, 58],
      (at: number) => ({ target: at === 1 ? '/pets' : target, ...(at === 2 ? { kind: 'rate-limit' } : {}) }),
      [rises],
    ],
    [[59, 58, 59, 50, 57], (at: number) => (at % 2 === 0 && at < 4 ? { target } : creation), [rises]],
  ] as readonly (readonly [number[], (at: number) => Partial<Answer>, string[]])[])
    assert.equal(failuresIn(timeline(remaining, change)), failures, String(remaining));
});

test.run();
