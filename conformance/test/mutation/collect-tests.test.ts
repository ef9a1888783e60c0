/** Tests are collected from their files without being run, each under an id of its own. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { test as collect, collectTests } from './collect-tests.ts';

test('tests are collected with the file that registers them, and those of one name are told apart', async () => {
  const ran: string[] = [];
  const tests = await collectTests(['a.test.ts', 'b.test.ts'], async (file) => {
    for (const row of [1, 2]) collect('a row holds', () => void ran.push(`${file} ${row}`));
    collect.skip();
    collect.run();
  });
  assert.equal(ran, []);
  for (const { run } of tests) run();
  assert.equal(ran, ['a.test.ts 1', 'a.test.ts 2', 'b.test.ts 1', 'b.test.ts 2']);
  assert.equal(
    tests.map(({ id }) => id),
    ['a.test.ts: a row holds', 'a.test.ts: a row holds (2)', 'b.test.ts: a row holds', 'b.test.ts: a row holds (2)'],
  );
  assert.is((await collectTests([], async () => {})).length, 0);
});

test.run();
