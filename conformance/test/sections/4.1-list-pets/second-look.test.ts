/** Missing animals are asked for again after the settle time. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { seededRandom } from '../../../../spec/random.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { runInProcess, trialSettings } from '../../../proof/trial.ts';
import { secondLook } from '../../../sections/4.1-list-pets/second-look.ts';
import { cache } from '../../../services/caches.ts';
import { handleOf } from '../../../services/index.ts';
import { busy, manyAnimals } from '../../../services/other-clients.ts';
import { changePage, changeQuery } from '../../../services/page-changes.ts';
import { cappedAt, isListing, isListingOrRead, isRead, lagging } from '../../../services/visibility-changes.ts';
import type { Wrap } from '../../../services/wraps.ts';
import { keysOfTrials } from '../../../services/wraps.ts';
import type { Report } from '../../../verdict/report.ts';
import type { Settings } from '../../../verdict/settings.ts';
import { keepingNewest } from '../../sandboxes.ts';
import { codesOf, judgeAfter } from '../test-client.ts';

async function run(
  wrap: Wrap,
  maxRequests: number,
  changes: Partial<Settings> = {},
): Promise<{ readonly report: Report; readonly looks: readonly Exchange[]; readonly all: readonly Exchange[] }> {
  const all: Exchange[] = [];
  const settings = trialSettings(maxRequests, { hasRateLimitKey: false, ...changes });
  const report = await runInProcess(handleOf({ id: 'looked-at', wrap }), settings, {
    onExchange: (exchange) => all.push(exchange),
  });
  return { report, all, looks: all.filter(({ check }) => check.startsWith('second-look')) };
}

const targetsOf = (exchanges: readonly Exchange[]): readonly string[] =>
  exchanges.map(({ request }) => `${request.method} ${request.target}`);

test('a run without missing animals asks nothing again and waits for nothing', async () => {
  const { looks, report } = await run((handle) => handle, 60);
  assert.equal(looks, []);
  assert.ok(report.durationMs < 1_000, String(report.durationMs));
});

test('missing animals are asked for after the settle time, filtered pages between two of the whole catalogue', async () => {
  const { looks, all, report } = await run(lagging(1_000, isListingOrRead), 60);
  const firstLook = targetsOf(looks.filter(({ check }) => check === 'second-look-1'));
  assert.equal(firstLook, ['GET /pets/2', 'GET /pets?limit=100']);
  const filtered = await run(
    lagging(3_000, (call) => isListing(call) && call.query.has('status')),
    300,
  );
  assert.match(
    targetsOf(filtered.looks).join(),
    /GET \/pets\?limit=100,GET \/pets\?status=\w+&limit=100,(GET \/pets\?status=\w+&limit=100,)?GET \/pets\?limit=100/,
  );
  const [first] = looks;
  const last = all.findLast(({ number, response }) => response?.status === 201 && number < first!.number);
  assert.is(first!.startedAt - last!.endedAt, 2_000);
  assert.ok(looks.every(({ response }) => response?.status === 200));
  assert.is(report.exitCode, 0);
  assert.equal(report.gaps.find(({ id }) => id === 'visibility')?.observed, ['later']);
});

test('a page that still lacks an animal is asked for around one more creation', async () => {
  const losesSecond = changePage((page) => page.filter((_entry, at) => at !== 1));
  const { looks, report } = await run(losesSecond, 300);
  assert.ok(targetsOf(looks).join().includes('GET /pets?limit=100,POST /pets,GET /pets?limit=100'));
  assert.is(report.requirements.find(({ id }) => id === 'list-complete')?.verdict, 'fail');
  const capped = await run(cappedAt(2), 300);
  assert.ok(targetsOf(capped.looks).join().includes('POST /pets,GET /pets?limit=100'));
  assert.is(capped.report.exitCode, 0);
});

/** The seconds after the first request of a look at which its requests for a target were sent. */
function secondsOf(looks: readonly Exchange[], target: string): readonly number[] {
  const start = looks[0]!.startedAt;
  const asked = looks.filter(({ request, check }) => request.target === target && check === looks[0]!.check);
  return [...new Set(asked.map(({ startedAt }) => Math.floor((startedAt - start) / 1_000)))];
}

test('a missing animal is asked for while a cache may answer with old copies, and then repeatedly', async () => {
  const reads = await run(lagging(600_000, isRead), 60);
  assert.equal(secondsOf(reads.looks, '/pets/2'), [0, 5, 6, 15, 16, 30, 31, 60, 61, 62]);
  assert.is(reads.report.requirements.find(({ id }) => id === 'get-answer')?.verdict, 'fail');
  const pages = await run(lagging(600_000, isListing), 60);
  assert.is(pages.report.requirements.find(({ id }) => id === 'list-complete')?.verdict, 'fail');
  const found = await run(lagging(20_000, isRead), 60);
  assert.equal(secondsOf(found.looks, '/pets/2'), [0, 5, 6, 15, 16, 30]);
  assert.is(found.report.exitCode, 0);
});

/** How long a run against a server takes, seconds: it waits on a stepped clock, so that nothing depends on the machine. */
async function secondsOfRun(wrap: Wrap, maxRequests = 300): Promise<number> {
  const { report } = await run(wrap, maxRequests);
  assert.is(report.exitCode, 0);
  return report.durationMs / 1_000;
}

