/** §8: answers beyond the limit of a key, Retry-After, and recovery. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { endOfExhaustion, listWith, resetAheadOf } from '../../../sections/8-limits/exhaustion.ts';
import { limitReadingOf } from '../../../sections/8-limits/readings.ts';
import { type Answer, count, exchangesOf, failuresIn, heldIn } from './limit-answers.ts';

const kind = 'rate-limit';
const limit = 8;

/** A key that is used up in a few milliseconds of a window that ends at 45 s. */
const usedUp: readonly Answer[] = count(7, 8).map((remaining, at) => {
  return { kind, limit, remaining, reset: 45, at: 1 + at / 100 };
});

function served(at: number, change: Partial<Answer> = {}): Answer {
  return { kind, limit, remaining: 0, reset: 45, at, ...change };
}

const refusal = (at: number, change: Partial<Answer> = {}): Answer =>
  served(at, { status: 429, retryAfter: 44, ...change });
const change = (answers: readonly Answer[], part: Partial<Answer>): readonly Answer[] =>
  answers.map((answer) => ({ ...answer, ...part }));

const notRefused = 'rate-exceeded: not-refused';
const early = 'rate-exceeded: refused-early';
const unusable = 'rate-retry-after: unusable';
const tooLong = 'rate-retry-after-length: beyond-a-day';
const sooner = 'rate-retry-after: served-sooner';
const later = 'rate-retry-after: refused-later';
const tooShort = 'rate-retry-after-suffices: refused-later';
const stillRefused = 'rate-recovery: still-refused';

type Row = readonly [answers: readonly Answer[], ...failures: string[]];
const after = (answers: readonly Answer[], ...failures: string[]): Row => [[...usedUp, ...answers], ...failures];
const back = served(47, { remaining: 7, reset: 105 });
const second = refusal(47, { reset: 105, retryAfter: 58 });
const ofTheDay = { limit: 1_000, reset: 40_000 };
const sliding = (from: number, extra: number): readonly Answer[] => [
  ...change(usedUp.slice(from), { reset: 61 }),
  ...count(0, extra, 0).map((_nothing, at) => served(2 + at / 10, { reset: 62 })),
];
const steady = 'rate-remaining-falls: falls-too-far';
const missing = ['limit', 'remaining', 'reset'].map((name) => `rate-${name}-header: missing`);
/** A 429 without the headers of §8. */
const bare = (at: number, change: Partial<Answer> = {}): Answer => ({
  kind,
  at,
  status: 429,
  retryAfter: 44,
  ...change,
});
/** Requests that take two each of a limit. */
const takesTwo = (length: number, full = 60): readonly Answer[] =>
  count(full - 2, length, -2).map((remaining, at) => ({ kind, limit: 60, remaining, reset: 45, at: 1 + at / 100 }));
const takesTwoForError: Answer = {
  kind,
  limit: 60,
  remaining: 0,
  reset: 45,
  at: 1.5,
  status: 404,
  operation: 'getPet',
};
const refusalOfSixty: Answer = { kind, status: 429, limit: 60, remaining: 0, reset: 45, at: 2, retryAfter: 44 };
/** Answers of a service that sends no header of §8 at all. */
const headless = (length: number): readonly Answer[] =>
  count(0, length).map((_nothing, at) => ({ kind, at: 1 + at / 100 }));
const headless429 = (at: number): Answer => ({ kind, at, status: 429, retryAfter: 30 });
const creation = { operation: 'createPet', status: 201, kind } as const;
const served201 = (length: number, from = 2): readonly Answer[] =>
  count(0, length).map((_nothing, at) => ({ ...creation, at: from + 0.01 * (at + 1) }));
const cached = (length: number): readonly Answer[] =>
  count(0, length).map((_nothing, at) => ({ kind, operation: 'getPet', target: '/pets/7', at: 2 + 0.01 * (at + 1) }));
/** Two reads that no earlier request asked for. */
const reads = (change: Partial<Answer>): readonly Answer[] =>
  [8, 9].map((id) => ({ kind, operation: 'getPet', target: `/pets/${id}`, at: 2 + id / 1_000, ...change }));
const pause = headless429(4);
const past = new Date(Date.UTC(2026, 10, 21, 11, 59, 50)).toUTCString();

