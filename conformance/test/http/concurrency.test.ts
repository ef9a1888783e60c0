/** Many tasks are carried out some at a time, and end together where one fails. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runConcurrently } from '../../http/concurrency.ts';
import { RunStopped, runTasks } from '../../run/pace.ts';
import { reason } from '../../verdict/reasons.ts';

/** Tasks that the test ends, in any order. */
function createTasks(count: number) {
  const begun: number[] = [];
  const ends = Array.from({ length: count }, () => Promise.withResolvers<string>());
  const tasks = ends.map(({ promise }, at) => () => {
    begun.push(at);
    return promise;
  });
  return { begun, ends, tasks };
}

/** Lets all that is ready go on. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('so many tasks are under way at a time, and the results stand in the order of the tasks', async () => {
  const { begun, ends, tasks } = createTasks(3);
  const working = runConcurrently(tasks, 2);
  assert.equal(begun, [0, 1]);
  ends[1]!.resolve('second');
  await settle();
  assert.equal(begun, [0, 1, 2]);
  ends[2]!.resolve('third');
  ends[0]!.resolve('first');
  assert.equal(await working, ['first', 'second', 'third']);
});

test('at least one task is under way', async () => {
  const { begun, ends, tasks } = createTasks(2);
  const working = runConcurrently(tasks, 0);
  assert.equal(begun, [0]);
  for (const { resolve } of ends) resolve('done');
  assert.equal(await working, ['done', 'done']);
});

test('where one fails no other begins, those under way are awaited, and the error that ended the run is thrown', async () => {
  const { begun, ends, tasks } = createTasks(4);
  let isOver = false;
  const working = runTasks(tasks, 2).finally(() => {
    isOver = true;
  });
  working.catch(() => undefined);
  ends[0]!.reject(new Error('beside it'));
  await settle();
  assert.equal([begun, isOver], [[0, 1], false]);
  const ended = new RunStopped(reason('interrupted', {}));
  ends[1]!.reject(ended);
  assert.is(await working.catch((error: unknown) => error), ended);
  assert.equal(begun, [0, 1]);
});

test('without such an end the first failure is thrown', async () => {
  const { ends, tasks } = createTasks(1);
  const failure = new Error('the only one');
  ends[0]!.reject(failure);
  assert.is(await runConcurrently(tasks, 1).catch((error: unknown) => error), failure);
});

test.run();
