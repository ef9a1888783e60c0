/** §8 The exhaustion: how a run used up the key that the user provides for this, and what the key was answered from then on. */

import { rateLimitKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { minuteMs } from '../../http/tolerances.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import { type Answered, isRefused } from '../../world/evidence.ts';
import { endOfRefusal, readingOf } from '../../world/readings.ts';
import { listPetsInTurn } from '../requests.ts';
import { steadyFalls } from './falls.ts';
import { isServed, judgedKeys, limitReadingOf, type RateLimitReading, type WithExchanges } from './readings.ts';

/** All requests that were sent with the key. */
export function ofLimitKey({ exchanges }: WithExchanges): readonly Exchange[] {
  return exchanges.filter(({ credential }) => credential.kind === 'rate-limit');
}

/** Listings with the key, one limit after another, since a cache could answer equal requests. */
export const listWith = (session: WithExchanges, key: string) => (): PlannedRequest => {
  return { ...listPetsInTurn(ofLimitKey(session).length), credential: rateLimitKey(key) };
};

/** The reading of a served request with the key; `at` is the number of requests with the key that were sent before. */
interface Numbered {
  readonly at: number;
  readonly reading: RateLimitReading;
}

export interface Exhaustion {
  /** The readings of the requests that were served before the first 429, and the last of them. */
  readonly readings: readonly RateLimitReading[];
  readonly last: RateLimitReading | undefined;
  /** When the first request with the key was sent, Unix milliseconds. */
  readonly startedAt: number;
  /** How many requests with the key were sent before the first 429. */
  readonly sent: number;
  /** How many requests Remaining said were left when the first 429 came. Errors after the last reading may have counted. */
  readonly left: number;
  /** The first 429. */
  readonly refusal: Answered;
  /** All 429s, the first one included. */
  readonly refusals: readonly Answered[];
  /** All requests after the first 429. */
  readonly later: readonly Exchange[];
  /** Whether other clients use the key, as any answer shows: they may use it at any moment. */
  readonly isShared: boolean;
  /** The most that a request takes of the limit; 1 unless Remaining falls steadily by more. */
  readonly cost: number;
}

function numberedReadings(ofKey: readonly Exchange[]): readonly Numbered[] {
  return ofKey.flatMap((exchange, at) => {
    const reading = isServed(exchange) ? limitReadingOf(exchange) : undefined;
    return reading === undefined ? [] : [{ at, reading }];
  });
}

/** Whether Remaining fell by more than the requests of the run took since the reading before, or since the limit was full. */
function fellFurther(readings: readonly Numbered[], cost: number): boolean {
  return readings.some(({ at, reading: { limit, remaining } }, index) => {
    const earlier = readings[index - 1];
    const fall = (earlier?.reading.remaining ?? limit) - remaining;
    const sent = at - (earlier?.at ?? -1);
    return fall > sent * cost;
  });
}

/** The one exhaustion that a run brings about; none where the key was never refused after it was served. */
export const exhaustionIn = memoize((record: WithExchanges): readonly Exhaustion[] => {
  const ofKey = ofLimitKey(record);
  const firstServed = ofKey.findIndex(isServed);
  if (firstServed < 0) return [];
  const refusedAt = ofKey.findIndex((exchange, at) => at > firstServed && isRefused(exchange));
  const refusal = ofKey[refusedAt];
  if (refusal === undefined || !isRefused(refusal)) return [];
  const readings = numberedReadings(ofKey);
  const before = readings.filter(({ at }) => at < refusedAt);
  const last = before.at(-1);
  // A service counts alike for all keys, and the other key may have shown more.
  const cost = Math.max(1, ...judgedKeys.flatMap((key) => steadyFalls(record, key)).map(({ by }) => by));
  const sentSince = last === undefined ? 0 : refusedAt - last.at - 1;
  const later = ofKey.slice(refusedAt + 1);
  return [
    {
      readings: before.map(({ reading }) => reading),
      last: last?.reading,
      startedAt: ofKey[0]!.startedAt,
      sent: refusedAt,
      left: last === undefined ? 0 : last.reading.remaining - sentSince * cost,
      refusal,
      refusals: [refusal, ...later.filter(isRefused)],
      later,
      isShared: firstServed > 0 || fellFurther(readings, cost),
      cost,
    },
  ];
});

/** How far ahead the reset lies at a 429, milliseconds: by its own headers, or else by those of the last answer before. */
export function resetAheadOf(refusal: Exchange, last: RateLimitReading): number {
  return readingOf(refusal).aheadMs ?? last.aheadMs - (refusal.endedAt - last.exchange.endedAt);
}

/** When both times of a 429 have passed, Retry-After and the reset; where no answer names a reset, a minute later. */
export function endOfExhaustion(refusal: Exchange, last: RateLimitReading | undefined): number {
  const aheadMs = last === undefined ? readingOf(refusal).aheadMs : resetAheadOf(refusal, last);
  return Math.max(endOfRefusal(refusal).latest, refusal.endedAt + (aheadMs ?? minuteMs));
}
