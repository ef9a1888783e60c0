/** Carries out many tasks, some of them at a time: those of one list, or those of all who share some places. */

import { RunStopped } from './pace.ts';

/**
 * Works through tasks, so many at a time; resolves with their results in their order. Where one fails, no other begins,
 * and those under way are awaited; what ended the run is told rather than what failed beside it.
 */
export async function runConcurrently<Result>(
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

/** So many tasks at a time, whoever begins them. */
export interface Slots {
  /** Carries a task out when a place is free, in the order in which they came. */
  readonly occupy: <Result>(task: () => Promise<Result>) => Promise<Result>;
}

export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    async occupy(task) {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await task();
      } finally {
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}
