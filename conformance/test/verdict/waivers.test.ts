/** What a waiver does to a verdict: to the end of its last day, and only where something is left to waive. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FailureCode } from '../../../spec/failure-codes.ts';
import { fails } from '../../verdict/finding.ts';
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
import { exchangeOf, verdictOf } from '../run/hand-made.ts';

const waiver: Waiver = { reason: 'mended in 2.0', owner: 'pets team', expires: '2026-11-21' };
const [itsDay, theNext] = [Date.UTC(2026, 10, 21), Date.UTC(2026, 10, 22)];

function failing(...codes: readonly string[]) {
  const failures = codes.map((code) =>
    fails('pet-id', code as FailureCode, { expected: 'a', received: 'b' }, exchangeOf(1)),
  );
  return verdictOf('pet-id', 'fail', { failures });
}

function stateOf(own: readonly Waiver[], verdict: WaivedVerdict, today = itsDay) {
  const [applied] = applyWaivers([verdict], new Map([['pet-id', own]]), today);
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
    assert.is(stateOf([waiver], judged), state);
    assert.is(stateOf([waiver], judged, theNext - 1), state);
    assert.is(stateOf([waiver], judged, theNext), 'expired');
  });
}

test('a waiver stands with the verdict that it is for, and changes no verdict', () => {
  const verdicts = [verdictOf('pet-id', 'fail'), verdictOf('pet-name', 'fail')];
  const applied = applyWaivers(verdicts, new Map([['pet-name', [waiver]]]), itsDay);
  assert.equal(applied, [verdicts[0], { ...verdicts[1], waiver: { ...waiver, state: 'waived' } }]);
  assert.equal(applyWaivers(verdicts, undefined, itsDay), verdicts);
});

test('a waiver with a failure code waives failures of that code alone', () => {
  const coded: Waiver = { ...waiver, code: 'id-missing' };
  const other: Waiver = { ...waiver, code: 'id-wrong' };
  assert.is(stateOf([coded], failing('id-missing', 'id-missing')), 'waived');
  assert.is(stateOf([coded], failing('id-missing', 'id-wrong')), 'unused');
  assert.is(stateOf([coded], failing('id-wrong')), 'unused');
  assert.is(stateOf([coded, other], failing('id-missing', 'id-wrong')), 'waived');
  assert.is(stateOf([coded, { ...other, expires: '2026-11-20' }], failing('id-missing', 'id-wrong')), 'expired');
  const shownFor = (code: string) => applyWaivers([failing(code)], new Map([['pet-id', [coded, other]]]), itsDay)[0];
  assert.equal(shownFor('id-wrong')?.waiver, { ...other, state: 'waived' });
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
