/** How a run is ended early. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { judgedAfterDeadlineMs } from '../../http/tolerances.ts';
import { createStop, realTime } from '../../run/stop.ts';
import { reason } from '../../verdict/reasons.ts';

test('an interruption stops a run and says so, even before the start', () => {
  const interruption = new AbortController();
  const { signal } = createStop(60_000, interruption.signal, realTime);
  assert.is(signal.aborted, false);
  interruption.abort();
  assert.equal(signal.reason, reason('interrupted', {}));
  assert.equal(createStop(60_000, AbortSignal.abort(), realTime).signal.reason, reason('interrupted', {}));
});

test('what was sent until the deadline may be judged for a while more: a second, or up to ten of a long run', () => {
  const time = { ...realTime, timeout: () => AbortSignal.abort() };
  const { signal } = new AbortController();
  const overdue = [0, -1_000].map((deadlineMs) => createStop(deadlineMs, signal, time).isOverdue());
  assert.equal(overdue, [false, true]);
  assert.equal([7_000, 100_000, 1_800_000].map(judgedAfterDeadlineMs), [1_000, 5_000, 10_000]);
});

test.run();