const rows: Readonly<Record<string, readonly Row[]>> = {
  'every operation is answered 429 beyond the limit': [
    after([refusal(2), refusal(2.1, { operation: 'createPet' }), refusal(2.2)]),
    after([refusal(2), served(2.1, { operation: 'createPet', status: 201 })], notRefused),
    after([served(40)], notRefused),
    after([served(40, { status: 403 })], notRefused),
  ],
  'a client that continues after a 429 may be banned': [
    ...[401, 403].map((status) => after([refusal(2), served(2.1, { status })])),
    after([refusal(2), refusal(2.1, { reset: 864_000, retryAfter: 864_000 })]),
    after([refusal(2), served(2.1, { status: 404 })], notRefused),
  ],
  'a bucket, a new window and what others used before may make room': [
    [[...usedUp.map((answer, at) => ({ ...answer, reset: 8 * (at + 1) })), served(16, { reset: 64 })]],
    after([served(44.5, { remaining: 7, reset: 105 })]),
    [sliding(2, 2)],
    [sliding(2, 5), notRefused],
  ],
  'no 429 comes before the limit, unless others use the key or the headers describe another window': [
    [[...usedUp.slice(0, 5), refusal(2)], early],
    [[...usedUp.slice(0, 7), refusal(2)], early],
    [[...usedUp.slice(0, 5), refusal(2, { retryAfter: 36_000 })]],
    [[...usedUp.slice(0, 5), refusal(2, { limit: 60 })]],
    [[...usedUp.slice(0, 5), refusal(2, { reset: 105 })]],
    [[...usedUp.slice(0, 5), refusal(2, { reset: 50 })]],
    [[...change(usedUp, ofTheDay), refusal(2, { ...ofTheDay, remaining: 900 })]],
    [[...[7, 6, 2].map((remaining, at) => ({ ...usedUp[at]!, remaining })), refusal(2)]],
    [[...usedUp.slice(4, 7), refusal(2)]],
    [[refusal(0.5), ...usedUp.slice(0, 6), refusal(2)]],
    // An error in between may have counted.
    [[...usedUp.slice(0, 7), { ...usedUp[6]!, status: 404, operation: 'getPet' }, refusal(2)]],
  ],
  'a 429 shows that none is left': [
    after([refusal(2), refusal(2.1, { remaining: 3 })], early),
    after([refusal(2, { limit: 60, remaining: 3 })]),
    // Another answer than a 429 may show some.
    after([refusal(2), served(44.9, { remaining: 7 })]),
    after([refusal(2), refusal(2.1), refusal(2.2), refusal(2.3, { remaining: 3 })]),
  ],
  'each of the first three 429s has a Retry-After': [
    after([refusal(2), refusal(2.1), refusal(2.2, { retryAfter: '' })], unusable),
    after([refusal(2), refusal(2.1), refusal(2.2), refusal(2.3, { retryAfter: '' })]),
    // Without a key there is none to wait for.
    after([refusal(2), served(2.1, { status: 429, kind: 'missing' })]),
  ],
  'a Retry-After of more than a day warns, unless a ban may have followed': [
    after([refusal(2, { retryAfter: 86_401 })], tooLong),
    after([refusal(2, { retryAfter: 86_400 })]),
    after([refusal(2), refusal(2.1, { retryAfter: 864_000 })]),
  ],
  'a key that is served again an hour before Retry-After ends refutes it': [
    after([refusal(2, { retryAfter: 7_200 }), back], sooner),
    [
      [
        ...change(usedUp, { limit: 0, remaining: 0 }),
        refusal(2, { limit: 0, retryAfter: 7_200 }),
        served(60, { limit: 0, reset: 105 }),
      ],
    ],
    after([refusal(2, { retryAfter: 3_600 }), back]),
    // A bucket may serve it before the reset.
    after([refusal(2, { retryAfter: 7_200 }), served(44.9, { remaining: 7 })]),
    // Another client uses the key, too, or another limit than the one that is used up refused it.
    [[{ ...usedUp[0]!, remaining: 5 }, ...usedUp.slice(3), refusal(2, { retryAfter: 7_200 }), back]],
    [[...usedUp.slice(0, -1), refusal(2, { retryAfter: 7_200 }), back]],
  ],
  'a Retry-After of 0 is refuted by a 429 two seconds later, long before the reset': [
    after([refusal(2, { retryAfter: 0 }), refusal(5, { retryAfter: 0 })], later, tooShort),
    after([refusal(2, { retryAfter: 0 }), refusal(3.9, { retryAfter: 0 })]),
    after([refusal(2, { retryAfter: 0 }), refusal(44, { retryAfter: 0 })]),
    // Another client uses the key, too, or the headers describe another limit by then.
    [[{ ...usedUp[0]!, remaining: 5 }, ...usedUp.slice(3), refusal(2, { retryAfter: 0 }), refusal(5)]],
    after([refusal(2, { retryAfter: 0 }), refusal(5, { limit: 1_000, reset: 40_000 })]),
  ],
  'so is a date that is past, such as local time that says GMT': [
    after([refusal(2, { retryAfter: past }), refusal(5, { retryAfter: past })], later, tooShort),
    after([refusal(2, { retryAfter: past }), refusal(44, { retryAfter: past })]),
  ],
  'a short Retry-After is refuted by a 429 after it, long before the reset, and only warns': [
    after([refusal(2, { retryAfter: 5 }), refusal(8, { retryAfter: 5 })], tooShort),
    after([refusal(2, { retryAfter: 5 }), refusal(8, { retryAfter: 5 }), back], tooShort),
    after([refusal(2, { retryAfter: 5 }), refusal(6.9, { retryAfter: 5 })]),
    after([refusal(2, { retryAfter: 5 }), refusal(43.5, { retryAfter: 5 })]),
    after([refusal(2, { retryAfter: 5 }), refusal(2.1, { retryAfter: 9 }), refusal(8, { retryAfter: 5 })]),
    after([refusal(2, { retryAfter: 5 }), refusal(8, { limit: 1_000, retryAfter: 5 })]),
    [[...usedUp.slice(0, -1), refusal(2, { retryAfter: 5 }), refusal(8, { retryAfter: 5 })], early],
  ],
  'a bare 429 is the same refusal: it stands for the limit that the answers before it showed': [
    after([bare(2), bare(2.1)], ...missing, ...missing),
    [[...usedUp.slice(0, 5), bare(2)], ...missing, early],
    [[...usedUp.slice(0, 5), bare(2, { retryAfter: 36_000 })], ...missing],
    [[...change(usedUp.slice(0, 5), ofTheDay), bare(2)], ...missing],
    [[...[7, 6, 2].map((remaining, at) => ({ ...usedUp[at]!, remaining })), bare(2)], ...missing],
    after([bare(2, { retryAfter: 0 }), bare(5, { retryAfter: 0 })], ...missing, ...missing, later, tooShort),
    after([bare(2, { retryAfter: 5 }), bare(8, { retryAfter: 5 })], ...missing, ...missing, tooShort),
    after([bare(2, { retryAfter: '' })], ...missing, unusable),
    // Retry-After is over, but not the reset that the last served answer showed.
    after(
      [2, 20, 40].map((at) => bare(at, { retryAfter: 1 })),
      ...missing,
      ...missing,
      ...missing,
      tooShort,
    ),
    after(
      [2, 47, 50].map((at) => bare(at, { retryAfter: 1 })),
      ...missing,
      ...missing,
      ...missing,
      stillRefused,
    ),
  ],
  'a key of sixty serves more than thirty': [
    [[...takesTwo(30), refusalOfSixty], steady, early],
    [[...takesTwo(30).slice(1), refusalOfSixty], steady],
    // Each error since the last number may have taken two as well.
    [[...takesTwo(28), ...[1, 2, 3].map(() => takesTwoForError), refusalOfSixty], steady],
    [[...takesTwo(30), { ...refusalOfSixty, limit: 1_000 }], steady],
    // Where the limit changed meanwhile, or was not full at first, it may have served others.
    [[{ ...takesTwo(1)[0]!, limit: 59 }, ...takesTwo(30).slice(1), refusalOfSixty], steady],
    [[headless(1)[0]!, ...takesTwo(29, 58), refusalOfSixty], ...missing, steady],
    // One is left, and each takes two.
    [[...change(takesTwo(30, 61), { limit: 61 }), { ...refusalOfSixty, limit: 61 }], steady, early],
  ],
  'no operation is served while another is refused, as far as the limit gives nothing back': [
    [[...headless(61), headless429(2), pause, headless429(5)]],
    [[...headless(61), headless429(2), ...served201(2), headless429(2.1), headless429(4.2)], notRefused],
    [[...headless(61), headless429(2), ...served201(1), headless429(2.1), headless429(4.2)]],
    [[...headless(61), headless429(2), ...served201(2), ...[2.1, 2.15, 4.2].map((at) => headless429(at))], notRefused],
    // Between answers of one instant nothing shows how fast it refills.
    [[...headless(61), ...change([headless429(2), ...served201(2), headless429(2)], { at: 2, took: 0 })]],
    // A bucket that refills fast explains two.
    [[...headless(61), headless429(2), ...served201(2), headless429(2.1), headless429(2.12)]],
    [[...headless(61), headless429(2), ...served201(2), headless429(2.1), headless(1)[0]!]],
    // So does one that refused for a moment only, since the second 429 took two seconds to come.
    [[...headless(61), headless429(2), ...served201(2), headless429(2.1), { ...headless429(4.2), took: 2.095 }]],
    // What is a minute old has left a sliding window.
    [[...headless(61), headless429(60), ...served201(2, 60), headless429(60.1), headless429(62.2)]],
    // A cache may answer, as Age says, or a read that was sent before.
    [
      [
        ...headless(61),
        headless429(2),
        ...change(served201(2), { age: 1, operation: 'listPets', status: 200 }),
        headless429(2.1),
        headless429(4.2),
      ],
    ],
    [[...headless(61), headless429(2), ...cached(2), headless429(2.1), headless429(4.2)]],
    [[...headless(61), headless429(2), ...reads({ age: 1 }), headless429(2.1), headless429(4.2)]],
    [[...headless(61), headless429(2), ...reads({}), headless429(2.1), headless429(4.2)], notRefused],
    // The refused operation is served again before, or the others only after it was refused for the last time.
    [[...headless(61), headless429(2), { kind, at: 2.05 }, ...served201(2, 2.05), headless429(2.1), headless429(4.2)]],
    [[...headless(61), headless429(2), headless429(2.1), headless429(4.2), ...served201(9, 4.2)]],
  ],
  'a client that has waited twice for Retry-After and Reset is served again, unless others use the key': [
    after([refusal(2), second]),
    after([refusal(2), second, refusal(107, { reset: 165 })], stillRefused),
    after([refusal(2), second, refusal(104, { reset: 165 })]),
    after([refusal(2, { retryAfter: 5 }), refusal(10), refusal(20)], tooShort),
    after([refusal(2), refusal(2.1, { retryAfter: 100 }), refusal(47), refusal(60, { reset: 105 })]),
    [[...usedUp.slice(2), refusal(2), second, refusal(107, { reset: 165 })]],
  ],
};

