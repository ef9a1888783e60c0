/** getPet may be removed from the moment at which the day of removal begins in the earliest time zone. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../../../../spec/facts.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { secondMs } from '../../../http/tolerances.ts';
import { runInProcess, trialSettings } from '../../../proof/trial.ts';
import { handleOf } from '../../../services/index.ts';
import { changeAnswer, errorAnswer, keysOfTrials } from '../../../services/wraps.ts';
import { codesOf, judgeAfter } from '../test-client.ts';

const gone = changeAnswer((answer, { operation, isAuthorized }) =>
  operation === 'getPet' && isAuthorized ? errorAnswer(410, answer) : undefined,
);

async function verdictsOn(today: number): Promise<readonly (string | undefined)[]> {
  const report = await runInProcess(gone(handleOf({ id: 'gone' }), keysOfTrials), trialSettings(60, { today }));
  return (['get-answer', 'get-until-removal'] as const).map(
    (id) => report.requirements.find((one) => one.id === id)?.verdict,
  );
}

test('getPet is judged until 5 December 2030 begins in the earliest time zone', async () => {
  assert.equal(await verdictsOn(Date.UTC(2030, 11, 4, 9)), ['inconclusive', 'fail']);
  assert.equal(await verdictsOn(Date.UTC(2030, 11, 4, 10)), ['not-applicable', 'not-applicable']);
  assert.equal(await verdictsOn(Date.UTC(2030, 11, 5, 12)), ['not-applicable', 'not-applicable']);
});

test('a run that lasts until getPet is removed judges the reads before, and none after', async () => {
  for (const [msBefore, verdict] of [
    [0, 'pass'],
    [secondMs, 'fail'],
  ] as const) {
    const wrap = changeAnswer((answer, { operation, now }) =>
      operation === 'getPet' && now >= removalOfGetPet - msBefore * 15 ? errorAnswer(410, answer) : undefined,
    );
    const startsAt = removalOfGetPet - 20 * secondMs;
    const settings = trialSettings(60, { today: startsAt, hasRateLimitKey: false });
    const report = await runInProcess(wrap(handleOf({ id: 'crossing' }), keysOfTrials), settings, {
      startsAt,
      latencyMs: secondMs,
    });
    assert.is(report.requirements.find(({ id }) => id === 'get-until-removal')?.verdict, verdict);
  }
});

const isGetPet = ({ target }: { readonly target: string }): boolean => /\/pets\/\d+$/.test(target);

/** A run against a server that answers the n-th read of an animal otherwise, at n such reads. */
async function runWith(status: number, isWrong: (read: number, ms: number) => boolean) {
  const startsAt = Date.UTC(2026, 10, 21, 12, 0, 20);
  const exchanges: Exchange[] = [];
  let count = 0;
  const wrap = changeAnswer((answer, { request, now }) => {
    if (!isGetPet(request) || answer.status !== 200) return undefined;
    count += 1;
    return isWrong(count, now - startsAt) ? errorAnswer(status, answer) : undefined;
  });
  const report = await runInProcess(
    wrap(handleOf({ id: 'now and then' }), keysOfTrials),
    trialSettings(300, { hasRateLimitKey: false }),
    {
      startsAt,
      onExchange: (exchange) => exchanges.push(exchange),
    },
  );
  return { report, reads: exchanges.filter(({ check }) => check === 'vanished-reads') };
}

test('a getPet that says now and then that it is gone fails, and is not called flaky', async () => {
  for (const status of [405, 410]) {
    const { report } = await runWith(status, (read) => read % 5 === 0);
    const requirement = report.requirements.find(({ id }) => id === 'get-until-removal')!;
    assert.equal([requirement.verdict, requirement.recheck], ['fail', 'fails-again'], String(status));
    assert.is(report.requirements.find(({ id }) => id === 'get-answer')?.verdict, 'pass');
  }
});

test('a replica that is late for half a minute fails nothing', async () => {
  const { report, reads } = await runWith(404, (read, ms) => read % 3 === 0 && ms < 30_000);
  assert.is(report.exitCode, 0);
  assert.ok(reads.every(({ response }) => response?.status === 200));
});

test('one read that misses an animal between others that find it fails nothing of §9', async () => {
  let reads = 0;
  const wrap = changeAnswer((answer, { request }) => {
    if (!isGetPet(request)) return undefined;
    reads += 1;
    return reads === 2 ? errorAnswer(404, answer) : undefined;
  });
  const history = await judgeAfter('get-until-removal', { wrap }, async ({ create, get, wait }) => {
    const id = await create();
    for (const waitMs of [63_000, 3_000, 3_000]) {
      await wait(waitMs);
      await get(id);
    }
  });
  assert.equal(codesOf(history), ['holds']);
});

test('a getPet that always finds its animals is not asked again', async () => {
  assert.equal((await runWith(404, () => false)).reads, []);
});

test.run();
