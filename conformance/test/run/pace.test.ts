/** The pace of a run: no 429 of our own doing, nothing after one, one stop for all. On a stepped clock. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { trialSettings } from '../../proof/trial.ts';
import { BudgetSpent, createBudget } from '../../run/budget.ts';
import { RunStopped } from '../../run/pace.ts';
import { createSession, type Session } from '../../run/session.ts';
import { createClock } from '../../services/in-process.ts';
import { bench, type GatewayLimit, keyless, list, many } from './bench.ts';

for (const concurrency of [1, 8]) {
  test(`with ${concurrency} at a time, a Free key of which 57 of 60 were used is never refused, and goes on at full pace`, async () => {
    const { session, clock, refused } = bench(60, { used: 57, concurrency });
    const startedAt = clock.now();
    const answers = await session.sendAll(many(list, 120));
    assert.is(refused(), 0);
    assert.is(answers.length, 120);
    assert.ok(clock.now() - startedAt < 185_000, `${clock.now() - startedAt}`);
  });

  for (const perMinute of [20, 5]) {
    test(`with ${concurrency} at a time, ${perMinute} requests a minute without a key are asked for until one gets 429`, async () => {
      const { session, refused } = bench(perMinute, { concurrency });
      await session.sendAll(many(keyless, 3 * perMinute));
      assert.ok(refused() > 0 && refused() <= 2 * concurrency, `${refused()}`);
    });
  }

  test(`with ${concurrency} at a time, nothing is sent between a 429 and the end of its wait`, async () => {
    const { session, exchanges, refused } = bench(60, { used: 50, shown: 1_000, concurrency });
    await session.sendAll(many(list, 100));
    assert.ok(refused() >= 1);
    const first = exchanges.find(({ response }) => response?.status === 429)!;
    const waitMs = Number(first.response!.headers['retry-after']) * 1000;
    const meanwhile = exchanges.filter(
      ({ sent, startedAt }) => sent > first.answered && startedAt < first.endedAt + waitMs,
    );
    assert.is(meanwhile.length, 0);
  });
}

for (const concurrency of [1, 8]) {
  test(`with ${concurrency} at a time, two early refusals for another client of the key do not starve a run`, async () => {
    const { session, clock, refused } = bench(1_000, { concurrency, refuseOnly: [3, 5, 6] });
    const startedAt = clock.now();
    await session.sendAll(many(list, 300));
    assert.ok(refused() <= 3);
    assert.ok(clock.now() - startedAt < 310_000, `${clock.now() - startedAt}`);
  });
}

test('after each of two refusals, one request asks what the headers say, and the run goes on at their pace', async () => {
  const { session, clock, refused } = bench(1_000, { refuseOnly: [5, 9] });
  const startedAt = clock.now();
  await session.sendAll(many(list, 300));
  assert.is(refused(), 2);
  assert.ok(clock.now() - startedAt < 10_000, `${clock.now() - startedAt}`);
});

/** By the limit of a gateway: the seconds that it takes to let 300 requests through. */
const gateways: Readonly<Record<string, readonly [GatewayLimit, number]>> = {
  'lets 20 requests through in 5 s': [{ most: 20, ms: 5_000 }, 70],
  'lets 2 requests a second through and asks for a second': [
    { most: 2, ms: 1_000, headers: { 'retry-after': '1' } },
    149,
  ],
  'lets 20 requests a second through': [{ most: 20, ms: 1_000 }, 14],
};

for (const [what, [gateway, leastSeconds]] of Object.entries(gateways)) {
  for (const concurrency of [1, 8]) {
    test(`with ${concurrency} at a time, a gateway that ${what} costs at most 1.5 times what it allows`, async () => {
      const { session, clock, refused } = bench(1_000, { concurrency, gateway });
      const startedAt = clock.now();
      assert.is((await session.sendAll(many(list, 300))).length, 300);
      const seconds = (clock.now() - startedAt) / 1_000;
      // A stepped clock moves while other requests are under way, which makes a limit of a second look longer.
      const most = concurrency === 1 ? 1.5 : 4;
      assert.ok(seconds <= most * leastSeconds, `${seconds} s, ${refused()} refused`);
      assert.ok(refused() <= 45, String(refused()));
    });
  }
}

test('refusals that come now and then end no run', async () => {
  const { session } = bench(1_000, { refuseOnly: Array.from({ length: 50 }, (_nothing, at) => 5 + 4 * at) });
  assert.is((await session.sendAll(many(list, 150))).length, 150);
});

test('the plan of the key bounds the pace again after a refusal whose lesson is forgotten', async () => {
  const { session, clock, exchanges } = bench(1_000, { plan: 'free', refuseOnly: [3] });
  await session.sendAll(many(list, 200));
  const sentIn = (from: number): number =>
    exchanges.filter(({ startedAt }) => startedAt >= from && startedAt < from + 60_000).length;
  assert.ok(exchanges.every(({ startedAt }) => sentIn(startedAt) <= 60));
  assert.ok(clock.now() > 0);
});

test('--rate bounds the requests of a minute for every key and for requests without one', async () => {
  for (const request of [list, keyless]) {
    const { session, exchanges } = bench(1_000, { ratePerMinute: 30 });
    await session.sendAll(many(request, 100));
    for (const { startedAt } of exchanges) {
      const meanwhile = exchanges.filter((one) => one.startedAt >= startedAt && one.startedAt < startedAt + 60_000);
      assert.ok(meanwhile.length <= 30, String(meanwhile.length));
      const atOnce = meanwhile.filter((one) => one.startedAt < startedAt + 1_000);
      assert.is(atOnce.length, 1);
    }
  }
});