for (const [title, cases] of Object.entries(rows)) {
  test(title, () => {
    for (const [at, [answers, ...failures]] of cases.entries()) {
      const hasHeaders = answers.some(({ limit }) => limit !== undefined);
      // The answers without a header fail for that in each row.
      const found = failuresIn(answers).filter((failure) => {
        return !/rate-remaining-falls: (rises|stays)/.test(failure) && (hasHeaders || !failure.endsWith('missing'));
      });
      assert.equal(found, failures, `row ${at}`);
    }
  });
}

test('the listings that use up the key ask for every limit in turn, and for none beyond', () => {
  const exchanges = exchangesOf(headless(100));
  const targetAfter = (sent: number): string => listWith({ exchanges: exchanges.slice(0, sent) }, 'key')().target;
  assert.equal(
    [0, 1, 99, 100].map(targetAfter),
    [1, 2, 100, 1].map((limit) => `/pets?limit=${limit}`),
  );
});

test('a refusal before the limit, and another operation without a wait, are no evidence', () => {
  assert.not.ok(heldIn([refusal(1), ...usedUp]).includes('rate-exceeded'));
  const atOnce = [...usedUp, refusal(2), served(3, { operation: 'createPet', status: 201 })];
  assert.not.ok(heldIn(atOnce).includes('rate-recovery'));
  assert.ok(heldIn([...usedUp, refusal(2), back]).includes('rate-recovery'));
  assert.not.ok(heldIn([...usedUp, refusal(2), served(10)]).includes('rate-recovery'));
});

