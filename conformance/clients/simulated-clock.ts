/** A clock for clients in this process: time stands still while a request is under way, and jumps to the next timer after. */

export interface SimulatedClock {
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Stops the clock until a task that takes real time has ended. */
  readonly hold: <Result>(task: () => Promise<Result>) => Promise<Result>;
}

interface Timer {
  readonly at: number;
  readonly resolve: () => void;
}

export function createSimulatedClock(startsAt: number): SimulatedClock {
  let now = startsAt;
  let held = 0;
  let isScheduled = false;
  const timers: Timer[] = [];

  function wakeNext(): void {
    isScheduled = false;
    if (held > 0 || timers.length === 0) return;
    timers.sort((one, other) => one.at - other.at);
    const { at, resolve } = timers.shift()!;
    now = Math.max(now, at);
    resolve();
    schedule();
  }

  /** Whatever the last event set off gets its turn before time goes on. */
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => setImmediate(wakeNext));
  }

  return {
    now: () => now,
    sleep: (ms) =>
      new Promise((resolve) => {
        timers.push({ at: now + Math.max(0, ms), resolve });
        schedule();
      }),
    async hold(task) {
      held += 1;
      try {
        return await task();
      } finally {
        held -= 1;
        schedule();
      }
    },
  };
}
