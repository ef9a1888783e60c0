/** What is written where: reports again from a report, standard output shared, shown as the terminal wants it. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readReport } from '../../../cli/saved-report.ts';
import { reporters } from '../../../reporters/index.ts';
import { inColour, inPlainText, reportTerminal } from '../../../reporters/terminal.ts';
import { viewOf } from '../../../reporters/view.ts';
import { sampleReport } from '../../reporters/sample-report.ts';
import { run, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const saved = join(folder, 'saved.json');
writeFileSync(saved, reporters.json(sampleReport));
/** The same report, with the commands that a stranger may have written replaced. */
const asRead = await readReport(saved);

/** How a report is shown that was read from a file. */
const again = { ...inPlainText, jsonFile: saved };

/** Writes the sample report again; ends with 0 though the report does not conform. */
async function rewrite(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, stdout, stderr } = await run(['report', saved, ...words], env);
  assert.is(code, 0, stderr);
  assert.is(stderr, '');
  return stdout;
}

test('a report is written again in any format, in folders that are made', async () => {
  const file = join(folder, 'new', 'folder', 'report.xml');
  const stdout = await rewrite(['--reporter', `junit=${file}`, '--reporter', 'terminal']);
  assert.is(readFileSync(file, 'utf8'), reporters.junit(asRead));
  assert.is(stdout, reportTerminal(viewOf(asRead), { ...again, files: [file] }));
  // The last lines are the verdict and the next step.
  assert.match(
    stdout.replaceAll('\n  ', ' '),
    new RegExp(
      `\\nWritten to ${file}\\.\\nEvery .*\\nDOES NOT CONFORM [^\\n]*\\nNext, judge what failed again:[^]*--last-failed \\S+\\n$`,
    ),
  );
});

test('where nothing was judged, the terminal names the files behind the reason', async () => {
  const file = join(folder, 'unreached.json');
  const words = ['run', 'http://127.0.0.1:9/v1', '--reporter', 'terminal', '--reporter', `json=${file}`];
  const { code, stdout } = await run(words, { PETSTORE_API_KEY: 'some-key' });
  assert.is(code, 3);
  assert.ok(stdout.replaceAll('\n  ', ' ').endsWith(`that the service runs.\nWritten to ${file}.\n`), stdout);
});

test('a dash for a file is the standard output', async () => {
  assert.is(await rewrite(['--reporter', 'json=-']), reporters.json(asRead));
  assert.not.ok(existsSync('-'));
});

test('github may share the standard output with the terminal, and the summary of its job is continued', async () => {
  const summary = join(folder, 'summary.md');
  writeFileSync(summary, '# Before\n\n');
  const stdout = await rewrite(['--reporter', 'terminal', '--reporter', 'github'], { GITHUB_STEP_SUMMARY: summary });
  assert.is(stdout, reportTerminal(viewOf(sampleReport), again) + reporters.github(sampleReport));
  assert.is(readFileSync(summary, 'utf8'), `# Before\n\n${reporters.markdown(sampleReport)}`);
});

test('without github there is no summary', async () => {
  const summary = join(folder, 'none.md');
  await rewrite(['--reporter', 'markdown=-'], { GITHUB_STEP_SUMMARY: summary });
  assert.not.ok(existsSync(summary));
});

test('other reporters do not share the standard output, nor does one with itself', async () => {
  for (const names of [
    ['json', 'terminal'],
    ['github', 'github=-'],
    ['terminal', 'github', 'markdown'],
  ]) {
    const { code, stderr } = await run(['report', saved, ...names.flatMap((name) => ['--reporter', name])]);
    assert.is(code, 2);
    assert.match(stderr, /^Only one format can be written to the standard output, or terminal and github together: /);
  }
});

