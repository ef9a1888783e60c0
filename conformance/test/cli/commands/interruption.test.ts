/**
 * The first signal and the deadline end a command within two seconds at whatever moment they come, and its reports are
 * written. What a command waits for never comes in these tests, so it ends for no other reason.
 */

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startBroker } from '../../../../pacts/test/broker.ts';
import { version2 } from '../../../../pacts/test/handmade.ts';
import { reporters } from '../../../reporters/index.ts';
import { reasonInWords } from '../../../verdict/reasons.ts';
import { harOf } from '../../har-of-report.ts';
import { stalling, startGateway } from '../../neighbours/gateway.ts';
import { startOtherServer } from '../../other-server.ts';
import { sampleReport } from '../../reporters/sample-report.ts';
import { readReport, run, start, temporaryFolder } from '../command.ts';
import { afterTurns, endAt, endedBy, endsSoon } from '../interrupt.ts';

const folder = temporaryFolder();
const saved = join(folder, 'saved.json');
writeFileSync(saved, reporters.json(sampleReport));
const archive = join(folder, 'session.har');
writeFileSync(archive, harOf(sampleReport));
const pact = new URL('../../../../pacts/adoption-site-pet-store.json', import.meta.url).pathname;

const { baseUrl: to, key, server } = await startOtherServer({});
const env = { PETSTORE_API_KEY: key };

const brokerToken = 'token-of-the-broker';
const broker = await startBroker(brokerToken);
for (const name of ['one', 'two', 'three']) {
  await broker.publish({ ...version2, consumer: { name } }, { version: '7.0.0', branch: 'main' });
}
const ofBroker = ['--provider-version', '1.2.3', '--provider-branch', 'main', '--publish', '--selector', 'mainBranch'];

/** Commands that wait for an answer of the address in front of them, which stalls. */
const waiting: readonly (readonly [what: string, to: string, words: (front: string) => readonly string[]])[] = [
  ['run', to, (front) => ['run', front, '--max-requests', '300']],
  ['pact verify, at the target', to, (front) => ['pact', 'verify', front, '--pact', pact]],
  [
    'pact verify, at the broker',
    broker.url,
    (front) => ['pact', 'verify', '--broker-url', front && new URL(front).origin, ...ofBroker],
  ],
];

// Both abort the same signal, so the deadline is tried at fewer moments.
for (const [ending, reason, moments] of [
  ['SIGINT', 'The run was interrupted.', [0, 1, 2, 5, 9]],
  ['the deadline', 'The deadline of 7 s has passed.', [1, 7]],
] as const) {
  for (const [what, address, words] of waiting) {
    test(`${ending} ends ${what}, at ${moments.length} moments, with its report`, async () => {
      for (const nth of moments) {
        const file = join(folder, 'waiting.json');
        const all = (front: string) => [...words(front), '--deadline', '7', '--reporter', `json=${file}`];
        const environment = address === to ? env : { PACT_BROKER_TOKEN: brokerToken };
        const { code, stderr } = await endAt(nth, ending, { to: address, env: environment, words: all });
        assert.is(code, 3, `${nth}: ${stderr}`);
        assert.is(reasonInWords(readReport(file).reason), reason, String(nth));
      }
    });
  }

  test(`${ending} ends a client that never ends at ${moments.length} moments, with its report`, async () => {
    const asking = join(folder, 'asks.mjs');
    writeFileSync(
      asking,
      `const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key } = process.env;
const headers = { authorization: 'Bearer ' + key };
for (let sent = 0; sent < Number(process.argv[2]); sent += 1) await (await fetch(base + '/pets', { headers })).text();
await fetch(process.argv[3]);
setInterval(() => {}, 1_000);`,
    );
    for (const requests of moments) {
      const file = join(folder, `client-${requests}.json`);
      const { host, end } = endedBy(ending);
      const reached = Promise.withResolvers<void>();
      const bell = createServer((_incoming, outgoing) => {
        outgoing.end();
        end();
        reached.resolve();
      });
      await new Promise<void>((resolve) => bell.listen(0, '127.0.0.1', resolve));
      const { port } = bell.address() as AddressInfo;
      const command = [process.execPath, asking, String(requests), `http://127.0.0.1:${port}/`];
      const result = run(['client', '--deadline', '7', '--reporter', `json=${file}`, '--', ...command], {}, host);
      await Promise.race([reached.promise, result]);
      const { code, stderr } = await endsSoon(result, `client after ${requests} requests, ended by ${ending}`);
      bell.closeAllConnections();
      bell.close();
      assert.is(code, 3, stderr);
      assert.is(reasonInWords(readReport(file).reason), reason);
    }
  });
}

