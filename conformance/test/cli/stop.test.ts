/** How a run is ended early. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { realTime, stopSignal } from '../../run/stop.ts';
import { reason } from '../../verdict/reasons.ts';

test('an interruption stops a run and says so, even before the start', () => {
  const interruption = new AbortController();
  const signal = stopSignal(60_000, interruption.signal, realTime);
  assert.is(signal.aborted, false);
  interruption.abort();
  assert.equal(signal.reason, reason('interrupted', {}));
  assert.equal(stopSignal(60_000, AbortSignal.abort(), realTime).reason, reason('interrupted', {}));
});

test.run();
