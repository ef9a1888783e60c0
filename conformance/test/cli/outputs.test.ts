/** What is read and written where: files with a bound, a report in other formats, and one standard output for all. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeFolder, readText, writeText } from '../../cli/files.ts';
import { checkOutputs, writeTexts } from '../../cli/outputs.ts';
import { readReport } from '../../cli/saved-report.ts';
import { reporters } from '../../reporters/index.ts';
import { inColour, inPlainText, type Presentation, reportTerminal } from '../../reporters/terminal.ts';
import { viewOf } from '../../reporters/view.ts';
import { UsageError } from '../../run/usage-error.ts';
import { sampleReport } from '../reporters/sample-report.ts';
import { program, run, temporaryFolder, testCalls } from './command.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const read = (file: string): string => readFileSync(file, 'utf8');
const saved = at('saved.json');
writeFileSync(saved, reporters.json(sampleReport));

const readAtMost = (file: string): Promise<string> => readText(file, 'The report', 1_000);
const checkFiles = (...files: readonly string[]): Promise<void> =>
  checkOutputs({ reporters: files.map((file) => ({ name: 'json', file })) });
writeFileSync(at('large'), 'x'.repeat(1_001));
writeFileSync(at('kept'), 'kept');
writeFileSync(at('marked'), '\ufeffa\ufeffb');
mkdirSync(at('sub'));

/** What is refused with a UsageError: an act → its sentence. */
const refusals: readonly (readonly [act: () => Promise<unknown>, sentence: RegExp])[] = [
  [() => readAtMost(at('large')), /\/large is larger than 1000 bytes\.$/],
  [() => readAtMost('/dev/zero'), /^\/dev\/zero is larger than 1000 bytes\.$/],
  [() => readAtMost(at('sub')), /^The report \S+\/sub cannot be read: EISDIR: illegal operation on a directory\.$/],
  [() => readAtMost(at('none')), /: ENOENT: no such file or directory\.$/],
  [() => writeText('/dev/full', 'x'), /ENOSPC: no space left on device/],
  [() => checkFiles(at('kept'), '/dev/null/x'), /^\/dev\/null\/x cannot be written: /],
  [() => checkFiles('/dev/null/folder/x'), /^\/dev\/null\/folder\/x cannot be written: ENOTDIR: /],
  [() => checkFiles('/proc/nope/x'), /^\/proc\/nope\/x cannot be written: ENOENT: no such file or directory\.$/],
  [() => makeFolder('/proc/nope/deeper'), /^\/proc\/nope\/deeper cannot be written: ENOENT: /],
];

test('waivers that somebody has filled in are not overwritten, unless the run shows them again', async () => {
  const file = at('waivers.yaml');
  const written = [{ name: 'waivers', file }] as const;
  await checkOutputs({ reporters: written });
  writeFileSync(file, '- id: pet-id\n  reason: known\n');
  const refusalOf = (more: Partial<Parameters<typeof checkOutputs>[0]>, kept?: readonly string[]) =>
    checkOutputs({ reporters: written, ...more }, kept).then(
      () => undefined,
      ({ message }: Error) => message,
    );
  const waiver = { reason: 'known', owner: 'us', expires: '2027-01-31' };
  const waivers = new Map([['pet-id', waiver]] as const);
  const lost = `${file} holds a waiver of pet-id that would be lost: give it to this run as --waivers ${file}, or name another file.`;
  assert.is(await refusalOf({}), lost);
  assert.is(await refusalOf({ waivers }), undefined);
  assert.is(await refusalOf({ waivers, only: new Set(['pet-name'] as const) }), lost);
  assert.is(await refusalOf({ waivers, only: new Set(['pet-id'] as const) }), undefined);
  assert.equal([await refusalOf({}, ['pet-id']), read(file)], [undefined, '- id: pet-id\n  reason: known\n']);
  // A file that holds no list, or a list of something else, is not the kit's to overwrite.
  for (const [text, what] of [
    ['mine\n', file],
    ['- null\n', 'undefined'],
  ] as const) {
    writeFileSync(file, text);
    assert.match((await refusalOf({ waivers })) ?? '', `holds a waiver of ${what} that would be lost`);
  }
  writeFileSync(file, '');
  assert.is(await refusalOf({}), undefined);
});

test('an output that cannot be written stops no other, and its error is thrown after all, one of the kit first', async () => {
  const text = (file: string) => ({ file, render: () => 'text' });
  const broken = new TypeError('a mistake of the kit');
  const breaking = {
    file: at('never'),
    render: (): string => {
      throw broken;
    },
  };
  const errorOf = (outputs: Parameters<typeof writeTexts>[0]) =>
    writeTexts(outputs).catch((error: unknown) => error as Error);
  const refused = await errorOf([text('/dev/full'), text(at('other')), text('/dev/null/x')]);
  assert.instance(refused, UsageError);
  assert.match(refused?.message ?? '', /^\/dev\/full cannot be written: .*\n\/dev\/null\/x cannot be written: .*$/);
  assert.is(read(at('other')), 'text');
  assert.is(await errorOf([text('/dev/full'), breaking]), broken);
});

