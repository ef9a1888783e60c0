/** What the headers of an answer say of its limit, and when a refusal is over. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../http/exchange.ts';
import { endOfRefusal, readingOf, remainingOf, untilReset } from '../../world/readings.ts';
import { exchangeOf } from '../run/hand-made.ts';

const { endedAt } = exchangeOf(1);
const now = Math.ceil(endedAt / 1_000);

/** An answer with these numbers, the reset in seconds from now. */
function answer(limit: string, remaining: string, reset?: number, wait?: string): Exchange {
  const headers = {
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    date: new Date(now * 1_000).toUTCString(),
    ...(reset !== undefined && { 'x-ratelimit-reset': String(now + reset) }),
    ...(wait !== undefined && { 'retry-after': wait }),
  };
  return exchangeOf(1, { endedAt: now * 1_000, response: { status: 429, headers, body: '' } });
}

test('numbers say what is left, unless the limit is a placeholder or no integer', () => {
  assert.is(remainingOf(answer('60', '7')), 7);
  assert.is(remainingOf(answer('0', '7')), undefined);
  assert.is(remainingOf(answer('x', '7')), 7);
  assert.is(remainingOf(answer('60', 'x')), undefined);
  assert.equal(readingOf(answer('x', '7')), { remaining: 7 });
});

test('a reset within a day is worth a wait, and a refusal is over at its Retry-After, or else then', () => {
  const ms = (seconds: number | undefined) => seconds && seconds * 1_000;
  for (const [reset, wait, until, stated, latest] of [
    [1, undefined, 2, 2, 1],
    [40, undefined, 41, 41, 40],
    [30, '9', 31, 9, 30],
    [30, '90', 31, 90, 90],
    [-1, undefined, undefined, undefined, 0],
    [0, undefined, undefined, undefined, 0],
    [86_400, undefined, 86_401, 86_401, 86_400],
    [86_401, undefined, 86_402, 86_402, 86_401],
    [86_402, undefined, undefined, undefined, 86_402],
    [undefined, '0', undefined, 0, 0],
    [undefined, undefined, undefined, undefined, 0],
  ] as const) {
    const refusal = answer('60', '0', reset, wait);
    const end = endOfRefusal(refusal);
    assert.is(untilReset(refusal), ms(until));
    assert.is(end.stated === undefined ? undefined : end.stated - refusal.endedAt, ms(stated));
    assert.is(end.latest - refusal.endedAt, ms(latest));
  }
});

test.run();
