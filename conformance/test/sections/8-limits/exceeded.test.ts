/** §8: answers beyond the limit, Retry-After, and recovery. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, count, failuresIn, heldIn } from './limit-answers.ts';

const kind = 'rate-limit';
const limit = 8;

/** A key that is used up in a few milliseconds of a window that ends at 45 s. */
const usedUp: readonly Answer[] = count(7, 8).map((remaining, at) => {
  return { kind, limit, remaining, reset: 45, at: 1 + at / 100 };
});
/** The same a minute later. */
const again = usedUp.map((answer) => ({ ...answer, at: answer.at + 60, reset: 105 }));

function served(at: number, change: Partial<Answer> = {}): Answer {
  return { kind, limit, remaining: 0, reset: 45, at, ...change };
}

const refusal = (at: number, change: Partial<Answer> = {}): Answer =>
  served(at, { status: 429, retryAfter: 44, ...change });
const second = (at = 62): Answer => refusal(at, { reset: 105 });
const change = (answers: readonly Answer[], part: Partial<Answer>): readonly Answer[] =>
  answers.map((answer) => ({ ...answer, ...part }));

const notRefused = 'rate-exceeded: not-refused';
const early = 'rate-exceeded: refused-early';
const unusable = 'rate-retry-after: unusable';
const tooLong = 'rate-retry-after-length: beyond-a-day';
const sooner = 'rate-retry-after: served-sooner';
const later = 'rate-retry-after: refused-later';
const stillRefused = 'rate-recovery: still-refused';
const differs = 'rate-limit-header: differs-with-429';

type Row = readonly [answers: readonly Answer[], ...failures: string[]];
const after = (answers: readonly Answer[], ...failures: string[]): Row => [[...usedUp, ...answers], ...failures];
const back = served(47, { remaining: 7, reset: 105 });
const ofTheDay = { limit: 1_000, reset: 40_000 };
const sliding = (from: number, extra: number): readonly Answer[] => [
  ...change(usedUp.slice(from), { reset: 61 }),
  ...count(0, extra, 0).map((_nothing, at) => served(2 + at / 10, { reset: 62, operation: 'getPet' })),
];
const past = new Date(Date.UTC(2026, 10, 21, 11, 59, 50)).toUTCString();

