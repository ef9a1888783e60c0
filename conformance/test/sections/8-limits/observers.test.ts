/** The observed window of a limit, and the limit without a key. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { validKey } from '../../../http/credentials.ts';
import type { Credential } from '../../../http/exchange.ts';
import { answer, exhaustible, listing, observe, type PartialExchange, without } from '../observer-evidence.ts';

const key = validKey('Hand-Made-Key-4711').shown;
/** Seconds; noon of a day, at the start of a minute. */
const noon = Date.UTC(2026, 10, 21, 12) / 1000;

/** An answer at so many seconds past noon, which says what is left of a limit and when that resets. */
function reading(at: number, limit: number, reset: number, credential: Credential = key, dateAt = at): PartialExchange {
  const headers = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(at % 50),
    'x-ratelimit-reset': String(noon + reset),
    date: new Date((noon + dateAt) * 1000).toUTCString(),
  };
  const time = (noon + at) * 1000;
  return listing('', answer(200, '[]', headers), { credential, startedAt: time, endedAt: time });
}

const unread = ['limit', 'remaining', 'reset'].map((name): PartialExchange => {
  const { response, ...rest } = reading(0, 60, 600);
  return { ...rest, response: { ...response!, headers: { ...response!.headers, [`x-ratelimit-${name}`]: 'many' } } };
});

type Gap = Parameters<typeof observe>[0];
type Row = readonly [readonly PartialExchange[], string | undefined, Parameters<typeof observe>[2]?];
const rows: readonly (readonly [Gap, readonly Row[]])[] = [
  [
    'rate-limit-window',
    [
      [[reading(0, 60, 62)], 'at-most-a-minute #1'],
      [[reading(0, 60, 63)], 'other-length #1'],
      [[reading(0, 60, 60), reading(1, 900, 700)], 'tightest #2'],
      [[listing('', answer(200, '[]'))], undefined],
      [[reading(0, 500, 3_602)], 'other-length #1'],
      [[reading(0, 500, 3_603)], 'day #1'],
      [[reading(43_200 - 600, 500, 43_200)], 'day #1'],
      [[reading(0, 1_000, 600)], 'day #1', { plan: 'free' }],
      [[reading(0, 60, 600)], 'other-length #1', { plan: 'free' }],
      [[reading(0, 1_000, 600)], 'other-length #1'],
      // By the clock of the target or ours.
      [[reading(0, 60, 60, key, -30)], 'at-most-a-minute #1'],
      [[reading(0, 60, 640, key, 600)], 'at-most-a-minute #1'],
      ...unread.map((one): Row => [[one], undefined]),
      [[reading(0, 60, 600, without)], undefined],
      [[reading(0, 60, 600, exhaustible)], 'other-length #1'],
    ],
  ],
  [
    'rate-limit-without-key',
    [
      [[reading(0, 300, 60), reading(1, 60, 60, without)], 'free-per-address #2'],
      [[reading(0, 300, 60), reading(1, 1_000, 60, without)], 'free-per-address #2'],
      [[reading(0, 60, 60), reading(1, 60, 60, without)], undefined],
      [[reading(0, 1_000, 60), reading(1, 1_000, 60, without)], 'same-as-key #2'],
      [[reading(0, 300, 60), reading(1, 300, 60, without)], 'same-as-key #2'],
      [[reading(0, 300, 60), reading(1, 120, 60, without)], 'another #2'],
      [[reading(0, 300, 60), reading(1, 0, 60, without)], 'zero #2'],
      [[reading(0, 300, 60), reading(1, 120, 60, exhaustible)], undefined],
      ...(['invalid', 'misplaced'] as const).map(
        (kind): Row => [[reading(1, 120, 60, { ...without, kind })], 'another #1'],
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
