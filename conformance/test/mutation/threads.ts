/** Tries mutants in threads, and ends those that hang. */

import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { MutantTrial, TrialOrder } from './trial.ts';

/** The longest trial takes a tenth of it on a busy machine, milliseconds. */
const longestTrialMs = 120_000;

/** The trial of a mutant, or why its thread is lost. */
async function tryIn(worker: Worker, order: TrialOrder): Promise<MutantTrial | string> {
  const end = new AbortController();
  const { signal } = end;
  worker.postMessage(order);
  try {
    return await Promise.race([
      once(worker, 'message', { signal }).then(([trial]) => trial as MutantTrial),
      once(worker, 'exit', { signal }).then(() => 'The server ended the process.'),
      setTimeout(longestTrialMs, 'The server hangs.', { signal }),
    ]);
  } catch (error) {
    return String(error);
  } finally {
    end.abort();
  }
}

/** Resolves with the trials in the order of the orders. */
export async function tryAll(
  orders: readonly TrialOrder[],
  threads: number,
  onTrial: (done: number) => void,
): Promise<readonly MutantTrial[]> {
  const trials: MutantTrial[] = [];
  const queue = orders.entries();
  let done = 0;
  async function work(): Promise<void> {
    let worker: Worker | undefined;
    for (const [at, order] of queue) {
      worker ??= new Worker(new URL('./trial.ts', import.meta.url));
      const trial = await tryIn(worker, order);
      if (typeof trial === 'string') {
        await worker.terminate();
        worker = undefined;
      }
      trials[at] = typeof trial === 'string' ? { outcome: 'broken', shownBy: [trial] } : trial;
      done += 1;
      onTrial(done);
    }
    await worker?.terminate();
  }
  await Promise.all(Array.from({ length: threads }, work));
  return trials;
}
