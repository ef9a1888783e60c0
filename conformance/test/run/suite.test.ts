/** What the checks of a suite say of a world: findings of judges, errors of ours, and the answers to gaps. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RequirementId } from '../../../spec/requirements.ts';
import { trialSettings } from '../../proof/trial.ts';
import { type Check, judgeWorld, observeGaps } from '../../run/suite.ts';
import { type Finding, holds, type Observation } from '../../verdict/finding.ts';
import { readWorld } from '../../world/world.ts';
import { exchangeOf } from './hand-made.ts';

const exchange = exchangeOf(1);
const world = readWorld([exchange], trialSettings(60));
const sending: Check = { id: 'sending', verifies: ['pet-name'], rank: 1, run: async () => undefined };

function judgeOf(verifies: readonly RequirementId[], judge: () => readonly Finding[]): Check {
  return { id: verifies.join(), verifies, judge } as Check;
}

test('a judge that throws is an error of each of its requirements, and others judge on', () => {
  const held = holds('pet-name', exchange);
  const breaks = judgeOf(['pet-id', 'pet-status'], () => {
    throw new Error('broken');
  });
  const all = [breaks, sending, judgeOf(['pet-name'], () => [held])];
  const errors = new Map<RequirementId, string>();
  assert.equal(judgeWorld(world, all, errors), [held]);
  assert.equal([...errors.entries()].join('; '), 'pet-id,Error: broken; pet-status,Error: broken');
  const none = new Map<RequirementId, string>();
  assert.equal(judgeWorld(world, all, none, 'pet-name'), [held]);
  assert.is(none.size, 0);
});

test('for one requirement only the judges that verify it are asked', () => {
  const both = [holds('pet-name', exchange), holds('pet-id', exchange)];
  const all = [judgeOf(['pet-name', 'pet-id'], () => both), judgeOf(['pet-status'], () => both)];
  assert.equal(judgeWorld(world, all, new Map(), 'pet-id'), both);
});

test('gaps are observed as far as the exchanges show an answer', () => {
  const seen: Observation = { answers: ['absent'], exchange };
  const observing = (gap: string, answer?: Observation) =>
    ({ id: gap, gap, observe: (_world, asked) => (asked === gap ? answer : undefined) }) as Check;
  const observed = observeGaps(world, [sending, observing('status-omitted', seen), observing('id-form')]);
  assert.equal([...observed], [['status-omitted', seen]]);
});

test.run();
