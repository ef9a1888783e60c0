/** What ends a run early: its caller, or its deadline. A wait ends with it. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { realTime, stopSignal } from '../../run/stop.ts';
import { reason, reasonOf } from '../../verdict/reasons.ts';

/** A run whose deadline the test decides. */
function stoppable() {
  const interruption = new AbortController();
  const deadline = new AbortController();
  const asked: number[] = [];
  const timeout = (ms: number): AbortSignal => {
    asked.push(ms);
    return deadline.signal;
  };
  const stop = stopSignal(90_000, interruption.signal, { ...realTime, timeout });
  return { stop, interruption, deadline, asked };
}

test('a run goes on until its deadline, which is its reason to stop then', () => {
  const { stop, deadline, asked } = stoppable();
  assert.equal([stop.aborted, asked], [false, [90_000]]);
  deadline.abort();
  assert.equal([stop.aborted, reasonOf(stop)], [true, reason('deadline', { seconds: 90 })]);
});

test('a run ends when its caller interrupts it, and a later deadline is no reason', () => {
  const { stop, interruption, deadline } = stoppable();
  interruption.abort();
  deadline.abort();
  assert.equal([stop.aborted, reasonOf(stop)], [true, reason('interrupted', {})]);
});

test('a wait lasts until its signal aborts, and rejects nothing', async () => {
  const stop = new AbortController();
  const clock = realTime.clock(stop.signal);
  let isOver = false;
  const wait = clock.sleep(1_000_000).then(() => {
    isOver = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.not.ok(isOver);
  stop.abort();
  await wait;
  assert.is(await clock.sleep(1_000_000), undefined);
  assert.is(clock.now, Date.now);
});

test('a timeout aborts later', () => {
  assert.is(realTime.timeout(1_000_000).aborted, false);
});

test.run();
