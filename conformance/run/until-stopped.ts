/** Ends a wait for something outside the run as soon as the run is stopped. */

import { RunStopped } from './pace.ts';

/** Settles as `work` does, or rejects with RunStopped when the signal aborts. */
export function untilStopped<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new RunStopped(String(signal.reason)));
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    if (signal.aborted) stop();
  });
}
