/** Drawn sequences are sent only where the budget has requests left. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../../reference-server/index.ts';
import { runInProcess, trialKeys, trialSettings } from '../../../proof/trial.ts';

async function checksOf(maxRequests: number): Promise<ReadonlySet<string>> {
  const { handle } = createPetStore({ keys: trialKeys });
  const { exchanges } = await runInProcess(handle, trialSettings(maxRequests), { scope: 'all' });
  return new Set(exchanges.map(({ check }) => check));
}

test('a budget beyond the systematic requests pays for sequences', async () => {
  const checks = await checksOf(1_000);
  assert.ok(checks.has('drawn-sequences'), [...checks].join(', '));
});

test('the budget of a Free key pays for none', async () => {
  const checks = await checksOf(60);
  assert.not.ok(checks.has('drawn-sequences'));
});

test.run();
