/** How long the answers of a target ask to wait. */

import type { Exchange } from './exchange.ts';
import { readInteger, readRetryAfter, timeUntil } from './read-response.ts';
import { dayMs, minuteMs, roundedDownMs } from './tolerances.ts';

/** Requests left in the window by an answer; undefined where its headers do not tell. */
export function remainingOf({ response }: Exchange): number | undefined {
  if (response === undefined) return undefined;
  const [limit, remaining] = ['x-ratelimit-limit', 'x-ratelimit-remaining'].map((name) => readInteger(response, name));
  // A limit of nothing would allow no request at all, and one was answered.
  return typeof remaining === 'number' && limit !== 0 ? remaining : undefined;
}

/** Milliseconds from an answer to the reset that it tells, or undefined where that is none to wait for. */
export function untilReset(exchange: Exchange): number | undefined {
  const { response } = exchange;
  const reset = response === undefined ? 'missing' : readInteger(response, 'x-ratelimit-reset');
  if (response === undefined || typeof reset !== 'number') return undefined;
  const wait = timeUntil(reset * 1000, response, exchange.endedAt);
  // A Reset in the past or more than a day ahead is no timestamp to wait for.
  return wait <= 0 || wait > dayMs + roundedDownMs ? undefined : wait + roundedDownMs;
}

/** Milliseconds that a 429 asks to wait: Retry-After, else the reset, else a minute. */
export function waitAfterRefusal(exchange: Exchange): number {
  const { response } = exchange;
  if (response === undefined) return 0;
  return readRetryAfter(response, exchange.endedAt) ?? untilReset(exchange) ?? minuteMs;
}
