/** Whatever breaks, the exit code is never 1 for it: 1 means that the target does not conform. */

import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startOtherServer } from '../../other-server.ts';
import { readReport, run, start, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const beside = join(folder, 'beside.json');
const short = ['run', '--max-requests', '20'];
const both = ['--reporter', 'terminal', '--reporter', `json=${beside}`];

/** Loads code into the command before anything of it runs. */
function loading(code: string): { readonly NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

const module = new URL('../../../cli/last-resort.ts', import.meta.url);
const readOnly = "throw Object.assign(new Error('EROFS: read-only file system, mkdtemp'), { code: 'EROFS' })";

/** What is thrown while a command runs, the exit code, and what is said. */
const breaks: readonly (readonly [act: string, code: number, said: RegExp])[] = [
  ["Promise.reject('lost')", 4, /^The kit itself broke: Error: lost\n {4}at /],
  [readOnly, 2, /^The machine refused: EROFS: read-only file system, mkdtemp\.\n$/],
];

test('what is thrown in mid-run ends with 4, or with 2 where the machine refuses', async () => {
  for (const [act, code, said] of breaks) {
    const program = `import { installLastResort } from '${module}'; installLastResort(); setTimeout(() => { ${act} });`;
    const outcome = await start(['--input-type=module', '--eval', program], {}, { program: '--no-warnings' }).result;
    assert.is(outcome.code, code, outcome.stderr);
    assert.match(outcome.stderr, said);
  }
});

const full = 'ENOSPC: no space left on device.\n';

test('a full disk behind the standard output or a report ends with 2, and other reports are written', async () => {
  const disk = openSync('/dev/full', 'w');
  const words = [...short, '--reporter', 'html=/dev/full', ...both];
  const { code, stderr } = await start(words, {}, { stdout: disk }).result;
  closeSync(disk);
  const said = `/dev/full cannot be written: ${full}The standard output cannot be written: ${full}`;
  assert.equal([code, stderr], [2, said]);
  assert.is(readReport(beside).exitCode, 0);
});

test('a reader that has gone ends with 2, and one of the standard error changes nothing', async () => {
  const gone = start([...short, ...both]);
  gone.child.stdout?.destroy();
  const { code, stderr } = await gone.result;
  assert.equal([code, stderr], [2, 'The standard output cannot be written: write EPIPE.\n']);
  assert.is(readReport(beside).exitCode, 0);
  const unseen = start(['compare', beside, beside], loading("setTimeout(() => process.stderr.write('progress'), 1)"));
  unseen.child.stderr?.destroy();
  assert.match(JSON.stringify(await unseen.result), /^\{"code":0,"stdout":".*No regressions/);
});

test('every output is opened, and its folder made, before the first request', async () => {
  const { baseUrl, key, server } = await startOtherServer();
  let asked = 0;
  server.on('request', () => {
    asked += 1;
  });
  const made = ['--reporter', `html=${join(folder, 'new', 'deeper', 'report.html')}`, '--reporter', `json=${folder}`];
  const summary = { GITHUB_STEP_SUMMARY: folder };
  const sentence = `${folder} cannot be written: EISDIR: illegal operation on a directory.\n`;
  for (const words of [made, ['--reporter', 'github']]) {
    const { code, stdout, stderr } = await run(['run', baseUrl, ...words], { PETSTORE_API_KEY: key, ...summary });
    assert.equal([code, stdout, stderr], [2, '', sentence]);
  }
  assert.is(asked, 0);
});

test.run();
