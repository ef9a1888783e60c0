/** A report names the sources of the kit that made it. */

import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readCommit } from '../../cli/commit.ts';

test('of a checkout it is the commit that git tells, of what is none nothing', () => {
  const cwd = new URL('.', import.meta.url);
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd, encoding: 'utf8' });
  assert.is(readCommit(), status === 0 ? stdout.trim() : undefined);
});

test.run();
