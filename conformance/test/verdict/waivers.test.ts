/** What a waiver does to a verdict: to the end of its last day, and only where something is left to waive. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Verdict } from '../../verdict/verdict.ts';
import { applyWaivers, staleNotes, type WaivedVerdict, type Waiver, type WaiverState } from '../../verdict/waivers.ts';
import { verdictOf } from '../run/hand-made.ts';

const waiver: Waiver = { reason: 'mended in 2.0', owner: 'pets team', expires: '2026-11-21' };
const [itsDay, theNext] = [Date.UTC(2026, 10, 21), Date.UTC(2026, 10, 22)];

function stateOf(verdict: WaivedVerdict, today: number) {
  const [applied] = applyWaivers([verdict], new Map([['pet-id', waiver]]), today);
  return applied?.waiver?.state;
}

const states: Readonly<Record<Verdict, WaiverState>> = {
  fail: 'waived',
  warn: 'waived',
  pass: 'stale',
  inconclusive: 'unused',
  skipped: 'unused',
  'not-applicable': 'unused',
  error: 'unused',
};

for (const [verdict, state] of Object.entries(states) as [Verdict, WaiverState][]) {
  test(`the waiver of a verdict of ${verdict} is ${state} until the end of its last day, then expired`, () => {
    const judged = verdictOf('pet-id', verdict);
    assert.is(stateOf(judged, itsDay), state);
    assert.is(stateOf(judged, theNext - 1), state);
    assert.is(stateOf(judged, theNext), 'expired');
  });
}

test('a waiver stands with the verdict that it is for, and changes no verdict', () => {
  const verdicts = [verdictOf('pet-id', 'fail'), verdictOf('pet-name', 'fail')];
  const applied = applyWaivers(verdicts, new Map([['pet-name', waiver]]), itsDay);
  assert.equal(applied, [verdicts[0], { ...verdicts[1], waiver: { ...waiver, state: 'waived' } }]);
  assert.equal(applyWaivers(verdicts, undefined, itsDay), verdicts);
});

test('only a stale waiver is noted', () => {
  const judged = (state: WaiverState) => verdictOf('pet-id', 'pass', { waiver: { ...waiver, state } });
  assert.equal(staleNotes((['stale', 'expired', 'waived', 'unused'] as const).map(judged)), [
    'pet-id holds in this run, so its waiver may be removed.',
  ]);
});

test.run();
