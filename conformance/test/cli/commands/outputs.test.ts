/** What is written where: reports again from a report, standard output shared, shown as the terminal wants it. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readReport } from '../../../cli/saved-report.ts';
import { reporters } from '../../../reporters/index.ts';
import { inColour, inPlainText, type Presentation, reportTerminal } from '../../../reporters/terminal.ts';
import { viewOf } from '../../../reporters/view.ts';
import { sampleReport } from '../../reporters/sample-report.ts';
import { run, temporaryFolder, testCalls } from '../command.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const saved = at('saved.json');
writeFileSync(saved, reporters.json(sampleReport));
/** The same report, with the commands that a stranger may have written replaced. */
const asRead = await readReport(saved);

/** How a terminal shows a report that was read from a file. */
function shown(more: Partial<Presentation> = {}): string {
  return reportTerminal(viewOf(asRead), { ...inPlainText, jsonFile: saved, ...more });
}

/** Writes the sample report again; ends with 0 though the report does not conform. */
async function rewrite(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, stdout, stderr } = await run(['report', saved, ...words], env);
  assert.equal([code, stderr], [0, '']);
  return stdout;
}

const read = (file: string): string => readFileSync(file, 'utf8');

test('a report is written again in any format, in folders that are made; the last lines are the verdict and the next step', async () => {
  const file = at('new/folder/report.xml');
  const stdout = await rewrite(['--reporter', `junit=${file}`, '--reporter', 'terminal']);
  assert.is(read(file), reporters.junit(asRead));
  assert.is(stdout, shown({ files: [file] }));
  const end = [`Written to ${file}\\.`, 'Every .*', 'DOES NOT CONFORM .*', 'Next, judge what failed again:'].join(
    '\\n',
  );
  assert.match(stdout.replaceAll('\n  ', ' '), new RegExp(`\\n${end}.*--last-failed \\S+\\n$`, 'm'));
});

test('a dash for a file is the standard output, which github may share with the terminal; the summary of its job is continued', async () => {
  assert.is(await rewrite(['--reporter', 'json=-']), reporters.json(asRead));
  const summary = at('summary.md');
  await rewrite(['--reporter', 'markdown=-'], { GITHUB_STEP_SUMMARY: summary });
  assert.equal([existsSync('-'), existsSync(summary)], [false, false]);
  writeFileSync(summary, '# Before\n\n');
  const stdout = await rewrite(['--reporter', 'terminal', '--reporter', 'github'], { GITHUB_STEP_SUMMARY: summary });
  assert.is(stdout, shown() + reporters.github(asRead));
  assert.is(read(summary), `# Before\n\n${reporters.markdown(asRead)}`);
});

test('verbose shows all, and quiet one line, in files too', async () => {
  assert.is(await rewrite(['--verbose']), shown({ detail: 'full' }));
  assert.is(await rewrite(['--quiet', '--reporter', `terminal=${at('quiet.txt')}`]), '');
  assert.is(read(at('quiet.txt')).trimEnd().split('\n').length, 1);
});

test('COLUMNS sets the width, FORCE_COLOR the colour, and neither reaches a file', async () => {
  const file = at('plain.txt');
  const environment = { COLUMNS: '60', FORCE_COLOR: '1' };
  const stdout = await rewrite(['--reporter', 'terminal', '--reporter', `terminal=${file}`], environment);
  assert.is(stdout, shown({ width: 60, paint: inColour, files: [file] }));
  assert.is(read(file), shown());
});

const unreached =
  'Could not judge (nothing was judged): http://127.0.0.1:9/v1: The target could not be reached (ECONNREFUSED): check the base address and that the service runs.\n';
const environment = { PETSTORE_API_KEY: 'some-key', COLUMNS: '500' };
const away = 'run http://127.0.0.1:9/v1';
const oneFormat = /^Only one format can be written to the standard output, or terminal and github together: /;
const twoFiles = /^\S+ is named for two outputs, and one would replace the other: name two files\.\n$/;

testCalls(
  [
    // Where there is no verdict, quiet and files alone say why.
    { words: `${away} --quiet`, environment, code: 3, stdout: [unreached, /^.*\n$/] },
    {
      words: `${away} --reporter json=why.json`,
      environment,
      code: 3,
      stdout: [`${unreached}Written to why.json.\n`],
    },
    {
      words: `${away} --reporter terminal --reporter json=why.json`,
      environment,
      code: 3,
      stdout: [/that the service runs\.\nWritten to why\.json\.\n$/],
    },
    { words: 'report saved.json --reporter json --reporter terminal', code: 2, stderr: oneFormat },
    { words: 'report saved.json --reporter github --reporter github=-', code: 2, stderr: oneFormat },
    { words: 'run --reporter terminal --reporter github --reporter markdown', code: 2, stderr: oneFormat },
    { words: 'report saved.json --reporter json=one.txt --reporter html=x/../one.txt', code: 2, stderr: twoFiles },
    { words: 'compare saved.json saved.json --reporter terminal=1 --reporter markdown=1', code: 2, stderr: twoFiles },
    { words: 'run --reporter json=one.txt --reporter junit=one.txt', code: 2, stderr: twoFiles },
    { words: 'report saved.json --reporter json=/dev/null --reporter html=/dev/null', code: 0, stdout: [/^Does not/] },
  ],
  folder,
);

test.run();
