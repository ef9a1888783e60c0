/** The pace of a run: no 429 of our own doing, nothing after one, one stop for all. On a stepped clock. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noKey, validKey } from '../../http/credentials.ts';
import { BudgetSpent } from '../../run/budget.ts';
import { describeLimitWait } from '../../run/pace.ts';
import { createRateLimitState } from '../../run/rate-limit-state.ts';
import { RunStopped } from '../../run/waits.ts';
import { bench, type GatewayLimit, judged, keyless, list, many } from './bench.ts';
import { exchangeOf } from './hand-made.ts';

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => assert.unreachable(),
    (error: unknown) => error,
  );

for (const concurrency of [1, 8]) {
  test(`with ${concurrency} at a time, a Free key of which 57 of 60 were used is never refused, and goes on at full pace`, async () => {
    const { session, clock, refused } = bench(60, { used: 57, concurrency });
    const startedAt = clock.now();
    assert.is((await session.sendAll(many(list, 120))).length, 120);
    assert.is(refused(), 0);
    assert.ok(clock.now() - startedAt < 185_000, `${clock.now() - startedAt}`);
  });

  test(`with ${concurrency} at a time, requests without a key are sent until one gets 429`, async () => {
    const { session, refused } = bench(20, { concurrency });
    await session.sendAll(many(keyless, 60));
    assert.ok(refused() > 0 && refused() <= 2 * concurrency, `${refused()}`);
  });

  test(`with ${concurrency} at a time, nothing is sent between a 429 and the end of its wait`, async () => {
    const { session, exchanges } = bench(60, { used: 50, shown: 1_000, concurrency });
    await session.sendAll(many(list, 100));
    const first = exchanges.find(({ response }) => response?.status === 429)!;
    const end = first.endedAt + Number(first.response!.headers['retry-after']) * 1000;
    assert.not.ok(exchanges.some(({ sent, startedAt }) => sent > first.answered && startedAt < end));
  });

  test(`with ${concurrency} at a time, refusals for other clients of the key do not starve a run, and end none`, async () => {
    const { session, clock, refused } = bench(1_000, { concurrency, refuseOnly: [3, 5, 6] });
    const startedAt = clock.now();
    await session.sendAll(many(list, 300));
    assert.ok(refused() <= 3 && clock.now() - startedAt < 10_000, `${clock.now() - startedAt}`);
    const often = bench(1_000, { refuseOnly: Array.from({ length: 50 }, (_nothing, at) => 5 + 4 * at) });
    assert.is((await often.session.sendAll(many(list, 150))).length, 150);
  });

  test(`with ${concurrency} at a time, the third refusal after a wait that was kept stops the run for all`, async () => {
    const { session, exchanges } = bench(0, { concurrency });
    const error = await errorOf(session.sendAll(many(list, 20)));
    assert.ok(error instanceof RunStopped && /429 4 times/.test(error.message), String(error));
    for (const later of [session.send(list), session.sendOnce(list)]) assert.instance(await errorOf(later), RunStopped);
    assert.is(exchanges.length, 4);
  });
}

const toldASecond = { 'retry-after': '1' };
/** Limits of gateways, whose refusals say nothing of what is left. */
const gateways: Readonly<Record<string, GatewayLimit>> = {
  '20 requests in 5 s': { most: 20, ms: 5_000 },
  '30 requests a minute': { most: 30, ms: 60_000 },
  '20 requests a second': { most: 20, ms: 1_000 },
  '5 requests a second': { most: 5, ms: 1_000 },
  '10 requests a second, and asks for a second': { most: 10, ms: 1_000, headers: toldASecond },
  '2 requests a second, and asks for a second': { most: 2, ms: 1_000, headers: toldASecond },
  'one request a second, and asks for a second': { most: 1, ms: 1_000, headers: toldASecond },
  '60 requests a minute, and asks for one': { most: 60, ms: 60_000, headers: { 'retry-after': '60' } },
};

for (const [what, gateway] of Object.entries(gateways)) {
  test(`a gateway that lets through ${what} costs at most 1.5 times what it allows`, async () => {
    for (const count of [60, 300])
      for (const concurrency of [1, 8]) {
        const { session, clock, refused } = bench(100_000, { concurrency, gateway });
        const startedAt = clock.now();
        assert.is((await session.sendAll(many(list, count))).length, count);
        const [ms, least] = [clock.now() - startedAt, (Math.ceil(count / gateway.most) - 1) * gateway.ms];
        assert.ok(ms <= 1.5 * Math.max(1_000, least), `${count} requests, ${concurrency} at a time: ${ms} ms`);
        assert.ok(refused() <= 35, String(refused()));
      }
  });
}