test('requests that are sent past the pace count for --rate', async () => {
  const { session, clock } = bench(1_000, { ratePerMinute: 60 });
  await session.sendOnce(list);
  const startedAt = clock.now();
  await session.send(keyless);
  assert.ok(clock.now() - startedAt >= 900);
});

test('a wait names the client whose limit it is for', async () => {
  const waits: string[] = [];
  const { session } = bench(5, { onWait: (_ms, why) => waits.push(why) });
  await session.sendAll([...many(list, 6), ...many(keyless, 6)]);
  assert.equal(waits, [
    'no requests are left until the reset (limit of the API key)',
    'the target answered 429 (limit of requests without a key)',
  ]);
});

test('a bucket without a key whose reset lies beyond --max-wait does not end the run', async () => {
  const { session, exchanges } = bench(5, { maxWaitMs: 10_000 });
  await session.send(list);
  await session.sendAll(many(keyless, 5));
  const sixth = await session.send(keyless).catch((error: unknown) => error);
  // The request is sent all the same; only a 429 with its Retry-After may end the run.
  assert.is(exchanges.filter(({ credential }) => credential.kind === 'missing').length, 6);
  assert.match(String(sixth), /longer than --max-wait 10/);
});

test('the plan of the key keeps headers that speak of the day from a refusal', async () => {
  const { session, refused } = bench(60, { shown: 1_000, plan: 'free' });
  await session.sendAll(many(list, 150));
  assert.is(refused(), 0);
});

test('the third refusal after a wait that was kept stops the run for all, and nothing goes after it', async () => {
  for (const concurrency of [1, 8]) {
    const { session, exchanges } = bench(0, { concurrency });
    await session.sendAll(many(list, 20)).then(
      () => assert.unreachable(),
      (error: unknown) => assert.ok(error instanceof RunStopped && /429 4 times/.test(error.message), String(error)),
    );
    assert.is(exchanges.length, 4);
    await session.send(list).then(
      () => assert.unreachable(),
      (error: unknown) => assert.instance(error, RunStopped),
    );
    assert.is(exchanges.length, 4);
  }
});

test('parallel requests settle before they end: none is under way when a spent budget is reported', async () => {
  const { session, exchanges } = bench(1_000, { concurrency: 8, maxRequests: 11 });
  await session.sendAll(many(list, 30)).then(
    () => assert.unreachable(),
    (error: unknown) => assert.instance(error, BudgetSpent),
  );
  const before = exchanges.length;
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.is(before, 11);
  assert.is(exchanges.length, before);
});

test('a limit of nothing is no limit to wait for, and a header that is always empty is waited for once', async () => {
  const clock = createClock();
  const waits: number[] = [];
  const answer = (limit: number): Session => {
    const settings = trialSettings(50);
    return createSession({
      settings,
      keys: { api: 'Paced-Key-4711' },
      transport: () =>
        Promise.resolve({
          status: 200,
          headers: {
            date: new Date(clock.now()).toUTCString(),
            'x-ratelimit-limit': String(limit),
            'x-ratelimit-remaining': '0',
            'x-ratelimit-reset': String(Math.ceil(clock.now() / 1000) + 30),
          },
          body: new TextEncoder().encode('[]'),
        }),
      clock,
      budget: createBudget(50, 50),
      runTag: 'abc123',
      onWait: (ms) => waits.push(ms),
    });
  };
  await answer(0).sendAll(many(list, 20));
  assert.is(waits.length, 0);
  await answer(60).sendAll(many(list, 20));
  assert.is(waits.length, 1);
});

test('names follow the template of the user, with letters that no other name has', () => {
  const { session } = bench(60, { nameTemplate: 'Pet {n} of {n}' });
  const names = Array.from({ length: 700 }, () => session.newName());
  for (const name of names) assert.match(name, /^Pet ([a-z]+) of \1$/);
  assert.is(new Set(names).size, 700);
  assert.is(bench(60).session.newName(), 'cf-abc123-01');
});

test('a group goes out together at any concurrency, in its order, and one failure fails the group', async () => {
  const { session, exchanges } = bench(60);
  await session.send(list);
  const together = await session.sendTogether(many(list, 3));
  assert.equal(
    together.map(({ number }) => number),
    exchanges.slice(1).map(({ number }) => number),
  );
  const [first, , last] = together;
  assert.ok(last!.sent < first!.answered);
  const [one, two] = await session.sendAll(many(list, 2));
  assert.ok(one!.answered < two!.sent);
  await bench(60, { maxRequests: 2 })
    .session.sendTogether(many(list, 3))
    .then(
      () => assert.unreachable(),
      (error: unknown) => assert.instance(error, BudgetSpent),
    );
});

test('a wait that is longer than the settings allow stops the run, and says which flag helps', async () => {
  const { session } = bench(3, { maxWaitMs: 5_000 });
  await session.sendAll(many(list, 9)).then(
    () => assert.unreachable(),
    (error: unknown) => assert.match(String(error), /wants a wait of \d+ s .*, longer than --max-wait 5\./),
  );
});

test.run();
