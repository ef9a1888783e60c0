/** Ends a run early: by a signal of its caller, or by the deadline. */

import { setTimeout as sleep } from 'node:timers/promises';
import { judgedAfterDeadlineMs } from '../http/tolerances.ts';
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

export const interrupted = 'The run was interrupted.';

export interface Stop {
  /** Aborts when the caller interrupts, or when the deadline has passed; the reason is for a person. */
  readonly signal: AbortSignal;
  /** Whether the time to judge what was sent until the deadline is over. While the process is busy, no signal can say so. */
  readonly isOverdue: () => boolean;
}

export function createStop(deadlineMs: number, interruption: AbortSignal, time: Time): Stop {
  const endsAt = performance.now() + deadlineMs;
  const stop = new AbortController();
  const stopOn = (signal: AbortSignal, reason: string): void => {
    if (signal.aborted) stop.abort(reason);
    else signal.addEventListener('abort', () => stop.abort(reason));
  };
  stopOn(interruption, interrupted);
  stopOn(time.timeout(deadlineMs), `The deadline of ${deadlineMs / 1000} s has passed.`);
  return { signal: stop.signal, isOverdue: () => performance.now() > endsAt + judgedAfterDeadlineMs(deadlineMs) };
}
