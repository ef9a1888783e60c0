/** Whatever breaks, the exit code is never 1 for it: 1 means that the target does not conform. */

import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startOtherServer } from '../../other-server.ts';
import { type Result, readReport, run, sources, start, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();

/** Loads code into the command before anything of it runs. */
function loading(code: string): { readonly NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

/** Starts a run against a target; at its fifth request it gets a signal, for what is loaded into it. */
async function startSignalled(code: string) {
  const { baseUrl, key, server } = await startOtherServer({ delayMs: 20 });
  const args = ['run', baseUrl, '--max-requests', '20'];
  const { child, result } = start(args, { PETSTORE_API_KEY: key, ...loading(code) });
  let asked = 0;
  server.on('request', () => {
    asked += 1;
    if (asked === 5) child.kill('SIGUSR2');
  });
  const closed = result.finally(() => {
    server.closeAllConnections();
    server.close();
  });
  return { child, result: closed };
}

async function breakInMidRun(code: string): Promise<Result> {
  return (await startSignalled(code)).result;
}

test('an error that nobody catches ends with 4 and says where', async () => {
  const { code, stderr } = await breakInMidRun("process.on('SIGUSR2', () => { throw new Error('out of the blue') })");
  assert.is(code, 4);
  assert.match(stderr, /^The kit itself broke: Error: out of the blue\n {4}at /m);
});

test('a promise that nobody awaits ends with 4, even if it rejects with something other than an Error', async () => {
  const { code, stderr } = await breakInMidRun("process.on('SIGUSR2', () => { Promise.reject('lost') })");
  assert.is(code, 4);
  assert.match(stderr, /^The kit itself broke: Error: lost/m);
});

test('an operation that the machine refuses ends with 2 and one sentence', async () => {
  const code = "Object.assign(new Error('EROFS: read-only file system, mkdtemp'), { code: 'EROFS' })";
  const outcome = await breakInMidRun(`process.on('SIGUSR2', () => { throw ${code} })`);
  assert.is(outcome.code, 2);
  assert.match(outcome.stderr, /^The machine refused: EROFS: read-only file system, mkdtemp\.\n$/m);
});

test('an install that lacks a package ends with 4 and names it', async () => {
  const lacks = `import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (name === 'node-fetch') throw new Error('Cannot find package node-fetch');
      return next(name, context);
    } });`;
  const { code, stderr } = await start(['run'], loading(lacks), { program: sources }).result;
  assert.is(code, 4);
  assert.match(stderr, /The kit itself broke: Error: Cannot find package node-fetch/);
});

test('a full disk behind the standard output ends with 2 and one sentence, and the other reports are written', async () => {
  const file = join(folder, 'beside-a-full-disk.json');
  const full = openSync('/dev/full', 'w');
  const args = ['run', '--max-requests', '20', '--reporter', 'terminal', '--reporter', `json=${file}`];
  const { code, stderr } = await start(args, {}, { stdout: full }).result;
  closeSync(full);
  assert.is(code, 2);
  assert.is(stderr, 'The standard output cannot be written: no space left on device (ENOSPC).\n');
  assert.is(readReport(file).exitCode, 0);
});

test('every command names a full disk', async () => {
  const full = openSync('/dev/full', 'w');
  for (const args of [['explain'], ['--help'], ['--version'], ['explain', 'pet-id'], ['run', '--print-config']]) {
    const { code, stderr } = await start(args, {}, { stdout: full }).result;
    assert.is(code, 2, args.join(' '));
    assert.is(stderr, 'The standard output cannot be written: no space left on device (ENOSPC).\n');
  }
  closeSync(full);
});

test('a reader that has gone ends with 2, and the other reports are written', async () => {
  const file = join(folder, 'beside-a-closed-pipe.json');
  const args = ['run', '--max-requests', '20', '--reporter', 'terminal', '--reporter', `json=${file}`];
  const { child, result } = start(args);
  child.stdout?.destroy();
  const { code, stderr } = await result;
  assert.is(code, 2);
  assert.is(stderr, 'The standard output cannot be written: broken pipe (EPIPE).\n');
  assert.is(readReport(file).exitCode, 0);
});

test('nobody who reads the standard error changes nothing', async () => {
  const { child, result } = await startSignalled("process.on('SIGUSR2', () => process.stderr.write('progress'))");
  child.stderr?.destroy();
  const { code, stdout } = await result;
  assert.is(code, 0);
  assert.match(stdout, /CONFORMS/);
  const refused = start(['run', '--no-such']);
  refused.child.stderr?.destroy();
  assert.is((await refused.result).code, 2);
});

test('a report on a full disk ends with 2 and keeps no other from being written', async () => {
  const file = join(folder, 'beside-a-full-report.json');
  const args = ['--reporter', 'html=/dev/full', '--reporter', 'terminal', '--reporter', `json=${file}`];
  const { code, stdout, stderr } = await run(['run', '--max-requests', '20', ...args]);
  assert.is(code, 2);
  assert.is(stderr, '/dev/full cannot be written: no space left on device (ENOSPC).\n');
  assert.match(stdout, /CONFORMS/);
  assert.is(readReport(file).exitCode, 0);
});

test('every output is opened, and its folder made, before the first request', async () => {
  const { baseUrl, key, server } = await startOtherServer();
  let asked = 0;
  server.on('request', () => {
    asked += 1;
  });
  const env = { PETSTORE_API_KEY: key };
  const nested = join(folder, 'new', 'folders');
  const taken = join(folder, 'a-folder');
  mkdirSync(taken);
  const made = [
    '--reporter',
    `html=${join(nested, 'report.html')}`,
    '--reporter',
    `junit=${join(nested, 'deeper', 'junit.xml')}`,
  ];
  const refused = await run(['run', baseUrl, ...made, '--reporter', `json=${taken}`], env);
  assert.is(refused.code, 2);
  assert.is(refused.stderr, `${taken} cannot be written: illegal operation on a directory (EISDIR).\n`);
  assert.is(asked, 0);
  const written = await run(['run', baseUrl, '--max-requests', '20', ...made], env);
  server.close();
  assert.is(written.code, 0, written.stderr);
  for (const file of ['report.html', 'deeper/junit.xml']) assert.ok(existsSync(join(nested, file)), file);
});

test.run();
