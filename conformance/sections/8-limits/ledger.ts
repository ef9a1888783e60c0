/**
 * §8 One account for each key. A limit gives back by a flow (a bucket, a sliding window), at once at a reset, and at one
 * restart of the service; nothing else does. Requests that were carried out although none of this explains them are the
 * overdraft.
 */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { readRetryAfter, statusOf } from '../../http/read-response.ts';
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
import type { Check } from '../../run/scenario.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import type { History } from '../../verdict/history.ts';
import {
  isServed,
  isTimed,
  judgedKeys,
  limitsOfPlan,
  mayBeCopy,
  type RateLimitReading,
  readingOf,
  readingsOf,
  untilResetOf,
} from './readings.ts';

type JudgedKey = (typeof judgedKeys)[number];

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
  /** Whether nothing was left, so that only a 429 is right. */
  readonly isBeyond: boolean;
}

/** The events of one request: it is sent, and answered. */
const recentEvents = 2;

/** Errors that the operation itself gives. Others may come from a layer that does not count requests. */
const countedErrors: readonly number[] = [400, 404];

/** The answers to the key that may be exhausted; after a 429 a ban may answer 401 or 403. */
function readingsOfLimitKey(history: History): readonly RateLimitReading[] {
  const ofKey = history.exchanges.filter(({ credential }) => credential.kind === 'rate-limit');
  const refused = ofKey.find((exchange) => statusOf(exchange) === 429);
  return ofKey.flatMap((exchange) => {
    const status = statusOf(exchange);
    const isBan = (status === 401 || status === 403) && refused !== undefined && happenedBefore(refused, exchange);
    return status === 429 || isBan || mayBeCopy(history, exchange) ? [] : (readingOf(exchange) ?? []);
  });
}

/** Readings of which each was asked for after the answer before. A reset beyond a day fails for that alone. */
function chainOf(history: History, kind: JudgedKey): readonly RateLimitReading[] {
  const readings = kind === 'rate-limit' ? readingsOfLimitKey(history) : readingsOf(history, kind);
  const chain: RateLimitReading[] = [];
  for (const reading of readings) {
    const { exchange, aheadMs } = reading;
    const isJudged = kind === 'rate-limit' || isServed(exchange) || countedErrors.includes(exchange.response.status);
    const last = chain.at(-1);
    const isNext = last === undefined || happenedBefore(last.exchange, exchange);
    if (isJudged && isNext && aheadMs <= dayMs + gatewayDateMs) chain.push(reading);
  }
  return chain;
}

export const elapsedMs = (earlier: RateLimitReading, later: RateLimitReading): number =>
  later.exchange.endedAt - earlier.exchange.startedAt;

const isFull = ({ limit, remaining }: RateLimitReading): boolean => remaining >= limit - 1;

const windowOf = ({ limit, resetsAt }: RateLimitReading): string => `${limit} ${resetsAt}`;

/** Whether a 429 between two answers allowed the later request, since its Retry-After had passed. */
function isAllowed(refusals: readonly Exchange[], earlier: Exchange, later: Exchange): boolean {
  return refusals.some(
    (one) =>
      happenedBefore(earlier, one) &&
      happenedBefore(one, later) &&
      one.endedAt + ((one.response && readRetryAfter(one.response, one.endedAt)) ?? minuteMs) <= later.startedAt,
  );
}

