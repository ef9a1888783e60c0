/** §4.1: within sixty requests a limit is judged, whatever status an animal gets. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runInProcess, trialSettings } from '../../../proof/trial.ts';
import { handleOf, services } from '../../../services/index.ts';

for (const variant of services.filter(({ id }) => id.startsWith('status-omitted='))) {
  test(`${variant.id}: sixty requests judge list-limit`, async () => {
    const report = await runInProcess(handleOf(variant), trialSettings(60));
    assert.is(report.requirements.find(({ id }) => id === 'list-limit')?.verdict, 'pass');
  });
}

test.run();
