/** §8 Judges a Reset that is always as near as the answer itself: a limit that resets gives something back. */

import { happenedBefore } from '../../http/exchange.ts';
import { minuteMs, roundingMs } from '../../http/tolerances.ts';
import { type Finding, fails } from '../../verdict/finding.ts';
import { elapsedMs, fewestEqualReadings } from './pairs.ts';
import type { RateLimitReading } from './readings.ts';

/**
 * Whether Remaining falls by the one request from an answer to the next, and its Reset has come or is about to come. More
 * than one may be the requests of others, which hide what the limit gives back.
 */
function goesOnFalling(earlier: RateLimitReading, later: RateLimitReading): boolean {
  return (
    earlier.limit === later.limit &&
    later.remaining === earlier.remaining - 1 &&
    later.aheadMs <= roundingMs &&
    later.exchange.response.headers['date'] !== undefined &&
    happenedBefore(earlier.exchange, later.exchange)
  );
}

/**
 * Fails a Reset that moves on while Remaining falls with every request. A window that ends, a request that leaves a sliding
 * log, and a bucket that gains a request each hold Remaining up at least once; a sliding estimate has a Reset far ahead.
 */
export function judgePassedResets(readings: readonly RateLimitReading[]): readonly Finding[] {
  let start = 0;
  for (const [at, later] of readings.entries()) {
    if (at > 0 && !goesOnFalling(readings[at - 1]!, later)) start = at;
    const first = readings[start]!;
    const hasPassed = later.at - first.resetsAt >= roundingMs && later.resetsAt - first.resetsAt >= roundingMs;
    // Meanwhile a bucket whose Reset is when the next request may be sent has gained one.
    const hasFilled = elapsedMs(first, later) > minuteMs / first.limit + roundingMs;
    if (at - start + 1 < fewestEqualReadings || !hasPassed || !hasFilled || first.aheadMs > roundingMs) continue;
    const message = `expected the limit to reset at ${first.resetsAt / 1000} as X-RateLimit-Reset said, received ${later.remaining} left after ${first.remaining}, falling with each request until ${later.resetsAt / 1000}`;
    return [fails('rate-reset-header', 'resets-nothing', message, first.exchange, later.exchange)];
  }
  return [];
}