function stepsOf(history: History, kind: JudgedKey, chain: readonly RateLimitReading[]): readonly Step[] {
  const perMinute = limitsOfPlan(history, kind)?.[0];
  const ofKey = history.exchanges.filter(({ credential }) => credential.kind === kind || credential.kind === 'lenient');
  const refusals = ofKey.filter((one) => statusOf(one) === 429);
  const failed = ofKey.filter((one) => !isServed(one) && statusOf(one) !== 429);
  const windows = Map.groupBy(chain, windowOf);
  let start = chain[0];
  return chain.slice(1).flatMap((later, at): readonly Step[] => {
    const earlier = chain[at]!;
    const { limit, remaining, aheadMs, exchange } = earlier;
    // What was used before a full limit, or before a rest of a minute, has left every window.
    const isRested =
      at > 0 && aheadMs <= longestMinuteMs && exchange.startedAt - chain[at - 1]!.exchange.endedAt > slidingWindowAgeMs;
    if (isFull(earlier) || isRested) start = earlier;
    if (start === undefined || limit !== later.limit || remaining > limit || limit === 0) return [];
    const same = windows.get(windowOf(earlier))!;
    const isSteady = elapsedMs(same[0]!, same.at(-1)!) > roundingMs && isTimed(earlier) && aheadMs > gatewayDateMs;
    const stays = earlier.resetsAt === later.resetsAt && isSteady;
    const untilResetMs = untilResetOf(earlier, later);
    // By the Date of a gateway a reset that has come may seem to be ahead.
    const isNew = later.resetsAt > earlier.resetsAt + roundingMs && untilResetMs <= leastEarlyResetMs;
    const mayReset = untilResetMs <= roundingMs || isNew || isAllowed(refusals, exchange, later.exchange);
    const untilFull = (limit - remaining) / Math.max(1, aheadMs - roundingMs);
    const untimed = !isTimed(earlier) && earlier.resetsAt !== later.resetsAt;
    const isOld = elapsedMs(start, later) > slidingWindowAgeMs && !stays && later.aheadMs <= longestMinuteMs;
    const isWindow = isFull(same[0]!) && remaining * 2 < limit && !isOld;
    const perMs = mayReset
      ? limit / (limit === perMinute ? minuteMs : secondMs)
      : isWindow && earlier.resetsAt === later.resetsAt
        ? 0
        : stays
          ? untilFull
          : Math.max(untilFull, limit / Math.max(minuteMs, aheadMs - roundingMs));
    const isBeyond = kind === 'rate-limit' && remaining === 0 && !mayReset;
    const refundable = failed.filter(
      (one) =>
        one !== later.exchange && one.sent < later.exchange.answered && one.answered > exchange.sent - recentEvents,
    ).length;
    const givenBack = later.remaining - remaining + (isServed(later.exchange) || isBeyond ? 1 : 0);
    return [
      {
        earlier,
        later,
        givenBack: refundable > 0 || !isServed(later.exchange) ? givenBack : Math.max(0, givenBack),
        flow: isOld || untimed ? Number.POSITIVE_INFINITY : (later.exchange.endedAt - exchange.endedAt) * perMs,
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

interface Account {
  readonly kind: JudgedKey;
  readonly chain: readonly RateLimitReading[];
  readonly steps: readonly Step[];
}

export const accountsOf: (history: History) => readonly Account[] = memoize((history: History) =>
  judgedKeys.map((kind) => {
    const chain = chainOf(history, kind);
    return { kind, chain, steps: stepsOf(history, kind, chain) };
  }),
);

/** What was answered beyond the limit instead of a 429: `rate-exceeded` judges it, and no other requirement. */
export const unrefusedExcess: (history: History) => ReadonlySet<Exchange> = memoize(
  (history: History) =>
    new Set(
      accountsOf(history).flatMap(({ steps }) => steps.flatMap((one) => (one.isBeyond ? [one.later.exchange] : []))),
    ),
);

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

/** The step in which the service may have lost its counts: the limit is full again, and that of a minute begins anew. */
function restartIn({ steps }: Stretch): Step | undefined {
  return steps.find(
    ({ givenBack, earlier, later }) =>
      givenBack >= fewestLost &&
      later.remaining >= later.limit - 2 &&
      (later.resetsAt <= earlier.resetsAt || earlier.aheadMs <= longestMinuteMs),
  );
}

/** So many readings that never fall are no coincidence with what others had used. */
const fewestConstant = 10;

const falls = ({ earlier, later }: Step): boolean => later.remaining < earlier.remaining;

/** How much of an overdraft is explained: the fraction of a request in a bucket, late refunds, and what others had used. */
function slackOf(steps: readonly Step[]): number {
  const fraction = steps.every(({ isWindow }) => isWindow) ? 0.5 : 1.1;
  const { refundable = 0, dropped = 0 } = steps[0] ?? {};
  return fraction + refundable + (steps.length >= fewestConstant && !steps.some(falls) ? 0 : dropped);
}

function judgeOverdraft({ kind, steps }: Account): readonly Finding[] {
  const all = largestStretch(steps);
  const restart = restartIn(all);
  const worst = restart === undefined ? all : largestStretch(steps, restart);
  if (worst.sum <= slackOf(worst.steps)) return [];
  const [from, to] = [worst.steps[0]!.earlier, worst.steps.at(-1)!.later];
  const beyond = worst.steps.filter(({ isBeyond }) => isBeyond);
  if (beyond.length > 0) {
    const [first, last] = [beyond[0]!.earlier.exchange, beyond.at(-1)!.later.exchange];
    const answers = beyond.map(({ later: { exchange } }) => `${statusOf(exchange)} to ${exchange.operation}`);
    const facts = { expected: '429 after X-RateLimit-Remaining 0', received: answers.join(', ') };
    return [fails('rate-exceeded', 'not-refused', facts, first, last)];
  }
  const { earlier, later } = worst.steps.reduce((one, other) => (other.givenBack > one.givenBack ? other : one));
  if (later.remaining > earlier.remaining) {
    const isEarly = later.resetsAt > earlier.resetsAt && untilResetOf(earlier, later) >= leastEarlyResetMs;
    const facts = {
      expected: `X-RateLimit-Remaining not to rise before the reset at ${earlier.resetsAt / 1000}`,
      received: `${later.remaining} after ${earlier.remaining}`,
    };
    return isEarly
      ? [fails('rate-reset-header', 'resets-earlier', facts, earlier.exchange, later.exchange)]
      : [fails('rate-remaining-falls', 'rises', facts, earlier.exchange, later.exchange)];
  }
  const isNever = !steps.some(falls);
  const code = kind === 'valid' && from.remaining === 0 ? 'served-without-rest' : isNever ? 'never-falls' : 'stays';
  const facts = {
    expected: `X-RateLimit-Remaining to fall with each of ${worst.steps.length} requests`,
    received: `${to.remaining} after ${from.remaining}`,
  };
  return [fails('rate-remaining-falls', code, facts, from.exchange, to.exchange)];
}

/** Fails a number that stays for longer than rounding explains, however fast a bucket or a sliding window is. */
function judgeConstant({ chain }: Account): readonly Finding[] {
  const served = chain.filter(
    ({ exchange, aheadMs }) => isServed(exchange) && aheadMs > roundingMs && isTimed({ exchange }),
  );
  for (const part of Map.groupBy(served, windowOf).values()) {
    const [first, last] = [part[0]!, part.at(-1)!];
    const isEqual = part.length >= fewestConstant && part.every(({ remaining }) => remaining === first.remaining);
    if (!isEqual || elapsedMs(first, last) <= roundingMs || first.limit === 0) continue;
    const facts = {
      expected: `X-RateLimit-Remaining to fall over ${part.length} requests`,
      received: `${first.remaining} throughout`,
    };
    return [fails('rate-remaining-falls', 'never-falls', facts, first.exchange, last.exchange)];
  }
  return [];
}

/** So many different numbers show that a header repeats the other. */
const fewestLimits = 4;

/** A limit may change for the load; one that comes back to earlier numbers before one reset has no value. */
function judgeLimit({ chain }: Account): readonly Finding[] {
  const [one] = chain;
  const limits = new Set(chain.map(({ limit }) => limit));
  if (one !== undefined && limits.size >= fewestLimits && chain.every(({ limit, remaining }) => limit === remaining)) {
    const received = `the same number in both, from ${one.limit} to ${chain.at(-1)!.limit}`;
    const facts = { expected: 'X-RateLimit-Limit to stay while X-RateLimit-Remaining falls', received };
    return [fails('rate-limit-header', 'repeats-remaining', facts, one.exchange, chain.at(-1)!.exchange)];
  }
  // At midnight the windows of a minute and of a day reset together, and headers may describe either.
  const known = chain.filter(({ resetsAt, aheadMs }) => resetsAt % dayMs !== 0 || aheadMs > longestMinuteMs);
  const parts = Map.groupBy(known, ({ resetsAt, exchange }) => `${resetsAt} ${exchange.operation}`).values();
  return [...parts].flatMap((part) => {
    const starts = part.filter(({ limit }, at) => limit !== part[at - 1]?.limit);
    const [first, second] = starts;
    // One change and back may be one of the plan, or of the window that the header describes.
    if (second === undefined || starts.length - new Set(starts.map(({ limit }) => limit)).size <= 1) return [];
    const received = `${first!.limit} and ${second.limit} alternately`;
    const facts = { expected: 'one X-RateLimit-Limit before one reset', received };
    return [fails('rate-limit-header', 'alternates', facts, first!.exchange, second.exchange)];
  });
}

/** So many requests in a row each of which takes one show that nothing comes back. */
const fewestFalls = 10;

/**
 * Fails a reset that passes again and again while Remaining falls with every request: the end of a window, a request that
 * leaves a sliding log, and a bucket that gains one each hold it up at least once.
 */
function judgePassedResets({ chain }: Account): readonly Finding[] {
  let start = 0;
  for (const [at, later] of chain.entries()) {
    const earlier = chain[at - 1];
    const isNext = earlier?.limit === later.limit && earlier.remaining - 1 === later.remaining;
    if (!isNext || later.aheadMs > roundingMs || !isTimed(later)) start = at;
    const first = chain[start]!;
    const isPassed = later.resetsAt - first.resetsAt >= roundingMs && untilResetOf(first, later) <= -roundingMs;
    const isFilled = elapsedMs(first, later) > minuteMs / first.limit + roundingMs;
    if (at - start < fewestFalls || !isPassed || !isFilled || first.aheadMs > roundingMs) continue;
    const facts = {
      expected: `the limit to reset at ${first.resetsAt / 1000} as X-RateLimit-Reset said`,
      received: `${later.remaining} left after ${first.remaining}, falling until ${later.resetsAt / 1000}`,
    };
    return [fails('rate-reset-header', 'resets-nothing', facts, first.exchange, later.exchange)];
  }
  return [];
}

export const ledgerChecks: readonly Check[] = [
  {
    id: 'remaining-falls',
    verifies: ['rate-remaining-falls', 'rate-limit-header', 'rate-reset-header', 'rate-exceeded'],
    title: 'X-RateLimit-Remaining falls with each request and rises only at a reset',
    judge: (history) =>
      accountsOf(history).flatMap((account) => {
        const evidence = account.steps.filter(falls).map(({ later }) => holds('rate-remaining-falls', later.exchange));
        const overdraft = judgeOverdraft(account);
        const ofRemaining = overdraft.length > 0 ? overdraft : judgeConstant(account);
        return [...evidence, ...ofRemaining, ...judgeLimit(account), ...judgePassedResets(account)];
      }),
  },
];