test('SIGINT ends the relay of observe while a client waits for an answer, with its report', async () => {
  for (const nth of [1, 2, 5]) {
    const file = join(folder, `watch-${nth}.json`);
    const { host, end } = endedBy('SIGINT');
    const front = await startGateway(stalling(nth, end), Date.now, to);
    const shown = Promise.withResolvers<string>();
    const onStderr = (text: string): void => {
      const address = /Passing (\S+) on to/.exec(text)?.[1];
      if (address !== undefined) shown.resolve(address);
    };
    const words = ['observe', front.baseUrl, '--port', '0', '--reporter', `json=${file}`];
    const result = run(words, {}, { ...host, onStderr });
    const at = await shown.promise;
    const headers = { authorization: `Bearer ${key}` };
    for (let sent = 1; sent < nth; sent += 1) await (await fetch(`${at}/pets`, { headers })).text();
    const stalled = fetch(`${at}/pets`, { headers }).then(
      () => 'answered',
      () => 'broken off',
    );
    await new Promise<void>((resolve) => host.interruption.addEventListener('abort', () => resolve(), { once: true }));
    const { code, stderr } = await endsSoon(result, `observe at exchange ${nth}`);
    assert.ok(await stalled);
    assert.ok(code === 0 || code === 3, `${nth}: ${code} ${stderr}`);
    assert.is(readReport(file).requests, nth - 1);
    await front.close();
  }
});

test('SIGINT ends the judging of a large archive, with a report on what is judged', async () => {
  const large = join(folder, 'large.har');
  const har = JSON.parse(harOf(sampleReport)) as { log: { entries: object[] } };
  const entries = Array.from({ length: 300 }, (_nothing, at) => har.log.entries[at % har.log.entries.length]);
  writeFileSync(large, JSON.stringify({ log: { ...har.log, entries } }));
  const file = join(folder, 'large.json');
  const words = ['observe', large, '--reporter', `json=${file}`];
  await run(words);
  const whole = readReport(file).requests;
  for (const turns of [0, 1, 4]) {
    const interruption = new AbortController();
    // The line that counts the exchanges comes before the first is judged.
    const onStderr = (): void => afterTurns(turns + 1).addEventListener('abort', () => interruption.abort());
    const result = run(words, {}, { interruption: interruption.signal, onStderr });
    const { code, stderr } = await endsSoon(result, `observe, ${turns} turns after it began to judge`);
    assert.ok(code === 1 || code === 3, `${code}: ${stderr}`);
    const { reason, requests } = readReport(file);
    assert.ok(turns > 0 || requests < whole, `${requests} of ${whole}`);
    if (requests < whole) assert.match(reasonInWords(reason) ?? '', /The run was interrupted\./);
  }
});

/** Commands that wait for nobody, with the reports that they owe. */
const computing: readonly (readonly [words: readonly string[], file?: string])[] = [
  [['report', saved, '--reporter', `html=${join(folder, 'page.html')}`], 'page.html'],
  [['compare', saved, saved, '--reporter', `markdown=${join(folder, 'compare.md')}`], 'compare.md'],
  [['observe', archive, '--reporter', `json=${join(folder, 'observe.json')}`], 'observe.json'],
  [['pact', 'lint', pact]],
  [['explain', 'pet-id']],
  [['run', '--dry-run', '--max-requests', '60']],
  [['self-test']],
];

for (const [words, file] of computing) {
  test(`SIGINT ends ${words[0]} whenever it comes`, async () => {
    for (const turns of [0, 2, 9]) {
      if (file !== undefined) rmSync(join(folder, file), { force: true });
      const { code, stderr } = await endsSoon(run(words, {}, { interruption: afterTurns(turns) }), words.join(' '));
      assert.ok([0, 1, 3].includes(code ?? -1), `${code}: ${stderr}`);
      if (words[0] === 'self-test') assert.is(code, 3);
      if (file !== undefined) assert.ok(existsSync(join(folder, file)), String(turns));
    }
  });
}

/** Sends a signal as soon as somebody listens for it, which is before anything else happens. */
const atOnce = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    "process.on('newListener', (name) => { if (name === 'SIGINT') setImmediate(() => process.kill(process.pid, 'SIGINT')); });",
  )}`,
};

for (const [words, file] of [
  [['run', '--reporter', `json=${join(folder, 'first.json')}`], 'first.json'],
  [['observe', to, '--port', '0', '--reporter', `json=${join(folder, 'watched.json')}`], 'watched.json'],
  [['client', '--reporter', `json=${join(folder, 'client.json')}`, '--', process.execPath, '-v'], 'client.json'],
  [['self-test'], undefined],
] as const) {
  test(`a process of ${words[0]} ends with 3 on a signal that comes first, with its report`, async () => {
    const { code, stderr } = await start(words, { ...env, ...atOnce }).result;
    assert.is(code, 3, stderr);
    if (file !== undefined) assert.ok(existsSync(join(folder, file)));
  });
}

test.after(() => {
  broker.close();
  server.closeAllConnections();
  server.close();
});

test.run();
