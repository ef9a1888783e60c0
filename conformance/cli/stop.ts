/** What ends a run before its end: the user, or the deadline. */

/** Aborts on SIGINT or SIGTERM. The second of them ends the process, as it would without us. */
export function listenForInterruption(): AbortSignal {
  const interruption = new AbortController();
  process.once('SIGINT', () => interruption.abort());
  process.once('SIGTERM', () => interruption.abort());
  return interruption.signal;
}

/** What ends a run. */
export interface Stop {
  /** Aborts when the user interrupts, or when the deadline has passed; the reason is for a person. */
  readonly signal: AbortSignal;
  /** Whether the deadline has passed: no signal says so while the process is busy. */
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
