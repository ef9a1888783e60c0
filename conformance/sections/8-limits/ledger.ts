/**
 * §8 One account for each key. A limit gives back by a flow (a bucket, a sliding window), at once at a reset, and at one
 * restart of the service; nothing else does. Requests that were carried out although none of this explains them are the
 * overdraft.
 */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { statusOf } from '../../http/read-response.ts';
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
import type { History } from '../../verdict/history.ts';
import { waitOf } from './exceeded.ts';
import {
  answersOf,
  isServed,
  isTimed,
  judgedKeys,
  limitsOfPlan,
  mayBeCopy,
  type RateLimitReading,
  readingOf,
  untilResetOf,
} from './readings.ts';

type JudgedKey = (typeof judgedKeys)[number];

/** From one answer to the next. */
interface Step {
  readonly earlier: RateLimitReading;
  readonly later: RateLimitReading;
  /** How many requests the limit has given back at least. What others take hides none of it, nor does a late refund. */
  readonly givenBack: number;
  /** How many a bucket or a sliding window may have given back. */
  readonly flow: number;
  /** The same for the time in which the earlier request was carried out. */
  readonly flowBefore: number;
  /** Whether its reset may have come. */
  readonly mayReset: boolean;
  /** Whether one window is proven: it went from full to less than half, and its reset stayed. A bucket has fractions. */
  readonly isWindow: boolean;
  /** How many requests that others sent before the run a sliding window may drop at any moment. */
  readonly dropped: number;
  /** Requests that failed just before or meanwhile: a service may count each first, and give it back with the next. */
  readonly refundable: number;
  /** Whether nothing was left of the key that may be exhausted, so that only a 429 is right. */
  readonly isBeyond: boolean;
}

export interface Account {
  readonly kind: JudgedKey;
  /** Readings of which each was asked for after the answer before. */
  readonly chain: readonly RateLimitReading[];
  readonly steps: readonly Step[];
}

/** Errors that the operation itself gives. Others may come from a layer that does not count requests. */
const countedErrors: readonly number[] = [400, 404];
/** Those of a ban, which may follow a 429. */
const bans: readonly number[] = [401, 403];

function chainOf(history: History, kind: JudgedKey): readonly RateLimitReading[] {
  const answers = kind === 'rate-limit' ? history.exchanges : answersOf(history);
  const chain: RateLimitReading[] = [];
  let wasRefused = false;
  for (const exchange of answers.filter(({ credential }) => credential.kind === kind)) {
    const [status = 0, reading, last] = [statusOf(exchange), readingOf(exchange), chain.at(-1)];
    wasRefused ||= status === 429;
    const isCounted = isServed(exchange) || countedErrors.includes(status);
    const isOfLimit = kind === 'rate-limit' && status !== 429 && !(wasRefused && bans.includes(status));
    const isNext = last === undefined || happenedBefore(last.exchange, exchange);
    // A reset beyond a day fails for that alone.
    const isJudged = (isCounted || isOfLimit) && isNext && !mayBeCopy(history, exchange);
    if (isJudged && reading !== undefined && reading.aheadMs <= dayMs + gatewayDateMs) chain.push(reading);
  }
  return chain;
}

export const elapsedMs = (earlier: RateLimitReading, later: RateLimitReading): number =>
  later.exchange.endedAt - earlier.exchange.startedAt;

const isFull = ({ limit, remaining }: RateLimitReading): boolean => remaining >= limit - 1;

const windowOf = ({ limit, resetsAt }: RateLimitReading): string => `${limit} ${resetsAt}`;

/** So many readings that never fall are no coincidence with what comes back. */
const fewestConstant = 10;
/** The events of one request: it is sent, and answered. */
const recentEvents = 2;

