/** Whatever breaks, the exit code is never 1 for it: 1 means that the target does not conform. */

import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startOtherServer } from '../../other-server.ts';
import { readReport, run, sources, start, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const beside = join(folder, 'beside.json');
const short = ['run', '--max-requests', '20'];
const both = ['--reporter', 'terminal', '--reporter', `json=${beside}`];

/** Loads code into the command before anything of it runs. */
function loading(code: string): { readonly NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

/** Starts a run against a target; at its fifth request it gets a signal, on which the code acts. */
async function startSignalled(act: string) {
  const { baseUrl, key, server } = await startOtherServer({ delayMs: 20 });
  const environment = { PETSTORE_API_KEY: key, ...loading(`process.on('SIGUSR2', () => { ${act} })`) };
  const { child, result } = start(['run', baseUrl, '--max-requests', '20'], environment);
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

/** What happens in mid-run, the exit code, and what is said. */
const breaks: readonly (readonly [act: string, code: number, said: RegExp])[] = [
  ["throw new Error('out of the blue')", 4, /^The kit itself broke: Error: out of the blue\n {4}at /m],
  ["Promise.reject('lost')", 4, /^The kit itself broke: Error: lost/m],
  [
    "throw Object.assign(new Error('EROFS: read-only file system, mkdtemp'), { code: 'EROFS' })",
    2,
    /^The machine refused: EROFS: read-only file system, mkdtemp\.\n$/m,
  ],
];

for (const [act, code, said] of breaks) {
  test(`${act} in mid-run ends with ${code}`, async () => {
    const outcome = await (await startSignalled(act)).result;
    assert.is(outcome.code, code);
    assert.match(outcome.stderr, said);
  });
}

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

const full = 'no space left on device (ENOSPC).\n';

for (const words of [['explain'], ['--help'], [...short, ...both]]) {
  test(`a full disk behind the standard output ends ${words[0]} with 2, and other reports are written`, async () => {
    const disk = openSync('/dev/full', 'w');
    const { code, stderr } = await start(words, {}, { stdout: disk }).result;
    closeSync(disk);
    assert.equal([code, stderr], [2, `The standard output cannot be written: ${full}`]);
    if (words[0] === 'run') assert.is(readReport(beside).exitCode, 0);
  });
}

test('a reader that has gone ends with 2, one of the standard error changes nothing, and the other reports are written', async () => {
  const { child, result } = start([...short, ...both]);
  child.stdout?.destroy();
  const { code, stderr } = await result;
  assert.equal([code, stderr], [2, 'The standard output cannot be written: broken pipe (EPIPE).\n']);
  assert.is(readReport(beside).exitCode, 0);
  const signalled = await startSignalled("process.stderr.write('progress')");
  signalled.child.stderr?.destroy();
  assert.match(JSON.stringify(await signalled.result), /^\{"code":0,"stdout":"CONFORMS/);
});

test('a report on a full disk ends with 2 and keeps no other from being written', async () => {
  const { code, stdout, stderr } = await run([...short, '--reporter', 'html=/dev/full', ...both]);
  assert.equal([code, stderr], [2, `/dev/full cannot be written: ${full}`]);
  assert.match(stdout, /CONFORMS/);
  assert.is(readReport(beside).exitCode, 0);
});

test('every output is opened, and its folder made, before the first request', async () => {
  const { baseUrl, key, server } = await startOtherServer();
  let asked = 0;
  server.on('request', () => {
    asked += 1;
  });
  const made = ['--reporter', `html=${join(folder, 'new', 'deeper', 'report.html')}`, '--reporter', `json=${folder}`];
  const summary = { GITHUB_STEP_SUMMARY: folder };
  const sentence = `${folder} cannot be written: illegal operation on a directory (EISDIR).\n`;
  for (const words of [made, ['--reporter', 'github']]) {
    const { code, stdout, stderr } = await run(['run', baseUrl, ...words], { PETSTORE_API_KEY: key, ...summary });
    assert.equal([code, stdout, stderr], [2, '', sentence]);
  }
  server.close();
  assert.is(asked, 0);
});

test.run();
