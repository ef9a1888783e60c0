/** Runs several tasks at a time: those of one list, or those of everybody who shares some slots. */

/** Runs each task as soon as one of so many slots is free, whoever starts it: first come first served. */
export type Slots = <Result>(task: () => Promise<Result>) => Promise<Result>;

export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (task) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

/**
 * Runs a list of tasks, so many at a time, and resolves with their results in order. After an error no further task starts
 * and those under way are awaited. An error that `takesPrecedence` is thrown, else the first.
 */
export async function runConcurrently<Result>(
  tasks: readonly (() => Promise<Result>)[],
  atATime: number,
  takesPrecedence: (error: unknown) => boolean = () => false,
): Promise<readonly Result[]> {
  const errors: unknown[] = [];
  const inSlot = createSlots(Math.max(1, atATime));
  const runOne = async (task: () => Promise<Result>): Promise<readonly Result[]> => {
    if (errors.length > 0) return [];
    return [await task()];
  };
  const running = tasks.map((task) => inSlot(() => runOne(task).catch((error: unknown) => void errors.push(error))));
  const results = await Promise.all(running);
  if (errors.length > 0) throw errors.find(takesPrecedence) ?? errors[0];
  return results.flatMap((one) => one ?? []);
}
