/** Pairs of rate-limit readings of one key, for checks of how the headers change. */

import type { RateLimitReading } from './readings.ts';

export type Pair = readonly [earlier: RateLimitReading, later: RateLimitReading];

/** From the start of the earlier exchange to the end of the later one, milliseconds. */
export function elapsedMs(earlier: RateLimitReading, later: RateLimitReading): number {
  return later.exchange.endedAt - earlier.exchange.startedAt;
}

export function hasSameWindow(one: RateLimitReading, other: RateLimitReading): boolean {
  return one.resetsAt === other.resetsAt && one.limit === other.limit;
}

/** So many equal readings in a row are no coincidence of requests and refill. */
export const fewestEqualReadings = 10;
