/** Worlds are legal: the kit finds nothing wrong with any of them. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { type Turn, worldOf } from '../../clients/world.ts';
import { combination, turns } from '../../clients/worlds/index.ts';
import type { Report } from '../../engine/report/report.ts';
import { runInProcess, trialKeys, trialSettings } from '../../faults/trial.ts';

const categoryId = 4_711n;
const surroundings = { categoryId, elsewhere: 'http://127.0.0.1:9/v1', usualRequests: 5 };

function judge({ gaps = {}, wrap, animals = [], startsAt }: Turn): Promise<Report> {
  const { handle } = createPetStore({ keys: trialKeys, gaps, animals });
  const served = wrap === undefined ? handle : wrap(surroundings)(handle);
  const day = startsAt === undefined ? {} : { today: startsAt };
  const settings = trialSettings(120, { categoryIds: [categoryId], hasRateLimitKey: false, ...day });
  return runInProcess(served, settings, startsAt === undefined ? {} : { startsAt });
}

// Worlds that differ by choices alone are variants of the self-test.
for (const turn of turns.filter(({ wrap }) => wrap !== undefined)) {
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

test('a combination is drawn by its seed, has one turn of a statement, and leaves out what is told', () => {
  const first = combination(5, new Set());
  assert.equal(combination(5, new Set()), first);
  assert.is.not(worldOf(combination(6, new Set()).turns).id, worldOf(first.turns).id);
  assert.ok(first.turns.length > 10);
  const statements = first.turns.map(({ statement }) => statement);
  assert.is(new Set(statements).size, statements.length);
  const [left, ...others] = first.turns;
  assert.equal(combination(5, new Set([left!])).turns, others);
  assert.ok(first.turns.every(({ isSlow, startsAt }) => isSlow === undefined && startsAt === undefined));
});

test('every turn says in a sentence what a service does that has it', () => {
  for (const { id, meaning } of turns) assert.match(meaning, /^[A-Z0-9].*\.$/, id);
});

test.run();