test('a run waits for a late target once, and no longer than it is late', async () => {
  for (const [lagMs, mostSeconds] of [
    [3_000, 15],
    [10_000, 25],
    [50_000, 75],
  ] as const) {
    for (const isLagging of [isListing, isRead, isListingOrRead]) {
      const seconds = await secondsOfRun(lagging(lagMs, isLagging));
      assert.ok(seconds < mostSeconds, `${lagMs} ms: ${seconds} s`);
    }
  }
});

test('a run waits for no copies where pages are capped, vary in length or keep the newest animals', async () => {
  const varying: Wrap = (handle) => {
    const random = seededRandom(3);
    return changePage((page) => page.slice(0, Math.ceil(page.length * (0.6 + 0.4 * random()))))(handle, keysOfTrials);
  };
  const filtersCapped = changePage((page, { query }) => (query.has('status') ? page.slice(0, 4) : undefined));
  const wraps = { capped: cappedAt(20), newest: keepingNewest(5), varying, filtersCapped };
  for (const [name, wrap] of Object.entries(wraps)) {
    const seconds = await secondsOfRun(wrap);
    assert.ok(seconds < 15, `${name}: ${seconds} s`);
  }
});

test('a run fails no cache whose copies differ since other clients added animals in between', async () => {
  for (const ttlMs of [2_000, 10_000, 60_000]) {
    for (const grace of [{}, { hasGrace: true } as const]) {
      const wrap: Wrap = (handle) => cache({ ttlMs, ...grace })(busy(handle, keysOfTrials), keysOfTrials);
      const { report } = await run(wrap, 60);
      assert.is(report.exitCode, 0, `${ttlMs} ms ${JSON.stringify(grace)}`);
    }
  }
});

test('a page without a limit that is short fails in a shuffled catalogue, too', async () => {
  const wrap = changeQuery((query) => query.set('limit', query.get('limit') ?? '10'));
  for (const count of [60, 150]) {
    const settings = trialSettings(60, { hasRateLimitKey: false, isReadOnly: true });
    const server = handleOf({ id: 'shuffled', wrap, animals: manyAnimals(count), gaps: { 'list-order': 'shuffled' } });
    const report = await runInProcess(server, settings);
    assert.is(report.requirements.find(({ id }) => id === 'list-limit-default')?.verdict, 'fail', `${count}`);
  }
});

test('a run without a creation left does not wait for a page whose room only another creation could prove', async () => {
  const filtersCapped = changePage((page, { query }) => (query.has('status') ? page.slice(0, 13) : undefined));
  const { report } = await run(filtersCapped, 300, { maxCreates: 40 });
  assert.is(report.exitCode, 0);
  assert.ok(report.durationMs < 15_000, `${report.durationMs} ms`);
});

test('a run waits for no animal that may be evicted, with few creations either', async () => {
  for (const count of [5, 30]) {
    const { report } = await run(keepingNewest(count), 300, { maxCreates: 40 });
    assert.is(report.exitCode, 0);
    assert.ok(report.durationMs < 15_000, `${count}: ${report.durationMs} ms`);
  }
});

test('a 404 from before the animal existed is not asked for again', async () => {
  const findings = await judgeAfter('get-not-found', {}, async ({ session, create, get }) => {
    assert.is(await get(1n), 404);
    assert.is(await create(), 1n);
    const sent = session.exchanges.length;
    await secondLook(1).run(session, undefined as never);
    assert.is(session.exchanges.length, sent);
  });
  assert.equal(codesOf(findings), ['holds']);
});

test('a short page without a limit is asked for again between two with limit 20', async () => {
  const short = changePage((page, { query }) => (query.has('limit') ? undefined : page.slice(0, 15)));
  const { looks, report } = await run(short, 300);
  assert.ok(
    targetsOf(looks).join().includes('GET /pets?limit=20,GET /pets,GET /pets?limit=20'),
    targetsOf(looks).join(),
  );
  assert.is(report.requirements.find(({ id }) => id === 'list-limit-default')?.verdict, 'fail');
});

test('a second look beyond the budget or the longest wait is left out and nothing fails', async () => {
  const slow = await run(lagging(60_000, isListing), 300, { maxWaitMs: 1_000 });
  assert.is(slow.report.requirements.find(({ id }) => id === 'list-complete')?.verdict, 'inconclusive');
  assert.is(slow.report.exitCode, 0);
  const spent = await run(lagging(60_000, isRead), 10);
  assert.equal(spent.looks, []);
  assert.is(spent.report.requirements.find(({ id }) => id === 'get-answer')?.verdict, 'inconclusive');
});

test('a failure that took repeated requests is not rechecked by sending them all again', async () => {
  for (const [wrap, requirement] of [
    [lagging(600_000, isRead), 'get-answer'],
    [lagging(600_000, isListing), 'list-complete'],
  ] as const) {
    const { report, all } = await run(wrap, 300);
    const failing = report.requirements.find(({ id }) => id === requirement)!;
    assert.is(failing.verdict, 'fail');
    assert.is(failing.recheck, 'fails-again', requirement);
    assert.equal(
      all.filter(({ check }) => check === 're-check').map(({ request }) => request.target),
      [],
      requirement,
    );
  }
});

test.run();
