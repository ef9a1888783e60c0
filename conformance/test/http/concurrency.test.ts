/** Tasks are carried out so many at a time, and no further one begins once one has failed. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runConcurrently } from '../../http/concurrency.ts';

/** Lets everything that is ready to run go on. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Starts four tasks, which the test ends in any order: the tasks that have begun, and the results or the error of all. */
function startTasks(atATime: number) {
  const ends = Array.from({ length: 4 }, () => Promise.withResolvers<number>());
  const [begun, ended]: [number[], unknown[]] = [[], []];
  const tasks = ends.map(({ promise }, at) => () => {
    begun.push(at);
    return promise;
  });
  runConcurrently(tasks, atATime).then(
    (results) => ended.push(...results),
    ({ message }: Error) => ended.push(message),
  );
  return { begun, ended, ends };
}

test('no more tasks than allowed run at a time, one always may, and the results keep the order of the tasks', async () => {
  for (const atATime of [0, 1, 2]) {
    const { begun, ended, ends } = startTasks(atATime);
    assert.equal(begun, [0, 1].slice(0, Math.max(1, atATime)));
    for (const at of [1, 0, 2, 3]) {
      ends[at]!.resolve(at);
      await settle();
    }
    assert.equal(ended, [0, 1, 2, 3]);
  }
});

test('when a task fails no other begins, those under way are awaited, and the first error is thrown', async () => {
  const { begun, ended, ends } = startTasks(2);
  ends[0]!.reject(new Error('first'));
  await settle();
  assert.equal([begun, ended], [[0, 1], []]);
  ends[1]!.reject(new Error('another'));
  await settle();
  assert.equal([begun, ended], [[0, 1], ['first']]);
});

test.run();
