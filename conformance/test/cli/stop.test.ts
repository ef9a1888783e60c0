/** How a run is ended early. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createStop, realTime } from '../../cli/stop.ts';

test('an interruption stops a run and says so, even before the start', () => {
  const interruption = new AbortController();
  const stop = createStop(60_000, { interruption: interruption.signal, time: realTime }).signal;
  assert.is(stop.aborted, false);
  interruption.abort();
  assert.is(stop.reason, 'The run was interrupted.');
  const before = createStop(60_000, { interruption: AbortSignal.abort(), time: realTime }).signal;
  assert.is(before.reason, 'The run was interrupted.');
});

test.run();
