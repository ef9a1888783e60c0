/** A clock for clients in this process: it stands still while a request is under way, and then jumps to the next timer. */

interface Timer {
  readonly at: number;
  readonly resolve: () => void;
}

export function createSimulatedClock(startsAt: number) {
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
    /** Unix milliseconds. */
    now: () => now,
    sleep: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        timers.push({ at: now + Math.max(0, ms), resolve });
        schedule();
      }),
    /** Stops the clock until a task that takes real time has ended. */
    async hold<Result>(task: () => Promise<Result>): Promise<Result> {
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

export type SimulatedClock = ReturnType<typeof createSimulatedClock>;
