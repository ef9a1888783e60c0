/** Carries out many tasks, some of them at a time. */

import { RunStopped } from './pace.ts';

/**
 * Works through tasks, so many at a time; resolves with their results in their order. Where one fails, no other begins,
 * and those under way are awaited; what ended the run is told rather than what failed beside it.
 */
export async function workThrough<Result>(
  tasks: readonly (() => Promise<Result>)[],
  atATime: number,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const errors: unknown[] = [];
  const queue = tasks.entries();
  async function work(): Promise<void> {
    for (const [index, task] of queue) {
      if (errors.length > 0) return;
      try {
        results[index] = await task();
      } catch (error) {
        errors.push(error);
      }
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, atATime) }, work));
  if (errors.length > 0) throw errors.find((error) => error instanceof RunStopped) ?? errors[0];
  return results;
}
