/** What answers teach about the rate limit: what is left, how long to wait after refusals, and the pace that they allow. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../http/exchange.ts';
import { createRateLimitState } from '../../run/rate-limit-state.ts';
import { exchangeOf } from './hand-made.ts';

type Headers = Readonly<Record<string, string>>;

/** An answer to the request of a second: 1 is the first. */
function answered(second: number, status: number, headers: Headers = {}, part: Partial<Exchange> = {}): Exchange {
  return exchangeOf(second, { response: { status, headers, body: '' }, ...part });
}

const refused = (second: number, headers: Headers = {}, part: Partial<Exchange> = {}): Exchange =>
  answered(second, 429, headers, part);
const served = (second: number, headers: Headers = {}, part: Partial<Exchange> = {}): Exchange =>
  answered(second, 200, headers, part);
const remaining = (left: number): Headers => ({ 'x-ratelimit-remaining': String(left) });

function stateAfter(...exchanges: readonly Exchange[]) {
  const limit = createRateLimitState();
  for (const exchange of exchanges) limit.note(exchange);
  /** How long the next request waits after the last of them. Milliseconds. */
  const waitMs = Math.max(0, limit.held().until - exchanges.at(-1)!.endedAt);
  return { ...limit, waitMs };
}

test('requests under way may use up what is left, and before the first answer, or after a refusal, nothing is known', () => {
  for (const [exchanges, mostUnderWay] of [
    [[], 0],
    [[served(1, remaining(3))], 2],
    [[served(1, remaining(3)), refused(2)], 0],
    [[served(1, remaining(3)), refused(2), served(3, remaining(2))], 1],
    [[served(1)], 99],
  ] as const) {
    const limit = createRateLimitState();
    for (const exchange of exchanges) limit.note(exchange);
    assert.not.ok(limit.mayBeUsedUpBy(0));
    assert.not.ok(limit.mayBeUsedUpBy(mostUnderWay));
    assert.is(limit.mayBeUsedUpBy(mostUnderWay + 1), mostUnderWay < 99);
  }
});

test('a request without an answer says nothing of the limit', () => {
  const { response: _response, ...lost } = exchangeOf(2);
  const { mayBeUsedUpBy } = stateAfter(served(1, remaining(1)), { ...lost, failure: { code: 'broken', message: '' } });
  assert.ok(mayBeUsedUpBy(1));
});

test('a window that is used up is waited for by its reset, if it names one', () => {
  const resetsIn = (seconds: number): Headers => ({
    ...remaining(0),
    'x-ratelimit-reset': String(Math.floor(exchangeOf(1).startedAt / 1_000) + seconds),
  });
  // A second is added, since the reset is a whole second that may be rounded down.
  assert.is(stateAfter(served(1, resetsIn(30))).waitMs, 30_000 - 7 + 1_000);
  assert.is(stateAfter(served(1, remaining(0))).waitMs, 0);
});

test('a first refusal is obeyed as it says, and later ones in a row are waited for longer than they say', () => {
  const second = { 'retry-after': '1' };
  assert.is(stateAfter(refused(1, second)).waitMs, 1_000);
  assert.is(stateAfter(refused(1, second), refused(2, second)).waitMs, 2_000);
  assert.is(stateAfter(refused(1, second), refused(2, { 'retry-after': '3' })).waitMs, 3_000);
  assert.is(stateAfter(refused(1)).waitMs, 1_000);
  assert.is(stateAfter(refused(1), refused(2), refused(3)).waitMs, 4_000);
  // A request that is served ends the row.
  assert.is(stateAfter(refused(1, second), served(2), refused(3, second)).waitMs, 1_000);
});

test('a refusal or an answer of a request that was under way at the first refusal changes no row', () => {
  const second = { 'retry-after': '1' };
  const underWay = { sent: 1 };
  assert.is(stateAfter(refused(1, second), refused(2, second, underWay)).waitMs, 1_000);
  assert.is(stateAfter(refused(1, second), served(2, {}, underWay), refused(3, second)).waitMs, 2_000);
  // The row is over, but this refusal still belongs to it.
  const late = stateAfter(refused(1), served(2), refused(3, {}, underWay));
  assert.equal([late.waitMs, late.mayBeUsedUpBy(1)], [0, false]);
});

test('refusals are for good after more than three that said how long to wait, and more than seven that did not', () => {
  const inRow = (count: number, headers: Headers): readonly Exchange[] =>
    Array.from({ length: count }, (_nothing, at) => refused(at + 1, headers));
  assert.is(stateAfter(served(1)).refusedForGood(), undefined);
  for (const [headers, most] of [
    [{ 'retry-after': '1' }, 3],
    [{}, 7],
  ] as const) {
    assert.is(stateAfter(...inRow(most, headers)).refusedForGood(), undefined);
    assert.is(stateAfter(...inRow(most + 1, headers)).refusedForGood(), most + 1);
  }
  // The last one decides.
  const told = { 'retry-after': '1' };
  assert.is(stateAfter(refused(1), refused(2), refused(3), refused(4, told)).refusedForGood(), 4);
  assert.is(stateAfter(refused(1, told), refused(2, told), refused(3, told), refused(4)).refusedForGood(), undefined);
});

test('a refusal whose headers count nothing teaches a quota: what was served, until it has room again', () => {
  assert.is(stateAfter(served(1), served(2), refused(3)).learned(), undefined);
  // Without a stated end, the room came half-way between the refusal and the next answer.
  assert.equal(stateAfter(served(1), served(2), refused(3), served(7)).learned(), { most: 2, ms: 4_000 });
  const told = refused(3, { 'retry-after': '4' });
  assert.equal(stateAfter(served(1), served(2), told, served(7)).learned(), { most: 2, ms: 6_000 });
  assert.is(stateAfter(served(1), refused(3, remaining(0)), served(7)).learned(), undefined);
  // Nothing was served before the refusal, so nothing is known of the quota.
  assert.is(stateAfter(refused(1), served(2)).learned(), undefined);
});

test('a learned quota grows slower with each refusal, and faster after 65 served requests', () => {
  const learning = [served(1), refused(2, { 'retry-after': '1' }), served(3)];
  const many = (from: number, count: number): readonly Exchange[] =>
    Array.from({ length: count }, (_nothing, at) => served(from + at));
  assert.equal(stateAfter(...learning).learned(), { most: 1, ms: 2_000 });
  assert.equal(stateAfter(...learning, refused(4), served(5)).learned(), { most: 1, ms: 3_000 });
  assert.equal(stateAfter(...learning, ...many(4, 63)).learned(), { most: 1, ms: 2_000 });
  assert.equal(stateAfter(...learning, ...many(4, 64)).learned(), { most: 1, ms: 1_600 });
  assert.equal(stateAfter(...learning, ...many(4, 65)).learned(), { most: 1, ms: 1_600 });
});

test.run();
