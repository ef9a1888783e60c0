/** The observed window of a limit, and the limit without a key. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noKey, rateLimitKey, type SentCredential } from '../../../http/credentials.ts';
import { listPets } from '../../../sections/requests.ts';
import { type HandMadeAnswer, observe, startedAt } from '../evidence.ts';

const other = rateLimitKey('Key-2');

/** An answer at so many seconds of the run, which says what is left of a limit and when that resets. */
function reading(
  at: number,
  limit: number,
  reset: number,
  credential?: SentCredential,
  dateAt = at,
): HandMadeAnswer & { readonly headers: object } {
  const headers = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(at % 50),
    'x-ratelimit-reset': String(startedAt / 1000 + reset),
    date: new Date(startedAt + dateAt * 1000).toUTCString(),
  };
  return { request: listPets(), headers, seconds: at, ...(credential !== undefined && { credential }) };
}

const unread = ['limit', 'remaining', 'reset'].map((name): HandMadeAnswer => {
  const one = reading(0, 60, 600);
  return { ...one, headers: { ...one.headers, [`x-ratelimit-${name}`]: 'many' } };
});

type Gap = Parameters<typeof observe>[0];
type Row = readonly [readonly HandMadeAnswer[], string | undefined, Parameters<typeof observe>[2]?];
const rows: readonly (readonly [Gap, readonly Row[]])[] = [
  [
    'rate-limit-window',
    [
      [[reading(0, 60, 62)], 'at-most-a-minute #1'],
      [[reading(0, 60, 63)], 'other-length #1'],
      [[reading(0, 60, 60), reading(1, 900, 700)], 'tightest #2'],
      [[{ request: listPets() }], undefined],
      [[reading(0, 500, 3_602)], 'other-length #1'],
      [[reading(0, 500, 3_603)], 'day #1'],
      [[reading(43_200 - 600, 500, 43_200)], 'day #1'],
      [[reading(0, 1_000, 600)], 'day #1', { plan: 'free' }],
      [[reading(0, 60, 600)], 'other-length #1', { plan: 'free' }],
      [[reading(0, 1_000, 600)], 'other-length #1'],
      // By the clock of the target or ours.
      [[reading(0, 60, 60, undefined, -30)], 'at-most-a-minute #1'],
      [[reading(0, 60, 640, undefined, 600)], 'at-most-a-minute #1'],
      ...unread.map((one): Row => [[one], undefined]),
      [[reading(0, 60, 600, noKey)], undefined],
      [[reading(0, 60, 600, other)], 'other-length #1'],
    ],
  ],
  [
    'rate-limit-without-key',
    [
      [[reading(0, 300, 60), reading(1, 60, 60, noKey)], 'free-per-address #2'],
      [[reading(0, 300, 60), reading(1, 1_000, 60, noKey)], 'free-per-address #2'],
      [[reading(0, 60, 60), reading(1, 60, 60, noKey)], undefined],
      [[reading(0, 1_000, 60), reading(1, 1_000, 60, noKey)], 'same-as-key #2'],
      [[reading(0, 300, 60), reading(1, 300, 60, noKey)], 'same-as-key #2'],
      [[reading(0, 300, 60), reading(1, 120, 60, noKey)], 'another #2'],
      [[reading(0, 300, 60), reading(1, 0, 60, noKey)], 'zero #2'],
      [[reading(0, 300, 60), reading(1, 120, 60, other)], undefined],
      ...(['invalid', 'misplaced'] as const).map(
        (kind): Row => [[reading(1, 120, 60, { ...noKey, shown: { ...noKey.shown, kind } })], 'another #1'],
      ),
    ],
  ],
];

for (const [gap, cases] of rows) {
  test(`${gap} is observed`, () => {
    for (const [at, [exchanges, expected, settings]] of cases.entries()) {
      assert.is(observe(gap, exchanges, settings ?? {}), expected, `row ${at}`);
    }
  });
}

test.run();
