/** Shows the progress of a run on standard error: one line on a terminal, and a plain line for each wait elsewhere. */

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
  readonly count: (title: string) => void;
  readonly expect: (most: number) => void;
  /** Counts a wait down, second by second. */
  readonly wait: (ms: number, why: string) => void;
  readonly end: () => void;
}

/** After fewer requests than this the time left is a guess. */
const fewestForEstimate = 5;

function inWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

/** The longest time left: a run may end before its budget does. */
function timeLeft(requests: number, most: number, elapsedMs: number): readonly string[] {
  if (requests < fewestForEstimate) return [];
  return [`up to ${inWords(((most - requests) * elapsedMs) / requests)} left`];
}

const silent: Progress = {
  count: () => undefined,
  expect: () => undefined,
  wait: () => undefined,
  end: () => undefined,
};

const standardError: Screen = { stream: process.stderr, environment: process.env, now: () => performance.now() };

/** `most` is the highest count of requests or runs; `quiet` shows nothing. */
export function createProgress(
  most: number | 'quiet',
  screen: Screen = standardError,
  counted: 'requests' | 'runs' = 'requests',
): Progress {
  if (most === 'quiet') return silent;
  const { stream, environment, now } = screen;
  // A dumb terminal cannot rewrite a line.
  const isOneLine = stream.isTTY && environment['TERM'] !== 'dumb';
  const startedAt = now();
  let highest = most;
  let requests = 0;
  let countdown: NodeJS.Timeout | undefined;
  const rewrite = (text: string): void => {
    // The last column stays free, since some terminals begin a new line with it.
    if (isOneLine) stream.write(`\r\x1b[2K${cutToWidth(text, columnsOf(stream, environment) - 1)}`);
  };
  const show = (title: string, waitMs?: number): void => {
    const count = requests === 0 ? [] : [`${requests}/${highest} ${counted}`];
    // During a wait the pace so far says nothing of the time left, which may be less than the wait.
    const time =
      waitMs === undefined
        ? timeLeft(requests, highest, now() - startedAt)
        : [`waiting ${inWords(Math.max(0, waitMs))}`];
    rewrite([[...count, ...time].join(', '), ...(title === '' ? [] : [title])].join(': '));
  };
  const stopCounting = (): void => {
    clearInterval(countdown);
    countdown = undefined;
  };
  return {
    count(title) {
      stopCounting();
      requests += 1;
      show(title);
    },
    expect(changed) {
      highest = changed;
    },
    wait(ms, why) {
      stopCounting();
      const endsAt = now() + ms;
      const tick = (): void => show(why, endsAt - now());
      if (!isOneLine) stream.write(`Waiting ${inWords(ms)}: ${why}.\n`);
      tick();
      countdown = setInterval(tick, 1_000);
      countdown.unref();
    },
    end() {
      stopCounting();
      rewrite('');
    },
  };
}

/** Often enough for the reader of a log, and seldom enough to bury no other line. */
const intervalMs = 10 * secondMs;

/** Reports how far the runs of a client are where no terminal shows a line that changes: in the log of a CI job. */
export function createRunLog(write: (line: string) => void, now: () => number) {
  let [runs, failed, lastAt] = [0, 0, now()];
  return {
    count(isPassed: boolean, left: number): void {
      runs += 1;
      if (!isPassed) failed += 1;
      if (now() - lastAt < intervalMs) return;
      lastAt = now();
      write(`${runs} runs, ${failed} failed; about ${left} remain.\n`);
    },
  };
}
