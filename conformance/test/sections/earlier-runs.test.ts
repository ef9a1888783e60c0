/** The animals of earlier runs fail no later run: the interface has no way to delete them. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { names } from '../../services/creations.ts';
import type { Wrap } from '../../services/wraps.ts';
import { keysOfTrials } from '../../services/wraps.ts';
import { reasonInWords } from '../../verdict/reasons.ts';

/** The failures of three consecutive runs against one server. */
async function failuresOfThree(wrap: Wrap, nameTemplate: string | undefined): Promise<readonly string[]> {
  const handle = wrap(createPetStore({ keys: trialKeys }).handle, keysOfTrials);
  const failures: string[] = [];
  for (const [at, runTag] of ['1a2b3c', '2b3c4d', '3c4d5e'].entries()) {
    const settings = trialSettings(300, {
      seed: at,
      plan: 'business',
      hasRateLimitKey: false,
      ...(nameTemplate === undefined ? {} : { nameTemplate }),
    });
    const startsAt = Date.UTC(2026, 10, 21, 12 + at);
    const report = await runInProcess(handle, settings, { runTag, startsAt });
    assert.is(report.exitCode, 0, reasonInWords(report.reason));
    failures.push(...report.requirements.flatMap((one) => (one.verdict === 'fail' ? [one.id] : [])));
  }
  return failures;
}

test('three consecutive runs against one server conform', async () => {
  assert.equal(await failuresOfThree((handle) => handle, undefined), []);
});

test('so do runs that use the same name', async () => {
  assert.equal(await failuresOfThree(names(400, /^Rex$/), 'Rex'), []);
  assert.equal(await failuresOfThree((handle) => handle, 'Rex'), []);
});

test.run();