function stepsOf(history: History, kind: JudgedKey, chain: readonly RateLimitReading[]): readonly Step[] {
  const perMinute = limitsOfPlan(history, kind)?.[0];
  const ofKey = history.exchanges.filter(({ credential }) => credential.kind === kind || credential.kind === 'lenient');
  const refusals = ofKey.filter((one) => statusOf(one) === 429);
  const failed = ofKey.filter((one) => !isServed(one) && statusOf(one) !== 429);
  const windows = Map.groupBy(chain, windowOf);
  let start = chain[0]!;
  return chain.slice(1).flatMap((later, at): readonly Step[] => {
    const earlier = chain[at]!;
    const { limit, remaining, aheadMs, exchange } = earlier;
    const { answered, startedAt, endedAt } = later.exchange;
    // What was used before a full limit, or before a rest of a minute, has left every window.
    const restMs = exchange.startedAt - (chain[at - 1] ?? earlier).exchange.endedAt;
    if (isFull(earlier) || (restMs > slidingWindowAgeMs && aheadMs <= longestMinuteMs)) start = earlier;
    if (limit !== later.limit || remaining > limit || limit === 0) return [];

    const same = windows.get(windowOf(earlier))!;
    const isLong = isTimed(earlier) && elapsedMs(same[0]!, same.at(-1)!) > roundingMs;
    const stays = earlier.resetsAt === later.resetsAt && isLong && aheadMs > gatewayDateMs;
    // Requests at one rate keep a sliding window level: as many leave it as come.
    const leaving = (elapsedMs(same[0]!, same.at(-1)!) * (limit - remaining)) / minuteMs;
    const isLevel = leaving > same.length / 2 && leaving < same.length * 2;
    const isEqual = same.length >= fewestConstant && same.every((one) => one.remaining === remaining);
    const isStuck = isLong && isEqual && !isLevel;
    const isOld = elapsedMs(start, later) > slidingWindowAgeMs && !stays && later.aheadMs <= longestMinuteMs;
    const isWindow = isFull(same[0]!) && remaining * 2 < limit && !isOld;

    const untilResetMs = untilResetOf(earlier, later);
    const isMoved = later.resetsAt > earlier.resetsAt + roundingMs;
    const mayReset =
      untilResetMs <= roundingMs ||
      // By the Date of a gateway a reset that has come may seem to be ahead; without Date it is unknown.
      (isMoved && (untilResetMs <= leastEarlyResetMs || !isTimed(earlier))) ||
      // A 429 has allowed the request, since its Retry-After has passed.
      refusals.some((one) => one.sent > exchange.answered && one.endedAt + (waitOf(one) ?? minuteMs) <= startedAt);
    const untilFull = (limit - remaining) / Math.max(1, aheadMs - roundingMs);
    const ofBucket = Math.max(untilFull, limit / Math.max(minuteMs, aheadMs - roundingMs));
    const ofWindow = isWindow && earlier.resetsAt === later.resetsAt;
    const perMs = mayReset
      ? limit / (limit === perMinute ? minuteMs : secondMs)
      : ofWindow || isStuck
        ? 0
        : stays
          ? untilFull
          : ofBucket;

    const isBeyond = kind === 'rate-limit' && remaining === 0 && !mayReset;
    const isRefundable = (one: Exchange): boolean =>
      one !== later.exchange && one.sent < answered && one.answered > exchange.sent - recentEvents;
    const refundable = failed.filter(isRefundable).length;
    const givenBack = later.remaining - remaining + (isServed(later.exchange) || isBeyond ? 1 : 0);
    return [
      {
        earlier,
        later,
        givenBack: refundable > 0 || !isServed(later.exchange) ? givenBack : Math.max(0, givenBack),
        flow: isOld ? Number.POSITIVE_INFINITY : (endedAt - exchange.endedAt) * perMs,
        flowBefore: (exchange.endedAt - exchange.startedAt) * perMs,
        mayReset,
        isWindow,
        dropped: aheadMs >= slidingWindowAgeMs ? Math.max(0, limit - 1 - start.remaining) : 0,
        refundable,
        isBeyond,
      },
    ];
  });
}

export const accountsOf: (history: History) => readonly Account[] = memoize((history: History) =>
  judgedKeys.map((kind) => {
    const chain = chainOf(history, kind);
    return { kind, chain, steps: stepsOf(history, kind, chain) };
  }),
);

/** What was answered beyond the limit instead of a 429: `rate-exceeded` judges it, and no other requirement. */
export const unrefusedExcess: (history: History) => ReadonlySet<Exchange> = memoize((history: History) => {
  const beyond = accountsOf(history).flatMap(({ steps }) => steps.filter(({ isBeyond }) => isBeyond));
  return new Set(beyond.map(({ later }) => later.exchange));
});

interface Stretch {
  readonly steps: readonly Step[];
  readonly sum: number;
}

/** The stretch of steps that gives back most beyond what a flow and resets explain. No window is shorter than a second. */
function largestStretch(steps: readonly Step[], restart?: Step): Stretch {
  let best: Stretch = { steps: [], sum: 0 };
  let [from, sum, lastReset] = [0, 0, Number.NEGATIVE_INFINITY];
  for (const [at, step] of steps.entries()) {
    const beyond = step.givenBack - step.flow;
    const { startedAt } = step.earlier.exchange;
    const isReset = step.mayReset && beyond > 0 && startedAt - lastReset >= secondMs;
    if (isReset) lastReset = startedAt;
    if (isReset || step === restart || step.flow === Number.POSITIVE_INFINITY) continue;
    if (sum <= 0) [from, sum] = [at, -step.flowBefore];
    sum += beyond;
    if (sum > best.sum) best = { steps: steps.slice(from, at + 1), sum };
  }
  return best;
}

/** A restart gives back no less than this; a smaller rise is a wrong count. */
const fewestLost = 5;

/** Whether the service may have lost its counts in a step: the limit is full again, and that of a minute begins anew. */
function mayRestart({ givenBack, earlier, later }: Step): boolean {
  const isAnew = later.resetsAt <= earlier.resetsAt || earlier.aheadMs <= longestMinuteMs;
  return givenBack >= fewestLost && later.remaining >= later.limit - 2 && isAnew;
}

export const falls = ({ earlier, later }: Step): boolean => later.remaining < earlier.remaining;

/** The steps of the overdraft of an account; none where it may be the fraction of a bucket, refunds, or what others had used. */
export function overdraftOf({ steps }: Account): readonly Step[] {
  const all = largestStretch(steps);
  const restart = all.steps.find(mayRestart);
  const worst = restart === undefined ? all : largestStretch(steps, restart);
  const fraction = worst.steps.every(({ isWindow }) => isWindow) ? 0.5 : 1.1;
  const { refundable = 0, dropped = 0 } = worst.steps[0] ?? {};
  const isConstant = worst.steps.length >= fewestConstant && !worst.steps.some(falls);
  return worst.sum > fraction + refundable + (isConstant ? 0 : dropped) ? worst.steps : [];
}
