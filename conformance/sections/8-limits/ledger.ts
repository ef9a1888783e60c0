/**
 * §8 One account for each key. A limit gives back by a flow (a bucket, a sliding window), at once at a reset, and at one
 * restart of the service; nothing else does. The requests that were carried out although nothing of this explains them are
 * the overdraft.
 */

import { happenedBefore } from '../../http/exchange.ts';
import {
  dayMs,
  gatewayDateMs,
  leastEarlyResetMs,
  longestMinuteMs,
  minuteMs,
  roundingMs,
  secondMs,
  slidingWindowAgeMs,
} from '../../http/tolerances.ts';
import { type Finding, fails, holds, isFailing } from '../../verdict/finding.ts';
import type { World } from '../../world/world.ts';
import type { Judge } from '../judge.ts';
import {
  byClock,
  isServed,
  judgedKeys,
  limitsOfPlan,
  type RateLimitReading,
  readingsOf,
  untilResetOf,
} from './readings.ts';
import { judgeResets } from './resets.ts';

export interface Step {
  readonly earlier: RateLimitReading;
  readonly later: RateLimitReading;
  /** What the limit has given back at least: other clients may have taken more. */
  readonly givenBack: number;
  /** What it may have given back by a flow. */
  readonly flow: number;
  /** Whether its reset may have come. */
  readonly mayReset: boolean;
  /** Whether no failed request just before may have been given back. */
  readonly isClean: boolean;
}

export const elapsedMs = (earlier: RateLimitReading, later: RateLimitReading): number =>
  later.exchange.endedAt - earlier.exchange.startedAt;

/** Readings of which each was asked for after the answer before. */
export function chainOf(readings: readonly RateLimitReading[]): readonly RateLimitReading[] {
  const chain: RateLimitReading[] = [];
  for (const reading of readings) {
    const last = chain.at(-1);
    if (last === undefined || happenedBefore(last.exchange, reading.exchange)) chain.push(reading);
  }
  return chain;
}

const hasNoDate = ({ exchange }: RateLimitReading): boolean => exchange.response.headers['date'] === undefined;

const windowOf = ({ limit, resetsAt }: RateLimitReading): string => `${limit} ${resetsAt}`;

export function stepsOf(chain: readonly RateLimitReading[], limitOfMinute: number | undefined): readonly Step[] {
  const windows = Map.groupBy(chain, windowOf);
  const staysLong = (reading: RateLimitReading): boolean => {
    const same = windows.get(windowOf(reading))!;
    const isTimed = reading.exchange.response.headers['date'] !== undefined;
    return isTimed && elapsedMs(same[0]!, same.at(-1)!) > roundingMs;
  };
  return chain.slice(1).flatMap((later, at): Step[] => {
    const earlier = chain[at]!;
    const { limit, remaining, aheadMs, resetsAt } = earlier;
    if (limit !== later.limit || remaining > limit || limit === 0) return [];
    const ms = elapsedMs(earlier, later);
    const mayReset = untilResetOf(earlier, later) <= roundingMs;
    const untilFull = (limit - remaining) / Math.max(1, aheadMs - roundingMs);
    const windowMs = limit === limitOfMinute ? minuteMs : secondMs;
    const isWindow = resetsAt === later.resetsAt && staysLong(earlier);
    const perMs = mayReset
      ? limit / windowMs
      : isWindow
        ? untilFull
        : Math.max(untilFull, limit / Math.max(minuteMs, aheadMs - roundingMs));
    // A sliding window whose reset is a whole window ahead may drop anything that is a minute old.
    const isOld = elapsedMs(chain[0]!, later) > slidingWindowAgeMs && !isWindow && later.aheadMs <= longestMinuteMs;
    const isUnknown = hasNoDate(earlier) && resetsAt !== later.resetsAt;
    const before = chain.slice(Math.max(0, at - 3), at + 1);
    return [
      {
        earlier,
        later,
        givenBack: later.remaining - remaining + (isServed(later.exchange) ? 1 : 0),
        flow: isOld || isUnknown ? Number.POSITIVE_INFINITY : ms * perMs,
        mayReset,
        isClean: [...before, later].every(({ exchange }) => isServed(exchange)),
      },
    ];
  });
}

