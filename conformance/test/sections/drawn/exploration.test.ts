/** Drawn sequences are sent where the budget has requests left for them, and only there. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { judge } from '../../../index.ts';

async function checksOf(maxRequests: number): Promise<ReadonlySet<string>> {
  const { exchanges } = await judge({ maxRequests, seed: 1, evidence: 'all' });
  return new Set(exchanges.map(({ check }) => check));
}

test('the default budget has room for a few, and a large one for more', async () => {
  assert.ok((await checksOf(300)).has('drawn-sequences'));
  assert.ok((await checksOf(800)).has('more-sequences'));
});

test('a minute of a Free key has none', async () => {
  const checks = await checksOf(60);
  assert.not.ok(checks.has('drawn-sequences') || checks.has('more-sequences'));
});

test.run();
