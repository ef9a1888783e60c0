/** Worlds are legal: the kit finds nothing wrong with any of them. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { type Variation, variantWith } from '../../clients/service-variant.ts';
import { combination, variations } from '../../clients/variations/index.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import type { Report } from '../../verdict/report.ts';

const categoryId = 4_711n;
const surroundings = { categoryId, elsewhere: 'http://127.0.0.1:9/v1', usualRequests: 5 };

function judge({ gaps = {}, wrap, animals = [], startsAt }: Variation): Promise<Report> {
  const { handle } = createPetStore({ keys: trialKeys, gaps, animals });
  const served = wrap === undefined ? handle : wrap(surroundings)(handle);
  const day = startsAt === undefined ? {} : { today: startsAt };
  const settings = trialSettings(120, { categoryIds: [categoryId], hasRateLimitKey: false, ...day });
  return runInProcess(served, settings, startsAt === undefined ? {} : { startsAt });
}

// Worlds that differ by choices alone are variants of the self-test.
for (const turn of variations.filter(({ wrap }) => wrap !== undefined)) {
  test(`the kit finds nothing wrong with a service that has "${turn.id}"`, async () => {
    const { requirements, exitCode, reason } = await judge(turn);
    const failed = requirements.filter(({ verdict }) => verdict === 'fail' || verdict === 'error');
    assert.equal(
      failed.map(({ id, failures }) => `${id}: ${failures[0]?.message}`),
      [],
    );
    // After the third 429 a run stops, so that it risks no ban.
    assert.is(exitCode, turn.id === '429 three times' ? 3 : 0, reason);
  });
}

test('a combination is drawn by its seed, has one turn of a requirement, and leaves out what is told', () => {
  const first = combination(5, new Set());
  assert.equal(combination(5, new Set()), first);
  assert.is.not(variantWith(combination(6, new Set()).variations).id, variantWith(first.variations).id);
  assert.ok(first.variations.length > 10);
  const requirements = first.variations.map(({ requirement }) => requirement);
  assert.is(new Set(requirements).size, requirements.length);
  const [left, ...others] = first.variations;
  assert.equal(combination(5, new Set([left!])).variations, others);
  assert.ok(first.variations.every(({ isSlow, startsAt }) => isSlow === undefined && startsAt === undefined));
});

test('every turn says in a sentence what a service does that has it', () => {
  for (const { id, meaning } of variations) assert.match(meaning, /^[A-Z0-9].*\.$/, id);
});

test.run();
