/** Shows the progress of a command on standard error: one line that changes on a terminal, seldom lines in a log. */

import { secondMs } from '../http/tolerances.ts';
import { columnsOf, cutToWidth } from '../reporters/width.ts';

export interface Screen {
  readonly stream: NodeJS.WriteStream;
  readonly environment: NodeJS.ProcessEnv;
  /** Milliseconds, from any start. */
  readonly now: () => number;
}

export interface Progress {
  /** Counts a request of the scenario with this title, or a run. */
  readonly count: (title: string, isFailed?: boolean) => void;
  readonly expect: (most: number) => void;
  /** Counts a wait down, second by second. */
  readonly wait: (ms: number, why: string) => void;
  readonly end: () => void;
}

const nothing = (): void => undefined;
const silent: Progress = { count: nothing, expect: nothing, wait: nothing, end: nothing };

const standardError: Screen = { stream: process.stderr, environment: process.env, now: () => performance.now() };

/** Often enough for the reader of a log, and seldom enough to bury no other line. */
const intervalMs = 10 * secondMs;

/** `most` is the highest count of requests or runs; `quiet` shows nothing. */
export function createProgress(
  most: number | 'quiet',
  counted: 'requests' | 'runs' = 'requests',
  { stream, environment, now }: Screen = standardError,
): Progress {
  if (most === 'quiet') return silent;
  // A dumb terminal cannot rewrite a line.
  const isOneLine = stream.isTTY && environment['TERM'] !== 'dumb';
  let [highest, count, failed, loggedAt] = [most, 0, 0, now()];
  let countdown: NodeJS.Timeout | undefined;
  const counts = (): string => `${count}/${highest} ${counted}${failed === 0 ? '' : `, ${failed} failed`}`;
  const rewrite = (...parts: readonly string[]): void => {
    // The last column stays free, since some terminals begin a new line with it.
    const text = cutToWidth(parts.filter(Boolean).join(': '), columnsOf(stream, environment) - 1);
    if (isOneLine) stream.write(`\r\x1b[2K${text}`);
  };
  const inSeconds = (ms: number): string => `${Math.ceil(Math.max(0, ms) / secondMs)} s`;
  return {
    count(title, isFailed = false) {
      clearInterval(countdown);
      count += 1;
      failed += Number(isFailed);
      rewrite(counts(), title);
      if (isOneLine || now() - loggedAt < intervalMs) return;
      loggedAt = now();
      stream.write(`${counts()}.\n`);
    },
    expect(changed) {
      highest = changed;
    },
    wait(ms, why) {
      clearInterval(countdown);
      const endsAt = now() + ms;
      const before = count === 0 ? '' : `${counts()}, `;
      const tick = (): void => rewrite(`${before}waiting ${inSeconds(endsAt - now())}`, why);
      if (!isOneLine) stream.write(`Waiting ${inSeconds(ms)}: ${why}.\n`);
      tick();
      countdown = setInterval(tick, secondMs);
      countdown.unref();
    },
    end() {
      clearInterval(countdown);
      rewrite();
    },
  };
}
