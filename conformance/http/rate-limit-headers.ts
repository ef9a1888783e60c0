/** Reads from rate-limit headers how many requests are left and how long to wait. */

import type { Exchange } from './exchange.ts';
import { readInteger, readRetryAfter, timeUntil } from './read-response.ts';
import { dayMs, roundedDownMs } from './tolerances.ts';

/** The requests left in the window; undefined if the headers do not say. */
export function remainingOf({ response }: Exchange): number | undefined {
  if (response === undefined) return undefined;
  const [limit, remaining] = ['x-ratelimit-limit', 'x-ratelimit-remaining'].map((name) => readInteger(response, name));
  // X-RateLimit-Limit: 0 would allow no request at all, and this one was answered: the headers are placeholders.
  return typeof remaining === 'number' && limit !== 0 ? remaining : undefined;
}

/** Milliseconds from a response to its reset; undefined if there is no reset worth waiting for. */
export function untilReset(exchange: Exchange): number | undefined {
  const { response } = exchange;
  const reset = response === undefined ? 'missing' : readInteger(response, 'x-ratelimit-reset');
  if (response === undefined || typeof reset !== 'number') return undefined;
  const wait = timeUntil(reset * 1000, response, exchange.endedAt);
  // A reset in the past or more than a day ahead is not waited for.
  return wait <= 0 || wait > dayMs + roundedDownMs ? undefined : wait + roundedDownMs;
}

/** Milliseconds to wait after a 429, by its Retry-After or else its reset; undefined if it says neither. */
export function announcedWait(exchange: Exchange): number | undefined {
  const { response } = exchange;
  if (response === undefined) return undefined;
  return readRetryAfter(response, exchange.endedAt) ?? untilReset(exchange);
}
