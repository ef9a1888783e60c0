/** Plans, windows and Retry-After (§8), on a clock that the tests set. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiKey, StoreResponse } from '../index.ts';
import type { TwinOptions } from '../twin/gaps.ts';
import { key, noon, open, readHeader, readRate } from './client.ts';

type AskStore = ReturnType<typeof open>;

const minute = 60_000;
const [atNoon, midnight] = [noon / 1000, noon / 1000 + 43_200];

const openPlan = (plan: Omit<ApiKey, 'key'>, gaps: NonNullable<TwinOptions['gaps']> = {}): AskStore =>
  open({ keys: [{ key, ...plan }], gaps });

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
    [{ plan: 'enterprise', perMinute: 5, perDay: 15 }, 5, 15],
  ] as const) {
    const ask = openPlan(plan);
    assert.equal(readRate(ask()), [perMinute, perMinute - 1, atNoon + 60]);
    assert.equal(readRate(openPlan(plan, { 'rate-limit-window': 'day' })()), [perDay, perDay - 1, midnight]);
    if (perDay > 1_000) continue;
    let [served, now] = [1, noon];
    for (; served < perDay; now += minute) served += exhaust(ask, now)[0];
    // Where both are exceeded, the day decides.
    const refusal = ask({}, now - minute);
    assert.equal([served, ...readRate(refusal)], [perDay, perDay, 0, midnight]);
    assert.is(Number(readHeader(refusal, 'retry-after')), midnight - now / 1000 + 60);
    assert.is(ask({}, midnight * 1000).status, 200);
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
  const answerTo = (address: string, now = noon): readonly number[] => {
    const response = ask({ authorization: null, address }, now);
    return [response.status, ...readRate(response)];
  };
  // The account of a key is not that of its address.
  ask({ address: '192.0.2.1' });
  for (let sent = 1; sent <= 61; sent += 1)
    assert.equal(answerTo('192.0.2.1'), [401, 60, Math.max(0, 60 - sent), atNoon + 60]);
  assert.is(answerTo('192.0.2.1', noon + minute)[2], 59);
  // More than that begin again: memory is bounded.
  for (let at = 1; at < 100_000; at += 1) answerTo(`2001:db8::${at}`);
  assert.equal([answerTo('2001:db8::1')[2], answerTo('192.0.2.2')[2], answerTo('2001:db8::1')[2]], [58, 59, 59]);
});

test('minute and day are both enforced, and the headers describe the tighter one, or the one that is chosen', () => {
  const plan = { plan: 'enterprise', perMinute: 10, perDay: 12 } as const;
  for (const [window, shown] of [
    ['tightest', [12, 6, midnight]],
    // The numbers of a key replace those behind an answer.
    ['minute 70', [10, 9, atNoon + 120]],
    ['day 90', [12, 6, midnight]],
  ] as const) {
    const ask = openPlan(plan, { 'rate-limit-window': window });
    for (let sent = 0; sent < 5; sent += 1) ask();
    assert.equal(readRate(ask({}, noon + minute)), shown);
    assert.equal([exhaust(ask, noon + minute)[0], exhaust(ask, noon + 2 * minute)[0]], [6, 0]);
  }
  assert.equal(readRate(openPlan({ ...plan, perMinute: 5, perDay: 5 })()), [5, 4, atNoon + 60]);
});

test.run();
