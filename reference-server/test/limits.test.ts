/** Plans, windows and Retry-After (§8), on a clock that the tests set. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiKey, StoreResponse } from '../index.ts';
import type { TwinOptions } from '../twin/gaps.ts';
import { key, noon, open, readHeader, readRate } from './client.ts';

type AskStore = ReturnType<typeof open>;

const minute = 60_000;
const [atNoon, midnight] = [noon / 1000, noon / 1000 + 43_200];

function openPlan(plan: Omit<ApiKey, 'key'>, gaps: NonNullable<TwinOptions['gaps']> = {}): AskStore {
  return open({ keys: [{ key, ...plan }], gaps });
}

/** Sends requests until one is refused, a thousand at most; returns the number served, and the refusal. */
function exhaust(ask: AskStore, now: number): readonly [served: number, refusal: StoreResponse] {
  for (let served = 0; served <= 1_000; served += 1) {
    const response = ask({}, now);
    if (response.status === 429) return [served, response];
  }
  throw new Error('More than a thousand requests at one time were served.');
}

test('each plan has its limits for a minute and a day', () => {
  for (const [plan, perMinute, perDay] of [
    [{ plan: 'free' }, 60, 1_000],
    [{ plan: 'pro' }, 300, 10_000],
    [{ plan: 'business' }, 1_000, 100_000],
    [{ plan: 'enterprise' }, 1_000, 100_000],
    [{ plan: 'enterprise', perMinute: 5, perDay: 12 }, 5, 12],
    [{ plan: 'free', perDay: 70 }, 60, 70],
  ] as const) {
    const ask = openPlan(plan);
    assert.equal(readRate(ask()), [perMinute, perMinute - 1, atNoon + 60]);
    assert.equal(readRate(openPlan(plan, { 'rate-limit-window': 'day' })()), [perDay, perDay - 1, midnight]);
    if (perDay > 1_000) continue;
    let [served, now] = [1, noon];
    for (; served < perDay; now += minute) served += exhaust(ask, now)[0];
    assert.is(served, perDay);
    const refusal = ask({}, now);
    assert.equal(readRate(refusal), [perDay, 0, midnight]);
    assert.is(Number(readHeader(refusal, 'retry-after')), (noon + 43_200_000 - now) / 1000);
    assert.is(ask({}, noon + 43_200_000).status, 200);
  }
});

test('refused requests of every kind count, and a clock that is set back opens the window of its time', () => {
  const ask = openPlan({ plan: 'free' });
  const large = { body: 'x'.repeat(65_537) };
  for (const [at, question] of [{}, { target: '/v1/pets/9' }, { body: 'x' }, { target: '/x' }, large].entries())
    assert.is(readRate(ask(question))[1], 59 - at);
  assert.equal(readRate(ask({}, noon - 10 * minute)), [60, 59, atNoon - 540]);
});

test('a key is served again when its Retry-After has passed, wherever in the minute it was refused', () => {
  for (const offset of [0, 1, 30_499, 59_001, 59_999]) {
    for (const form of ['seconds', 'http-date'] as const) {
      const ask = openPlan({ plan: 'free' }, { 'retry-after-form': form });
      const [, refusal] = exhaust(ask, noon + offset);
      assert.match(refusal.body, `wait ${Math.ceil((minute - offset) / 1000)} seconds`);
      const text = readHeader(refusal, 'retry-after') ?? '';
      const again = form === 'seconds' ? noon + offset + Number(text) * 1000 : Date.parse(text);
      assert.ok(again < noon + minute + 1_000);
      assert.is(ask({}, again).status, 200, `${form} ${offset}`);
    }
  }
});

test('without a key every request gets 401, and Remaining counts down to 0 for each of a hundred thousand addresses', () => {
  const ask = open();
  const remaining = (address: string, now = noon): readonly number[] => {
    const response = ask({ authorization: null, address }, now);
    return [response.status, ...readRate(response)];
  };
  // The account of a key is not that of its address.
  ask({ address: '192.0.2.1' });
  for (let sent = 1; sent <= 100; sent += 1)
    assert.equal(remaining('192.0.2.1'), [401, 60, Math.max(0, 60 - sent), atNoon + 60]);
  assert.is(remaining('192.0.2.1', noon + minute)[2], 59);
  // More than that begin again: memory is bounded.
  for (let at = 1; at < 100_000; at += 1) remaining(`2001:db8::${at}`);
  assert.equal([remaining('2001:db8::1')[2], remaining('192.0.2.2')[2], remaining('2001:db8::1')[2]], [58, 59, 59]);
});

test('minute and day are both enforced, and the headers describe the tighter one, or the one that is chosen', () => {
  // The numbers of a key replace those behind an answer.
  for (const window of ['tightest', 'minute 70', 'day 90'] as const) {
    const ask = openPlan({ plan: 'enterprise', perMinute: 50, perDay: 30 }, { 'rate-limit-window': window });
    assert.is(exhaust(ask, noon)[0], 30);
    assert.is(readRate(ask())[0], 30);
  }
  const plan = { plan: 'enterprise', perMinute: 10, perDay: 12 } as const;
  const [tightest, shortly] = [openPlan(plan), openPlan(plan, { 'rate-limit-window': 'minute' })];
  for (let sent = 0; sent < 5; sent += 1) for (const ask of [tightest, shortly]) ask();
  assert.equal(readRate(tightest({}, noon + minute)), [12, 6, midnight]);
  assert.equal(readRate(shortly({}, noon + minute)), [10, 9, atNoon + 120]);
  const both = openPlan({ ...plan, perMinute: 5, perDay: 15 });
  for (const now of [noon, noon + minute]) exhaust(both, now);
  assert.equal(readRate(exhaust(both, noon + 2 * minute)[1]), [15, 0, midnight]);
  assert.equal(readRate(openPlan({ ...plan, perMinute: 5, perDay: 5 })()), [5, 4, atNoon + 60]);
});

test.run();
