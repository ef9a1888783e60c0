/** §8 Judges X-RateLimit-Reset over time: it does not go back, comes when it says, and gives something back. */

import { happenedBefore } from '../../http/exchange.ts';
import {
  gatewayDateMs,
  instanceClocksMs,
  leastEarlyResetMs,
  longestMinuteMs,
  minuteMs,
  roundingMs,
} from '../../http/tolerances.ts';
import { type Finding, fails } from '../../verdict/finding.ts';
import type { History } from '../../verdict/history.ts';
import { areOneRestart, elapsedMs, fewestEqualReadings, type Pair, pairsOf } from './pairs.ts';
import { type RateLimitReading, untilResetOf } from './readings.ts';

/** The readings of one key by one clock, in the order in which its requests were sent. */
export interface KeyReadings {
  /** Whether the Date of all answers to the key shows this clock. */
  readonly isOnlyClock: boolean;
  readonly all: readonly RateLimitReading[];
  /** Those of requests that were carried out. */
  readonly served: readonly RateLimitReading[];
}

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
function judgePassedResets({ all: readings }: KeyReadings): readonly Finding[] {
  let start = 0;
  for (const [at, later] of readings.entries()) {
    if (at > 0 && !goesOnFalling(readings[at - 1]!, later)) start = at;
    const first = readings[start]!;
    const hasPassed = later.at - first.resetsAt >= roundingMs && later.resetsAt - first.resetsAt >= roundingMs;
    // Meanwhile a bucket whose Reset is when the next request may be sent has gained one.
    const hasFilled = elapsedMs(first, later) > minuteMs / first.limit + roundingMs;
    if (at - start + 1 < fewestEqualReadings || !hasPassed || !hasFilled || first.aheadMs > roundingMs) continue;
    const facts = {
      expected: `the limit to reset at ${first.resetsAt / 1000} as X-RateLimit-Reset said`,
      received: `${later.remaining} left after ${first.remaining}, falling with each request until ${later.resetsAt / 1000}`,
    };
    return [fails('rate-reset-header', 'resets-nothing', facts, first.exchange, later.exchange)];
  }
  return [];
}

/** More instances than this whose clocks differ are no accident any more. */
const mostInstances = 3;

/**
 * Whether a few instances with clocks of their own explain the jumps, behind a gateway that writes its own Date: so many
 * sequences in which no Reset goes back hold all readings.
 */
function areBetweenInstances(served: readonly RateLimitReading[], jumps: readonly Pair[]): boolean {
  /** The latest Reset of each sequence, in descending order. */
  const latest: number[] = [];
  for (const { resetsAt } of served) {
    const at = latest.findIndex((reset) => resetsAt >= reset - instanceClocksMs);
    latest[at === -1 ? latest.length : at] = resetsAt;
  }
  const isNear = jumps.every(([earlier, later]) => earlier.resetsAt - later.resetsAt <= gatewayDateMs);
  return isNear && latest.length <= mostInstances;
}

/** A reset that has not come stays or moves to a later time, for every kind of window and bucket. */
function judgeJumps({ served, isOnlyClock }: KeyReadings): readonly Finding[] {
  const jumps = pairsOf(served).filter(
    ([earlier, later]) =>
      later.limit === earlier.limit &&
      later.resetsAt < earlier.resetsAt - instanceClocksMs &&
      untilResetOf(earlier, later) > instanceClocksMs,
  );
  const [first] = jumps;
  if (first === undefined || jumps.length < 2 || (isOnlyClock && areBetweenInstances(served, jumps))) return [];
  const [earlier, later] = first;
  const facts = {
    expected: `X-RateLimit-Reset to stay at ${earlier.resetsAt / 1000} or to move on`,
    received: `${later.resetsAt / 1000}, ${jumps.length} times`,
  };
  return [fails('rate-reset-header', 'jumps-back', facts, earlier.exchange, later.exchange)];
}

/**
 * Fails a limit that came back long before its announced reset: more remains than a refill by then, other clients' use
 * before the run, and the first reading of the run explain. A restart may open a new window of a minute once.
 */
function judgeEarlyReset(history: History, { served }: KeyReadings): readonly Finding[] {
  const [start] = served;
  if (start === undefined) return [];
  const untilReset = ([earlier, later]: Pair): number => untilResetOf(earlier, later) - elapsedMs(start, earlier);
  const early = pairsOf(served).filter(([earlier, later]) => {
    // Without a Date header the clock of the target may be hours ahead.
    const isTimed = earlier.exchange.response.headers['date'] !== undefined;
    if (!isTimed || earlier.limit !== later.limit || earlier.resetsAt === later.resetsAt) return false;
    // By the Date of a gateway the reset may seem farther ahead than it is: a bucket of a minute refills at least so fast.
    const ofBucket = earlier.aheadMs <= longestMinuteMs ? earlier.limit / minuteMs : 0;
    const perMs = Math.max((earlier.limit - earlier.remaining) / (earlier.aheadMs || 1), ofBucket);
    const explained = Math.ceil(elapsedMs(earlier, later) * perMs) + (start.limit - start.remaining) + 1;
    return untilReset([earlier, later]) >= leastEarlyResetMs && later.remaining > earlier.remaining + explained;
  });
  const [first] = early;
  const isMinute = early.every(([{ aheadMs }]) => aheadMs <= longestMinuteMs);
  if (first === undefined || (isMinute && areOneRestart(history, early))) return [];
  const [earlier, later] = first;
  const facts = {
    expected: `the limit to reset at ${earlier.resetsAt / 1000} as X-RateLimit-Reset said`,
    received: `${later.remaining} left after ${earlier.remaining} ${Math.round(untilReset(first) / 1000)} s before`,
  };
  return [fails('rate-reset-header', 'resets-earlier', facts, earlier.exchange, later.exchange)];
}

export function judgeResets(history: History, readings: KeyReadings): readonly Finding[] {
  return [...judgeJumps(readings), ...judgeEarlyReset(history, readings), ...judgePassedResets(readings)];
}
