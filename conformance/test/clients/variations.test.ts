/** Variations are legal: the kit finds nothing wrong with any of them. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createTwin } from '../../../reference-server/twin/gaps.ts';
import { aheadOf } from '../../clients/compared-answers.ts';
import { type Variation, type VariationContext, variantWith } from '../../clients/service-variant.ts';
import { drawCombination, isCombinable, variations } from '../../clients/variations/index.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { keysOfTrials } from '../../sections/fault.ts';
import { sentenceOf } from '../../verdict/failure.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import type { Report } from '../../verdict/report.ts';

const dayMs = 86_400_000;
const categoryId = 4_711n;
const fifth = { operation: 'listPets', nth: 5 } as const;
const context: VariationContext = {
  categoryId,
  otherHost: 'http://localhost:9/v1',
  usual: Array.from({ length: 12 }, (_nothing, at) => ({ operation: 'listPets', nth: at + 1 })),
  repeated: fifth,
  longestPauseMs: 0,
};

function judge({ gaps = {}, wrap, animals = [], startsAt }: Variation): Promise<Report> {
  const { handle } = createTwin({ keys: trialKeys, gaps, animals });
  const served = wrap === undefined ? handle : wrap(context)(handle, keysOfTrials);
  const day = startsAt === undefined ? {} : { today: startsAt };
  const settings = trialSettings(120, { categoryIds: [categoryId], hasRateLimitKey: false, ...day });
  return runInProcess(served, settings, startsAt === undefined ? {} : { startsAt });
}

// Variations that are choices of the reference server are variants of the self-test.
for (const variation of variations.filter(({ wrap }) => wrap !== undefined)) {
  test(`the kit finds nothing wrong with a service that has "${variation.id}"`, async () => {
    const { requirements, exitCode, reason } = await judge(variation);
    const failed = requirements.filter(({ verdict }) => verdict === 'fail' || verdict === 'error');
    assert.equal(
      failed.map(({ id, failures }) => `${id}: ${sentenceOf(failures[0]!)}`),
      [],
    );
    // After the third 429 in a row the kit stops, so that it risks no ban.
    assert.is(exitCode, variation.id === '429 five times' ? 3 : 0, reasonInWords(reason));
  });
}

test('a combination is drawn by its seed, has at most one variation of a requirement, and makes nobody wait', () => {
  const first = drawCombination(5, variations);
  assert.equal(drawCombination(5, variations), first);
  assert.is.not(String(drawCombination(6, variations).map(({ id }) => id)), String(first.map(({ id }) => id)));
  assert.ok(first.length > 10);
  assert.is(new Set(first.map(({ requirement }) => requirement)).size, first.length);
  assert.ok(first.every(isCombinable));
  assert.equal(drawCombination(5, first.slice(0, 1)).length <= 1, true);
});

test('every variation describes its service in a sentence', () => {
  for (const { id, meaning } of variations) assert.match(meaning, /^[A-Z0-9].*\.$/, id);
});

test('a service of another day is whole days ahead, so that windows end when those of the client end', () => {
  const now = Date.UTC(2026, 10, 23, 3, 4, 5, 678);
  const days = variations.flatMap((one) =>
    one.startsAt === undefined ? [] : [aheadOf(variantWith([one]), now) / dayMs],
  );
  assert.ok(days.length > 0);
  for (const count of days) assert.is(count, 1474);
});

test.run();
