/** §8 Judges Remaining over requests in quick succession, where no window can hide that a counter starts anew. */

import { happenedBefore } from '../../http/exchange.ts';
import { minuteMs, roundingMs, secondMs, slidingWindowAgeMs } from '../../http/tolerances.ts';
import { type Finding, fails } from '../../verdict/finding.ts';
import { elapsedMs, fewestEqualReadings, type Pair } from './pairs.ts';
import { type RateLimitReading, untilResetOf } from './readings.ts';

const givenBack = ([earlier, later]: Pair): number => Math.max(0, later.remaining - earlier.remaining + 1);

const hasSameLimit = ([earlier, later]: Pair): boolean => earlier.limit === later.limit;

/** Leaves out pairs that overlap others, as those of concurrent requests do: all of them would show one return. */
function withoutOverlaps(pairs: readonly Pair[]): readonly Pair[] {
  let last: RateLimitReading | undefined;
  return pairs.filter(([earlier, later]) => {
    if (last !== undefined && earlier !== last && !happenedBefore(last.exchange, earlier.exchange)) return false;
    last = later;
    return true;
  });
}

/** Requests in quick succession and within one window; `windowMs` tells its length by the limit. */
function burstsIn(pairs: readonly Pair[], windowMs: (limit: number) => number): readonly (readonly Pair[])[] {
  const bursts: Pair[][] = [];
  for (const pair of withoutOverlaps(pairs).filter((one) => elapsedMs(...one) < secondMs && hasSameLimit(one))) {
    const [, later] = pair;
    const burst = bursts.at(-1) ?? [pair];
    const [[start], [, previous]] = [burst[0]!, burst.at(-1)!];
    const goesOn =
      start.limit === later.limit &&
      elapsedMs(previous, later) < secondMs &&
      elapsedMs(start, later) < windowMs(start.limit);
    if (goesOn) bursts.at(-1)?.push(pair);
    if (!goesOn || bursts.length === 0) bursts.push([pair]);
  }
  return bursts.filter(({ length }) => length >= fewestEqualReadings);
}

/**
 * Fails a counter that starts anew again and again, whatever its resets say. Within one window a limit gives back what a
 * bucket refills, what was used before, and everything once. A window is a minute where the limit is the plan's for a
 * minute, and no shorter than a second otherwise.
 */
export function judgeBursts(pairs: readonly Pair[], limitOfMinute: number | undefined): readonly Finding[] {
  const windowMs = (limit: number): number => (limit === limitOfMinute ? minuteMs : secondMs);
  for (const burst of burstsIn(pairs, windowMs)) {
    const [start, last] = [burst[0]![0], burst.at(-1)![1]];
    const { limit, remaining } = start;
    // `judgeRange` reports that more remains than the limit.
    if (remaining > limit) continue;
    const refilled = (ms: number): number => Math.ceil((ms * limit) / windowMs(limit));
    // One window may end within the burst, which gives everything back at once, and older requests may leave it.
    const isExplained = (returns: readonly number[], least: number): boolean =>
      returns.reduce((sum, one) => sum + one, 0) <= Math.max(...returns) + least + limit - remaining;
    const back = burst.map(givenBack);
    const sudden = burst.map((pair, at) => Math.max(0, back[at]! - 1 - refilled(elapsedMs(...pair))));
    if (isExplained(back, refilled(elapsedMs(start, last))) && isExplained(sudden, 0)) continue;
    const facts = {
      expected: `X-RateLimit-Remaining to fall with each of ${burst.length} requests in ${elapsedMs(start, last)} ms`,
      received: `${last.remaining} after ${remaining}`,
    };
    return [fails('rate-remaining-falls', 'stays', facts, start.exchange, last.exchange)];
  }
  return [];
}

/** So many requests with one price, in several places among others, are no coincidence with other clients. */
const fewestPriced = 5;
const fewestSwitches = 4;

/** What may have a price of its own: an operation, and a listing with a filter. */
function kindOf({ exchange: { operation, request } }: RateLimitReading): string {
  return request.target.includes('status=') ? `${operation} with status` : operation;
}

/**
 * Fails a kind of request that takes several each time, while those around it take one: Remaining counts requests. Other
 * clients use a key at any moment, whatever the run sends.
 */
export function judgePrices(pairs: readonly Pair[]): readonly Finding[] {
  const falls = pairs.flatMap((pair) => {
    const [earlier, later] = pair;
    const isNext = later.exchange.sent === earlier.exchange.answered + 1 && elapsedMs(earlier, later) < secondMs;
    const fall = earlier.remaining - later.remaining;
    return isNext && hasSameLimit(pair) && fall >= 0 ? [{ kind: kindOf(later), fall, pair }] : [];
  });
  const byKind = Map.groupBy(falls, ({ kind }) => kind);
  const isPlain = (kind: string): boolean => byKind.get(kind)!.every(({ fall }) => fall <= 1);
  for (const [kind, priced] of byKind) {
    const compared = falls.filter((one) => one.kind === kind || isPlain(one.kind));
    const switches = compared.slice(1).filter((one, at) => (one.kind === kind) !== (compared[at]!.kind === kind));
    const price = Math.max(...priced.map(({ fall }) => fall));
    const shown = priced.find(({ fall }) => fall === price)!;
    // A bucket may have refilled one meanwhile.
    const isPriced = priced.every(({ fall }) => fall > 1 && fall >= price - 1);
    if (!isPriced || priced.length < fewestPriced || switches.length < fewestSwitches) continue;
    const facts = {
      expected: `X-RateLimit-Remaining to fall by one with each ${kind}`,
      received: `${price} less with each of ${priced.length}`,
    };
    return [fails('rate-remaining-falls', 'counts-several', facts, ...shown.pair.map(({ exchange }) => exchange))];
  }
  return [];
}

/** A bucket may have refilled nearly a whole request when it says that none is left. */
const almostRefilled = 1;

/** Fails requests that are served although an answer said that none was left, long before its reset. */
export function judgeServedWithoutRest(served: readonly RateLimitReading[]): readonly Finding[] {
  for (const [at, empty] of served.entries()) {
    if (empty.remaining !== 0 || empty.limit === 0 || empty.aheadMs <= roundingMs) continue;
    const later = served
      .slice(at + 1)
      .filter((one) => happenedBefore(empty.exchange, one.exchange) && untilResetOf(empty, one) > roundingMs);
    const last = later.at(-1);
    if (last === undefined) continue;
    const fillMs = Math.min(minuteMs, empty.aheadMs - roundingMs) / empty.limit;
    // A sliding window gives back the requests of a minute ago: all that it counts but the run's recent ones.
    const recent = served.slice(0, at + 1).filter((one) => elapsedMs(one, last) < slidingWindowAgeMs).length;
    const dropped = empty.aheadMs >= slidingWindowAgeMs ? Math.max(0, empty.limit - recent) : 0;
    if (later.length <= almostRefilled + dropped + Math.floor(elapsedMs(empty, last) / fillMs)) continue;
    const facts = {
      expected: '429 after X-RateLimit-Remaining 0',
      received: `${later.length} answers before the reset`,
    };
    return [fails('rate-remaining-falls', 'served-without-rest', facts, empty.exchange, last.exchange)];
  }
  return [];
}
