/** The report says how it was made: settings without a key, the kit, waits, a row for every exchange. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { faults } from '../../faults/index.ts';
import type { Exchange } from '../../http/exchange.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { apiKey, keysOfTrials } from '../../services/wraps.ts';
import { countVerdicts } from '../../verdict/counts.ts';
import { kit } from '../../verdict/kit.ts';
import type { EvidenceScope, Report } from '../../verdict/report.ts';

const startsAt = Date.UTC(2026, 10, 21, 10);
const fault = faults.find(({ id }) => id === 'wrong-key-answers-403')!;
const exchanges: Exchange[] = [];
const handle = createPetStore({ keys: [{ key: apiKey, plan: 'free' }] }).handle;
const report = await runInProcess(
  handle,
  trialSettings(90, {
    plan: 'free',
    hasRateLimitKey: false,
    timeoutMs: 5_000,
    categoryIds: [9_223_372_036_854_775_807n],
    nameTemplate: 'Pet {n}',
    headers: { 'x-gateway-secret': 'open sesame' },
    today: startsAt,
  }),
  {
    startsAt,
    latencyMs: 40,
    commit: '0123456789abcdef0123456789abcdef01234567',
    onExchange: (exchange) => void exchanges.push(exchange),
    verdictOptions: {
      requiresAll: true,
      only: new Set(['list-answer', 'rate-limit-header']),
      waivers: new Map([['list-limit', [{ reason: 'known', owner: 'us', expires: '2027-01-01' }]]]),
    },
  },
);

test('settings stand as the user gave them, headers by their names only', () => {
  assert.equal(report.settings, {
    plan: 'free',
    only: ['list-answer', 'rate-limit-header'],
    maxRequests: 90,
    maxCreates: 61,
    isReadOnly: false,
    categoryIds: ['9223372036854775807'],
    concurrency: 1,
    settleMs: 2_000,
    maxWaitMs: 75_000,
    timeoutMs: 5_000,
    isDisposable: true,
    nameTemplate: 'Pet {n}',
    today: '2026-11-21T10:00:00.000Z',
    requiresAll: true,
    waivers: ['list-limit'],
    gatewayHeaders: ['x-gateway-secret'],
    hasRateLimitKey: false,
  });
  assert.not.match(JSON.stringify(report), /open sesame/);
});

test('the kit stands with its commit and its self-test figures, and with the version of Node', () => {
  assert.equal(report.kit, {
    ...kit,
    commit: '0123456789abcdef0123456789abcdef01234567',
  });
  assert.is(report.node, process.version);
  assert.is(report.formatVersion, 1);
});

test('counts are those of the requirements', () => {
  assert.equal(report.counts, countVerdicts(report.requirements));
  assert.is(report.counts.total, 2);
});

test('the timeline has a row for every exchange, with its latency and its rate-limit headers', () => {
  assert.is(report.timeline.length, exchanges.length);
  assert.ok(report.exchanges.length < exchanges.length);
  const [first] = report.timeline;
  assert.equal(first, {
    number: 1,
    check: exchanges[0]!.check,
    operation: 'listPets',
    status: 200,
    startedAt: '2026-11-21T10:00:00.000Z',
    durationMs: 40,
    credential: 'valid',
    limit: 60,
    remaining: 59,
    reset: startsAt / 1000 + 60,
  });
});

async function judge(scope: EvidenceScope): Promise<Report> {
  return runInProcess(fault.wrap(createPetStore({ keys: trialKeys }).handle, keysOfTrials), trialSettings(40), {
    scope,
  });
}

test('the exchanges are those that failures cite, or all of them', async () => {
  const [failures, all] = await Promise.all([judge('failures'), judge('all')]);
  const cited = failures.requirements.flatMap(({ failures: listed }) => listed.flatMap((one) => one.exchanges));
  const numbers = failures.exchanges.map(({ number }) => number);
  assert.ok(cited.length > 0 && cited.every((number) => numbers.includes(number)));
  assert.ok(numbers.length < 20);
  assert.is(all.exchanges.length, 40);
  assert.equal(failures.timeline, all.timeline);
  assert.equal(failures.requirements, all.requirements);
});

test('a row without an answer has no status, and headers that are no numbers are left out', async () => {
  const { handle: answer } = createPetStore({ keys: trialKeys });
  const odd = await runInProcess((request, now) => {
    const response = answer(request, now);
    return { ...response, headers: { ...response.headers, 'X-RateLimit-Limit': 'many', 'X-RateLimit-Reset': '' } };
  }, trialSettings(5));
  const [row] = odd.timeline;
  assert.not.ok('limit' in row! || 'reset' in row!);
  assert.type(row!.remaining, 'number');
});

test('each wait is reported with its reason, while it lasts and afterwards', async () => {
  const shown: object[] = [];
  const free = createPetStore({ keys: [{ key: apiKey, plan: 'free' }] });
  const { waits, timeline } = await runInProcess(
    free.handle,
    trialSettings(90, { hasRateLimitKey: false, today: startsAt }),
    { startsAt, onWait: (ms, why) => void shown.push({ durationMs: ms, why }) },
  );
  assert.equal(
    shown,
    waits.map(({ durationMs: ms, why }) => ({ durationMs: ms, why })),
  );
  const reset = waits.filter(({ why }) => why === 'no requests are left until the reset (limit of the API key)');
  assert.is(reset.length, 1);
  const [{ startedAt, durationMs }] = [reset[0]!];
  const next = timeline.find((row) => row.startedAt >= startedAt)!;
  assert.is(Date.parse(next.startedAt), Date.parse(startedAt) + durationMs);
  assert.ok(durationMs > 30_000 && durationMs <= 61_000);
});

test.run();
