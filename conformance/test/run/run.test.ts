/** A run against servers that the kit does not know: what it says, what it spends, what it leaves out. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Handle } from '../../../reference-server/index.ts';
import { createTwin } from '../../../reference-server/twin/gaps.ts';
import type { RequirementId } from '../../../spec/requirements.ts';
import { faults } from '../../faults/index.ts';
import type { Exchange } from '../../http/exchange.ts';
import { isJsonObject, writeJson } from '../../http/json.ts';
import { fetchTransport } from '../../http/transport.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { reporters } from '../../reporters/index.ts';
import { runConformance } from '../../run/run.ts';
import { conformanceSuite } from '../../sections/index.ts';
import { handleOf, services } from '../../services/index.ts';
import { manyAnimals } from '../../services/other-clients.ts';
import { apiKey, keysOfTrials, sentJson, withBody } from '../../services/wraps.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import type { Report } from '../../verdict/report.ts';
import { type OtherServerOptions, startOtherServer } from '../other-server.ts';
import { jumpingTime } from './bench.ts';

function verdictOf(report: Report, id: string): string | undefined {
  return report.requirements.find((requirement) => requirement.id === id)?.verdict;
}

function failed(report: Report): readonly string[] {
  return report.requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
}

async function judgeOther(options: OtherServerOptions = {}): Promise<Report> {
  const { baseUrl, key, server } = await startOtherServer(options);
  const transport = fetchTransport(5_000);
  const report = await runConformance({
    suite: conformanceSuite,
    settings: trialSettings(300, { baseUrl, hasRateLimitKey: false, today: Date.now() }),
    keys: { api: key },
    transport,
    clock: jumpingTime().clock(),
    runTag: 'abc123',
  });
  transport.close();
  server.close();
  return report;
}

test('a server in another style with other choices conforms, over real sockets', async () => {
  const report = await judgeOther();
  assert.equal(failed(report), []);
  assert.is(report.verdict, 'conforms');
  assert.is(verdictOf(report, 'list-limit-refused'), 'warn');
  assert.is(verdictOf(report, 'rate-exceeded'), 'skipped');
});

test('a server that breaks one sentence fails for it, with the exchange and a curl line', async () => {
  const report = await judgeOther({
    breaks: (answer) => {
      if (answer.status === 404) answer.body = answer.body.replace('"status":404', '"status":400');
    },
  });
  assert.equal(failed(report), ['error-status-equals']);
  assert.is(report.exitCode, 1);
  const [failure] = report.requirements.find(({ id }) => id === 'error-status-equals')!.failures;
  assert.match(
    failure!.curl,
    /^curl -i 'http:\/\/127\.0\.0\.1:\d+\/v1\/pets\/-?\d+' -H "Authorization: Bearer \$PETSTORE_API_KEY"$/,
  );
  assert.ok(
    report.exchanges.some(({ number, response }) => number === failure!.exchanges[0] && response?.status === 404),
  );
});

test('the report of a failing run is valid by its schema', async () => {
  const ajv = new Ajv2020({ strictTypes: false });
  addFormats.default(ajv);
  const schema = JSON.parse(readFileSync(new URL('../../report.schema.json', import.meta.url), 'utf8'));
  const validate = ajv.compile(schema);
  const fault = faults.find(({ id }) => id === 'body-empty')!;
  const handle = fault.wrap(createTwin({ keys: trialKeys }).handle, keysOfTrials);
  for (const report of [
    await runInProcess(handle, trialSettings(60)),
    await runInProcess(handleOf({ id: 'plain' }), trialSettings(300)),
  ]) {
    assert.ok(validate(JSON.parse(reporters.json(report))), ajv.errorsText(validate.errors));
  }
});

test('nothing in the report or the exchanges holds a key, whatever the target sends back', async () => {
  const { handle } = createTwin({ keys: trialKeys });
  const encoded = Buffer.from(apiKey).toString('base64');
  const echo: typeof handle = (request, now) => {
    const answer = handle(request, now);
    const received = request.headers.find(([name]) => name === 'authorization')?.[1] ?? '';
    return {
      ...answer,
      headers: { ...answer.headers, 'X-Echo': `${received} ${encoded}` },
      body: `${received} ${answer.body}`,
    };
  };
  const exchanges: Exchange[] = [];
  const report = await runInProcess(echo, trialSettings(300), { onExchange: (exchange) => exchanges.push(exchange) });
  const everything = [JSON.stringify(exchanges), ...Object.values(reporters).map((reporter) => reporter(report))];
  for (const text of everything) {
    for (const secret of [apiKey, encoded, apiKey.slice(0, -1), encodeURIComponent(apiKey)]) {
      assert.not.ok(text.includes(secret));
    }
  }
  assert.is(report.exitCode, 1);
});

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

test('a read-only run finds no fault with animals that other clients remove meanwhile', async () => {
  const variant = services.find(({ id }) => id === 'animals-of-others-vanish')!;
  const exchanges: Exchange[] = [];
  const report = await runInProcess(handleOf(variant), trialSettings(300, { isReadOnly: true }), {
    onExchange: (exchange) => exchanges.push(exchange),
  });
  const seen = exchanges.find(({ operation, response }) => operation === 'getPet' && response?.status === 200);
  const { target } = seen!.request;
  assert.ok(exchanges.some(({ request, response }) => request.target === target && response?.status === 404));
  assert.equal(failed(report), []);
});

test('when the plain example is refused, the run cannot judge and names the flag', async () => {
  const { handle } = createTwin({ keys: trialKeys, gaps: { 'known-categories': 'refused-400' } });
  const shifted: typeof handle = (request, now) => {
    const sent = sentJson({ request });
    const isFirst = isJsonObject(sent) && sent['categoryId'] === 1n;
    return handle(isFirst ? withBody(request, writeJson({ ...sent, categoryId: 99n })) : request, now);
  };
  const report = await runInProcess(shifted, trialSettings(300));
  assert.is(report.exitCode, 3);
  assert.match(reasonInWords(report.reason) ?? '', /--category-id/);
  const named = await runInProcess(shifted, trialSettings(300, { categoryIds: [7n] }));
  assert.is(named.exitCode, 0, reasonInWords(named.reason));
});

test('a Free key is paced: the run waits for its reset and is never refused', async () => {
  const exchanges: Exchange[] = [];
  const handle = handleOf({ id: 'free', perMinute: 60 });
  const report = await runInProcess(handle, trialSettings(300, { hasRateLimitKey: false }), {
    onExchange: (exchange) => exchanges.push(exchange),
  });
  assert.ok(exchanges.every(({ response }) => response?.status !== 429));
  assert.is(report.requests, 300);
  assert.is(report.exitCode, 0);
  assert.ok(report.durationMs > 120_000);
});

test('a single answer of a gateway is asked again and not judged, beyond a limit as well', async () => {
  for (const [status, each] of [
    [502, 7],
    [503, 9],
    [504, 11],
  ] as const) {
    const exchanges: Exchange[] = [];
    const handle = handleOf({ id: 'busy' });
    let asked = 0;
    const busy: Handle = (request, now) => {
      asked += 1;
      return asked % each === 0 ? { status, headers: { 'Retry-After': '1' }, body: 'busy' } : handle(request, now);
    };
    const report = await runInProcess(busy, trialSettings(300, { plan: 'business' }), {
      onExchange: (exchange) => exchanges.push(exchange),
    });
    assert.is(report.exitCode, 0, reasonInWords(report.reason));
    assert.is(report.requirements.find(({ id }) => id === 'rate-exceeded')?.verdict, 'pass');
    assert.ok(exchanges.filter(({ response }) => response?.status === status).length > 20);
  }
});

test('headers that speak of the day only: a 429 is obeyed, and the plan foretells it', async () => {
  const exchanges: Exchange[] = [];
  const onExchange = (exchange: Exchange) => exchanges.push(exchange);
  const free = { id: 'free', perMinute: 60, gaps: { 'rate-limit-window': 'day' } } as const;
  const report = await runInProcess(handleOf(free), trialSettings(300, { hasRateLimitKey: false }), { onExchange });
  assert.is(report.exitCode, 0, reasonInWords(report.reason));
  const refused = exchanges.filter(({ response }) => response?.status === 429);
  assert.ok(refused.length > 0 && refused.length <= 5, String(refused.length));
  exchanges.length = 0;
  const planned = trialSettings(300, { hasRateLimitKey: false, plan: 'free' });
  await runInProcess(handleOf({ id: 'free', perMinute: 60, gaps: { 'rate-limit-window': 'minute' } }), planned, {
    onExchange,
  });
  assert.is(exchanges.filter(({ response }) => response?.status === 429).length, 0);
});

test('a requirement of --only that is not judged ends with 3; an advised one among others does not', async () => {
  const { handle } = createTwin({ keys: trialKeys });
  const run = (only: readonly RequirementId[], maxRequests: number): Promise<Report> => {
    const verdictOptions = { requiresAll: false, only: new Set(only) };
    return runInProcess(handle, trialSettings(maxRequests, { hasRateLimitKey: false }), { verdictOptions });
  };
  assert.is((await run(['rate-exceeded'], 60)).exitCode, 3);
  assert.is((await run(['list-status-refused'], 1)).exitCode, 3);
  assert.is((await run(['list-answer', 'list-status-refused'], 1)).exitCode, 0);
});

test('requests side by side do not overrun a small limit, and are refused no more often than one', async () => {
  for (const perMinute of [12, 60]) {
    const handle = handleOf({ id: 'small-limit', perMinute });
    const report = await runInProcess(handle, trialSettings(100, { concurrency: 4, hasRateLimitKey: false }));
    assert.is(report.exitCode, 0, reasonInWords(report.reason));
  }
});

test.run();
