/** What a waiver does to a verdict: to the end of its last day, and only where something is left to waive. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FailureCode } from '../../../spec/failure-codes.ts';
import { fails } from '../../verdict/finding.ts';
import type { Verdict } from '../../verdict/verdict.ts';
import {
  applyWaivers,
  complaintOf,
  reachOf,
  type WaivedVerdict,
  type Waiver,
  type WaiverState,
  type WaivingRun,
} from '../../verdict/waivers.ts';
import { exchangeOf, verdictOf } from '../run/hand-made.ts';

const waiver: Waiver = { reason: 'mended in 2.0', owner: 'pets team', expires: '2026-11-21' };
const [itsDay, theNext] = [Date.UTC(2026, 10, 21), Date.UTC(2026, 10, 22)];
const fullRun: WaivingRun = { today: itsDay, maxRequests: 300, seed: 42 };

function failing(...codes: readonly string[]) {
  const failures = codes.map((code) =>
    fails('pet-id', code as FailureCode, { expected: 'a', received: 'b' }, exchangeOf(1)),
  );
  return verdictOf('pet-id', 'fail', { failures });
}

function stateOf(own: readonly Waiver[], verdict: WaivedVerdict, run: Partial<WaivingRun> = {}) {
  const [applied] = applyWaivers([verdict], new Map([['pet-id', own]]), { ...fullRun, ...run });
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
    assert.is(stateOf([waiver], judged, { today: theNext - 1 }), state);
    assert.is(stateOf([waiver], judged, { today: theNext }), 'expired');
  });
}

test('a waiver stands with the verdict that it is for, and changes no verdict', () => {
  const verdicts = [verdictOf('pet-id', 'fail'), verdictOf('pet-name', 'fail')];
  const applied = applyWaivers(verdicts, new Map([['pet-name', [waiver]]]), fullRun);
  assert.equal(applied, [verdicts[0], { ...verdicts[1], waiver: { ...waiver, state: 'waived' } }]);
  assert.equal(applyWaivers(verdicts, undefined, fullRun), verdicts);
});

test('a waiver with a failure code waives failures of that code alone', () => {
  const coded: Waiver = { ...waiver, code: 'id-missing' };
  const other: Waiver = { ...waiver, code: 'id-wrong' };
  assert.is(stateOf([coded], failing('id-missing', 'id-missing')), 'waived');
  assert.is(stateOf([coded], failing('id-missing', 'id-wrong')), 'unused');
  assert.is(stateOf([coded], failing('id-wrong')), 'unused');
  assert.is(stateOf([coded, other], failing('id-missing', 'id-wrong')), 'waived');
  assert.is(stateOf([coded, { ...other, expires: '2026-11-20' }], failing('id-missing', 'id-wrong')), 'expired');
  assert.is(stateOf([coded, waiver], failing('id-wrong')), 'waived');
});

test('a waiver is stale only if the run looked as far as the one that failed', () => {
  const known: Waiver = { ...waiver, run: { requests: 200, seed: 42, plan: 'free' } };
  const holds = verdictOf('pet-id', 'pass');
  const reach = { maxRequests: 200, seed: 42, plan: 'free' } as const;
  assert.is(stateOf([known], holds, reach), 'stale');
  assert.is(stateOf([known], holds, { ...reach, maxRequests: 199 }), 'unused');
  assert.is(stateOf([known], holds, { ...reach, seed: 43 }), 'unused');
  assert.is(stateOf([known], holds, { ...reach, plan: 'pro' }), 'unused');
  assert.is(stateOf([waiver], holds, { maxRequests: 299 }), 'unused');
  assert.is(stateOf([waiver], holds, { maxRequests: 300, seed: 7 }), 'stale');
});

test('an expired or a stale waiver is a complaint, another one is not', () => {
  const complaint = (state?: WaiverState) =>
    complaintOf(verdictOf('pet-id', 'pass', state === undefined ? {} : { waiver: { ...waiver, state } }));
  assert.is(complaint('expired'), 'the waiver of pet-id expired on 2026-11-21: remove or renew it');
  assert.is(complaint('stale'), 'the waiver of pet-id is stale, the requirement holds: remove it');
  assert.is(complaint('waived'), undefined);
  assert.is(complaint('unused'), undefined);
  assert.is(complaint(), undefined);
});

test('the reach of a run is its budget, its seed and its plan, if it has one', () => {
  assert.equal(reachOf({ maxRequests: 300, plan: 'pro' }, 7), { requests: 300, seed: 7, plan: 'pro' });
  assert.equal(reachOf({ maxRequests: 60 }, 1), { requests: 60, seed: 1 });
});

test('the waiver that is shown is the one whose code fails', () => {
  const missing: Waiver = { ...waiver, code: 'id-missing', owner: 'first' };
  const wrong: Waiver = { ...waiver, code: 'id-wrong', owner: 'second' };
  const [applied] = applyWaivers([failing('id-wrong')], new Map([['pet-id', [missing, wrong]]]), fullRun);
  assert.equal(applied?.waiver, { ...wrong, state: 'waived' });
});

test.run();
