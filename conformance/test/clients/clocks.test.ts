/** The clock of simulated clients. */

import { setTimeout as realSleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSimulatedClock } from './examples/simulated-clock.ts';

test('sleepers wake in the order of their time, and no time passes in between', async () => {
  const { now, sleep } = createSimulatedClock(1_000);
  const woken: [string, number][] = [];
  const wake = async (name: string, ms: number) => {
    await sleep(ms);
    woken.push([name, now()]);
  };
  await Promise.all([wake('late', 60_000), wake('early', 5), wake('past', -7)]);
  assert.equal(woken, [
    ['past', 1_000],
    ['early', 1_005],
    ['late', 61_000],
  ]);
});

test('time stands still while a task takes real time, however long that is', async () => {
  const { now, sleep, hold } = createSimulatedClock(0);
  let wokenAt: number | undefined;
  const sleeping = sleep(10).then(() => {
    wokenAt = now();
  });
  await hold(async () => {
    await realSleep(30);
    assert.equal([now(), wokenAt], [0, undefined]);
  });
  await sleeping;
  assert.is(wokenAt, 10);
});

test('a task that fails lets time go on', async () => {
  const { now, sleep, hold } = createSimulatedClock(0);
  await hold(() => Promise.reject(new Error('no'))).catch(() => undefined);
  await sleep(10);
  assert.is(now(), 10);
});

test.run();
