/** What a waiver does to a verdict: to the end of its last day, and only where something is left to waive. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Verdict } from '../../verdict/verdict.ts';
import { applyWaivers, complaintOf, stateOf, type WaiverState } from '../../verdict/waivers.ts';
import { verdictOf } from '../run/hand-made.ts';

const waiver = { reason: 'mended in 2.0', owner: 'pets team', expires: '2026-11-21' } as const;
const [itsDay, theNext] = [Date.UTC(2026, 10, 21), Date.UTC(2026, 10, 22)];

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
  test(`a waiver of what is ${verdict} is ${state} to the end of its last day, then expired`, () => {
    assert.is(stateOf(waiver, verdict, itsDay), state);
    assert.is(stateOf(waiver, verdict, theNext - 1), state);
    assert.is(stateOf(waiver, verdict, theNext), 'expired');
  });
}

test('a waiver stands beside the verdict that it is for, and changes none', () => {
  const verdicts = [verdictOf('pet-id', 'fail'), verdictOf('pet-name', 'fail')];
  const applied = applyWaivers(verdicts, new Map([['pet-name', waiver]]), itsDay);
  assert.equal(applied, [verdicts[0], { ...verdicts[1], waiver: { ...waiver, state: 'waived' } }]);
  assert.equal(applyWaivers(verdicts, undefined, itsDay), verdicts);
});

test('what is expired or stale is told, what waives or waits is not', () => {
  const complaint = (state?: WaiverState) =>
    complaintOf(verdictOf('pet-id', 'pass', state === undefined ? {} : { waiver: { ...waiver, state } }));
  assert.is(complaint('expired'), 'the waiver of pet-id expired on 2026-11-21: remove or renew it');
  assert.is(complaint('stale'), 'the waiver of pet-id is stale, the requirement holds: remove it');
  assert.is(complaint('waived'), undefined);
  assert.is(complaint('unused'), undefined);
  assert.is(complaint(), undefined);
});

test.run();
