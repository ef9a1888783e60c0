/** Ends a run early: by a signal of its caller, or by the deadline. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Reason, reason } from '../verdict/reasons.ts';
import type { Clock } from './pace.ts';

export interface Time {
  /** A clock whose waits end when the signal aborts. */
  readonly clock: (signal: AbortSignal) => Clock;
  /** Aborts after so many milliseconds. It does not keep the process alive. */
  readonly timeout: (ms: number) => AbortSignal;
}

export const realTime: Time = {
  clock: (signal) => ({
    now: Date.now,
    sleep: (ms) => sleep(ms, undefined, { signal }).catch(() => undefined),
  }),
  timeout: (ms) => AbortSignal.timeout(ms),
};

/** Aborts when the caller interrupts, or when the deadline has passed; its reason is a `Reason`. */
export function stopSignal(deadlineMs: number, interruption: AbortSignal, time: Time): AbortSignal {
  const stop = new AbortController();
  const stopOn = (signal: AbortSignal, why: Reason): void => {
    if (signal.aborted) stop.abort(why);
    else signal.addEventListener('abort', () => stop.abort(why));
  };
  stopOn(interruption, reason('interrupted', {}));
  stopOn(time.timeout(deadlineMs), reason('deadline', { seconds: deadlineMs / 1000 }));
  return stop.signal;
}
