/** The command as a user runs it: exit codes, one sentence for wrong usage, reports on every way out. */

import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../../reference-server/index.ts';
import { describeBudget } from '../../../cli/dry-run.ts';
import { faults } from '../../../faults/index.ts';
import { runInProcess, trialKeys, trialSettings } from '../../../proof/trial.ts';
import { keysOfTrials } from '../../../services/wraps.ts';
import { reasonInWords } from '../../../verdict/reasons.ts';
import { startOtherServer } from '../../other-server.ts';
import { invoke, jumpingTime, readReport, run, start, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();

test('the embedded server is judged without a word of configuration, and conforms', async () => {
  const { code, stdout } = await run(['run', '--verbose']);
  assert.is(code, 0, stdout);
  assert.match(stdout, /✓ pass {2}rate-recovery/);
  assert.match(
    stdout,
    /^CONFORMS \((\d+) of \d+ requirements pass\): the embedded reference server \([^\n]*\n\s*[^\n]*\n?\d+ requirements: \1 passed, /,
  );
  assert.match(stdout, /\nCONFORMS \(\d+ of \d+ requirements pass\): the embedded reference server[^\n]*\n$/);
});

test('a target that breaks a sentence ends with 1, named, with its exchange; two reports say the same', async () => {
  const { baseUrl, key, server } = await startOtherServer({
    breaks: (answer) => {
      if (answer.status === 401) answer.status = 403;
    },
  });
  const file = join(folder, 'broken.json');
  const args = ['run', baseUrl, '--reporter', 'terminal', '--reporter', `json=${file}`, '--max-requests', '60'];
  const { code, stdout } = await run(args, { PETSTORE_API_KEY: key });
  server.close();
  assert.is(code, 1);
  assert.match(stdout, /FAIL {2}§5 auth-missing-key/);
  const unwrapped = stdout.replaceAll(/\s+/g, ' ');
  assert.match(unwrapped, /expected 401 for .*, received 403 .*also: /);
  assert.match(stdout, /DOES NOT CONFORM/);
  assert.not.match(stdout, key);
  const report = readReport(file);
  assert.is(report.verdict, 'does-not-conform');
  assert.is(report.exitCode, 1);
});

test('an unreachable target ends with 3, says what to do, and the report is written', async () => {
  const closed = await new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
  const file = join(folder, 'unreachable.json');
  const args = ['run', `http://127.0.0.1:${closed}/v1`, '--reporter', 'terminal', '--reporter', `json=${file}`];
  const { code, stdout } = await run(args, { PETSTORE_API_KEY: 'some-key' }, { time: jumpingTime() });
  assert.is(code, 3);
  assert.match(stdout, /could not be reached \(ECONNREFUSED\): check the base address/);
  assert.match(reasonInWords(readReport(file).reason) ?? '', /could not be reached/);
});

test('a budget of one request for a target that refuses, resets or is not there ends with 3, never with 4', async () => {
  const refusing = createHttpServer((_incoming, outgoing) => {
    outgoing.writeHead(429, { 'retry-after': '1' }).end();
  });
  const resetting = createHttpServer((incoming) => incoming.socket.destroy());
  const servers = [refusing, resetting];
  await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  // A creation that shows the failure of one requirement on its own.
  const fault = faults.find(({ id }) => id === 'name-missing-on-createPet')!;
  const report = await runInProcess(
    fault.wrap(createPetStore({ keys: trialKeys }).handle, keysOfTrials),
    trialSettings(20),
  );
  const file = join(folder, 'of-one-creation.json');
  writeFileSync(file, JSON.stringify(report));
  const env = { PETSTORE_API_KEY: 'some-key' };
  for (const port of [...ports, 9]) {
    const target = `http://127.0.0.1:${port}/v1`;
    const judged = await run(['run', target, '--max-requests', '1'], env, { time: jumpingTime() });
    assert.is(judged.code, 3, judged.stderr);
    const words = ['run', target, '--last-failed', file, '--only', 'pet-name', '--max-wait', '5'];
    const replayed = await run(words, env, { time: jumpingTime() });
    assert.is(replayed.code, 3, replayed.stderr);
  }
  for (const server of servers) server.close();
});

test('a refused key ends with 3 after one request', async () => {
  const { baseUrl, server } = await startOtherServer();
  const file = join(folder, 'refused.json');
  const { code } = await run(['run', baseUrl, '--reporter', `json=${file}`], { PETSTORE_API_KEY: 'wrong-key-here' });
  server.close();
  assert.is(code, 3);
  assert.is(readReport(file).requests, 1);
});

// A terminal that is closed sends SIGHUP.
for (const signal of ['SIGINT', 'SIGHUP'] as const) {
  test(`${signal} in mid-run still writes the report with what is left behind, and says that the run was interrupted`, async () => {
    const { baseUrl, key, server } = await startOtherServer({ delayMs: 30 });
    const file = join(folder, `${signal}.json`);
    const args = ['run', baseUrl, '--reporter', `json=${file}`];
    const { child, result } = start(args, { PETSTORE_API_KEY: key });
    let asked = 0;
    server.on('request', () => {
      asked += 1;
      if (asked === 8) child.kill(signal);
    });
    const { code } = await result;
    server.closeAllConnections();
    server.close();
    assert.is(code, 3);
    const report = readReport(file);
    assert.match(reasonInWords(report.reason) ?? '', /interrupted/);
    assert.ok(report.created.length > 0);
  });
}

test('a deadline ends the run, and the report says so', async () => {
  const { baseUrl, key, server } = await startOtherServer({ delayMs: 100 });
  const { code, stdout } = await run(['run', baseUrl, '--deadline', '1'], { PETSTORE_API_KEY: key });
  server.closeAllConnections();
  server.close();
  assert.is(code, 3);
  assert.match(stdout, /The deadline of 1 s has passed\./);
});

test('only the requirements of --only are judged', async () => {
  const file = join(folder, 'only.json');
  const { code } = await run(['run', '--only', '4.3', '--only', 'error-code', '--reporter', `json=${file}`]);
  assert.is(code, 0);
  const ids = readReport(file).requirements.map(({ id }) => id);
  assert.equal(ids, ['error-code', 'get-answer', 'get-not-found', 'get-id-not-int64']);
});

test('--require-all turns a skipped requirement into 3', async () => {
  const { baseUrl, key, server } = await startOtherServer();
  const words = ['run', baseUrl, '--require-all', '--max-requests', '300'];
  const { code, stdout } = await run(words, { PETSTORE_API_KEY: key });
  server.close();
  assert.is(code, 3);
  assert.match(stdout, /COULD NOT JUDGE/);
});

test('output to a file or pipe has no colour and no progress', async () => {
  const { stdout, stderr } = await run(['run', '--max-requests', '20']);
  assert.not.match(stdout, '\x1b');
  assert.is(stderr, '');
});

test('a dry run lists the requests of a run by section and their share of a plan, and sends nothing', async () => {
  const { code, stdout } = await run(['run', '--dry-run', '--max-requests', '60', '--plan', 'free']);
  assert.is(code, 0);
  assert.match(stdout, /^§4\.2 +\d+ requests +\d+ creations$/m);
  assert.match(stdout, /^total +60 requests +\d+ creations$/m);
  assert.match(stdout, /^free: 1 minute, 6\.0 % of the day$/m);
  const only = await run(['run', '--dry-run', 'https://host/v1', '--only', '4.3', '--reporter', 'json']);
  assert.match(only.stdout, /^§4\.3 +\d+ requests/m);
  assert.not.match(only.stdout, /§5/);
  const readOnly = await run(['run', '--dry-run', 'https://host/v1', '--read-only']);
  assert.match(readOnly.stdout, /^total +300 requests +0 creations$/m);
});

test('a dry run says which budget applies, and why', async () => {
  const budgetOf = async (...words: readonly string[]): Promise<string> => {
    const { values } = await invoke('run', words);
    return describeBudget(values).replace(/^budget: /, '');
  };
  const [usual, large] = ['300 requests, 61 creations', '1000 requests, 201 creations'];
  const shared = `${usual}; ${large} if the target is fast and its X-RateLimit headers show room`;
  assert.is(await budgetOf('https://host/v1'), shared);
  const disposable = `${large}, since the target is disposable; ${usual} if it is slow or its rate limit has no room`;
  assert.is(await budgetOf('http://127.0.0.1:1/v1'), disposable);
  assert.is(await budgetOf(), disposable);
  assert.is(await budgetOf('https://host/v1', '--disposable'), disposable);
  assert.is(await budgetOf('http://127.0.0.1:1/v1', '--no-disposable'), shared);
  assert.is(await budgetOf('http://127.0.0.1:1/v1', '--plan', 'free'), usual);
  assert.is(await budgetOf('--max-requests', '60'), '60 requests, 61 creations');
  const { stdout } = await run(['run', '--dry-run', '--max-requests', '60']);
  assert.match(stdout, /^budget: 60 requests, 61 creations$/m);
});

test.run();
