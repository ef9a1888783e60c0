/** What a waiver does to a verdict: to the end of its last day, and only where something is left to waive. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reasonInWords } from '../../verdict/reasons.ts';
import type { Verdict } from '../../verdict/verdict.ts';
import {
  applyWaivers,
  complaintOf,
  staleNotes,
  type WaivedVerdict,
  type Waiver,
  type WaiverState,
} from '../../verdict/waivers.ts';
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

test('an expired waiver is a complaint, a stale one a note, and another one neither', () => {
  const judged = (state?: WaiverState): WaivedVerdict =>
    verdictOf('pet-id', 'pass', state === undefined ? {} : { waiver: { ...waiver, state } });
  assert.is(
    reasonInWords(complaintOf(judged('expired'))),
    'the waiver of pet-id expired on 2026-11-21: remove or renew it',
  );
  for (const state of ['stale', 'waived', 'unused', undefined] as const)
    assert.is(complaintOf(judged(state)), undefined);
  assert.equal(staleNotes([judged('expired'), judged('waived'), judged('unused'), judged()]), []);
  assert.equal(staleNotes([judged('stale'), judged('expired'), judged('waived'), judged('unused'), judged()]), [
    'pet-id holds in this run, so its waiver may be removed.',
  ]);
});

test.run();
