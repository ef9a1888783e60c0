/** Plans, windows, Retry-After and bans (§8), on a clock that the tests set. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiKey, StoreResponse } from '../index.ts';
import type { TwinOptions } from '../twin/gaps.ts';
import { key, noon, open, readHeader, readRate } from './client.ts';

type AskStore = ReturnType<typeof open>;

const minute = 60_000;

/** Sends requests until one is refused, a thousand at most; returns the number served, and the refusal. */
function exhaust(ask: AskStore, now: number): readonly [served: number, refusal: StoreResponse] {
  for (let served = 0; served <= 1_000; served += 1) {
    const response = ask({}, now);
    if (response.status === 429) return [served, response];
  }
  throw new Error('More than a thousand requests at one time were served.');
}

function openPlan(plan: Omit<ApiKey, 'key'>, options: TwinOptions = {}): AskStore {
  return open({ keys: [{ key, ...plan }], ...options });
}

function readRetry(response: StoreResponse, now: number): number {
  const text = readHeader(response, 'retry-after') ?? '';
  return /^\d+$/.test(text) ? now + Number(text) * 1000 : Date.parse(text);
}

test('each plan has its limits for a minute and a day', () => {
  const plans = [
    [{ plan: 'free' }, 60, 1_000],
    [{ plan: 'pro' }, 300, 10_000],
    [{ plan: 'business' }, 1_000, 100_000],
    [{ plan: 'enterprise', perMinute: 5, perDay: 12 }, 5, 12],
    [{ plan: 'free', perDay: 70 }, 60, 70],
  ] as const;
  for (const [plan, perMinute, perDay] of plans) {
    const ask = openPlan(plan);
    assert.equal(readRate(ask()), [perMinute, perMinute - 1, noon / 1000 + 60]);
    assert.is(exhaust(ask, noon)[0], perMinute - 1);
    let served = perMinute;
    let now = noon;
    for (let minutes = 1; minutes * perMinute < perDay; minutes += 1) {
      now += minute;
      served += exhaust(ask, now)[0];
    }
    assert.is(served, perDay);
    const refusal = ask({}, now + minute);
    assert.equal(readRate(refusal), [perDay, 0, noon / 1000 + 43_200]);
    assert.is(readRetry(refusal, now + minute), noon + 43_200_000);
    assert.is(ask({}, noon + 43_200_000).status, 200);
  }
});

test('Remaining counts down by one, and refused requests of every kind count', () => {
  const ask = openPlan({ plan: 'free' });
  const kinds = [
    {},
    { target: '/v1/pets/9' },
    { body: 'x' },
    { method: 'PUT' },
    { target: '/x' },
    { body: 'x'.repeat(65_537) },
  ];
  for (const [at, question] of kinds.entries()) assert.is(readRate(ask(question))[1], 59 - at);
});

test('an exhausted key affects no other key, and a wrong key still gets 401', () => {
  const other = 'other-key';
  const ask = open({
    keys: [
      { key, plan: 'free' },
      { key: other, plan: 'free' },
    ],
  });
  exhaust(ask, noon);
  assert.is(ask({ authorization: `Bearer ${other}` }).status, 200);
  assert.is(ask({ target: '/nowhere' }).status, 429);
  assert.is(ask({ authorization: 'Bearer wrong' }).status, 401);
});

test('without a key every request gets 401, and Remaining counts down to 0 for each address', () => {
  const ask = open();
  for (let sent = 1; sent <= 100; sent += 1) {
    const response = ask({ authorization: null });
    assert.is(response.status, 401);
    assert.equal(readRate(response), [60, Math.max(0, 60 - sent), noon / 1000 + 60]);
  }
  assert.is(readRate(ask({ authorization: null, address: '192.0.2.2' }))[1], 59);
  assert.is(readRate(ask({ authorization: null }, noon + minute))[1], 59);
});

for (const form of ['seconds', 'http-date'] as const) {
  for (const window of ['tightest', 'minute', 'day', 'sliding'] as const) {
    test(`Retry-After is truthful: ${form}, ${window}`, () => {
      for (const offset of [0, 1, 30_499, 59_001, 59_999]) {
        const gaps = { 'retry-after-form': form, 'rate-limit-window': window, ban: 'banned-429' } as const;
        const ask = openPlan({ plan: 'free', perDay: 500 }, { gaps });
        let now = noon + offset;
        for (const refusals of [1, 5, 10, 25]) {
          exhaust(ask, now);
          let last = ask({}, now);
          for (let sent = 2; sent < refusals; sent += 1) last = ask({}, now + sent);
          now = readRetry(last, now + Math.max(0, refusals - 1));
          assert.is(ask({}, now).status, 200, `${offset} ${refusals}`);
        }
      }
    });
  }
}

test('the day is enforced whichever window the headers show', () => {
  for (const window of ['tightest', 'minute', 'day', 'sliding'] as const) {
    const ask = openPlan({ plan: 'free', perMinute: 50, perDay: 30 }, { gaps: { 'rate-limit-window': window } });
    assert.is(exhaust(ask, noon)[0], 30);
    assert.is(readRate(ask())[0], 30);
  }
});