interface Overdraft {
  readonly steps: readonly Step[];
  readonly sum: number;
}

/** The stretch of steps that gives back most beyond what a flow and resets explain; a window is no shorter than a second. */
export function largestOverdraft(steps: readonly Step[], restart?: Step): Overdraft {
  let best: Overdraft = { steps: [], sum: 0 };
  let [from, sum, lastReset] = [0, 0, Number.NEGATIVE_INFINITY];
  for (const [at, step] of steps.entries()) {
    const beyond = step.givenBack - step.flow;
    const { startedAt } = step.earlier.exchange;
    const isReset = step.mayReset && beyond > 0 && startedAt - lastReset >= secondMs;
    if (isReset) lastReset = startedAt;
    if (isReset || step === restart || step.flow === Number.POSITIVE_INFINITY) continue;
    if (sum <= 0) [from, sum] = [at, 0];
    sum += beyond;
    if (sum > best.sum) best = { steps: steps.slice(from, at + 1), sum };
  }
  return best;
}

/** A fraction of a request, and one failed request that is given back late. */
const slack = 1.5;
const fewestLost = 5;
/** So many requests may have been answered since a restart before one shows it. */
const mostSinceRestart = 4;

function restartIn({ steps }: Overdraft): Step | undefined {
  return steps.find(
    ({ givenBack, earlier, later }) =>
      givenBack >= fewestLost &&
      later.remaining >= later.limit - mostSinceRestart &&
      (later.resetsAt <= earlier.resetsAt || earlier.aheadMs <= longestMinuteMs),
  );
}

function failureOf({ steps }: Overdraft, isWhole: boolean): Finding {
  const [first, last] = [steps[0]!, steps.at(-1)!];
  const rise = steps.reduce((one, other) => (other.givenBack > one.givenBack ? other : one));
  const [from, to] = [first.earlier, last.later];
  const n = steps.length;
  if (rise.later.remaining > rise.earlier.remaining) {
    const { earlier, later } = rise;
    const isEarly = later.resetsAt > earlier.resetsAt && untilResetOf(earlier, later) >= leastEarlyResetMs;
    const facts = {
      expected: `X-RateLimit-Remaining not to rise before the reset at ${earlier.resetsAt / 1000}`,
      received: `${later.remaining} after ${earlier.remaining}`,
    };
    return isEarly
      ? fails('rate-reset-header', 'resets-earlier', facts, earlier.exchange, later.exchange)
      : fails('rate-remaining-falls', 'rises', facts, earlier.exchange, later.exchange);
  }
  const code = from.remaining === 0 ? 'served-without-rest' : isWhole ? 'never-falls' : 'stays';
  const facts = {
    expected: `X-RateLimit-Remaining to fall with each of ${n} requests`,
    received: `${to.remaining} after ${from.remaining}`,
  };
  return fails('rate-remaining-falls', code, facts, from.exchange, to.exchange);
}

const fewestUncounted = 3;

