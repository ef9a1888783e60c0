/** How a run is ended early. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { judgedAfterDeadlineMs } from '../../http/tolerances.ts';
import { createStop, realTime } from '../../run/stop.ts';
import { reason } from '../../verdict/reasons.ts';

test('an interruption stops a run and says so, even before the start', () => {
  const interrupted = reason('interrupted', {});
  const interruption = new AbortController();
  const stop = createStop(60_000, interruption.signal, realTime).signal;
  assert.is(stop.aborted, false);
  interruption.abort();
  assert.equal(stop.reason, interrupted);
  const before = createStop(60_000, AbortSignal.abort(), realTime).signal;
  assert.equal(before.reason, interrupted);
});

test('what was sent until the deadline may be judged for a second more', () => {
  const time = { ...realTime, timeout: () => AbortSignal.abort() };
  const isOverdueAfter = (deadlineMs: number): boolean =>
    createStop(deadlineMs, new AbortController().signal, time).isOverdue();
  assert.is(isOverdueAfter(0), false);
  assert.is(isOverdueAfter(-1_000), true);
});

test('a long deadline leaves more time to judge, up to ten seconds', () => {
  assert.equal([7_000, 100_000, 1_800_000].map(judgedAfterDeadlineMs), [1_000, 5_000, 10_000]);
});

test.run();