test('the headers describe the tightest window, or the minute where that is chosen', () => {
  const plan = { plan: 'enterprise', perMinute: 10, perDay: 12 } as const;
  const tightest = openPlan(plan);
  const shortly = openPlan(plan, { gaps: { 'rate-limit-window': 'minute' } });
  for (let sent = 0; sent < 5; sent += 1) [tightest, shortly].map((ask) => ask());
  assert.equal(readRate(tightest({}, noon + minute)), [12, 6, noon / 1000 + 43_200]);
  assert.equal(readRate(shortly({}, noon + minute)), [10, 9, noon / 1000 + 120]);
});

test('at any rate of requests Remaining rises only when Reset moves, and no window holds more than the limit', () => {
  for (const window of ['tightest', 'minute', 'day', 'sliding'] as const) {
    const ask = openPlan({ plan: 'free', perDay: 800 }, { gaps: { 'rate-limit-window': window, ban: 'none' } });
    const served: number[] = [];
    let before = [0, 0, 0] as readonly number[];
    for (let now = noon + 123; now < noon + 300_000; now += 371) {
      const response = ask({}, now);
      const rate = readRate(response);
      if (rate[2] === before[2] && rate[0] === before[0]) assert.ok(rate[1] <= (before[1] ?? 0), window);
      if (response.status === 429) assert.ok((before[1] ?? 0) === 0 || before[2] !== rate[2], window);
      else served.push(now);
      before = rate;
    }
    for (const at of served) {
      const length = window === 'sliding' ? served.filter((each) => each > at - minute && each <= at).length : 0;
      assert.ok(length <= 60);
    }
  }
});

test('requests leave a sliding window together with the second that Reset names', () => {
  const ask = openPlan({ plan: 'free' }, { gaps: { 'rate-limit-window': 'sliding' } });
  const rates = [100, 400, 900, 30_000, 60_500, 61_000].map((after) => readRate(ask({}, noon + after)).slice(1));
  const resets = [61, 61, 61, 61, 61, 90].map((seconds) => noon / 1000 + seconds);
  assert.equal(
    rates,
    [59, 58, 57, 56, 55, 57].map((remaining, at) => [remaining, resets[at]]),
  );
});

test('ten refusals in a window ban the key to the end of the next', () => {
  const ask = openPlan({ plan: 'free' }, { gaps: { ban: 'banned-429' } });
  exhaust(ask, noon);
  for (let refusals = 2; refusals < 10; refusals += 1) assert.is(readHeader(ask(), 'retry-after'), '60');
  assert.is(readHeader(ask(), 'retry-after'), '120');
  for (const now of [noon, noon + minute, noon + 2 * minute - 1]) {
    const banned = ask({}, now);
    assert.is(banned.status, 429);
    assert.is(readRetry(banned, now) >= noon + 2 * minute, true);
    assert.equal(readRate(banned), [60, 0, noon / 1000 + 120]);
  }
  assert.equal(readRate(ask({}, noon + 2 * minute)), [60, 59, noon / 1000 + 180]);
});

test('refusals during a ban do not prolong it', () => {
  const ask = openPlan({ plan: 'free' }, { gaps: { ban: 'banned-429' } });
  exhaust(ask, noon);
  for (let refusals = 2; refusals <= 10; refusals += 1) ask({}, noon);
  for (let refusals = 0; refusals < 30; refusals += 1) assert.is(ask({}, noon + minute).status, 429);
  assert.is(ask({}, noon + 2 * minute).status, 200);
});

test('where both minute and day are exceeded, the answer describes the day', () => {
  const ask = openPlan({ plan: 'enterprise', perMinute: 5, perDay: 15 });
  for (const now of [noon, noon + minute]) exhaust(ask, now);
  assert.equal(readRate(exhaust(ask, noon + 2 * minute)[1]), [15, 0, noon / 1000 + 43_200]);
});

test('where minute and day have equally many requests left, the headers describe the minute', () => {
  assert.equal(readRate(openPlan({ plan: 'enterprise', perMinute: 5, perDay: 5 })()), [5, 4, noon / 1000 + 60]);
});

test('a hundred thousand addresses are counted separately, and more than that begin again: memory is bounded', () => {
  const ask = open();
  const remaining = (address: string): number | undefined => readRate(ask({ authorization: null, address }))[1];
  for (let at = 0; at < 100_000; at += 1) remaining(`2001:db8::${at}`);
  assert.equal([remaining('2001:db8::0'), remaining('192.0.2.1')], [58, 59]);
  assert.is(remaining('2001:db8::0'), 59);
});

test('a clock that is set back opens the window of its time', () => {
  const ask = openPlan({ plan: 'free' });
  ask({}, noon + 10 * minute);
  assert.equal(readRate(ask()), [60, 59, noon / 1000 + 60]);
});

test('refusals of different windows do not add up to a ban', () => {
  const ask = openPlan({ plan: 'free' }, { gaps: { ban: 'banned-429' } });
  for (const now of [noon, noon + minute, noon + 2 * minute]) {
    exhaust(ask, now);
    for (let refusals = 2; refusals < 10; refusals += 1) ask({}, now);
  }
  assert.is(ask({}, noon + 3 * minute).status, 200);
});

test.run();
