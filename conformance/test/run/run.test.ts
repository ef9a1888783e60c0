/** A run against servers that the kit does not know: what it says, what it spends, what it leaves out. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createTwin } from '../../../reference-server/twin/gaps.ts';
import type { Exchange } from '../../http/exchange.ts';
import { isJsonObject, writeJson } from '../../http/json.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { judge } from '../../run/judge.ts';
import { manyAnimals } from '../../services/catalogues.ts';
import { handleOf } from '../../services/index.ts';
import { keysOfTrials, readCall, withBody } from '../../services/wraps.ts';
import { reason, reasonInWords } from '../../verdict/reasons.ts';
import type { Report } from '../../verdict/report.ts';

function verdictOf(report: Report, id: string): string | undefined {
  return report.requirements.find((requirement) => requirement.id === id)?.verdict;
}

function failed(report: Report): readonly string[] {
  return report.requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
}

test('same seed, same requests', async () => {
  const record = async (seed: number): Promise<string> => {
    const exchanges: Exchange[] = [];
    const settings = trialSettings(200, { seed });
    await runInProcess(handleOf({ id: 'plain' }), settings, { onExchange: (exchange) => exchanges.push(exchange) });
    return JSON.stringify(exchanges.map(({ request }) => request));
  };
  assert.is(await record(7), await record(7));
  assert.is.not(await record(7), await record(8));
});

test('budgets are never passed, whatever they are', async () => {
  for (const maxRequests of [1, 2, 5, 19, 61, 150]) {
    for (const maxCreates of [0, 3, 60]) {
      const report = await runInProcess(handleOf({ id: 'plain' }), trialSettings(maxRequests, { maxCreates }));
      assert.ok(report.requests <= maxRequests, `${report.requests} of ${maxRequests}`);
      assert.ok(report.creates <= maxCreates, `${report.creates} of ${maxCreates}`);
      assert.equal(failed(report), []);
    }
  }
});

test('what a spent budget kept from being judged names the option that raises it', async () => {
  for (const [size, reason] of [
    [{ maxRequests: 25, maxCreates: 60 }, 'the budget of 25 requests is spent; raise --max-requests'],
    [{ maxRequests: 60, maxCreates: 1 }, 'the budget of 1 creations is spent; raise --max-creates'],
  ] as const) {
    const report = await runInProcess(handleOf({ id: 'plain' }), trialSettings(size.maxRequests, size));
    const reasons = report.requirements.flatMap((one) => (one.verdict === 'inconclusive' ? [one.reason] : []));
    assert.ok(reasons.includes(reason), reasons.join('\n'));
  }
});

test('with sixty requests every required requirement is judged, but for exhaustion, where a page can be full', async () => {
  const report = await runInProcess(
    handleOf({ id: 'thirty', animals: manyAnimals(30) }),
    trialSettings(60, { plan: 'business', hasRateLimitKey: false }),
  );
  const open = report.requirements.filter(({ verdict, level }) => level === 'required' && verdict === 'inconclusive');
  assert.equal(
    open.map(({ id }) => id),
    [],
  );
  assert.is(report.exitCode, 0);
});

test('a read-only run creates nothing, sends no POST, and says what it skipped', async () => {
  const exchanges: Exchange[] = [];
  const handle = handleOf({ id: 'filled', animals: manyAnimals(30) });
  const report = await runInProcess(handle, trialSettings(200, { isReadOnly: true }), {
    onExchange: (exchange) => exchanges.push(exchange),
  });
  assert.ok(exchanges.every(({ request }) => request.method === 'GET'));
  assert.is(verdictOf(report, 'create-answer'), 'skipped');
  assert.is(verdictOf(report, 'get-answer'), 'pass');
  assert.is(report.exitCode, 0);
});

test('when the plain example is refused, the run cannot judge and names the flag', async () => {
  const { handle } = createTwin({ keys: trialKeys, gaps: { 'known-categories': 'refused-400' } });
  const shifted: typeof handle = (request, now) => {
    const sent = readCall(request, now, keysOfTrials).json;
    const isFirst = isJsonObject(sent) && sent['categoryId'] === 1n;
    return handle(isFirst ? withBody(request, writeJson({ ...sent, categoryId: 99n })) : request, now);
  };
  const report = await runInProcess(shifted, trialSettings(300));
  assert.is(report.exitCode, 3);
  assert.match(reasonInWords(report.reason) ?? '', /--category-id/);
  const named = await runInProcess(shifted, trialSettings(300, { categoryIds: [7n] }));
  assert.is(named.exitCode, 0, reasonInWords(named.reason));
});

test('a run on the embedded server ends soon when it is interrupted', async () => {
  const interruption = new AbortController();
  const settings = {
    ...{ categoryIds: [], headers: {}, isReadOnly: false, concurrency: 1, requiresAll: false },
    ...{ maxWaitMs: 75_000, settleMs: 2_000, timeoutMs: 1_000, deadlineMs: 60_000 },
  };
  const watch = { onExchange: () => void setImmediate(() => interruption.abort()) };
  const keyNames = { api: 'apiKey', rateLimit: 'rateLimitKey' };
  const report = await judge({ settings, keys: {}, keyNames, signal: interruption.signal, watch });
  assert.equal([report.reason, report.exitCode], [reason('interrupted', {}), 3]);
  assert.ok(report.requests < 5, `${report.requests}`);
});

test.run();
