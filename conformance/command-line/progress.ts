/** What a person sees on standard error while a run goes on. */

/** One line that is rewritten where a person watches, and plain lines for waits where nobody does. */
export interface Progress {
  readonly show: (text: string) => void;
  /** Counts a wait down, second by second. */
  readonly wait: (ms: number, why: string) => void;
  readonly end: () => void;
}

export function createProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  let countdown: NodeJS.Timeout | undefined;
  const rewrite = (text: string): void => {
    if (stream.isTTY) stream.write(`\r\x1b[2K${text}`);
  };
  const stopCounting = (): void => {
    clearInterval(countdown);
    countdown = undefined;
  };
  return {
    show(text) {
      stopCounting();
      rewrite(text);
    },
    wait(ms, why) {
      stopCounting();
      let seconds = Math.ceil(ms / 1000);
      const tick = (): void => rewrite(`waiting ${seconds} s: ${why}`);
      if (!stream.isTTY) stream.write(`Waiting ${seconds} s: ${why}.\n`);
      tick();
      countdown = setInterval(() => {
        seconds = Math.max(0, seconds - 1);
        tick();
      }, 1_000);
      countdown.unref();
    },
    end() {
      stopCounting();
      rewrite('');
    },
  };
}

/** Ends when the user interrupts, or when the deadline has passed; the reason is for a person. */
export function createStop(deadlineMs: number, interruption: AbortSignal): AbortSignal {
  const deadline = AbortSignal.timeout(deadlineMs);
  const stop = new AbortController();
  deadline.addEventListener('abort', () => stop.abort(`The deadline of ${deadlineMs / 1000} s has passed.`));
  interruption.addEventListener('abort', () => stop.abort('The run was interrupted.'));
  if (interruption.aborted) stop.abort('The run was interrupted.');
  return stop.signal;
}