const rows: Readonly<Record<string, readonly Row[]>> = {
  'every operation is answered 429 beyond the limit': [
    after([refusal(2), refusal(2.1, { operation: 'createPet' }), refusal(2.2)]),
    ...[200, 201, 302, 400, 401, 403, 404, 503].map((status) => after([served(2, { status })], notRefused)),
    after([served(2, { operation: 'getPet' }), refusal(2.1)], notRefused),
    after([refusal(2), served(2.1, { operation: 'createPet', status: 201 })], notRefused),
    after([served(40)], notRefused),
  ],
  'a client that continues after a 429 may be banned': [
    ...[401, 403].map((status) => after([refusal(2), served(2.1, { status })])),
    after([refusal(2), refusal(2.1, { reset: 864_000, retryAfter: 864_000 })]),
    after([refusal(2), served(2.1, { status: 404 })], notRefused),
    after([refusal(2), ...again, served(62, { status: 403, reset: 105 })]),
  ],
  'a bucket, a new window and what others used before may make room': [
    [[...usedUp.map((answer, at) => ({ ...answer, reset: 8 * (at + 1) })), served(16, { reset: 64 })]],
    after([served(44.5, { remaining: 7, reset: 105 })]),
    [sliding(2, 2)],
    [sliding(2, 5), notRefused],
    [
      [
        ...usedUp.map((answer, at) => ({ ...answer, ...ofTheDay, remaining: 990 - at })),
        refusal(2, { ...ofTheDay, remaining: 983, retryAfter: 1 }),
        served(2.6, { ...ofTheDay, remaining: 982 }),
      ],
    ],
  ],
  'no 429 comes before the limit, unless others use the key or the headers describe another window': [
    [[...usedUp.slice(0, 5), refusal(2)], early],
    [[...usedUp.slice(0, 6), refusal(2)], early],
    [[...usedUp.slice(0, 5), refusal(2, { retryAfter: 36_000 })]],
    [[...usedUp.slice(0, 5), refusal(2, { limit: 60 })]],
    [[...usedUp.slice(0, 5), refusal(2, { reset: 105 })]],
    [[...change(usedUp, ofTheDay), refusal(2, { ...ofTheDay, remaining: 900 })]],
    [[...[7, 6, 2].map((remaining, at) => ({ ...usedUp[at]!, remaining })), refusal(2)]],
    [[...usedUp.slice(4, 7), refusal(2)]],
    [[refusal(1), ...again.slice(0, 6), second()]],
    after([refusal(2), ...again, second()]),
    after([refusal(2), ...again.slice(0, 5), second()], early),
    // Errors in between may have counted.
    after([
      refusal(2),
      ...again.slice(0, 5),
      ...[2, 1, 0].map((left) =>
        served(61.5 + left / 10, { status: 404, operation: 'getPet', reset: 105, remaining: 1 }),
      ),
      second(),
    ]),
  ],
  'another client may use the key once, which shows as one refusal that comes one request early': [
    [[...usedUp.slice(0, 7), refusal(2)]],
    [[...usedUp.slice(0, 7), refusal(2), ...again, second()]],
    [[...usedUp.slice(0, 7), refusal(2), ...again.slice(0, 7), second()], early, early],
  ],
  'a 429 shows the limit that is used up, and none left': [
    after([refusal(2, { limit: 0 })], differs),
    after([refusal(2), refusal(2.1, { limit: 1_000 })], differs),
    after([refusal(2), refusal(2.1, { remaining: 3 })], early),
    // Another limit may refuse, with a reset of its own.
    after([refusal(2, { limit: 60, reset: 46 })]),
    [[...usedUp.slice(0, 5), refusal(2, { limit: 60 })]],
  ],
  'each of the first three 429s has a Retry-After': [
    after([refusal(2, { retryAfter: 'soon' })], unusable),
    after([refusal(2), refusal(2.1), refusal(2.2, { retryAfter: '' })], unusable),
    after([refusal(2), refusal(2.1), refusal(2.2), refusal(2.3, { retryAfter: '' })]),
  ],
  'a Retry-After of more than a day warns, unless a ban may have followed': [
    after([refusal(2, { retryAfter: 86_401 })], tooLong),
    after([refusal(2, { retryAfter: 'Sat, 28 Nov 2026 12:00:00 GMT' })], tooLong),
    after([refusal(2, { retryAfter: 86_400 })]),
    after([refusal(2), refusal(2.1, { retryAfter: 864_000 })]),
  ],
  'a key that is served again an hour before Retry-After ends refutes it': [
    after([refusal(2, { retryAfter: 7_200 }), back], sooner),
    after([refusal(2, { retryAfter: 3_600 }), back]),
    // Another client uses the key, too, or another limit than the one that is used up refused it.
    [[{ ...usedUp[0]!, remaining: 5 }, ...usedUp.slice(3), refusal(2, { retryAfter: 7_200 }), back]],
    [[...usedUp.slice(0, -1), refusal(2, { retryAfter: 7_200 }), back]],
  ],
  'a Retry-After of 0 is refuted by a 429 two seconds later, long before the reset': [
    after([refusal(2, { retryAfter: 0 }), refusal(5, { retryAfter: 0 })], later),
    after([refusal(2, { retryAfter: 1 }), refusal(5)]),
    after([refusal(2, { retryAfter: 0 }), refusal(3.9, { retryAfter: 0 })]),
    after([refusal(2, { retryAfter: 0 }), refusal(44, { retryAfter: 0 })]),
    after([refusal(2, { retryAfter: past }), refusal(5)]),
  ],
  'a client that has waited for Retry-After and Reset is served again': [
    after([refusal(2), refusal(47)], stillRefused),
    after([refusal(2, { retryAfter: 5 }), refusal(10)]),
    after([refusal(2, { retryAfter: 60 }), refusal(47)]),
    after([refusal(2), refusal(2.1, { retryAfter: 100 }), refusal(47)]),
    after([refusal(2, { dateAhead: 'none' }), refusal(47, { dateAhead: 'none' })]),
  ],
  'other clients may exhaust a new window once, and always if they used the key before': [
    after([refusal(2), refusal(47, { reset: 105, retryAfter: 58 })]),
    after([refusal(2), refusal(47, { reset: 105, retryAfter: 58 }), refusal(107, { reset: 165 })], stillRefused),
    [[...usedUp.slice(2), refusal(2), refusal(47, { reset: 105, retryAfter: 58 }), refusal(107, { reset: 165 })]],
  ],
};

for (const [title, cases] of Object.entries(rows)) {
  test(title, () => {
    for (const [at, [answers, ...failures]] of cases.entries()) {
      const found = failuresIn(answers).filter((failure) => !failure.startsWith('rate-remaining'));
      assert.equal(found, failures, `row ${at}`);
    }
  });
}

test('a refusal, its Retry-After and the return are evidence', () => {
  const held = heldIn([...usedUp, refusal(2), back]);
  for (const id of ['rate-exceeded', 'rate-retry-after', 'rate-recovery']) assert.ok(held.includes(id as never), id);
  assert.not.ok(heldIn([refusal(1), ...usedUp]).includes('rate-exceeded'));
});

test.run();
