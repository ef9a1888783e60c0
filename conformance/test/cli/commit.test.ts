/** A report names the sources of the kit that made it. */

import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readCommit } from '../../run/commit.ts';

test('a checkout has the commit that git names, another folder has none', () => {
  const cwd = new URL('.', import.meta.url);
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd, encoding: 'utf8' });
  assert.is(readCommit(), status === 0 ? stdout.trim() : undefined);
});

test.run();
