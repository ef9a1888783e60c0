/** Tries mutants in threads, and ends those that hang. */

import { Worker } from 'node:worker_threads';
import type { MutantTrial, TrialOrder } from './trial.ts';

/** The longest trial takes a tenth of it on a busy machine, milliseconds. */
const longestTrialMs = 120_000;

/** The id that Node.js gives a thread that has ended. */
const ended = -1;

function tryIn(worker: Worker, order: TrialOrder): Promise<MutantTrial> {
  return new Promise((resolve) => {
    const lost = (reason: string): void => {
      const trial: MutantTrial = { outcome: 'broken', within: order.budgets[0], shownBy: [reason], otherAnswers: [] };
      stopListening();
      void worker.terminate().then(() => resolve(trial));
    };
    const onMessage = (trial: MutantTrial): void => {
      stopListening();
      resolve(trial);
    };
    const onError = (error: unknown): void => lost(String(error));
    const onExit = (): void => lost('The server ended the process.');
    const timer = setTimeout(() => lost('The server hangs.'), longestTrialMs);
    const stopListening = (): void => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    };
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(order);
  });
}

/** Resolves with the trials in the order of the orders. */
export async function tryAll(
  orders: readonly TrialOrder[],
  threads: number,
  onTrial: (at: number, trial: MutantTrial, done: number) => void,
): Promise<readonly MutantTrial[]> {
  const trials: MutantTrial[] = [];
  const queue = orders.entries();
  let done = 0;
  async function work(): Promise<void> {
    let worker: Worker | undefined;
    for (const [at, order] of queue) {
      worker ??= new Worker(new URL('./worker.ts', import.meta.url));
      const trial = await tryIn(worker, order);
      trials[at] = trial;
      if (worker.threadId === ended) worker = undefined;
      done += 1;
      onTrial(at, trial, done);
    }
    await worker?.terminate();
  }
  await Promise.all(Array.from({ length: threads }, work));
  return trials;
}