test('verbose shows all, quiet one line, in files too; both is a contradiction', async () => {
  const file = join(folder, 'quiet.txt');
  assert.is(await rewrite(['--verbose']), reportTerminal(viewOf(sampleReport), { ...again, detail: 'full' }));
  assert.is(await rewrite(['--quiet', '--reporter', `terminal=${file}`]), '');
  assert.is(readFileSync(file, 'utf8').trimEnd().split('\n').length, 1);
  const none = join(folder, 'none.json');
  const both = ['--verbose', '--quiet', '--reporter', `json=${none}`];
  const { code, stderr } = await run(['run', 'http://127.0.0.1:9/v1', ...both], { PETSTORE_API_KEY: 'some-key' });
  assert.equal([code, existsSync(none)], [2, false]);
  assert.is(stderr, '--verbose and --quiet contradict each other: give one of them.\n');
});

test('where there is no verdict, quiet and files alone say why', async () => {
  const file = join(folder, 'why.json');
  const env = { PETSTORE_API_KEY: 'some-key' };
  const line =
    'Could not judge (nothing was judged): http://127.0.0.1:9/v1: The target could not be reached (ECONNREFUSED): check the base address and that the service runs.\n';
  const [quiet, filed] = await Promise.all([
    run(['run', 'http://127.0.0.1:9/v1', '--quiet'], env),
    run(['run', 'http://127.0.0.1:9/v1', '--reporter', `json=${file}`], env),
  ]);
  assert.equal([quiet.code, quiet.stdout], [3, line]);
  assert.equal([filed.code, filed.stdout], [3, `${line}Written to ${file}.\n`]);
});

test('two outputs do not replace each other in one file', async () => {
  const [file, other] = [join(folder, 'one.txt'), join(folder, 'x', '..', 'one.txt')];
  const twice = (one: string) => ['--reporter', `${one}=${file}`, '--reporter', `markdown=${other}`];
  const [one, compared, left, device] = await Promise.all([
    run(['report', saved, ...twice('json')]),
    run(['compare', saved, saved, ...twice('terminal')]),
    run(['run', '--reporter', `json=${file}`, '--reporter', `junit=${file}`]),
    run(['report', saved, '--reporter', 'json=/dev/null', '--reporter', 'html=/dev/null']),
  ]);
  const sentence = (name: string) =>
    `${name} is named for two outputs, and one would replace the other: name two files.\n`;
  assert.equal([one.code, one.stderr], [2, sentence(other)]);
  assert.equal([compared.code, compared.stderr], [2, sentence(other)]);
  assert.equal([left.code, left.stderr], [2, sentence(file)]);
  assert.is(device.code, 0, device.stderr);
});

test('COLUMNS sets the width, FORCE_COLOR the colour, and neither reaches a file', async () => {
  const file = join(folder, 'plain.txt');
  const stdout = await rewrite(['--reporter', 'terminal', '--reporter', `terminal=${file}`], {
    COLUMNS: '60',
    FORCE_COLOR: '1',
  });
  assert.is(stdout, reportTerminal(viewOf(sampleReport), { ...again, width: 60, paint: inColour, files: [file] }));
  assert.is(readFileSync(file, 'utf8'), reportTerminal(viewOf(sampleReport), again));
});

test('a folder that cannot be written is named before the run', async () => {
  const { code, stderr } = await run(['report', saved, '--reporter', 'html=/proc/no/such/folder/report.html']);
  assert.equal(
    [code, stderr],
    [2, '/proc/no/such/folder/report.html cannot be written: no such file or directory (ENOENT).\n'],
  );
});

test('a summary that cannot be written is named before anything is sent', async () => {
  const { code, stdout, stderr } = await run(['run', 'http://127.0.0.1:9/v1', '--reporter', 'github'], {
    PETSTORE_API_KEY: 'some-key',
    GITHUB_STEP_SUMMARY: folder,
  });
  assert.is(code, 2);
  assert.is(stdout, '');
  assert.is(stderr, `${folder} cannot be written: illegal operation on a directory (EISDIR).\n`);
});

test.run();
