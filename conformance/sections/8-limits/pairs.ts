/** Pairs of rate-limit readings of one key, for checks of how the headers change. */

import { happenedBefore } from '../../http/exchange.ts';
import type { History } from '../../verdict/history.ts';
import { isServed, type RateLimitReading } from './readings.ts';

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

/** The last reading before a position whose answer arrived before the request at that position was sent. */
function lastBefore(readings: readonly RateLimitReading[], at: number): RateLimitReading | undefined {
  const { exchange } = readings[at]!;
  for (let before = at - 1; before >= 0; before -= 1) {
    if (happenedBefore(readings[before]!.exchange, exchange)) return readings[before];
  }
  return undefined;
}

/** Each reading together with the last one that arrived before its request was sent. */
export function pairsOf(readings: readonly RateLimitReading[]): readonly Pair[] {
  return readings.flatMap((later, at): Pair[] => {
    const earlier = lastBefore(readings, at);
    return earlier === undefined ? [] : [[earlier, later]];
  });
}

/** A smaller rise is a wrong count rather than a restart. */
const fewestLost = 5;

/** Whether one restart of the service, which loses its counters, explains all rises: they start at the limit at one moment. */
export function areOneRestart({ exchanges }: Pick<History, 'exchanges'>, rises: readonly Pair[]): boolean {
  const lastBefore = Math.max(...rises.map(([{ exchange }]) => exchange.sent));
  const isFromLimit = rises.every(([{ exchange: before }, { exchange, limit, remaining }]) => {
    const failed = exchanges.filter(
      (one) =>
        one.credential.kind === exchange.credential.kind &&
        one.sent >= before.sent &&
        one.sent < exchange.answered &&
        !isServed(one),
    );
    return exchange.answered > lastBefore && remaining >= limit - rises.length - failed.length;
  });
  return isFromLimit && rises.some(([earlier, later]) => later.remaining - earlier.remaining >= fewestLost);
}
