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
