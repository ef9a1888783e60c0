/** The waits and the remaining requests that rate-limit headers give. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../http/exchange.ts';
import { endOfRefusal, remainingOf, untilReset } from '../../http/read-response.ts';
import { exchangesOf } from '../sections/8-limits/limit-answers.ts';

/** An answer at the start of the run whose limit resets after so many seconds. */
function resetting(reset: number, changes: Partial<Parameters<typeof exchangesOf>[0][number]> = {}): Exchange {
  return exchangesOf([{ at: 0, limit: 60, remaining: 5, reset, ...changes }])[0]!;
}

const day = 86_400;

test('a reset up to a day and a rounded second ahead is waited for, and a second longer', () => {
  assert.is(untilReset(resetting(40)), 41_000);
  assert.is(untilReset(resetting(day)), (day + 1) * 1_000);
  assert.is(untilReset(resetting(day + 1)), (day + 2) * 1_000);
  assert.is(untilReset(resetting(day + 2)), undefined);
  assert.is(untilReset(resetting(1)), 2_000);
  assert.is(untilReset(resetting(0)), undefined);
  assert.is(untilReset(resetting(-1)), undefined);
});

test('a refusal is over by Retry-After, else at the reset', () => {
  const ends = (...given: Parameters<typeof resetting>): number | undefined => {
    const exchange = resetting(...given);
    const end = endOfRefusal(exchange);
    return end && end - exchange.endedAt;
  };
  assert.is(ends(40, { status: 429, retryAfter: 7 }), 7_000);
  assert.is(ends(40, { status: 429 }), 41_000);
  assert.is(ends(2 * day, { status: 429 }), undefined);
  assert.is(ends(40, { isLost: true }), undefined);
});

test('a limit of zero is a placeholder, so Remaining says nothing', () => {
  assert.is(remainingOf(resetting(40)), 5);
  assert.is(remainingOf(resetting(40, { remaining: 0 })), 0);
  assert.is(remainingOf(resetting(40, { limit: 0, remaining: 0 })), undefined);
  assert.is(remainingOf(resetting(40, { remaining: 'many' })), undefined);
  assert.is(remainingOf(resetting(40, { isLost: true })), undefined);
});

test.run();
