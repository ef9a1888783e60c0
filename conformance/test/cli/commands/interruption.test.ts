/**
 * The first signal and the deadline end a command at whatever moment they come, and its reports are written. What a
 * command waits for never comes in these tests, so no bound depends on the machine: a command that does not end hangs.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startBroker } from '../../../../pacts/test/broker.ts';
import { reporters } from '../../../reporters/index.ts';
import { stalling, startGateway } from '../../neighbours/gateway.ts';
import { startOtherServer } from '../../other-server.ts';
import { sampleReport } from '../../reporters/sample-report.ts';
import { type Result, readReport, start, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const saved = join(folder, 'saved.json');
writeFileSync(saved, reporters.json(sampleReport));
const archive = join(folder, 'session.har');
writeFileSync(archive, reporters.har(sampleReport));
const pact = new URL('../../../../pacts/adoption-site-pet-store.json', import.meta.url).pathname;

const tenMoments = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
/** No answer ends by this timeout, and no wait by its own length, within a test. */
const patient = ['--timeout', '600000'];

/** Runs some tasks at a time. */
async function eachOf<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const rest = [...items];
  const next = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await act(item);
  };
  await Promise.all([next(), next()]);
}

/** Sends a signal as soon as somebody listens for it, which is before anything else happens, or so long after it. */
function signalAfter(ms: number): Readonly<Record<string, string>> {
  const kill = "() => process.kill(process.pid, 'SIGINT')";
  const act = ms === 0 ? `setImmediate(${kill})` : `setTimeout(${kill}, ${ms}).unref()`;
  const code = `process.on('newListener', (name) => { if (name === 'SIGINT') ${act}; });`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

/** Runs a command against a server that stalls at its n-th request, and interrupts it then; 0: before any request. */
async function interruptAt(
  nth: number,
  to: string,
  wordsFor: (front: string) => readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Result> {
  let kill = (): void => undefined;
  const front = await startGateway(
    stalling(nth, () => kill()),
    Date.now,
    to,
  );
  const { child, result } = start(wordsFor(front.baseUrl), { ...env, ...(nth === 0 ? signalAfter(0) : {}) });
  kill = () => void child.kill('SIGINT');
  const outcome = await result;
  await front.close();
  return outcome;
}

test('a run that waits for an answer ends on SIGINT at ten moments and before its first request, with its report', async () => {
  const { baseUrl, key, server } = await startOtherServer({});
  await eachOf([0, 1, 2, 3, 5, 7, 12, 20, 40, 80, 120], async (nth) => {
    const file = join(folder, `run-${nth}.json`);
    const words = (front: string) => ['run', front, ...patient, '--max-requests', '300', '--reporter', `json=${file}`];
    const { code, stdout, stderr } = await interruptAt(nth, baseUrl, words, { PETSTORE_API_KEY: key });
    assert.is(code, 3, `${nth}: ${stderr}`);
    assert.match(stdout, /interrupted\)/);
    const { reason, requests } = readReport(file);
    assert.is(reason, 'The run was interrupted.', String(nth));
    assert.is(requests, nth);
  });
  server.closeAllConnections();
  server.close();
});

test('the deadline ends a run and a replay that wait for an answer', async () => {
  const { baseUrl, key, server } = await startOtherServer({});
  await eachOf([1, 4, 30], async (nth) => {
    const file = join(folder, `deadline-${nth}.json`);
    const front = await startGateway(
      stalling(nth, () => undefined),
      Date.now,
      baseUrl,
    );
    const words = ['run', front.baseUrl, ...patient, '--deadline', '2', '--reporter', `json=${file}`];
    const { code, stderr } = await start(words, { PETSTORE_API_KEY: key }).result;
    assert.is(code, 3, stderr);
    assert.match(readReport(file).reason ?? '', /The deadline of 2 s has passed/);
    const again = ['replay', saved, 'pet-name-kept', front.baseUrl, ...patient, '--deadline', '1'];
    const replayed = await start(again, { PETSTORE_API_KEY: key }).result;
    assert.is(replayed.code, 3, replayed.stderr);
    assert.match(replayed.stdout, /The deadline of 1 s has passed/);
    await front.close();
  });
  server.closeAllConnections();
  server.close();
});

test('a replay that waits for an answer ends on SIGINT at each of its requests', async () => {
  const { baseUrl, key, server } = await startOtherServer({});
  await eachOf([0, 1, 2], async (nth) => {
    const words = (front: string) => ['replay', saved, 'pet-name-kept', front, ...patient];
    const { code, stdout, stderr } = await interruptAt(nth, baseUrl, words, { PETSTORE_API_KEY: key });
    assert.is(code, 3, `${nth}: ${stderr}`);
    assert.match(stdout, /Cannot tell whether pet-name-kept still fails: The run was interrupted\./);
  });
  server.closeAllConnections();
  server.close();
});

test('a watch ends on SIGINT at ten moments while a client waits for an answer, with its report', async () => {
  const { baseUrl, key, server } = await startOtherServer({});
  await eachOf(tenMoments, async (nth) => {
    const file = join(folder, `watch-${nth}.json`);
    let kill = (): void => undefined;
    const front = await startGateway(
      stalling(nth, () => kill()),
      Date.now,
      baseUrl,
    );
    const { child, result } = start(['watch', front.baseUrl, '--port', '0', '--reporter', `json=${file}`], {});
    kill = () => void child.kill('SIGINT');
    let said = '';
    const at = await new Promise<string>((resolve) => {
      child.stderr?.on('data', (chunk) => {
        said += chunk;
        const shown = /Passing (\S+) on to/.exec(said)?.[1];
        if (shown !== undefined) resolve(shown);
      });
    });
    const headers = { authorization: `Bearer ${key}` };
    for (let sent = 1; sent <= nth; sent += 1) {
      await fetch(`${at}/pets`, { headers }).then(
        (response) => response.text(),
        () => assert.is(sent, nth),
      );
    }
    const { code, stderr } = await result;
    assert.ok(code === 0 || code === 3, `${nth}: ${code} ${stderr}`);
    assert.is(readReport(file).requests, nth - 1);
    await front.close();
  });
  server.closeAllConnections();
  server.close();
});

test('a client that never ends does so on SIGINT at ten moments, with its report', async () => {
  const script = join(folder, 'waits.mjs');
  // The kit is the parent of its client.
  writeFileSync(
    script,
    `const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key } = process.env;
const headers = { authorization: 'Bearer ' + key };
for (let sent = 0; sent < Number(process.argv[2]); sent += 1) await (await fetch(base + '/pets', { headers })).text();
process.kill(process.ppid, 'SIGINT');
setInterval(() => {}, 1_000);`,
  );
  await eachOf([0, ...tenMoments.slice(1)], async (requests) => {
    const file = join(folder, `client-${requests}.json`);
    const words = ['client', '--reporter', `json=${file}`, '--', process.execPath, script, String(requests)];
    const { code, stderr } = await start(words).result;
    assert.is(code, 3, stderr);
    assert.is(readReport(file).reason, 'The run was interrupted.');
  });
});

test('pact verify ends on SIGINT at ten requests of the target, with its report', async () => {
  const { baseUrl, key, server } = await startOtherServer({});
  await eachOf(tenMoments, async (nth) => {
    const file = join(folder, `verify-${nth}.json`);
    const words = (front: string) => [
      'pact',
      'verify',
      front,
      '--pact',
      pact,
      ...patient,
      '--reporter',
      `json=${file}`,
    ];
    const { code, stderr } = await interruptAt(nth, baseUrl, words, { PETSTORE_API_KEY: key });
    assert.is(code, 3, `${nth}: ${stderr}`);
    assert.match(readReport(file).reason ?? '', /The run was interrupted/, String(nth));
  });
  server.closeAllConnections();
  server.close();
});

test('pact verify ends on SIGINT and on its deadline at each request of a broker, with its report', async () => {
  const broker = await startBroker('token-of-the-broker');
  const { default: text } = (await import(pact, { with: { type: 'json' } })) as { default: object };
  await broker.publish(text, { version: '7.0.0', branch: 'main' });
  const env = { PACT_BROKER_TOKEN: 'token-of-the-broker' };
  const version = ['--provider-version', '1.2.3', '--provider-branch', 'main', '--publish', '--selector', 'mainBranch'];
  await eachOf([1, 2, 3, 4, 5], async (nth) => {
    for (const options of nth < 4 ? [[]] : [[], ['--deadline', '2']]) {
      const file = join(folder, `broker-${nth}.json`);
      let kill = (): void => undefined;
      const front = await startGateway(
        stalling(nth, () => kill()),
        Date.now,
        broker.url,
      );
      const origin = new URL(front.baseUrl).origin;
      const words = ['pact', 'verify', '--broker-url', origin, ...version, ...options, '--reporter', `json=${file}`];
      const { child, result } = start([...words, ...patient], env);
      if (options.length === 0) kill = () => void child.kill('SIGINT');
      const { code, stderr } = await result;
      assert.is(code, 3, `${nth}: ${stderr}`);
      assert.match(readReport(file).reason ?? '', options.length === 0 ? /interrupted/ : /deadline of 2 s has passed/);
      await front.close();
    }
  });
  broker.close();
});

/** Commands that read a file of the user first: `fifo` takes its place, and nobody writes to it. */
const readers = (fifo: string): readonly (readonly string[])[] => [
  ['report', fifo],
  ['compare', saved, fifo],
  ['waive', fifo, '--owner', 'me', '--expires', '2099-01-01'],
  ['observe', fifo],
  ['run', '--waivers', fifo],
  ['pact', 'lint', fifo],
];

test('a command that reads a pipe whose writer is silent ends on SIGINT and SIGTERM at once', async () => {
  const fifo = join(mkdtempSync(join(folder, 'pipe-')), 'fifo');
  execFileSync('mkfifo', [fifo]);
  // Open for both sides: there is a writer, and it says nothing.
  openSync(fifo, 'r+');
  const preload = join(folder, 'says-when-it-opens.cjs');
  writeFileSync(
    preload,
    `const fs = require('node:fs');
const { openSync } = fs;
fs.openSync = (file, ...rest) => {
  const descriptor = openSync(file, ...rest);
  if (file === ${JSON.stringify(fifo)}) process._rawDebug('opened');
  return descriptor;
};
require('node:module').syncBuiltinESMExports();`,
  );
  // The kit gives up a silent pipe after ten seconds with 2, so another code shows that the signal has ended it.
  await eachOf([...readers(fifo).entries()], async ([at, words]) => {
    const signal = at % 2 === 0 ? 'SIGINT' : 'SIGTERM';
    const { child, result } = start(words, { PETSTORE_API_KEY: 'some-key', NODE_OPTIONS: `--require=${preload}` });
    let said = '';
    child.stderr?.on('data', (chunk) => {
      said += chunk;
      if (said.includes('opened')) child.kill(signal);
    });
    const { code, stderr } = await result;
    assert.ok(code !== 2, `${words.join(' ')}: ${stderr}`);
  });
});

/** Commands with the reports that they owe, and the codes of a signal that comes first or while they compute. */
const commands: readonly (readonly [words: readonly string[], file: string | undefined, codes: readonly number[]])[] = [
  [['watch', 'http://127.0.0.1:9/v1', '--reporter', `json=${join(folder, 'watch.json')}`], 'watch.json', [3]],
  [['observe', archive, '--reporter', `json=${join(folder, 'observe.json')}`], 'observe.json', [1, 3]],
  [['client', '--reporter', `json=${join(folder, 'client.json')}`, '--', process.execPath, '-v'], 'client.json', [3]],
  [['report', saved, '--reporter', `html=${join(folder, 'page.html')}`], 'page.html', [0]],
  [['compare', saved, saved, '--format', `html=${join(folder, 'compare.html')}`], 'compare.html', [0, 1, 3]],
  [['plan'], undefined, [0, 3]],
  [['self-test'], undefined, [3]],
];

for (const [words, file, codes] of commands) {
  test(`${words[0]} ends on a signal that comes first, with its report`, async () => {
    const { code, stderr } = await start(words, { PETSTORE_API_KEY: 'some-key', ...signalAfter(0) }).result;
    assert.ok(codes.includes(code ?? -1), `${code}: ${stderr}`);
    if (file !== undefined) assert.ok(existsSync(join(folder, file)));
  });
}

test('plan and self-test end on SIGINT at ten moments', async () => {
  await eachOf(tenMoments, async (moment) => {
    if (moment % 2 === 0) {
      const plan = await start(['plan'], signalAfter(50 * moment)).result;
      assert.ok(plan.code === 0 || plan.code === 3, plan.stderr);
    }
    const proof = await start(['self-test'], signalAfter(60 * moment)).result;
    assert.is(proof.code, 3, proof.stderr);
  });
});

test.after(() => rmSync(folder, { recursive: true, force: true }));

test.run();