/** How long answers with these headers, which all end at one time, hold back what is sent then. */
function heldFor(status: number, ...all: readonly Readonly<Record<string, string>>[]): number {
  const limit = createRateLimitState();
  for (const headers of all) limit.note(exchangeOf(1, { response: { status, headers, body: '' } }));
  return limit.held().until - exchangeOf(1).endedAt;
}

test('of refusals that overlap the longer wait counts, and the first refusal is obeyed as it says', () => {
  assert.is(heldFor(429, { 'retry-after': '60' }, { 'retry-after': '1' }), 60_000);
  assert.is(heldFor(429, { 'retry-after': '0' }), 0);
});

test('no reset that is more than a day ahead is waited for', () => {
  const reset = (seconds: number): string => String(Math.floor(exchangeOf(1).endedAt / 1_000) + seconds);
  const empty = { 'x-ratelimit-remaining': '0' };
  const ms = heldFor(200, { ...empty, 'x-ratelimit-reset': reset(60) });
  assert.ok(ms >= 59_000 && ms < 63_000, `${ms}`);
  assert.ok(heldFor(200, { ...empty, 'x-ratelimit-reset': reset(90_000) }) < 1_000);
});

test('a pace that is slower than it has to be grows again', async () => {
  const gateway = { most: 2, ms: 1_000, headers: toldASecond, lastsMs: 5_000 };
  const { session, clock } = bench(100_000, { gateway });
  const startedAt = clock.now();
  await session.sendAll(many(list, 300));
  assert.ok(clock.now() - startedAt < 110_000, `${clock.now() - startedAt}`);
});

test('the plan of the key bounds the pace, also where headers speak of the day, and after a refusal', async () => {
  const ofDay = bench(60, { shown: 1_000, plan: 'free' });
  await ofDay.session.sendAll(many(list, 150));
  assert.is(ofDay.refused(), 0);
  const { session, exchanges } = bench(1_000, { plan: 'free', refuseOnly: [3] });
  await session.sendAll(many(list, 200));
  const sentIn = (from: number): number =>
    exchanges.filter(({ startedAt }) => startedAt >= from && startedAt < from + 60_000).length;
  assert.ok(exchanges.every(({ startedAt }) => sentIn(startedAt) <= 60));
  // Requests without the key count against another limit.
  const usedUp = bench(1_000, { plan: 'free' });
  await usedUp.session.sendAll([...many(list, 60), keyless]);
  assert.equal(usedUp.session.waits, []);
  const keyUnused = bench(1_000, { plan: 'free' });
  await keyUnused.session.sendAll([...many(keyless, 60), list]);
  assert.equal(keyUnused.session.waits, []);
});

test('the numbers of the key in any form count, those of no key do not', () => {
  const { shown } = validKey('Paced-Key-4711');
  const headers = {
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Math.floor(exchangeOf(1).endedAt / 1_000) + 60),
  };
  for (const [credential, isHeld] of [
    [shown, true],
    [{ ...shown, kind: 'lenient' }, true],
    [noKey.shown, false],
  ] as const) {
    const limit = createRateLimitState();
    limit.note(exchangeOf(1, { credential, response: { status: 200, headers, body: '[]' } }));
    assert.is(limit.held().until > 0, isHeld, credential.kind);
  }
});

test('--rate bounds the requests of a minute and of a second, those that are sent past the pace included', async () => {
  for (const request of [list, keyless]) {
    const { session, exchanges } = bench(1_000, { ratePerMinute: 30 });
    await session.sendAll(many(request, 50));
    await session.sendOnce(list);
    await session.send(keyless);
    for (const { startedAt } of exchanges.slice(0, -2)) {
      const within = (ms: number): number =>
        exchanges.slice(0, -2).filter((one) => one.startedAt >= startedAt && one.startedAt < startedAt + ms).length;
      assert.ok(within(60_000) <= 30);
      assert.is(within(1_000), 1);
    }
    const [past, last] = exchanges.slice(-2);
    assert.ok(last!.startedAt - past!.startedAt >= 900);
  }
  // Only waits of a second and more are told.
  const { session } = bench(1_000, { ratePerMinute: 600 });
  await session.sendAll(many(list, 30));
  assert.equal(session.waits, []);
});

