/**
 * Writes what is generated: the types of openapi.yaml, and the tables and figures of the READMEs. `--check` writes
 * nothing and fails on a difference.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { type ProviderState, providerStates } from '../pacts/states.ts';
import { gaps } from '../spec/gaps.ts';
import { requirements } from '../spec/requirements.ts';
import { complaints, foundWithin, runSelfTest } from './faults/self-test.ts';
import { budgets } from './faults/trial.ts';

const root = new URL('..', import.meta.url);

function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

function generateTypes(): string {
  const tool = new URL('node_modules/openapi-typescript/bin/cli.js', root).pathname;
  const description = new URL('spec/openapi.yaml', root).pathname;
  return execFileSync(process.execPath, [tool, description], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function requirementTable(): string {
  const rows = requirements.map((requirement) => {
    const note = 'untested' in requirement ? ` *Not tested: ${requirement.untested}*` : '';
    return `| ${requirement.section} | \`${requirement.id}\` | ${requirement.level} | ${cell(requirement.statement)}${cell(note)} |`;
  });
  return ['| § | id | level | statement |', '|---|---|---|---|', ...rows].join('\n');
}

function stateTable(): string {
  const told = (values: Readonly<Record<string, string>>): string =>
    Object.entries(values)
      .map(([name, text]) => `\`${name}\`: ${text}`)
      .join('; ');
  const rows = Object.values<ProviderState>(providerStates).map(
    ({ name, parameters, injects, reachedBy }) =>
      `| ${name} | ${cell(told(parameters))} | ${cell(told(injects))} | ${cell(reachedBy)} |`,
  );
  return ['| state | parameters | injects | how it is reached |', '|---|---|---|---|', ...rows].join('\n');
}

function gapTable(): string {
  const rows = gaps.map((gap) => {
    const reference =
      'reference' in gap ? (gap.answers as Readonly<Record<string, string>>)[gap.reference] : gap.unobservable;
    return `| ${gap.section} | \`${gap.id}\` | ${cell(gap.question)} | ${cell(reference ?? '')} |`;
  });
  return ['| § | id | question | the reference server |', '|---|---|---|---|', ...rows].join('\n');
}

/** Figures of the self-test. They are counts, not times, so that every machine writes the same. */
async function figures(): Promise<string> {
  const result = await runSelfTest(1_000);
  const others = result.faults.filter((trial) => !trial.needsExhaustion);
  const row = (budget: number): string => {
    const [all, rest] = [foundWithin(result.faults, budget), foundWithin(others, budget)];
    const share = (count: number, of: number): string => `${count} of ${of} (${((100 * count) / of).toFixed(1)} %)`;
    return `| ${budget} | ${share(all, result.faults.length)} | ${share(rest, others.length)} |`;
  };
  const plain = result.variants.find(({ id }) => id === 'list-order=oldest-first');
  return [
    '| requests | faults found and named | without those that need a key to exhaust |',
    '|---|---|---|',
    ...budgets.map(row),
    '',
    `False failures: ${complaints(result.variants).length} over ${result.variants.length} variants, ${complaints(result.combinations).length} over ${result.combinations.length} random combinations of legal choices. A run with the default budget sends ${plain?.requests} requests and ${plain?.creates} of them may create an animal.`,
  ].join('\n');
}

function replaceBlock(text: string, name: string, block: string): string {
  const [start, end] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`There is no block ${name}.`);
  return `${text.slice(0, from + start.length)}\n${block}\n${text.slice(to)}`;
}

/** Path → what it must hold. */
async function generate(): Promise<ReadonlyMap<string, string>> {
  let readme = replaceBlock(read('README.md'), 'requirements', requirementTable());
  readme = replaceBlock(readme, 'gaps', gapTable());
  if (!process.argv.includes('--without-figures')) readme = replaceBlock(readme, 'figures', await figures());
  return new Map([
    ['spec/openapi.ts', generateTypes()],
    ['README.md', readme],
    ['pacts/README.md', replaceBlock(read('pacts/README.md'), 'states', stateTable())],
  ]);
}

const stale = [...(await generate())].filter(([path, content]) => read(path) !== content);
if (process.argv.includes('--check')) {
  for (const [path] of stale)
    console.error(`${path} is not what npm run generate writes: run it and commit the result.`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [path, content] of stale) writeFileSync(new URL(path, root), content);
}
