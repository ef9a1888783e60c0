/** The waits of a run, and its end: one stop for everybody who waits or comes later. */

import { leastReportedWaitMs } from '../http/tolerances.ts';
import { type Reason, reason, reasonInWords, reasonOf } from '../verdict/reasons.ts';
import type { ReportedWait } from '../verdict/report.ts';
import type { Settings } from '../world/settings.ts';

/** Time, injected. */
export interface Clock {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Resolves after so many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** Ends the run early. */
export class RunStopped extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reasonInWords(reason));
    this.reason = reason;
  }
}

export interface WaitOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  /** Ends the run; the owner of the transport closes it at the same time. */
  readonly signal?: AbortSignal;
  /** The run waits so many milliseconds before it sends again. */
  readonly onWait?: (ms: number, why: string) => void;
}

export function createWaits({ settings, clock, signal, onWait }: WaitOptions) {
  const { maxWaitMs } = settings;
  const waits: ReportedWait[] = [];
  let stopped: RunStopped | undefined;

  /** Stops the run for everybody who waits or comes later. */
  function stop(why: Reason): never {
    stopped = new RunStopped(why);
    throw stopped;
  }

  function throwIfStopped(): void {
    if (stopped !== undefined) throw stopped;
    if (signal?.aborted) stop(reasonOf(signal));
  }

  /** Waits, or stops the run if the wait is longer than --max-wait. */
  async function wait(ms: number, why: string): Promise<void> {
    if (ms > maxWaitMs) stop(reason('wait-too-long', { seconds: Math.ceil(ms / 1000), why, most: maxWaitMs / 1000 }));
    const startedAt = clock.now();
    const isReported = ms >= leastReportedWaitMs;
    if (isReported) onWait?.(ms, why);
    await clock.sleep(ms);
    const durationMs = clock.now() - startedAt;
    if (isReported) waits.push({ startedAt: new Date(startedAt).toISOString(), durationMs, why });
    throwIfStopped();
  }

  return { stop, throwIfStopped, wait, reported: waits as readonly ReportedWait[] };
}

export type Waits = ReturnType<typeof createWaits>;
