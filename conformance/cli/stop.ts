/** Ends a run early: by a signal of the user, or by the deadline. */

/** Aborts on the first SIGINT or SIGTERM. The second ends the process, as Node does by default. */
export function listenForInterruption(): AbortSignal {
  const interruption = new AbortController();
  process.once('SIGINT', () => interruption.abort());
  process.once('SIGTERM', () => interruption.abort());
  return interruption.signal;
}

/** Ends a run early. */
export interface Stop {
  /** Aborts when the user interrupts, or when the deadline has passed; the reason is for a person. */
  readonly signal: AbortSignal;
  /** Whether the deadline has passed. While the process is busy, no signal can say so. */
  readonly isOverdue: () => boolean;
}

export function createStop(deadlineMs: number, interruption: AbortSignal): Stop {
  const endsAt = performance.now() + deadlineMs;
  const deadline = AbortSignal.timeout(deadlineMs);
  const stop = new AbortController();
  deadline.addEventListener('abort', () => stop.abort(`The deadline of ${deadlineMs / 1000} s has passed.`));
  interruption.addEventListener('abort', () => stop.abort('The run was interrupted.'));
  if (interruption.aborted) stop.abort('The run was interrupted.');
  return { signal: stop.signal, isOverdue: () => performance.now() > endsAt };
}
