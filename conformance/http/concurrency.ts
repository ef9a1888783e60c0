/** Runs several tasks at a time. */

/**
 * Runs a list of tasks, so many at a time, and resolves with their results in order. After an error no further task starts
 * and those under way are awaited; the first error is thrown.
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
  if (errors.length > 0) throw errors[0];
  return results;
}
