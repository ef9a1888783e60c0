/** What reaches a command from outside while it runs: the signals of a user, and the time. */

import { once } from 'node:events';
import { realTime, type Time } from '../run/stop.ts';

export interface Host {
  /** Aborts when the user interrupts. */
  readonly interruption: AbortSignal;
  readonly time: Time;
}

/** The signals of a user, a CI, and a terminal that is closed. */
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

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
