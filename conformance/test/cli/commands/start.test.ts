/** `run --start`: the service is started, judged and ended, and its output is kept without keys. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startService } from '../../../cli/start-service.ts';
import { reasonInWords } from '../../../verdict/reasons.ts';
import { startOtherServer } from '../../other-server.ts';
import { readReport, run, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const server = new URL('../../../cli/petstore-server.ts', import.meta.url).pathname;

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function isRefused(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => false,
    () => true,
  );
}

test('--start starts the service, judges it, ends it with its children, and names its output', async () => {
  const port = await freePort();
  const file = join(folder, 'started.json');
  // The shell waits for the server, so that the server is a child of a child.
  const start = `echo up; ${process.execPath} ${server} --port ${port}; true`;
  const args = ['run', `http://127.0.0.1:${port}/v1`, '--start', start, '--max-requests', '20'];
  const outcome = await run([...args, '--reporter', `json=${file}`, '--reporter', 'terminal'], {
    PETSTORE_API_KEY: 'a-key-of-the-service',
  });
  assert.is(outcome.code, 0, outcome.stdout + outcome.stderr);
  const { target } = readReport(file);
  assert.match(outcome.stdout.replaceAll(/\s+/g, ' '), `The output of the service is in ${target.outputFile}.`);
  assert.match(readFileSync(target.outputFile!, 'utf8'), /^up\n/);
  assert.ok(await isRefused(port));
});

test('a command of --start that ends at once gives a report that says that nothing answers, and 3', async () => {
  const port = await freePort();
  const file = join(folder, 'ended.json');
  const args = ['run', `http://127.0.0.1:${port}/v1`, '--start', 'echo broken; exit 7', '--timeout', '500'];
  const { code, stdout } = await run([...args, '--reporter', `json=${file}`], { PETSTORE_API_KEY: 'some-key' });
  assert.is(code, 3, stdout);
  const { target, reason } = readReport(file);
  assert.is(readFileSync(target.outputFile!, 'utf8'), 'broken\n');
  assert.match(reasonInWords(reason) ?? '', /^The command of --start ended with exit code 7 before it answered\.$/);
});

test('without a report nothing is left of the output', async () => {
  const empty = temporaryFolder();
  const args = ['run', `http://127.0.0.1:${await freePort()}/v1`, '--start', 'echo broken; exit 7'];
  const { code, stderr } = await run(args, { TMPDIR: empty });
  assert.equal([code, readdirSync(empty)], [2, []], stderr);
});

test('--start does not judge a service that was running already, and starts none beside it', async () => {
  const file = join(folder, 'beside');
  const { baseUrl, key, server: other } = await startOtherServer();
  const { code, stderr } = await run(['run', baseUrl, '--start', `touch ${file}`], { PETSTORE_API_KEY: key });
  other.closeAllConnections();
  other.close();
  assert.is(code, 2);
  assert.match(stderr, `Something answers at ${baseUrl} already, and would be judged instead of what --start starts`);
  assert.not.ok(existsSync(file));
});

test('the output of a service of --start is kept as it comes, without the keys that it logs', async () => {
  const port = await freePort();
  const file = join(folder, 'logged.json');
  const [key, gateway] = ['Log/4w+Rb8=mTt_6xV', 'Gate-7h-Tz2-cXk-4uN'];
  const logger = `require('http').createServer((q, r) => { console.log(q.headers.authorization, q.headers.cookie, btoa(process.env.PETSTORE_API_KEY)); r.end('[]') }).listen(${port}, '127.0.0.1')`;
  const args = ['run', `http://127.0.0.1:${port}/v1`, '--start', `exec '${process.execPath}' -e "${logger}"`];
  const more = ['--header', `Cookie: sid=${gateway}`, '--max-requests', '5', '--settle', '0'];
  await run([...args, ...more, '--reporter', `json=${file}`], { PETSTORE_API_KEY: key });
  const output = readFileSync(readReport(file).target.outputFile!, 'utf8');
  assert.match(output, 'Bearer [key] [key] [key]\n');
  for (const secret of [key, gateway, btoa(key)]) assert.not.match(output, secret);
});

test('a gateway that answers 502 is not taken for the service, neither before its start nor after it', async () => {
  let asked = 0;
  const gateway = createHttpServer((_request, response) => {
    asked += 1;
    response.writeHead(asked <= 2 ? 502 : 401).end();
  });
  const port = await freePort();
  await new Promise<void>((resolve) => gateway.listen(port, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const { signal } = new AbortController();
  const service = await startService('sleep 600', baseUrl, String, signal);
  await service.end();
  gateway.close();
  assert.equal([asked, service.endedEarly], [3, undefined]);
});

test.run();
