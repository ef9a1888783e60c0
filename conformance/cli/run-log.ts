/** Reports how far the runs of a client are where no terminal shows a line that changes: in the log of a CI job. */

import { secondMs } from '../http/tolerances.ts';

/** A line this often is enough for a reader of a log, and too few to bury anything. */
const intervalMs = 10 * secondMs;

export function createRunLog(mostRuns: number, write: (line: string) => void, now: () => number) {
  let [runs, failed, lastAt] = [0, 0, now()];
  return {
    count(isPassed: boolean): void {
      runs += 1;
      if (!isPassed) failed += 1;
      if (now() - lastAt < intervalMs) return;
      lastAt = now();
      write(`${runs} of at most ${mostRuns} runs, ${failed} failed.\n`);
    },
  };
}
