/** `run --start` and `--last-failed`. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reasonInWords } from '../../../verdict/reasons.ts';
import { type OtherServerOptions, startOtherServer } from '../../other-server.ts';
import { jumpingTime, readReport, run, temporaryFolder } from '../command.ts';

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

test('the output of a service of --start goes where no report names it', async () => {
  const emptyFolder = temporaryFolder();
  const args = ['run', `http://127.0.0.1:${await freePort()}/v1`, '--start', 'echo broken; exit 7'];
  const { code, stderr } = await run(args, { TMPDIR: emptyFolder });
  assert.equal([code, readdirSync(emptyFolder)], [2, []], stderr);
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

test('a line of a service that never ends is left out, and the lines around it are kept', async () => {
  const port = await freePort();
  const file = join(folder, 'endless.json');
  const script = "console.log('up'); process.stdout.write('x'.repeat(3e6)); console.log('y'); console.log('down')";
  const start = `'${process.execPath}' -e "${script}"; printf unended`;
  const args = ['run', `http://127.0.0.1:${port}/v1`, '--start', start, '--timeout', '500'];
  await run([...args, '--reporter', `json=${file}`], { PETSTORE_API_KEY: 'some-key' });
  const output = readFileSync(readReport(file).target.outputFile!, 'utf8');
  assert.is(output, 'up\n(a line that was too long)\ndown\nunended\n');
});

test('--start needs an address', async () => {
  const { code, stderr } = await run(['run', '--start', 'true']);
  assert.equal([code, stderr], [2, '--start needs BASE_URL, the address at which the service answers.\n']);
});

/** Runs against a server whose errors have no message, which breaks several requirements. */
async function judgeBroken(
  args: readonly string[],
  breaks: OtherServerOptions['breaks'] = (answer) => {
    answer.body = answer.body.replaceAll('"message"', '"text"').replaceAll('"name"', '"title"');
  },
) {
  const other = await startOtherServer({ breaks });
  const file = join(folder, 'broken.json');
  const words = ['run', other.baseUrl, '--max-requests', '60', '--seed', '7', '--reporter', `json=${file}`, ...args];
  const outcome = await run(words, { PETSTORE_API_KEY: other.key }, { time: jumpingTime() });
  other.server.closeAllConnections();
  other.server.close();
  return { outcome, file };
}

test('--last-failed judges only what failed or warned', async () => {
  const whole = await judgeBroken([]);
  assert.is(whole.outcome.code, 1, whole.outcome.stderr);
  const report = readReport(whole.file);
  const failed = report.requirements.filter(({ failures }) => failures.length > 0).map(({ id }) => id);
  assert.ok(failed.includes('list-limit-refused') && failed.includes('error-message'), failed.join());
  const saved = join(folder, 'last.json');
  writeFileSync(saved, readFileSync(whole.file));
  const again = await judgeBroken(['--last-failed', saved]);
  assert.equal(
    readReport(again.file).requirements.map(({ id }) => id),
    failed,
  );
  assert.match(again.outcome.stdout, /; \d+ of 53 requirements, --last-failed\)/);
});

test('--last-failed sends the requests again that showed a failure, however rare they are', async () => {
  const rare = (answer: { status: number; body: string }, path: string): void => {
    if (answer.status === 401 || !path.endsWith('@')) return;
    answer.status = 200;
    answer.body = '{"id":1,"name":"Rex","categoryId":1}';
  };
  const { file } = await judgeBroken(['--max-requests', '1000'], rare);
  const saved = join(folder, 'rare.json');
  writeFileSync(saved, readFileSync(file));
  const failing = () => readReport(file).requirements.filter(({ verdict }) => verdict === 'fail');
  assert.equal(
    failing().map(({ id }) => id),
    ['get-id-not-int64'],
  );
  for (const seed of ['1', '2', '3']) {
    await judgeBroken(['--last-failed', saved, '--only', 'get-id-not-int64', '--seed', seed], rare);
    assert.is(failing().length, 1, seed);
    assert.ok(readReport(file).requests <= 30);
  }
  // A report is a stranger's file.
  writeFileSync(saved, readFileSync(saved, 'utf8').replaceAll(/"\/pets\/[^"]*@"/g, '"/keys"'));
  const asked: string[] = [];
  await judgeBroken(['--last-failed', saved], (_answer, path) => void asked.push(path));
  assert.ok(asked.length > 0 && asked.every((path) => path.startsWith('/v1/pets')), asked.join());
});

test('--last-failed of a report without failures is refused', async () => {
  const file = join(folder, 'good.json');
  await run(['run', '--max-requests', '20', '--reporter', `json=${file}`]);
  const { code, stderr } = await run(['run', '--last-failed', file]);
  assert.equal(
    [code, stderr.split(' has ').slice(1).join(' has ')],
    [2, 'nothing to judge again: it has no failure and no warning.\n'],
  );
});

test.run();
