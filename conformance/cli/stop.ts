/** Ends a run early: by a signal of the user, or by the deadline. */

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { judgedAfterDeadlineMs } from '../http/tolerances.ts';
import type { Clock } from '../run/pace.ts';

export interface Time {
  /** A clock whose waits end when the signal aborts. */
  readonly clock: (signal: AbortSignal) => Clock;
  /** Aborts after so many milliseconds. It does not keep the process alive. */
  readonly timeout: (ms: number) => AbortSignal;
}

/** What reaches a command from outside while it runs. */
export interface Host {
  /** Aborts when the user interrupts. */
  readonly interruption: AbortSignal;
  readonly time: Time;
}

export const realTime: Time = {
  clock: (signal) => ({
    now: Date.now,
    sleep: (ms) => sleep(ms, undefined, { signal }).catch(() => undefined),
  }),
  timeout: (ms) => AbortSignal.timeout(ms),
};

/** The signals of a user, a CI, and a terminal that is closed. */
export const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborts on the first of these signals. The second of one kind ends the process, as Node does by default. */
export function listenToProcess(): Host {
  const interruption = new AbortController();
  for (const signal of endingSignals) process.once(signal, () => interruption.abort());
  return { interruption: interruption.signal, time: realTime };
}

/** Resolves when a signal aborts, at once where it has. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

export const interrupted = 'The run was interrupted.';

export interface Stop {
  /** Aborts when the user interrupts, or when the deadline has passed; the reason is for a person. */
  readonly signal: AbortSignal;
  /** Whether the time to judge what was sent until the deadline is over. While the process is busy, no signal can say so. */
  readonly isOverdue: () => boolean;
}

export function createStop(deadlineMs: number, { interruption, time }: Host): Stop {
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
