/** Measures how late timers fire on this machine: on a busy one, requests arrive and clients wake up as late as that. */

const tickMs = 20;

export function measureLateness(now: () => number = () => performance.now()) {
  let expectedAt = now() + tickMs;
  let greatest = 0;
  const look = (): void => {
    greatest = Math.max(greatest, now() - expectedAt);
    expectedAt = now() + tickMs;
  };
  const timer = setInterval(look, tickMs);
  timer.unref();
  return {
    /** Ends the measurement, and returns the greatest lateness seen, milliseconds. */
    stop: (): number => {
      clearInterval(timer);
      greatest = Math.max(greatest, now() - expectedAt);
      expectedAt = Number.POSITIVE_INFINITY;
      return Math.round(Math.max(0, greatest));
    },
  };
}
