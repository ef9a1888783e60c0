/** Shows on standard error how far a run is: one line where a terminal watches, and plain lines for waits elsewhere. */

import { columnsOf, cutToWidth } from '../reporters/width.ts';

/** Where progress is shown, and by which clock. */
export interface Screen {
  readonly stream: NodeJS.WriteStream;
  readonly environment: NodeJS.ProcessEnv;
  /** Milliseconds, from any start. */
  readonly now: () => number;
}

export interface Progress {
  /** Counts a request of the scenario with this title, or a run. */
  readonly count: (title: string) => void;
  /** Counts a wait down, second by second. */
  readonly wait: (ms: number, why: string) => void;
  readonly end: () => void;
}

/** Before so many requests, how long the others will take is a guess. */
const fewestForEstimate = 5;

function inWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

/** What may still come: a run may end before its budget does. */
function timeLeft(requests: number, most: number, elapsedMs: number): readonly string[] {
  if (requests < fewestForEstimate) return [];
  return [`up to ${inWords(((most - requests) * elapsedMs) / requests)} left`];
}

/** Who cannot go back on a line is told of waits only; a dumb terminal cannot either. */
function isRewritable({ stream, environment }: Screen): boolean {
  return stream.isTTY && environment['TERM'] !== 'dumb';
}

const silent: Progress = { count: () => undefined, wait: () => undefined, end: () => undefined };

const standardError: Screen = { stream: process.stderr, environment: process.env, now: () => performance.now() };

/** `most`: how many requests, or what else is counted, there may be; nothing is shown where it is `quiet`. */
export function createProgress(
  most: number | 'quiet',
  screen: Screen = standardError,
  counted: 'requests' | 'runs' = 'requests',
): Progress {
  if (most === 'quiet') return silent;
  const { stream, environment, now } = screen;
  const isOneLine = isRewritable(screen);
  const startedAt = now();
  let requests = 0;
  let countdown: NodeJS.Timeout | undefined;
  const rewrite = (text: string): void => {
    // The last column is left free: some terminals begin a new line with it.
    if (isOneLine) stream.write(`\r\x1b[2K${cutToWidth(text, columnsOf(stream, environment) - 1)}`);
  };
  const show = (waiting: readonly string[], what: string): void => {
    const count = requests === 0 ? [] : [`${requests}/${most} ${counted}`];
    const parts = [...count, ...waiting, ...timeLeft(requests, most, now() - startedAt)];
    rewrite(`${parts.join(', ')}: ${what}`);
  };
  const stopCounting = (): void => {
    clearInterval(countdown);
    countdown = undefined;
  };
  return {
    count(title) {
      stopCounting();
      requests += 1;
      show([], title);
    },
    wait(ms, why) {
      stopCounting();
      const endsAt = now() + ms;
      const tick = (): void => show([`waiting ${inWords(Math.max(0, endsAt - now()))}`], why);
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
