/**
 * Writes the generated files: `node conformance/packaging/generate.ts [PART…] [--check]`, all parts by default. `--check`
 * writes nothing and fails on a difference.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { clientRequirements } from '../../spec/client-requirements.ts';
import { gaps } from '../../spec/gaps.ts';
import { requirements } from '../../spec/requirements.ts';
import { type SectionId, sections } from '../../spec/sections.ts';
import { recipes } from '../ci/recipes.ts';
import { groups } from '../options/option-table.ts';
import { describeOption, type OptionName, optionOf } from '../options/options.ts';
import { goldenHelp } from '../test/cli/golden-help.ts';
import { shownOutputs } from '../test/pages/shown-output.ts';
import { goldenFolder, goldenReports } from '../test/reporters/golden.ts';

const root = new URL('../..', import.meta.url);

function generateTypes(): string {
  const [tool, description] = ['node_modules/openapi-typescript/bin/cli.js', 'spec/openapi.yaml'].map(
    (path) => new URL(path, root).pathname,
  ) as [string, string];
  return execFileSync(process.execPath, [tool, description], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** A table of Markdown with an empty line above it; nothing without rows. */
function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((one) => one.replaceAll('|', '\\|')).join(' | ')} |`;
  return ['', line(heading), `|${'---|'.repeat(heading.length)}`, ...rows.map(line), ''].join('\n');
}

function sectionTables(section: SectionId): string {
  const isOwn = (one: { readonly section: string }): boolean => one.section === section;
  const stated = requirements.filter(isOwn).map((one) => {
    const note = 'untested' in one ? ` *Not tested: ${one.untested}*` : '';
    return [`\`${one.id}\``, one.level, `${one.text}${note}`];
  });
  const open = gaps.filter(isOwn).map(({ id, question, reference, answers, unobservable = '' }) => {
    return [`\`${id}\``, question, reference === undefined ? unobservable : (answers[reference] ?? '')];
  });
  const ofClients = clientRequirements
    .filter((one) => isOwn(one) && !one.id.startsWith('any-'))
    .map((one) => [`\`${one.id}\``, one.level, one.text]);
  return [
    table(['id', 'level', 'requirement'], stated),
    table(['id', 'level', 'client requirement'], ofClients),
    table(['id', 'left open', 'the reference server'], open),
  ].join('');
}

function optionTables(): string {
  const tables = Object.entries(groups).map(([group, entries]) => {
    const rows = Object.keys(entries).map((name) => {
      const option = optionOf(name as OptionName);
      return [`\`--${option.flag}\``, describeOption(option), option.readers.join(', ')];
    });
    return `\n## ${group}\n${table(['option', 'means', 'read by'], rows)}`;
  });
  return tables.join('');
}

/** The outcome of the self-test, which takes some minutes. */
async function writeOutcome(files: Files): Promise<void> {
  const { outcomeFile, runSelfTest } = await import('../proof/self-test.ts');
  const result = await runSelfTest({ combinations: 200, rareFaultStep: 1 });
  files.set('conformance/test/proof/outcome.txt', outcomeFile(result));
}

/** Path → its content; undefined where the file must not exist. */
type Files = Map<string, string | undefined>;

/** The content of a file: as generated so far, else as on the disk. */
function read(path: string, files: Files): string | undefined {
  if (files.has(path)) return files.get(path);
  const file = new URL(path, root);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function replaceBlock(files: Files, path: string, name: string, block: string): void {
  const text = read(path, files) ?? '';
  const [start, end] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`${path} has no block ${name}.`);
  files.set(path, `${text.slice(0, from + start.length)}\n${block}\n${text.slice(to)}`);
}

const parts: Readonly<Record<string, (files: Files) => void | Promise<void>>> = {
  types: (files) => {
    files.set('spec/openapi.ts', generateTypes());
  },
  tables: (files) => {
    for (const { id } of sections) replaceBlock(files, 'spec/README.md', `§${id}`, sectionTables(id));
    replaceBlock(files, 'conformance/OPTIONS.md', 'options', optionTables());
    for (const [ci, { text }] of Object.entries(recipes)) {
      replaceBlock(files, 'conformance/ci/README.md', ci, `\n\`\`\`\n${text}\`\`\`\n`);
    }
  },
  golden: (files) => {
    for (const path of globSync(`${goldenFolder}*`, { cwd: root })) files.set(path, undefined);
    for (const [path, content] of goldenReports()) files.set(path, content);
    files.set(`${goldenFolder}help.txt`, goldenHelp());
  },
  output: async (files) => {
    for (const [name, show] of Object.entries(shownOutputs)) {
      replaceBlock(files, 'README.md', name, `\n\`\`\`\n${await show()}\n\`\`\`\n`);
    }
  },
  figures: writeOutcome,
};

const words = process.argv.slice(2);
const isCheck = words.includes('--check');
const named = words.filter((word) => word !== '--check');
const unknown = named.find((name) => parts[name] === undefined);
if (unknown !== undefined) throw new Error(`There is no part ${unknown}: there are ${Object.keys(parts).join(', ')}.`);

const files: Files = new Map();
for (const name of named.length === 0 ? Object.keys(parts) : named) await parts[name]?.(files);
for (const [path, content] of files) {
  if (read(path, new Map()) === content) continue;
  const { pathname } = new URL(path, root);
  if (isCheck) {
    console.error(`${path} is not what npm run generate writes: run it and commit the result.`);
    process.exitCode = 1;
  } else if (content === undefined) rmSync(pathname);
  else {
    mkdirSync(dirname(pathname), { recursive: true });
    writeFileSync(pathname, content);
  }
}
