/** What an answer says of the limit of its key (§8): the numbers of the X-RateLimit headers, and Retry-After. */

import { defined } from '../../spec/defined.ts';
import type { Exchange } from '../http/exchange.ts';
import { memoize } from '../http/memoize.ts';
import { readInteger, readRetryAfter, timeUntil } from '../http/read-response.ts';
import { dayMs, roundedDownMs } from '../http/tolerances.ts';

/** A header that is missing or holds no integer says nothing. */
export interface LimitReading {
  readonly limit?: number;
  readonly remaining?: number;
  /** When the limit resets, by the clock of the target, Unix milliseconds. */
  readonly resetsAt?: number;
  /** From the answer to the reset, milliseconds. */
  readonly aheadMs?: number;
  /** The wait that Retry-After asks for, milliseconds. */
  readonly waitMs?: number;
}

export const readingOf: (exchange: Exchange) => LimitReading = memoize(({ response, endedAt }: Exchange) => {
  if (response === undefined) return {};
  const [limit, remaining, reset] = (['limit', 'remaining', 'reset'] as const).map((name) => {
    const value = readInteger(response, `x-ratelimit-${name}`);
    return typeof value === 'number' ? value : undefined;
  });
  const resetsAt = reset === undefined ? undefined : reset * 1000;
  const aheadMs = resetsAt === undefined ? undefined : timeUntil(resetsAt, response, endedAt);
  return defined({ limit, remaining, resetsAt, aheadMs, waitMs: readRetryAfter(response, endedAt) });
});

/** The requests left in the window; undefined if the headers do not say. */
export function remainingOf(exchange: Exchange): number | undefined {
  const { limit, remaining } = readingOf(exchange);
  // X-RateLimit-Limit: 0 would allow no request at all, and this one was answered: the headers are placeholders.
  return limit === 0 ? undefined : remaining;
}

/** Milliseconds from a response to its reset; undefined if there is no reset worth waiting for. */
export function untilReset(exchange: Exchange): number | undefined {
  const { aheadMs = 0 } = readingOf(exchange);
  // A reset in the past or more than a day ahead is not waited for.
  return aheadMs <= 0 || aheadMs > dayMs + roundedDownMs ? undefined : aheadMs + roundedDownMs;
}

/** When a 429 is over, Unix milliseconds by our clock. */
export interface EndOfRefusal {
  /** By Retry-After, or else by the reset; undefined where the 429 names neither. */
  readonly stated: number | undefined;
  /** By the later of both. */
  readonly latest: number;
}

export function endOfRefusal(exchange: Exchange): EndOfRefusal {
  const { waitMs, aheadMs = 0 } = readingOf(exchange);
  const statedMs = waitMs ?? untilReset(exchange);
  return {
    stated: statedMs === undefined ? undefined : exchange.endedAt + statedMs,
    latest: exchange.endedAt + Math.max(waitMs ?? 0, aheadMs),
  };
}
