/** The lines in the log of a CI job while a client runs. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRunLog } from '../../cli/progress.ts';

test('a line comes every ten seconds, with the runs, the failures so far and the runs that remain', () => {
  const lines: string[] = [];
  let now = 0;
  const log = createRunLog(
    (line) => lines.push(line),
    () => now,
  );
  for (const [at, isPassed] of [
    [1_000, true],
    [9_999, false],
    [10_000, true],
    [15_000, true],
    [20_000, false],
  ] as const) {
    now = at;
    log.count(isPassed, 20_000 - at);
  }
  assert.equal(lines, ['3 runs, 1 failed; about 10000 remain.\n', '5 runs, 2 failed; about 0 remain.\n']);
});

test.run();
