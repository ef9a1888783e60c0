/** Plans, windows, Retry-After and bans (§8), on a clock that the tests set. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiKey, StoreResponse } from '../index.ts';
import type { TwinOptions } from '../twin/gaps.ts';
import { key, noon, open, readHeader, readRate } from './client.ts';

type AskStore = ReturnType<typeof open>;

const minute = 60_000;
const [atNoon, midnight] = [noon / 1000, noon / 1000 + 43_200];
const windows = ['tightest', 'minute', 'day', 'sliding'] as const;

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

function readRetry(response: StoreResponse, now: number): number {
  const text = readHeader(response, 'retry-after') ?? '';
  return /^\d+$/.test(text) ? now + Number(text) * 1000 : Date.parse(text);
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
    let [served, now] = [1, noon];
    for (; served < perDay; now += minute) served += exhaust(ask, now)[0];
    assert.is(served, perDay);
    const refusal = ask({}, now);
    assert.equal(readRate(refusal), [perDay, 0, midnight]);
    assert.is(readRetry(refusal, now), noon + 43_200_000);
    assert.is(ask({}, noon + 43_200_000).status, 200);
  }
});

test('Remaining counts down by one, and refused requests of every kind count', () => {
  const ask = openPlan({ plan: 'free' });
  const large = { body: 'x'.repeat(65_537) };
  for (const [at, question] of [{}, { target: '/v1/pets/9' }, { body: 'x' }, { target: '/x' }, large].entries())
    assert.is(readRate(ask(question))[1], 59 - at);
});

test('an exhausted key affects no other key, and a wrong key still gets 401', () => {
  const ask = open({ keys: [key, 'other'].map((each) => ({ key: each, plan: 'free' })) });
  exhaust(ask, noon);
  assert.is(ask({ authorization: 'Bearer other' }).status, 200);
  assert.is(ask({ target: '/nowhere' }).status, 429);
  assert.is(ask({ authorization: 'Bearer wrong' }).status, 401);
});

test('without a key every request gets 401, and Remaining counts down to 0 for each address', () => {
  const ask = open();
  for (let sent = 1; sent <= 100; sent += 1) {
    const response = ask({ authorization: null });
    assert.equal([response.status, ...readRate(response)], [401, 60, Math.max(0, 60 - sent), atNoon + 60]);
  }
  assert.is(readRate(ask({ authorization: null, address: '192.0.2.2' }))[1], 59);
  assert.is(readRate(ask({ authorization: null }, noon + minute))[1], 59);
});

test('a hundred thousand addresses are counted separately, and more than that begin again: memory is bounded', () => {
  const ask = open();
  const remaining = (address: string): number | undefined => readRate(ask({ authorization: null, address }))[1];
  for (let at = 0; at < 100_000; at += 1) remaining(`2001:db8::${at}`);
  assert.equal([remaining('2001:db8::0'), remaining('192.0.2.1')], [58, 59]);
  assert.is(remaining('2001:db8::0'), 59);
});

test('Retry-After is truthful in every window and form, also after a ban', () => {
  for (const form of ['seconds', 'http-date'] as const) {
    for (const window of windows) {
      for (const offset of [0, 1, 30_499, 59_001, 59_999]) {
        const gaps = { 'retry-after-form': form, 'rate-limit-window': window, ban: 'banned-429' } as const;
        const ask = openPlan({ plan: 'free', perDay: 500 }, gaps);
        let now = noon + offset;
        for (const refusals of [1, 5, 10, 25]) {
          exhaust(ask, now);
          let last = ask({}, now);
          for (let sent = 2; sent < refusals; sent += 1) last = ask({}, now + sent);
          now = readRetry(last, now + Math.max(0, refusals - 1));
          assert.is(ask({}, now).status, 200, `${form} ${window} ${offset} ${refusals}`);
        }
      }
    }
  }
});

test('minute and day are both enforced, and the headers describe the tighter one, or the one that is chosen', () => {
  for (const window of windows) {
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

test('at any rate of requests Remaining rises only when Reset moves, and no window holds more than the limit', () => {
  for (const window of windows) {
    const ask = openPlan({ plan: 'free', perDay: 800 }, { 'rate-limit-window': window });
    const served: number[] = [];
    let before: readonly number[] = [0, 0, 0];
    for (let now = noon + 123; now < noon + 300_000; now += 371) {
      const response = ask({}, now);
      const rate = readRate(response);
      if (rate[2] === before[2] && rate[0] === before[0]) assert.ok(rate[1] <= before[1]!, window);
      if (response.status === 429) assert.ok(before[1] === 0 || before[2] !== rate[2], window);
      else served.push(now);
      before = rate;
    }
    const inMinuteBefore = (at: number): number => served.filter((each) => each > at - minute && each <= at).length;
    if (window === 'sliding') assert.ok(served.every((at) => inMinuteBefore(at) <= 60));
  }
});

test('requests leave a sliding window together with the second that Reset names', () => {
  const ask = openPlan({ plan: 'free' }, { 'rate-limit-window': 'sliding' });
  const rates = [100, 400, 900, 30_000, 60_500, 61_000].map((after) => readRate(ask({}, noon + after)).slice(1));
  const resets = [61, 61, 61, 61, 61, 90].map((seconds) => atNoon + seconds);
  assert.equal(
    rates,
    [59, 58, 57, 56, 55, 57].map((remaining, at) => [remaining, resets[at]]),
  );
});

test('ten refusals in a window ban the key to the end of the next, which further ones do not prolong', () => {
  const ask = openPlan({ plan: 'free' }, { ban: 'banned-429' });
  // Refusals of different windows do not add up.
  for (const now of [noon - 2 * minute, noon - minute, noon]) {
    exhaust(ask, now);
    for (let refusals = 2; refusals < 10; refusals += 1) assert.is(readHeader(ask({}, now), 'retry-after'), '60');
  }
  assert.is(readHeader(ask(), 'retry-after'), '120');
  for (let now = noon; now < noon + 2 * minute; now += 3_999) {
    const banned = ask({}, now);
    assert.equal([banned.status, readRetry(banned, now) >= noon + 2 * minute], [429, true]);
    assert.equal(readRate(banned), [60, 0, atNoon + 120]);
  }
  assert.equal(readRate(ask({}, noon + 2 * minute)), [60, 59, atNoon + 180]);
});

test('a clock that is set back opens the window of its time', () => {
  const ask = openPlan({ plan: 'free' });
  ask({}, noon + 10 * minute);
  assert.equal(readRate(ask()), [60, 59, atNoon + 60]);
});

test.run();
