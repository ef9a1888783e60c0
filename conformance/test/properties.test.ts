/** What a failing property says, and that every property test says it. */

import { globSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fc } from './properties.ts';

test('a failing property says which values break it, and what its assertion says of them', () => {
  const small = fc.property(fc.nat(), (number) => assert.ok(number < 7, `${number} is too large`));
  assert.throws(() => fc.assert(small, { seed: 1 }), /Counterexample: \[7\][\s\S]*7 is too large/);
});

test('no test file takes fast-check as it comes', () => {
  const files = globSync('{spec,reference-server,conformance,pacts}/**/*.test.ts');
  assert.ok(files.length > 0);
  for (const file of files) assert.not.match(readFileSync(file, 'utf8'), /^import .* from 'fast-check'/m, file);
});

test.run();
