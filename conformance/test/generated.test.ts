/** What is generated is what is committed. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { selfTestFigures } from '../verdict/self-test-figures.ts';

const generate = new URL('../packaging/generate.ts', import.meta.url).pathname;

test('types, schemas, tables and golden reports are those that npm run generate writes', () => {
  const parts = ['types', 'schemas', 'tables', 'golden'];
  assert.not.throws(() => execFileSync(process.execPath, [generate, '--check', ...parts], { stdio: 'pipe' }));
});

test('reports show the same figures of the kit as CONTRIBUTING.md', () => {
  const page = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8');
  const { faults, found, ordinary, within, variants, falseFailures } = selfTestFigures;
  assert.ok(within.at(-1)!.found <= found && found <= faults);
  for (const row of within) assert.match(page, `\n| ${row.requests} | ${row.found} of ${ordinary} (`);
  assert.match(page, `False failures: ${falseFailures} over ${variants} variants`);
});

test('a part that there is not is refused', () => {
  assert.throws(
    () => execFileSync(process.execPath, [generate, '--check', 'glden'], { stdio: 'pipe' }),
    /There is no part glden: the parts are types, schemas, tables, golden, output, figures\./,
  );
});

test.run();
