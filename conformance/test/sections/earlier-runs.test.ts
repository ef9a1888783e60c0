/** The animals of earlier runs fail no later run: the interface has no way to delete them. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runInProcess, trialSettings } from '../../proof/trial.ts';
import { names } from '../../services/creations.ts';
import { handleOf } from '../../services/index.ts';
import type { Service } from '../../services/service.ts';
import { reasonInWords } from '../../verdict/reasons.ts';

const services: readonly Service[] = [
  { id: 'reference' },
  { id: 'one-name', wrap: names(400, /^Rex$/), settings: { nameTemplate: 'Rex' } },
];

test('three consecutive runs against one server conform, also with one name for all animals', async () => {
  for (const service of services) {
    const handle = handleOf(service);
    for (const [at, runTag] of ['1a2b3c', '2b3c4d', '3c4d5e'].entries()) {
      const settings = trialSettings(300, { seed: at, hasRateLimitKey: false, ...service.settings });
      const startsAt = Date.UTC(2026, 10, 21, 12 + at);
      const report = await runInProcess(handle, settings, { runTag, startsAt });
      const failing = report.requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
      assert.equal([report.exitCode, failing], [0, []], `${service.id} ${at}: ${reasonInWords(report.reason)}`);
    }
  }
});

test.run();
