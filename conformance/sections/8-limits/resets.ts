/** §8 Judges X-RateLimit-Reset over time: it does not go back, comes when it says, and gives something back. */

import { happenedBefore } from '../../http/exchange.ts';
import {
  dayMs,
  gatewayDateMs,
  instanceClocksMs,
  longestMinuteMs,
  minuteMs,
  roundingMs,
} from '../../http/tolerances.ts';
import { type Finding, fails } from '../../verdict/finding.ts';
import { chainOf, elapsedMs } from './ledger.ts';
import { type RateLimitReading, untilResetOf } from './readings.ts';

type Pair = readonly [earlier: RateLimitReading, later: RateLimitReading];

/** So many equal readings in a row are no coincidence of requests and refill. */
const fewestEqualReadings = 10;

function pairsOf(readings: readonly RateLimitReading[]): readonly Pair[] {
  const chain = chainOf(readings);
  return chain.slice(1).map((later, at) => [chain[at]!, later]);
}

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

/** One change to another limit and back may be a change of the plan, or of the window that the header describes. */
const mostReturns = 1;

/** So many different numbers show that a header repeats the other. */
const fewestNumbers = 4;

/** Fails a limit that is always what remains, and falls with it. */
function judgeRepeated(served: readonly RateLimitReading[]): readonly Finding[] {
  const numbers = [...new Set(served.map(({ limit }) => limit))];
  if (numbers.length < fewestNumbers || served.some(({ limit, remaining }) => limit !== remaining)) return [];
  const shown = served.filter(({ limit }, at) => at === 0 || limit !== served[at - 1]!.limit).slice(0, fewestNumbers);
  const facts = {
    expected: `X-RateLimit-Limit to stay while X-RateLimit-Remaining falls`,
    received: `the same number in both, from ${numbers[0]} to ${numbers.at(-1)}`,
  };
  return [fails('rate-limit-header', 'repeats-remaining', facts, ...shown.map(({ exchange }) => exchange))];
}

function judgeLimit(served: readonly RateLimitReading[]): readonly Finding[] {
  const repeated = judgeRepeated(served);
  if (repeated.length > 0) return repeated;
  // At midnight the windows of a minute and of a day reset together, and headers may describe either.
  const known = served.filter(({ resetsAt, aheadMs }) => resetsAt % dayMs !== 0 || aheadMs > longestMinuteMs);
  const parts = Map.groupBy(known, ({ resetsAt, exchange }) => `${resetsAt} ${exchange.operation}`).values();
  return [...parts].flatMap((part) => {
    const changes = part.slice(1).flatMap((later, at) => (later.limit === part[at]!.limit ? [] : [[part[at]!, later]]));
    const [first] = changes;
    // A limit that grows or shrinks with the load returns to no earlier number.
    const returns = changes.length + 1 - new Set(part.map(({ limit }) => limit)).size;
    if (first === undefined || returns <= mostReturns) return [];
    const limits = first.map(({ limit }) => limit).join(' and ');
    const facts = { expected: `one X-RateLimit-Limit before one reset`, received: `${limits} alternately` };
    return [fails('rate-limit-header', 'alternates', facts, ...first.map(({ exchange }) => exchange))];
  });
}

export function judgeResets(readings: KeyReadings): readonly Finding[] {
  return [...judgeLimit(readings.served), ...judgeJumps(readings), ...judgePassedResets(readings)];
}
