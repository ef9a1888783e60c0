/** A program judges a target: what it gets, and what is refused before the first request. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JudgeOptions, ProgressEvent } from '../../library/index.ts';
import { judge, render, UsageError } from '../../library/index.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import { type OtherServerOptions, startOtherServer } from '../other-server.ts';

async function judgeOther(options: Omit<JudgeOptions, 'baseUrl' | 'apiKey'>, other: OtherServerOptions = {}) {
  const { baseUrl, key, server } = await startOtherServer(other);
  try {
    return await judge({ baseUrl, apiKey: key, today: new Date('2026-11-21'), ...options });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const withoutMessage: OtherServerOptions = {
  breaks: (answer) => {
    answer.body = answer.body.replaceAll('"message"', '"text"');
  },
};

function verdictOf(report: Awaited<ReturnType<typeof judge>>, id: string): string | undefined {
  return report.requirements.find((requirement) => requirement.id === id)?.verdict;
}

test('without an address the embedded server is judged, and nothing is printed', async () => {
  const write = process.stdout.write;
  const printed: unknown[] = [];
  process.stdout.write = (text) => printed.push(text) > 0;
  const report = await judge({ maxRequests: 60 }).finally(() => {
    process.stdout.write = write;
  });
  assert.is(report.verdict, 'conforms');
  assert.is(report.requests, 60);
  assert.equal(printed, []);
});

test('a broken sentence fails in the report, and the report is rendered by name', async () => {
  const report = await judgeOther({ maxRequests: 60, seed: 7 }, withoutMessage);
  assert.is(report.verdict, 'does-not-conform');
  assert.is(report.exitCode, 1);
  assert.is(report.seed, 7);
  assert.is(verdictOf(report, 'error-message'), 'fail');
  assert.match(render(report, 'html'), /<html/);
  assert.equal(JSON.parse(render(report, 'json')), JSON.parse(JSON.stringify(report)));
});

test('only the requirements of `only` are judged, and a waiver of a list is applied', async () => {
  const waiver = { id: 'error-message', reason: 'fixed in 2.0', owner: 'pets team', expires: '2026-12-31' } as const;
  const report = await judgeOther({ only: ['error-message', '4.3'], waivers: [waiver] }, withoutMessage);
  assert.equal(
    report.requirements.map(({ id }) => id),
    ['error-message', 'get-answer', 'get-not-found', 'get-id-not-int64'],
  );
  assert.is(report.requirements[0]?.waiver?.state, 'waived');
  assert.is(report.exitCode, 0);
});

test('headers are sent with every request, reading only creates nothing', async () => {
  const report = await judgeOther({
    maxRequests: 60,
    headers: { 'X-Gateway': 'blue' },
    isReadOnly: true,
  });
  assert.is(report.created.length, 0);
  assert.ok(report.requests > 10);
  assert.equal(report.settings.gatewayHeaders, ['x-gateway']);
});

test('progress names scenarios and counts requests', async () => {
  const events: ProgressEvent[] = [];
  const report = await judgeOther({ maxRequests: 30, onProgress: (event) => events.push(event) });
  const exchanges = events.filter(({ kind }) => kind === 'exchange');
  assert.equal(exchanges.at(-1), { kind: 'exchange', requests: report.requests, maxRequests: 30 });
  assert.is(exchanges.length, report.requests);
  const titles = events.flatMap((event) => (event.kind === 'scenario' ? [event.title] : []));
  assert.ok(titles.length > 2 && titles.every((title) => title.length > 10));
});

test('a wait for the limit is reported, and a signal ends it', async () => {
  const stop = new AbortController();
  const waits: ProgressEvent[] = [];
  const onProgress = (event: ProgressEvent): void => {
    if (event.kind !== 'wait') return;
    waits.push(event);
    stop.abort();
  };
  const report = await judgeOther({ signal: stop.signal, onProgress }, { perMinute: 12 });
  assert.is(report.verdict, 'inconclusive');
  assert.is(waits.length, 1);
  const [wait] = waits;
  assert.ok(wait?.kind === 'wait' && wait.ms > 0 && wait.ms <= 61_000 && /reset/.test(wait.why), JSON.stringify(wait));
});

test('a signal ends the run, and the report says so', async () => {
  const stop = new AbortController();
  const report = await judgeOther({
    signal: stop.signal,
    onProgress: (event) => {
      if (event.kind === 'exchange' && event.requests === 5) stop.abort();
    },
  });
  assert.is(report.verdict, 'inconclusive');
  assert.match(reasonInWords(report.reason) ?? '', /interrupted/);
  assert.ok(report.requests < 10, String(report.requests));
});

test('a target that does not answer makes a report, not a rejection', async () => {
  const report = await judge({ baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'some-key', timeoutMs: 500 });
  assert.is(report.exitCode, 3);
});

const address = { baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'some-key' };

const refused: readonly (readonly [JudgeOptions | Record<string, unknown>, RegExp])[] = [
  [{ baseUrl: 'nowhere' }, /^baseUrl must start with http/],
  [{ baseUrl: address.baseUrl }, /^apiKey is not set/],
  [{ ...address, apiKey: '' }, /^apiKey is empty/],
  [{ ...address, apiKey: 'two words' }, /^apiKey must be visible ASCII/],
  [{ ...address, rateLimitKey: 'a b' }, /^rateLimitKey must be visible ASCII/],
  [{ ...address, rateLimitKey: 'some-key' }, /^rateLimitKey must be another key/],
  [{ ...address, maxRequest: 60 }, /^There is no option maxRequest\.$/],
  [{ ...address, maxRequests: 'many' }, /^maxRequests takes a whole number/],
  [{ ...address, maxRequests: 1.5 }, /^maxRequests takes a whole number from 1 to 2147483648, not "1\.5"\.$/],
  [{ ...address, settleMs: -1 }, /^settleMs takes a whole number from 0 to 3600000, not "-1"\.$/],
  [{ ...address, headers: null }, /^headers takes 'Name: value', not/],
  [{ ...address, headers: { Authorization: 'x' } }, /^headers cannot set Authorization/],
  [{ ...address, categoryIds: [2 ** 60] }, /^categoryIds has lost digits of 1152921504606847000: give a bigint\.$/],
  [{ ...address, categoryIds: [2n ** 63n] }, /^categoryIds takes an integer in the range of int64/],
  [{ ...address, plan: 'gold' }, /^plan takes one of free/],
  [{ ...address, rateLimitPlan: 'free' }, /^There is no option rateLimitPlan\.$/],
  [{ ...address, reporters: 'json' }, /^There is no option reporters\.$/],
  [{ ...address, signal: 'stop' }, /^signal must be of the type object\.$/],
  [{ ...address, only: ['4.9'] }, /^only 4\.9 matches no requirement/],
  [{ ...address, today: new Date('never') }, /^today takes a date/],
  [{ ...address, waivers: [{ id: 'no-such' }] }, /^Waiver 1 in waivers names no requirement/],
];

for (const [options, sentence] of refused) {
  test(`is refused before any request: ${sentence.source}`, async () => {
    const error = await judge(options as JudgeOptions).catch((thrown: unknown) => thrown);
    assert.instance(error, UsageError);
    assert.match((error as Error).message, sentence);
    assert.not.match((error as Error).message, 'some-key');
  });
}

test.run();
