/** Runs several tasks at a time. */

/**
 * Runs a list of tasks, so many at a time, and resolves with their results in order. After an error no further task starts
 * and those under way are awaited; then it is thrown, or that of another task which failed meanwhile.
 */
export async function runConcurrently<Result>(
  tasks: readonly (() => Promise<Result>)[],
  atATime: number,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  // A loop that an error ends closes the iterator, so that the other loops end as well.
  const queue = tasks.values().map((task, index) => [index, task] as const);
  async function work(): Promise<void> {
    for (const [index, task] of queue) results[index] = await task();
  }
  const ended = await Promise.allSettled(Array.from({ length: Math.max(1, atATime) }, work));
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results;
}
