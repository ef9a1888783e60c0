/** How long to wait before the next request, so that no 429 is of our own doing. */

import type { Exchange } from './exchange.ts';
import { dateOf, readInteger, readRetryAfter } from './response.ts';

const dayMs = 86_400_000;
/** Reset has whole seconds, and so has Date: what is rounded down twice may lie this much behind. */
const roundingMs = 1_000;

/** Milliseconds until the window of an exchange resets, if its headers say that nothing is left; 0 otherwise. */
export function waitForReset(exchange: Exchange): number {
  const { response } = exchange;
  if (response === undefined || readInteger(response, 'x-ratelimit-remaining') !== 0) return 0;
  const reset = readInteger(response, 'x-ratelimit-reset');
  if (typeof reset !== 'number') return 0;
  const wait = reset * 1000 - dateOf(response, exchange.endedAt);
  // A Reset in the past or more than a day ahead is no timestamp to wait for.
  return wait <= 0 || wait > dayMs + roundingMs ? 0 : wait + roundingMs;
}

/** Milliseconds that a 429 asks to wait: Retry-After, else the reset, else a minute. */
export function waitAfterRefusal(exchange: Exchange): number {
  const { response } = exchange;
  if (response === undefined) return 0;
  return readRetryAfter(response, exchange.endedAt) ?? (waitForReset(exchange) || 60_000);
}
