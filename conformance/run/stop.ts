/** Ends a run early: by a signal of its caller, or by the deadline. */

import { setTimeout as sleep } from 'node:timers/promises';
import { reason } from '../verdict/reasons.ts';
import type { Clock } from './waits.ts';

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

/** Aborts when the caller interrupts, or when the deadline has passed. */
export function stopSignal(deadlineMs: number, interruption: AbortSignal, time: Time): AbortSignal {
  const deadline = new AbortController();
  const passed = reason('deadline', { seconds: deadlineMs / 1000 });
  time.timeout(deadlineMs).addEventListener('abort', () => deadline.abort(passed));
  return AbortSignal.any([interruption, deadline.signal]);
}
