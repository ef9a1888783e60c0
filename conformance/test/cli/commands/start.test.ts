/** `run --start`: the service is started, judged and ended, and its output is kept for its user alone. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startService } from '../../../cli/start-service.ts';
import { reasonInWords } from '../../../verdict/reasons.ts';
import { freePort, listening } from '../../http/servers.ts';
import { startOtherServer } from '../../other-server.ts';
import { readReport, run, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const file = join(folder, 'report.json');
const server = new URL('../../../cli/petstore-server.ts', import.meta.url).pathname;

const twin = new URL('../../../../reference-server/twin/index.ts', import.meta.url).href;

/** Judges what a command starts at a free port. */
async function judge(command: (port: number) => string, PETSTORE_API_KEY: string) {
  const port = await freePort();
  const args = ['run', `http://127.0.0.1:${port}/v1`, '--start', command(port), '--max-requests', '20'];
  const result = await run([...args, '--reporter', `json=${file}`, '--reporter', 'terminal'], { PETSTORE_API_KEY });
  const { target, reason } = readReport(file);
  return { ...result, port, reason, target, output: readFileSync(target.outputFile!, 'utf8') };
}

test('--start starts the service, judges it, ends it with its children, and names its output', async () => {
  // The shell waits for the server, so that the server is a child of a child.
  const start = (port: number): string => `echo up; ${process.execPath} ${server} --port ${port}; true`;
  const outcome = await judge(start, 'a-key-of-the-service');
  assert.is(outcome.code, 0, outcome.stdout + outcome.stderr);
  const named = `The output of the service is in ${outcome.target.outputFile}.`;
  assert.match(outcome.stdout.replaceAll(/\s+/g, ' '), named);
  assert.match(outcome.output, /^up\n/);
  assert.not.match(outcome.stdout, 'behind');
  assert.is(statSync(outcome.target.outputFile!).mode & 0o077, 0);
  assert.is(await fetch(`http://127.0.0.1:${outcome.port}/`).catch(() => 'refused'), 'refused');
});

test('what --start started is ended where the run cannot begin', async () => {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const start = `${process.execPath} ${server} --port ${port}`;
  const { code, stderr } = await run(['run', baseUrl, '--start', start], {});
  assert.is(code, 2);
  assert.match(stderr, /^PETSTORE_API_KEY is not set: /);
  assert.is(await fetch(baseUrl).catch(() => 'refused'), 'refused');
});

test('a command of --start that ends is reported with its exit code and last lines, without secrets, and with 3', async () => {
  const ended = await judge(() => 'echo broken with some-key-4711; exit 7', 'some-key-4711');
  assert.equal([ended.code, ended.output], [3, 'broken with some-key-4711\n']);
  const said = 'The command of --start has ended (exit code 7). It printed last: broken with [key]';
  assert.is(reasonInWords(ended.reason), said);
});

test('a service that ends in mid-run ends the run at once, and none of its animals is said to be left behind', async () => {
  const dying = `import { startServer } from ${JSON.stringify(twin)};
let asked = 0;
await startServer({
  port: Number(process.argv[1]),
  keys: [{ key: 'some-key', plan: 'business' }],
  log: () => {
    asked += 1;
    if (asked < 12) return;
    console.log('out of memory');
    process.exit(9);
  },
});`;
  writeFileSync(join(folder, 'dying.mjs'), dying.replace('process.argv[1]', 'process.argv[2]'));
  const ended = await judge((port) => `${process.execPath} ${join(folder, 'dying.mjs')} ${port}`, 'some-key');
  assert.equal([ended.code, ended.reason?.code], [3, 'service-ended'], ended.stdout);
  assert.match(ended.reason?.values['printed'] as string, /out of memory$/);
  assert.not.match(ended.stdout, 'behind');
});

test('what a command of --start leaves in another process group is named', async () => {
  const left = (port: number): string =>
    `env -u npm_lifecycle_script setsid ${process.execPath} ${server} --port ${port} & echo $! > ${folder}/pid; wait`;
  const outcome = await judge(left, 'a-key-of-the-service');
  process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGTERM');
  assert.is(outcome.code, 0, outcome.stdout + outcome.stderr);
  const said = outcome.stdout.replaceAll(/\s+/g, ' ');
  assert.match(said, `Something still answers at http://127.0.0.1:${outcome.port}/v1 after the end of what --start`);
  assert.match(said, /The run leaves \d+ animals behind/);
});

test('--start does not judge a service that was running already, and starts none beside it', async () => {
  const begun = join(folder, 'begun');
  const { baseUrl, key } = await startOtherServer();
  const { code, stderr } = await run(['run', baseUrl, '--start', `touch ${begun}`], { PETSTORE_API_KEY: key });
  assert.equal([code, existsSync(begun)], [2, false]);
  assert.match(stderr, `Something answers at ${baseUrl} already, and would be judged instead of what --start starts`);
});

test('a gateway that answers 502 is not taken for the service, neither before its start nor after it, though its command has ended', async () => {
  let asked = 0;
  const gateway = createServer((_request, response) => {
    asked += 1;
    response.writeHead(asked <= 2 ? 502 : 401).end();
  });
  const port = await listening(gateway);
  const { signal } = new AbortController();
  const service = await startService('true', `http://127.0.0.1:${port}/v1`, signal);
  assert.is(asked, 3);
  assert.is(await service.end(), true);
});

test('a command that npm started ends when npm is ended, although the shell between them ends alone', async () => {
  const line = `"${process.execPath}" "${server}" --port 0; true`;
  const shell = spawn('sh', ['-c', line], {
    env: { ...process.env, npm_lifecycle_script: 'petstore-server --port 0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  shell.stdout.once('data', () => shell.kill('SIGTERM'));
  // The server holds this pipe open until it ends.
  await once(shell.stdout, 'close');
});

test.run();
