/** One failure of a report, sent again: 1 only where it fails, 0 only where an answer shows that it holds, else 3. */

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Report } from '../../../verdict/report.ts';
import { startOtherServer } from '../../other-server.ts';
import { jumpingTime, type Result, readReport, run, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();

interface Answer {
  status: number;
  body: string;
}

/** What the target does to its answers, changed by each test; undefined: it keeps the interface. */
let change: ((answer: Answer, path: string) => void) | undefined;
const { baseUrl, key, server } = await startOtherServer({ breaks: (answer, path) => change?.(answer, path) });
const env = { PETSTORE_API_KEY: key };
let requests = 0;
server.on('request', () => {
  requests += 1;
});

/** Reads of an animal tell another name. */
const renames = (answer: Answer, path: string): void => {
  const isRead = answer.status === 200 && /\/pets\/./.test(path);
  if (isRead) answer.body = answer.body.replace('"name":"', '"name":"other ');
};

/** The report of a run against a target that changes its answers. */
async function reportOf(name: string, breaks: typeof change): Promise<string> {
  change = breaks;
  const file = join(folder, `${name}.json`);
  await run(['run', baseUrl, '--max-requests', '60', '--reporter', `json=${file}`], env);
  return file;
}

const renamed = await reportOf('renamed', renames);

/** Sends the failure of pet-name-kept again to a target that does otherwise now. */
async function replayOn(breaks: typeof change, ...more: readonly string[]): Promise<Result> {
  change = breaks;
  const words = ['replay', renamed, 'pet-name-kept', ...(more.length > 0 ? more : [baseUrl])];
  return run(words, env, { time: jumpingTime() });
}

/** The report with other exchanges. */
function altered(alter: (exchanges: Report['exchanges']) => readonly unknown[]): string {
  const report = readReport(renamed);
  const file = join(folder, 'altered.json');
  writeFileSync(file, JSON.stringify({ ...report, exchanges: alter(report.exchanges) }));
  return file;
}

test('a target that was started anew gets the animals first that the failure rests on, and no all-clear for a bug that is there', async () => {
  const breaks: NonNullable<typeof change> = (answer, path) => {
    const isRead = answer.status === 200 && /\/pets\/./.test(path);
    if (isRead) answer.body = answer.body.replace(/"categoryId":-?\d+/, '"categoryId":4');
  };
  const file = await reportOf('rounded', breaks);
  change = undefined;
  for (const isBroken of [true, false]) {
    const anew = await startOtherServer({ key, breaks: (answer, path) => isBroken && breaks(answer, path) });
    const { code, stdout } = await run(['replay', file, 'pet-category-id-kept', anew.baseUrl], env);
    anew.server.close();
    assert.is(code, isBroken ? 1 : 0, stdout);
    assert.match(stdout, /^#1 POST \/pets /m);
  }
});

test('a failure that still shows ends with 1, with its exchanges and no key', async () => {
  const { code, stdout, stderr } = await replayOn(renames);
  assert.is(code, 1, stderr);
  assert.match(stdout, /#1 POST \/pets {2}with the API key/);
  assert.match(stdout, /#2 GET \/pets\/\S+ {2}with the API key/);
  assert.match(stdout, /STILL FAILS §2 pet-name-kept\n {2}name-changed: expected name /);
  assert.not.ok(stdout.includes(key));
});

test('a failure that is mended ends with 0', async () => {
  const { code, stdout } = await replayOn(undefined);
  assert.is(code, 0);
  assert.match(stdout, /pet-name-kept does not fail any more\./);
});

test('a read that is not answered as one shows nothing, though the creation before it holds', async () => {
  const { code, stdout } = await replayOn((answer, path) => {
    if (/\/pets\/./.test(path)) answer.status = 404;
  });
  assert.is(code, 3);
  assert.match(stdout, /Cannot tell whether pet-name-kept still fails: no answer shows it/);
  assert.not.match(stdout, /does not fail any more/);
});

test('a refused key ends with 3 before anything is created', async () => {
  const { code, stdout } = await run(['replay', renamed, 'pet-name-kept', baseUrl], {
    PETSTORE_API_KEY: 'another-key-4711',
  });
  assert.is(code, 3);
  assert.match(stdout, /Cannot tell .*: the target refused the API key with 401: check the key and the base address/);
  assert.not.match(stdout, /POST/);
});

test('a wrong base path ends with 3, also for a requirement that seems to hold there', async () => {
  const lenient = await reportOf('lenient', (answer) => {
    if (answer.status === 401) answer.status = 403;
  });
  change = undefined;
  for (const [file, id] of [
    [renamed, 'pet-name-kept'],
    [lenient, 'auth-missing-key'],
  ] as const) {
    const { code, stdout } = await run(['replay', file, id, `${baseUrl}/v2`], env);
    assert.is(code, 3, stdout);
    assert.match(stdout, /a plain listing was answered with 404: check the key and the base address http/);
  }
  assert.is((await run(['replay', lenient, 'auth-missing-key', baseUrl], env)).code, 0);
});

test('a listing that fails as it did in the report is no wrong address', async () => {
  const listsNothing = (answer: Answer, path: string): void => {
    if (/\/pets(\?|$)/.test(path) && answer.status === 200) answer.status = 202;
  };
  const file = await reportOf('lists-nothing', listsNothing);
  const { code, stdout } = await run(['replay', file, 'list-answer', baseUrl], env);
  assert.is(code, 1, stdout);
  assert.match(stdout, /STILL FAILS §4\.1 list-answer/);
});

test('a credential that the kit does not know ends with 3, names it, and sends nothing', async () => {
  const file = altered((exchanges) =>
    exchanges.map((one) => ({ ...one, credential: 'the key in a \x1bdream', credentialId: 'dream' })),
  );
  requests = 0;
  const { code, stdout } = await run(['replay', file, 'pet-name-kept', baseUrl], env);
  assert.is(code, 3);
  assert.match(stdout, /#\d+ was sent with the key in a \\u001bdream, which this kit cannot make of the key/);
  assert.is(requests, 0);
});

test('a key that is to be exhausted is not replayed', async () => {
  const file = altered((exchanges) =>
    exchanges.map((one) => ({ ...one, credential: 'the rate-limit key', credentialId: 'rate-limit-key' })),
  );
  const { code, stderr } = await run(['replay', file, 'pet-name-kept', baseUrl], env);
  assert.is(code, 2);
  assert.match(stderr, /takes a key to exhaust: judge it again with run --only pet-name-kept/);
});

test('a report that lacks an exchange of the sequence ends with 2 and its number', async () => {
  const failing = readReport(renamed).requirements.find(({ id }) => id === 'pet-name-kept');
  const [needed] = failing?.failures[0]?.sequence ?? [];
  const file = altered((exchanges) => exchanges.filter(({ number }) => number !== needed));
  const { code, stderr } = await run(['replay', file, 'pet-name-kept', baseUrl], env);
  assert.is(code, 2);
  assert.match(stderr, new RegExp(`holds no exchange ${needed}, which the failure of pet-name-kept needs`));
});

test('a failure that the report does not have ends with 2 and those it has', async () => {
  const { code, stderr } = await run(['replay', renamed, 'pet-id', baseUrl], env);
  assert.is(code, 2);
  assert.match(stderr, /has no failure of "pet-id"; those it has: pet-name-kept/);
});

test('another address may be named, and who gives no answer there ends with 3', async () => {
  const silent = createServer((incoming) => incoming.socket.destroy());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const reset = await replayOn(renames, `http://127.0.0.1:${port}/v1`);
  silent.close();
  assert.is(reset.code, 3);
  assert.match(reset.stdout, /Cannot tell .*the target gave no answer/);
  const closed = await replayOn(renames, `http://127.0.0.1:${port}/v1`);
  assert.is(closed.code, 3);
  assert.match(closed.stdout, /ECONNREFUSED/);
});

test('without a base address nothing is sent: the key goes nowhere that only the report names', async () => {
  const before = requests;
  const { code, stderr } = await run(['replay', renamed, 'pet-name-kept'], env);
  assert.is(code, 2);
  assert.match(stderr, /replay needs the base address, since your key is sent there/);
  assert.is(requests, before);
  const configured = await run(['replay', renamed, 'pet-name-kept'], { ...env, PETSTORE_BASE_URL: baseUrl });
  assert.is(configured.code, 1);
});

for (const [method, target] of [
  ['DELETE', '/pets/1'],
  ['GET', '/../admin'],
  ['GET', '3/stolen'],
  ['GET', '@evil.example/pets'],
  ['GET', '/pets/../../admin'],
  ['GET', '/pets/%2e%2e'],
  ['GET', '/pets/..\\..\\admin'],
  ['GET', '//evil.example/pets'],
  ['POST', '/orders'],
  ['GET', '/pets/1/orders'],
] as const) {
  test(`a report that wants ${method} ${target} sent ends with 2, and nothing is sent`, async () => {
    const before = requests;
    const file = altered((exchanges) =>
      exchanges.map((one) => ({ ...one, operation: 'getPet', request: { ...one.request, method, target } })),
    );
    const { code, stderr } = await run(['replay', file, 'pet-name-kept', baseUrl], env);
    assert.is(code, 2);
    assert.match(stderr, /is not a request of the kit/);
    assert.is(requests, before);
  });
}

test('a failure with 200,000 exchange numbers ends with 2 at once', async () => {
  const report = readReport(renamed);
  const many = Array.from({ length: 200_000 }, (_nothing, at) => at + 1);
  const requirements = report.requirements.map((one) => ({
    ...one,
    failures: one.failures.map((failure) => ({ ...failure, exchanges: many, sequence: many })),
  }));
  const file = join(folder, 'many.json');
  writeFileSync(file, JSON.stringify({ ...report, requirements }));
  const { code, stderr } = await run(['replay', file, 'pet-name-kept', baseUrl], env);
  assert.is(code, 2);
  assert.match(stderr, /more than 100 exchanges/);
});

test('an answer that fails to come in mid-sequence shows nothing', async () => {
  const dropping = createServer((incoming, outgoing) => {
    if (incoming.method !== 'GET' || incoming.url !== '/v1/pets') return incoming.socket.destroy();
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end('[]');
  });
  await new Promise<void>((resolve) => dropping.listen(0, '127.0.0.1', resolve));
  const { port } = dropping.address() as AddressInfo;
  const { code, stdout } = await replayOn(renames, `http://127.0.0.1:${port}/v1`);
  dropping.close();
  assert.is(code, 3);
  assert.match(stdout, /the target gave no answer/);
});

test.after(() => {
  server.close();
});

test.run();
