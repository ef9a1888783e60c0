/** Waits are bounded and reported, and a stop ends every wait of the run. On a stepped clock. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { trialSettings } from '../../proof/trial.ts';
import { createWaits, RunStopped } from '../../run/waits.ts';
import { createClock } from '../../services/in-process.ts';
import { reason } from '../../verdict/reasons.ts';

const settings = trialSettings(60, { maxWaitMs: 5_000 });

const stopOf = (wait: Promise<void>): Promise<unknown> =>
  wait.then(
    () => 'waited',
    (error: unknown) => (error instanceof RunStopped ? error.reason.code : error),
  );

test('a wait is as long as it says, and reported from a second on, also where nobody listens', async () => {
  const clock = createClock();
  const startedAt = clock.now();
  const { wait, reported } = createWaits({ settings, clock });
  for (const ms of [999, 1_000]) await wait(ms, 'a test');
  assert.is(clock.now() - startedAt, 1_999);
  assert.equal(reported, [{ startedAt: new Date(startedAt + 999).toISOString(), durationMs: 1_000, why: 'a test' }]);
});

test('a wait that is too long stops the run for whoever comes later', async () => {
  const { wait, throwIfStopped } = createWaits({ settings, clock: createClock() });
  throwIfStopped();
  assert.is(await stopOf(wait(5_000, 'a test')), 'waited');
  assert.is(await stopOf(wait(5_001, 'a test')), 'wait-too-long');
  assert.throws(throwIfStopped, (error: unknown) => error instanceof RunStopped);
  assert.is(await stopOf(wait(1, 'a test')), 'wait-too-long');
});

test('a signal that aborts during a wait stops the run with its reason', async () => {
  const deadline = new AbortController();
  const steps = createClock();
  const clock = {
    now: steps.now,
    sleep: async (ms: number) => {
      if (ms > 1) deadline.abort(reason('deadline', { seconds: 2 }));
    },
  };
  const { wait } = createWaits({ settings, clock, signal: deadline.signal });
  assert.is(await stopOf(wait(1, 'a test')), 'waited');
  assert.is(await stopOf(wait(2, 'a test')), 'deadline');
});

test.run();
