/**
 * Writes the generated files: `node conformance/packaging/generate.ts [PART…] [--check]`, all parts by default. `--check`
 * writes nothing and fails on a difference.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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

const commandWords = process.argv.slice(2);
const isCheck = commandWords.includes('--check');

/** Writes a file whose content differs, or says so. */
function write(file: string, content: string): void {
  if (existsSync(pathInProject(file)) && readFileSync(pathInProject(file), 'utf8') === content) return;
  if (isCheck) {
    console.error(`${file} is not what npm run generate writes: run it and commit the result.`);
    process.exitCode = 1;
  } else writeFileSync(pathInProject(file), content);
}

/** Writes blocks of a page, by their names. */
function writeBlocks(file: string, blocks: Readonly<Record<string, string>>): void {
  const text = Object.entries(blocks).reduce(
    (before, [name, block]) => {
      const start = `<!-- generated: ${name} -->`;
      const end = `<!-- end: ${name} -->`;
      const from = before.indexOf(start);
      const to = before.indexOf(end);
      if (from === -1 || to === -1) throw new Error(`${file} has no block ${name}.`);
      return `${before.slice(0, from + start.length)}\n${block}\n${before.slice(to)}`;
    },
    readFileSync(pathInProject(file), 'utf8'),
  );
  write(file, text);
}

function fencedBlock(text: string): string {
  return `\n\`\`\`\n${text.trimEnd()}\n\`\`\`\n`;
}

const generatedParts: Readonly<Record<string, () => void | Promise<void>>> = {
  types: () => write('spec/openapi.ts', generateTypes()),
  tables: () => {
    writeBlocks('spec/README.md', Object.fromEntries(sections.map(({ id }) => [`§${id}`, sectionTables(id)])));
    writeBlocks('conformance/OPTIONS.md', { options: optionTables() });
    const jobs = Object.entries(recipes).map(([ci, { text }]) => [ci, fencedBlock(text)]);
    writeBlocks('conformance/ci/README.md', Object.fromEntries(jobs));
  },
  golden: async () => {
    for (const [file, content] of goldenReports()) write(file, content);
    write(`${goldenFolder}help.txt`, goldenHelp());
    write(`${goldenFolder}explain.txt`, await goldenExplanations());
  },
  output: async () => {
    for (const [name, show] of Object.entries(shownOutputs))
      writeBlocks('README.md', { [name]: fencedBlock(await show()) });
  },
  // The outcome of the self-test, which takes a minute.
  figures: async () => {
    const { outcomeFile, runSelfTest } = await import('../proof/self-test.ts');
    write('conformance/test/proof/outcome.txt', outcomeFile(await runSelfTest(0)));
  },
};

const namedParts = commandWords.filter((word) => word !== '--check');
for (const name of namedParts.length === 0 ? Object.keys(generatedParts) : namedParts) {
  if (generatedParts[name] === undefined)
    throw new Error(`There is no part ${name}: there are ${Object.keys(generatedParts).join(', ')}.`);
  await generatedParts[name]();
}
