/** What a waiver does to a verdict: to the end of its last day, and only where something is left to waive. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Verdict } from '../../verdict/verdict.ts';
import { applyWaiver, type Waiver, type WaiverState } from '../../verdict/waivers.ts';

const waiver: Waiver = { reason: 'mended in 2.0', owner: 'pets team', expires: '2026-11-21' };
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
  test(`the waiver of a verdict of ${verdict} is ${state} until the end of its last day, then expired`, () => {
    assert.equal(applyWaiver(waiver, verdict, itsDay), { ...waiver, state });
    assert.is(applyWaiver(waiver, verdict, theNext - 1).state, state);
    assert.is(applyWaiver(waiver, verdict, theNext).state, 'expired');
  });
}

test.run();
