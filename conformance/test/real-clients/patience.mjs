/** Waits as §8 asks, for clients on any HTTP stack of JavaScript. */

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

/** How long a 429 asks a client to wait, milliseconds. */
export function askedWaitMs(retryAfter) {
  return /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Math.max(0, Date.parse(retryAfter) - Date.now());
}

/** Sends until the answer is no 429: waits for Retry-After and longer each time, and for the reset if no request remains. */
export async function sendPatiently(send) {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await send();
    if (answer.status !== 429) {
      const reset = Number(answer.header('x-ratelimit-reset')) * 1000;
      if (answer.header('x-ratelimit-remaining') === '0') await sleep(reset - Date.now());
      return answer;
    }
    if (attempt === 5) throw new Error('429');
    await sleep(askedWaitMs(answer.header('retry-after') ?? '1') + 150 * 2 ** attempt);
  }
}

export function check(isMet, expectation) {
  if (!isMet) throw new Error(`expected ${expectation}`);
}
