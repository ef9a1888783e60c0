/** The services that a client runs under are legal: the kit finds nothing wrong with those that are no rows of its catalogue. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createTwin } from '../../../reference-server/twin/gaps.ts';
import { aheadOf } from '../../clients/client-run.ts';
import { usualRefusals } from '../../clients/refusals.ts';
import { amongOthers, knownCategory, services } from '../../clients/services.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { services as catalogue } from '../../services/index.ts';
import { keysOfTrials } from '../../services/wraps.ts';
import { sentenceOf } from '../../verdict/failure.ts';
import { reasonInWords } from '../../verdict/reasons.ts';

const all = [amongOthers, ...services, ...usualRefusals];

for (const { id, gaps = {}, wrap, animals = [], startsAt } of all) {
  // The self-test runs against the rows of the catalogue.
  if (wrap === undefined || catalogue.some((variant) => variant.id === id && variant.wrap === wrap)) continue;
  test(`the kit finds nothing wrong with ${id}`, async () => {
    const { handle } = createTwin({ keys: trialKeys, gaps, animals });
    const day = startsAt === undefined ? {} : { today: startsAt };
    const settings = trialSettings(120, { categoryIds: [knownCategory], hasRateLimitKey: false, ...day });
    const made = await runInProcess(wrap(handle, keysOfTrials), settings, startsAt === undefined ? {} : { startsAt });
    assert.equal(
      made.requirements.filter(({ verdict }) => verdict === 'fail').map((one) => sentenceOf(one.failures[0]!)),
      [],
    );
    // After the third 429 in a row the kit stops, so that it risks no ban.
    assert.is(made.exitCode, id === '429-five-times' ? 3 : 0, reasonInWords(made.reason));
  });
}

test('there are sixty or more, each described in a sentence', () => {
  assert.ok(all.length >= 60, String(all.length));
  for (const { id, meaning } of all) assert.match(meaning, /^[A-Z0-9].*\.$/, id);
});

test('a service of another day is whole days ahead, so that windows end when those of the client end', () => {
  const now = Date.UTC(2026, 10, 23, 3, 4, 5, 678);
  const days = all.flatMap((one) => (one.startsAt === undefined ? [] : [aheadOf(one, now) / 86_400_000]));
  assert.equal(new Set(days), new Set([1474]));
});

test.run();
