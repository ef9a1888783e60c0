/** The lines in the log of a CI job while a client runs. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRunLog } from '../../cli/progress.ts';

test('a line comes every ten seconds, with the runs and the failures so far', () => {
  const lines: string[] = [];
  let now = 0;
  const log = createRunLog(
    100,
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
    log.count(isPassed);
  }
  assert.equal(lines, ['3 of at most 100 runs, 1 failed.\n', '5 of at most 100 runs, 2 failed.\n']);
});

test.run();