test('requests that are sent past the pace are sent at once, and taken from the budget', async () => {
  const { session, exchanges } = bench(1, { maxRequests: 3 });
  for (const status of [200, 429, 429]) assert.is((await session.sendOnce(list)).response?.status, status);
  assert.instance(await errorOf(session.sendOnce(list)), BudgetSpent);
  assert.equal([exchanges.length, session.waits], [3, []]);
});

test('a request that the budget has no room for waits for no limit', async () => {
  const { session } = bench(5, { maxRequests: 5 });
  await session.sendAll(many(list, 5));
  assert.instance(await errorOf(session.send(list)), BudgetSpent);
  assert.equal(session.waits, []);
});

test('a wait says whether the headers or a refusal asked for it', async () => {
  const waits: string[] = [];
  const { session } = bench(5, { onWait: (_ms, why) => waits.push(why) });
  await session.sendAll([...many(list, 6), ...many(keyless, 6)]);
  assert.equal(waits, ['no requests are left until the reset', 'the target answered 429']);
});

test('a wait that is longer than the settings allow stops the run; without a key only after a 429', async () => {
  const { session } = bench(3, { maxWaitMs: 5_000 });
  const error = await errorOf(session.sendAll(many(list, 9)));
  assert.match(String(error), /wants a wait of \d+ s .*, longer than --max-wait 5\./);
  const other = bench(5, { maxWaitMs: 10_000 });
  assert.match(String(await errorOf(other.session.sendAll(many(keyless, 6)))), /longer than --max-wait 10/);
  assert.is(other.exchanges.length, 6);
});

test('a wait as long as the settings allow is kept, and one of a second is told', async () => {
  const told: number[] = [];
  const { session } = bench(1_000, { maxWaitMs: 5_000, onWait: (ms) => told.push(ms) });
  for (const ms of [999, 1_000, 5_000]) await session.wait(ms, 'a test');
  assert.equal(told, [1_000, 5_000]);
  const reported = session.waits.map(({ durationMs, why }) => `${durationMs} ms: ${why}`);
  assert.equal(reported, ['1000 ms: a test', '5000 ms: a test']);
  const [first, second] = session.waits.map(({ startedAt }) => Date.parse(startedAt));
  assert.is(second! - first!, 1_000);
  const untold = bench(1_000, { maxWaitMs: 5_000 });
  await untold.session.wait(1_000, 'a test');
  assert.is(untold.session.waits.length, 1);
  assert.match(String(await errorOf(session.wait(5_001, 'a test'))), /wants a wait of 6 s /);
});

test('a limit of nothing is no limit to wait for, and a header that is always empty is waited for once', async () => {
  for (const shown of [0, 1]) {
    const waits: number[] = [];
    const { session } = bench(1_000, { shown, onWait: (ms) => waits.push(ms) });
    await session.sendAll(many(list, 20));
    assert.is(waits.length, shown);
  }
});

test('waits for the limit of the key are worth a sentence from half a minute on', () => {
  const headers = { 'x-ratelimit-limit': '60' };
  const ofKey = exchangeOf(1, { response: { status: 200, headers, body: '[]' } });
  const keylessLater = exchangeOf(2, { credential: noKey.shown });
  assert.equal(describeLimitWait(29_999, [ofKey]), []);
  const advice = 'a key with a larger limit, or a smaller --max-requests, makes it shorter.';
  const [said] = describeLimitWait(30_000, [ofKey, keylessLater]);
  assert.is(said, `The run waited 30 s for the limit of 60 requests: ${advice}`);
  for (const exchanges of [[exchangeOf(1)], []])
    assert.equal(describeLimitWait(61_400, exchanges), [`The run waited 61 s for the rate limit: ${advice}`]);
});

test('a run that waits long for the limit says how long, and what makes it shorter; one that keeps to --rate does not', async () => {
  const { report } = await judged({ perMinute: 60 }, 150, { hasRateLimitKey: false });
  const said = /^The run waited \d+ s for the limit of 60 requests: a key with a larger limit, or a smaller --max-req/;
  assert.match(report.notes?.join('\n') ?? '', said);
  for (const [most, changes] of [
    [40, {}],
    [150, { ratePerMinute: 30 }],
  ] as const) {
    const { report: other } = await judged({ perMinute: 60 }, most, { hasRateLimitKey: false, ...changes });
    assert.not.match(other.notes?.join('\n') ?? '', 'The run waited');
  }
});

test.run();