test('each usable Retry-After is evidence, and the first one that it is short enough', () => {
  const held = (...answers: readonly Answer[]) =>
    heldIn([...usedUp, ...answers]).filter((id) => /^rate-retry-after(-length)?$/.test(id));
  assert.equal(held(refusal(2)), ['rate-retry-after', 'rate-retry-after-length']);
  assert.equal(held(refusal(2, { retryAfter: '' }), refusal(2.1)), ['rate-retry-after']);
});

test('Retry-After suffices where the key is served after it alone, or where it ends with the reset', () => {
  const suffices = (...answers: readonly Answer[]): boolean =>
    heldIn([...usedUp, ...answers]).includes('rate-retry-after-suffices');
  assert.ok(suffices(refusal(2, { retryAfter: 5 }), served(8)));
  assert.ok(suffices(refusal(2, { retryAfter: 42 }), back));
  assert.not.ok(suffices(refusal(2, { retryAfter: 5 }), back));
  assert.not.ok(suffices(refusal(2, { retryAfter: 5 }), served(6)));
  assert.not.ok(suffices(refusal(2, { retryAfter: 5 }), refusal(8, { retryAfter: 5 }), back));
});

test('a 429 that names no reset is over after a minute, or later by its Retry-After', () => {
  for (const [retryAfter, seconds] of [
    ['soon', 60],
    [5, 60],
    [90, 90],
  ] as const) {
    const [refused] = exchangesOf([bare(2, { retryAfter })]);
    assert.is(endOfExhaustion(refused!, undefined) - refused!.endedAt, 1_000 * seconds);
  }
});

test('a 429 that names a reset is over then, whatever the last answer before it named', () => {
  const [before, refused] = exchangesOf([served(1), refusal(2, { reset: 105, retryAfter: 5 })]);
  const last = limitReadingOf(before!)!;
  assert.is(endOfExhaustion(refused!, last) - refused!.endedAt, 103_000);
  assert.is(resetAheadOf(refused!, last), 103_000);
});

test.run();
