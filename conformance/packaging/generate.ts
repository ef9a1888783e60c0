/**
 * Writes the generated files: `node conformance/packaging/generate.ts [PART…] [--check]`, all parts by default. `--check`
 * writes nothing and fails on a difference.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { clientRequirements } from '../../spec/client-requirements.ts';
import { gaps } from '../../spec/gaps.ts';
import { requirements } from '../../spec/requirements.ts';
import { type SectionId, sections } from '../../spec/sections.ts';
import { recipes } from '../ci/recipes.ts';
import { groups } from '../options/option-table.ts';
import { describeOption, type OptionName, optionOf } from '../options/options.ts';
import { goldenExplanations, goldenHelp } from '../test/cli/golden-help.ts';
import { shownOutputs } from '../test/pages/shown-output.ts';
import { goldenFolder, goldenReports } from '../test/reporters/golden.ts';

const pathInProject = (file: string): string => new URL(`../../${file}`, import.meta.url).pathname;

function generateTypes(): string {
  const tool = pathInProject('node_modules/openapi-typescript/bin/cli.js');
  const description = pathInProject('spec/openapi.yaml');
  return execFileSync(process.execPath, [tool, description], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** A table of Markdown with an empty line above it; nothing without rows. */
function markdownTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((one) => one.replaceAll('|', '\\|')).join(' | ')} |`;
  return ['', line(heading), `|${'---|'.repeat(heading.length)}`, ...rows.map(line), ''].join('\n');
}

function sectionTables(section: SectionId): string {
  const isOwn = (one: { readonly section: string }): boolean => one.section === section;
  const stated = requirements.filter(isOwn).map((one) => {
    const note = 'untested' in one ? ` *Not applicable: ${one.untested}*` : '';
    return [`\`${one.id}\``, one.level, `${one.text}${note}`];
  });
  const open = gaps.filter(isOwn).map(({ id, question, reference, answers, unobservable = '' }) => {
    return [`\`${id}\``, question, reference === undefined ? unobservable : (answers[reference] ?? '')];
  });
  const ofClients = clientRequirements
    .filter((one) => isOwn(one) && !one.id.startsWith('any-'))
    .map((one) => [`\`${one.id}\``, one.level, one.text]);
  return [
    markdownTable(['id', 'level', 'requirement'], stated),
    markdownTable(['id', 'level', 'client requirement'], ofClients),
    markdownTable(['id', 'left open', 'the reference server'], open),
  ].join('');
}

function optionTables(): string {
  const tables = Object.entries(groups).map(([group, entries]) => {
    const rows = Object.keys(entries).map((name) => {
      const option = optionOf(name as OptionName);
      const readers = option.readers.map((reader) => (reader === 'judge()' ? `judge() as \`${name}\`` : reader));
      return [`\`--${option.flag}\``, describeOption(option), readers.join(', ')];
    });
    return `\n## ${group}\n${markdownTable(['option', 'means', 'read by'], rows)}`;
  });
  return tables.join('');
}

/** A file that is generated: its path in the project, and its text. */
type GeneratedFile = readonly [file: string, text: string];

/** The text with a block written anew, whose ends have its name. */
function withBlock(text: string, name: string, block: string, page: string): string {
  const start = `<!-- generated: ${name} -->`;
  const end = `<!-- end: ${name} -->`;
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from === -1 || to === -1) throw new Error(`${page} has no block ${name}: write ${start} and ${end} into it.`);
  return `${text.slice(0, from + start.length)}\n${block}\n${text.slice(to)}`;
}

/** A page with some of its blocks written anew: pairs of their names and texts. */
function pageWith(file: string, blocks: readonly (readonly [name: string, block: string])[]): GeneratedFile {
  let text = readFileSync(pathInProject(file), 'utf8');
  for (const [name, block] of blocks) text = withBlock(text, name, block, file);
  return [file, text];
}

function fencedBlock(text: string): string {
  return `\n\`\`\`\n${text.trimEnd()}\n\`\`\`\n`;
}

function generateTables(): readonly GeneratedFile[] {
  const ofSections = sections.map(({ id }) => [`§${id}`, sectionTables(id)] as const);
  const ofRecipes = Object.entries(recipes).map(([name, { text }]) => [name, fencedBlock(text)] as const);
  return [
    pageWith('spec/README.md', ofSections),
    pageWith('conformance/OPTIONS.md', [['options', optionTables()]]),
    pageWith('conformance/ci/README.md', ofRecipes),
  ];
}

async function generateGolden(): Promise<readonly GeneratedFile[]> {
  return [
    ...goldenReports(),
    [`${goldenFolder}help.txt`, goldenHelp()],
    [`${goldenFolder}explain.txt`, await goldenExplanations()],
  ];
}

async function generateOutput(): Promise<readonly GeneratedFile[]> {
  const blocks: (readonly [name: string, block: string])[] = [];
  for (const [name, show] of Object.entries(shownOutputs)) blocks.push([name, fencedBlock(await show())]);
  return [pageWith('README.md', blocks)];
}

/** The outcome of the self-test, which takes a minute. */
async function generateFigures(): Promise<readonly GeneratedFile[]> {
  const { outcomeFile, runSelfTest } = await import('../proof/self-test.ts');
  return [['conformance/test/proof/outcome.txt', outcomeFile(await runSelfTest(0))]];
}

const parts = new Map<string, () => readonly GeneratedFile[] | Promise<readonly GeneratedFile[]>>([
  ['types', () => [['spec/openapi.ts', generateTypes()]]],
  ['tables', generateTables],
  ['golden', generateGolden],
  ['output', generateOutput],
  ['figures', generateFigures],
]);

function isWritten([file, text]: GeneratedFile): boolean {
  const path = pathInProject(file);
  return existsSync(path) && readFileSync(path, 'utf8') === text;
}

const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true });
const unknown = positionals.find((name) => !parts.has(name));
if (unknown !== undefined) throw new Error(`There is no part ${unknown}: there are ${[...parts.keys()].join(', ')}.`);
for (const [name, generate] of parts) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const changed = (await generate()).filter((one) => !isWritten(one));
  for (const [file, text] of changed) {
    if (!values.check) writeFileSync(pathInProject(file), text);
    else console.error(`${file} is not what npm run generate writes: run it and commit the result.`);
  }
  if (values.check && changed.length > 0) process.exitCode = 1;
}