test('files are read and written with bounds, or refused with a sentence; opening changes nothing', async () => {
  for (const [act, sentence] of refusals) {
    const error: unknown = await act().catch((thrown: unknown) => thrown);
    assert.instance(error, UsageError);
    assert.match((error as Error).message, sentence);
  }
  writeFileSync(at('text'), 'x'.repeat(1_000));
  assert.is(await readAtMost(at('text')), 'x'.repeat(1_000));
  const file = at('new/folder/text');
  await writeText(file, 'one');
  await writeText(file, 'two', 'a');
  assert.is(read(file), 'onetwo');
  await checkFiles(file, at('kept'), '/dev/null');
  await writeText(file, 'three');
  assert.equal([read(file), read(at('kept'))], ['three', 'kept']);
});

test('a byte order mark in front of a file, as some editors write it, is no part of its text', async () => {
  writeFileSync(at('marked.json'), `\ufeff${read(saved)}`);
  assert.equal((await readReport(at('marked.json'))).exchanges, (await readReport(saved)).exchanges);
  assert.is(await readAtMost(at('marked')), 'a\ufeffb');
});

test('a pipe is read to its end', () => {
  const command = `"${process.execPath}" "${program}" report <(sleep 0.2; cat saved.json) --quiet`;
  assert.match(execFileSync('bash', ['-c', command], { cwd: folder, encoding: 'utf8' }), /^Does not conform/i);
});

/** The report as it is read, with the commands that a stranger may have written replaced. */
const asRead = await readReport(saved);

/** How a terminal shows a report that was read from a file. */
function shown(more: Partial<Presentation> = {}): string {
  return reportTerminal(viewOf(asRead, { reportFile: saved, options: [] }), {
    ...inPlainText,
    ...more,
  });
}

/** Writes the sample report again; ends with 0 though the report does not conform. */
async function rewrite(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, stdout, stderr } = await run(['report', saved, ...words], env);
  assert.equal([code, stderr], [0, '']);
  return stdout;
}

test('a report is written again in any format, in folders that are made; the last lines are the verdict and the next step', async () => {
  const file = at('new/folder/report.xml');
  const stdout = await rewrite(['--reporter', `junit=${file}`, '--reporter', 'terminal']);
  assert.is(read(file), reporters.junit(asRead));
  assert.is(stdout, shown({ files: [file] }));
  const end = [`Written to ${file}\\.`, 'Every .*', 'DOES NOT CONFORM .*', 'Next, judge what failed again:'];
  assert.match(stdout.replaceAll('\n  ', ' '), new RegExp(`\\n${end.join('\\n')}.*--last-failed \\S+\\n$`, 'm'));
});

test('a dash for a file is the standard output, which github may share with the terminal; the summary of its job is continued', async () => {
  assert.is(await rewrite(['--reporter', 'json=-']), reporters.json(asRead));
  const GITHUB_STEP_SUMMARY = at('summary.md');
  await rewrite(['--reporter', 'markdown=-'], { GITHUB_STEP_SUMMARY });
  assert.equal([existsSync('-'), existsSync(GITHUB_STEP_SUMMARY)], [false, false]);
  writeFileSync(GITHUB_STEP_SUMMARY, '# Before\n\n');
  const stdout = await rewrite(['--reporter', 'terminal', '--reporter', 'github'], { GITHUB_STEP_SUMMARY });
  assert.is(stdout, shown() + reporters.github(asRead));
  assert.is(read(GITHUB_STEP_SUMMARY), `# Before\n\n${reporters.markdown(asRead)}`);
  assert.is(await rewrite(['--reporter', 'github'], { GITHUB_STEP_SUMMARY: '' }), reporters.github(asRead));
});

test('verbose shows all, quiet one line in files too, and neither width nor colour reaches a file', async () => {
  assert.is(await rewrite(['--verbose']), shown({ detail: 'full' }));
  assert.is(await rewrite(['--quiet', '--verbose', '--reporter', `terminal=${at('quiet.txt')}`]), '');
  assert.is(read(at('quiet.txt')).trimEnd().split('\n').length, 1);
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

testCalls(
  [
    // Where there is no verdict, quiet and files alone say why.
    { words: `${away} --quiet`, environment, code: 3, stdout: [unreached, /^.*\n$/] },
    { words: `${away} --reporter json=why.json`, environment, code: 3, stdout: [`${unreached}Written to why.json.\n`] },
    { words: 'report none.json', code: 2, stderr: /^The report none\.json .* no JSON\. /, files: { 'none.json': '{' } },
    { words: 'report saved.json --reporter json --reporter terminal', code: 2, stderr: oneFormat },
    { words: 'report saved.json --reporter github --reporter github=-', code: 2, stderr: oneFormat },
    { words: 'run --reporter terminal --reporter github --reporter markdown', code: 2, stderr: oneFormat },
    { words: 'report saved.json --reporter json=/dev/null --reporter html=/dev/null', code: 0, stdout: [/^Does not/] },
  ],
  folder,
);

test.run();
