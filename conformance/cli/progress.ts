/** Shows the progress of a command on standard error: one line that changes on a terminal, a line now and then in a log. */

import { secondMs } from '../http/tolerances.ts';
import { columnsOf, cutToWidth } from '../reporters/width.ts';

/** Where progress is shown. */
export interface ProgressSink {
  readonly stream: NodeJS.WriteStream;
  readonly environment: NodeJS.ProcessEnv;
  /** Milliseconds, from any start. */
  readonly now: () => number;
}

export interface Progress {
  /** Counts a request, or a run under this title. */
  readonly count: (title: string, isFailed?: boolean) => void;
  /** Changes the highest count. */
  readonly expect: (most: number) => void;
  readonly wait: (ms: number, why: string) => void;
  readonly end: () => void;
}

const standardError: ProgressSink = { stream: process.stderr, environment: process.env, now: () => performance.now() };

/** Often enough for a reader of the log, and rarely enough not to bury other lines. */
const intervalMs = 10 * secondMs;

const noProgress: Progress = { count() {}, expect() {}, wait() {}, end() {} };

export interface ProgressOptions {
  readonly isQuiet: boolean;
  /** The highest count. */
  readonly most: number;
  readonly counted: 'requests' | 'runs';
}

export function createProgress(
  { isQuiet, most, counted }: ProgressOptions,
  { stream, environment, now }: ProgressSink = standardError,
): Progress {
  if (isQuiet) return noProgress;
  // A dumb terminal cannot rewrite a line.
  const isOneLine = stream.isTTY && environment['TERM'] !== 'dumb';
  let highest = most;
  let count = 0;
  let failed = 0;
  let loggedAt = now();
  const show = (text: string): void => {
    // The last column stays free, since some terminals begin a new line with it.
    if (isOneLine) stream.write(`\r\x1b[2K${cutToWidth(text, columnsOf(stream, environment) - 1)}`);
    else if (text !== '') stream.write(`${text}.\n`);
  };
  return {
    count(title, isFailed = false) {
      count += 1;
      failed += Number(isFailed);
      const counts = `${count}/${highest} ${counted}${failed === 0 ? '' : `, ${failed} failed`}`;
      if (isOneLine) return show(title === '' ? counts : `${counts}: ${title}`);
      if (now() - loggedAt < intervalMs) return;
      loggedAt = now();
      show(counts);
    },
    expect(changed) {
      highest = changed;
    },
    wait(ms, why) {
      show(`Waiting ${Math.ceil(ms / secondMs)} s: ${why}`);
    },
    end() {
      show('');
    },
  };
}
