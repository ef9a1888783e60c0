/** Many tasks are carried out some at a time, and end together where one fails. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runConcurrently } from '../../http/concurrency.ts';

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

test('so many tasks are under way at a time, one at least, and the results stand in the order of the tasks', async () => {
  for (const [atATime, first] of [
    [2, [0, 1]],
    [0, [0]],
  ] as const) {
    const { begun, ends, tasks } = createTasks(3);
    const working = runConcurrently(tasks, atATime);
    assert.equal(begun, first);
    for (const at of [1, 0, 2]) {
      ends[at]!.resolve(`task ${at}`);
      await settle();
    }
    assert.equal(await working, ['task 0', 'task 1', 'task 2']);
  }
});

test('where one fails no other begins, those under way are awaited, and the first error is thrown', async () => {
  const { begun, ends, tasks } = createTasks(4);
  const errors: string[] = [];
  void runConcurrently(tasks, 2).catch(({ message }: Error) => errors.push(message));
  ends[0]!.reject(new Error('first'));
  await settle();
  assert.equal([begun, errors], [[0, 1], []]);
  ends[1]!.reject(new Error('another'));
  await settle();
  assert.equal([begun, errors], [[0, 1], ['first']]);
});

test.run();
