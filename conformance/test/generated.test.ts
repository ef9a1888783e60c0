/** What is generated is what is committed. */

import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

test('types and tables are those that npm run generate writes', () => {
  const generate = new URL('../generate.ts', import.meta.url).pathname;
  assert.not.throws(() =>
    execFileSync(process.execPath, [generate, '--check', '--without-figures'], { stdio: 'pipe' }),
  );
});

test.run();
