/** `observe` judges recorded traffic and sends nothing, or relays traffic and judges it. */

import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { judgeObserved } from '../../../cli/commands/observe.ts';
import { findService } from '../../../services/index.ts';
import type { CapturedExchange } from '../../../traffic/captured-exchange.ts';
import { maskOf, recordTraffic } from '../../../traffic/record.ts';
import type { Report } from '../../../verdict/report.ts';
import { listening } from '../../http/servers.ts';
import { startOtherServer } from '../../other-server.ts';
import { seen, trafficOf } from '../../seen.ts';
import { invoke, readReport, run, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const recorded = new URL('chromium.har', import.meta.url).pathname;
const { values } = await invoke('observe', ['a.har']);

function judge(captured: readonly CapturedExchange[]): Report {
  const traffic = recordTraffic(captured, []);
  return judgeObserved(traffic, values, { baseUrl: 'http://in-process/v1', mask: maskOf(traffic, []) });
}

function verdictOf({ requirements }: Report, wanted: string): string | undefined {
  return requirements.find(({ id }) => id === wanted)?.verdict;
}

test('an archive of Chromium using the reference server conforms, and the report has no key', async () => {
  const file = join(folder, 'observed.json');
  const { code, stdout, stderr } = await run(['observe', recorded, '--reporter', `json=${file}`]);
  assert.is(code, 0, stdout + stderr);
  assert.match(
    stderr,
    /^12 recorded exchanges\. Left out: 2 to other addresses\.\nA client breaks client-deprecated: .*\n$/,
  );
  const report = readReport(file);
  assert.match(report.target.baseUrl, /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  assert.equal(report.created, []);
  for (const id of ['pet-category-id-kept', 'auth-missing-key', 'create-required-fields']) {
    assert.is(verdictOf(report, id), 'pass', id);
  }
  assert.is(verdictOf(report, 'rate-exceeded'), 'inconclusive');
  assert.match(readFileSync(recorded, 'utf8'), 'chromium-page-key-4711');
  assert.not.match(readFileSync(file, 'utf8'), 'chromium-page-key');
});

test('an archive with an answer that breaks a sentence ends with 1, and one without bodies with 3', async () => {
  const file = join(folder, 'changed.har');
  const changed = async (change: (text: string) => string) => {
    writeFileSync(file, change(readFileSync(recorded, 'utf8')));
    return run(['observe', file]);
  };
  const wrong = await changed((text) =>
    text.replaceAll(/"id\\":1,[^}]*?9007199254740993/g, (animal) => animal.replace(/3$/, '2')),
  );
  assert.is(wrong.code, 1, wrong.stdout);
  assert.match(wrong.stdout, 'expected categoryId 9007199254740993 in the 201, received 9007199254740992');
  const bare = await changed((text) =>
    text.replaceAll(/"text":/g, '"left":').replaceAll(/"authorization"/gi, '"x-left"'),
  );
  assert.is(bare.code, 3, bare.stdout);
  assert.match(
    bare.stderr,
    /The body of the response is missing in (\d+) \(\1 not recorded\)\. An archive shows no key: /,
  );
});

test('what is left out below the base address is counted by its reasons, and is no traffic elsewhere', async () => {
  const request = { method: 'GET', url: 'https://host/v1/pets', headers: [], bodySize: 0 };
  const response = { status: 200, headers: [{ name: 'date', value: 'x' }], content: { size: 2, text: '[]' } };
  const entry = { startedDateTime: '2026-06-01T10:00:10.000Z', time: 20, request, response };
  const elsewhere = { ...entry, request: { ...request, url: 'https://host/other' } };
  const entries = [entry, entry, { ...entry, _fromCache: 'memory' }, elsewhere];
  const file = join(folder, 'left-out.har');
  const words = ['observe', file, '--base-url', 'https://host/v1'];
  writeFileSync(file, JSON.stringify({ log: { entries } }));
  const { code, stdout, stderr } = await run(words);
  const counts = '2 without recorded request headers, 1 answered from a cache';
  assert.equal([code, stderr], [3, `0 recorded exchanges. Left out: ${counts}, 1 to other addresses.\n`]);
  assert.match(stdout.replaceAll(/\n */g, ' '), `below the base address can be judged: ${counts}.`);
  writeFileSync(file, JSON.stringify({ log: { entries: [elsewhere] } }));
  assert.match((await run(words)).stdout, 'The traffic holds no exchange below the base address.');
});

/** Services whose recorded traffic could be misread, one of each kind. */
const otherChoices = ['cache-of-30-s', 'gateway-refuses-long-keys', 'key-that-only-reads', 'busy'] as const;

test('the traffic of a server with other legal choices does not fail, with keys or cleaned', async () => {
  for (const id of otherChoices) {
    const service = findService(id);
    const traffic = await trafficOf(service);
    const cleaned = traffic.map((one) => ({ ...one, headers: {}, isCleaned: true as const }));
    // A service that ends a run early may have answered enough for a verdict.
    const expected: readonly number[] = [service.exitCode ?? 0, 0];
    const { exitCode } = judge(traffic);
    assert.ok(expected.includes(exitCode), `${service.id}: ${exitCode}`);
    assert.not.equal([service.id, judge(cleaned).exitCode], [service.id, 1]);
  }
});

test('traffic is judged as on its day: after the removal of getPet', () => {
  const startedAt = Date.UTC(2031, 0, 1);
  const gone = seen(0, 'GET /pets/7', 410, {}, { startedAt, endedAt: startedAt });
  assert.is(verdictOf(judge([gone]), 'get-answer'), 'not-applicable');
});

async function ask(url: string, key?: string, body?: string): Promise<number> {
  const headers = {
    ...(key && { authorization: `Bearer ${key}` }),
    ...(body && { 'content-type': 'application/json' }),
  };
  const answer = await fetch(url, { method: body ? 'POST' : 'GET', headers, body: body ?? null });
  await answer.text();
  return answer.status;
}

test('what is relayed until an interruption is judged, and client requirements that it breaks are named without changing the verdict', async () => {
  const { baseUrl, key } = await startOtherServer();
  const file = join(folder, 'relayed.json');
  const interruption = new AbortController();
  const { promise: relay, resolve } = Promise.withResolvers<string>();
  const onStderr = (text: string): void => {
    const [, address] = /Passing (http:\/\/127\.0\.0\.1:\d+\/v1) on to/.exec(text) ?? [];
    if (address !== undefined) resolve(address);
  };
  const words = ['observe', baseUrl, '--reporter', `json=${file}`, '--reporter', 'terminal'];
  const result = run(words, {}, { interruption: interruption.signal, onStderr });
  const pets = `${await relay}/pets`;
  const creation = '{"name":"Rex","categoryId":9007199254740993,"status":"sold"}';
  const statuses = [await ask(pets, key, creation), await ask(pets, key), await ask(pets)];
  assert.equal(statuses, [201, 200, 401]);
  await ask(`${pets}?limit=1000&_=1`, key);
  interruption.abort();
  const { code, stderr, ...outputs } = await result;
  assert.is(code, 0, stderr);
  assert.match(
    stderr,
    /^A client breaks client-shown-only: expected listPets with limit and status, received _ as well \(#4 GET \/pets\?limit=1000&_=1\)$/m,
  );
  const report = readReport(file);
  assert.equal([report.target.baseUrl, report.requests, report.creates], [baseUrl, 4, 1]);
  assert.is(verdictOf(report, 'pet-category-id-kept'), 'pass');
  assert.not.match(JSON.stringify([stderr, outputs, report]), key);
});

test('a port that is taken is refused with one sentence', async () => {
  const port = await listening(createServer());
  const { code, stderr } = await run(['observe', 'http://127.0.0.1:9/v1', '--port', String(port)]);
  assert.equal([code, stderr], [2, `Port ${port} cannot be listened on (EADDRINUSE): name another with --port.\n`]);
});

test.run();
