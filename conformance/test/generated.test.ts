/** What is generated is what is committed. */

import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const generate = new URL('../packaging/generate.ts', import.meta.url).pathname;

test('types, tables and golden reports are those that npm run generate writes', () => {
  const parts = ['types', 'tables', 'golden'];
  assert.not.throws(() => execFileSync(process.execPath, [generate, '--check', ...parts], { stdio: 'pipe' }));
});

test.run();