function judgeLedger(readings: readonly RateLimitReading[], limitOfMinute: number | undefined): readonly Finding[] {
  const chain = chainOf(readings);
  const steps = stepsOf(chain, limitOfMinute);
  const fallen = steps.filter(({ earlier, later }) => later.remaining < earlier.remaining);
  const evidence = fallen.map(({ later }) => holds('rate-remaining-falls', later.exchange));
  const [first] = chain;
  const isSliding = steps.some(
    ({ earlier, later }) => later.resetsAt !== earlier.resetsAt && later.aheadMs >= slidingWindowAgeMs,
  );
  const dropped = first !== undefined && isSliding ? Math.max(0, first.limit - first.remaining - 1) : 0;
  const all = largestOverdraft(steps);
  const restart = restartIn(all);
  const worst = restart === undefined ? all : largestOverdraft(steps, restart);
  if (worst.sum > slack + dropped) return [...evidence, failureOf(worst, fallen.length === 0)];
  for (const [operation, own] of Map.groupBy(
    steps.filter(({ isClean, mayReset }) => isClean && !mayReset),
    (step) => step.later.exchange.operation,
  )) {
    const sum = own.reduce((total, { givenBack, flow }) => total + givenBack - flow, 0);
    const [one] = own;
    if (
      one === undefined ||
      dropped > 0 ||
      own.length < fewestUncounted ||
      !own.every(({ givenBack }) => givenBack >= 1) ||
      sum <= own.length - 1
    )
      continue;
    const facts = {
      expected: `X-RateLimit-Remaining to fall with each ${operation}`,
      received: `${one.later.remaining} again`,
    };
    return [...evidence, fails('rate-remaining-falls', 'not-counted', facts, one.earlier.exchange, one.later.exchange)];
  }
  return evidence;
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
function judgePrices(steps: readonly Step[]): readonly Finding[] {
  const falls = steps.flatMap((pair) => {
    const { earlier, later } = pair;
    const isNext = later.exchange.sent === earlier.exchange.answered + 1 && elapsedMs(earlier, later) < secondMs;
    const fall = earlier.remaining - later.remaining;
    return isNext && pair.isClean && fall >= 0 ? [{ kind: kindOf(later), fall, pair }] : [];
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
    return [
      fails('rate-remaining-falls', 'counts-several', facts, shown.pair.earlier.exchange, shown.pair.later.exchange),
    ];
  }
  return [];
}

/** Errors that the operation itself gives. Others may come from a layer that does not count requests. */
const judgedErrors: readonly number[] = [400, 404];

/** The readings of a key, by the clocks that its answers show. */
function readingsByClock(world: World, kind: (typeof judgedKeys)[number]): readonly (readonly RateLimitReading[])[] {
  return byClock(
    readingsOf(world, kind).filter(
      // A reset that lies beyond a day fails for that alone: no window ends there.
      ({ exchange, aheadMs }) =>
        aheadMs <= dayMs + gatewayDateMs && (isServed(exchange) || judgedErrors.includes(exchange.response.status)),
    ),
  );
}

const judgeEach = (
  world: World,
  judge: (
    readings: readonly RateLimitReading[],
    limitOfMinute: number | undefined,
    isOnlyClock: boolean,
  ) => readonly Finding[],
): readonly Finding[] =>
  judgedKeys.flatMap((kind) => {
    const clocks = readingsByClock(world, kind);
    const perMinute = limitsOfPlan(world.settings, kind)?.perMinute;
    return clocks.flatMap((readings) => judge(readings, perMinute, clocks.length === 1));
  });

export const ledgerJudges: readonly Judge[] = [
  {
    id: 'remaining-falls',
    verifies: ['rate-remaining-falls', 'rate-reset-header'],
    title: 'X-RateLimit-Remaining falls with each request and rises only at a reset',
    scope: 'record',
    judge: (world) =>
      judgeEach(world, (readings, perMinute) => {
        const findings = judgeLedger(readings, perMinute);
        return findings.some(isFailing)
          ? findings
          : [...findings, ...judgePrices(stepsOf(chainOf(readings), perMinute))];
      }),
  },
  {
    id: 'reset-is-true',
    verifies: ['rate-limit-header', 'rate-reset-header'],
    title: 'Until it resets, a limit has one value and one reset, which may move on with a sliding window or a bucket',
    scope: 'record',
    judge: (world) =>
      judgeEach(world, (all, _perMinute, isOnlyClock) =>
        judgeResets({ isOnlyClock, all, served: all.filter(({ exchange }) => isServed(exchange)) }),
      ),
  },
];
