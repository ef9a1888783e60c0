/**
 * §8 One account for each key. A limit gives back by a flow (a bucket, a sliding window), at once at a reset, and at one
 * restart of the service; nothing else does. Requests that were carried out although none of this explains them are the
 * overdraft.
 */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { statusOf } from '../../http/read-response.ts';
import { leastEarlyResetMs, longestMinuteMs, minuteMs, roundingMs, slidingWindowAgeMs } from '../../http/tolerances.ts';
import type { Check } from '../../run/suite.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import type { History } from '../../world/history.ts';
import { readingOf } from '../../world/readings.ts';
import {
  isServed,
  isTimed,
  judgedKeys,
  limitReadingOf,
  mayBeCopy,
  type RateLimitReading,
  untilResetOf,
} from './readings.ts';

/** From one answer to the next between which no reset may have come. */
interface Step {
  readonly earlier: RateLimitReading;
  readonly later: RateLimitReading;
  /** How many requests the limit has given back at least: what others take hides none of it. */
  readonly givenBack: number;
  /** How many a bucket or a sliding window may have given back. */
  readonly flow: number;
  /** Whether it is a window that gives nothing back before its reset. A bucket has fractions. */
  readonly isWindow: boolean;
  /** How many requests that others sent before the run a sliding window of a minute may drop at any moment. */
  readonly dropped: number;
  /** Whether nothing was left of the key that may be exhausted, so that only a 429 is right. */
  readonly isBeyond: boolean;
}

interface Account {
  /** Readings of which each was asked for after the answer before. */
  readonly chain: readonly RateLimitReading[];
  readonly steps: readonly Step[];
}

/** A ban may follow a 429. */
const bans: readonly (number | undefined)[] = [401, 403];

/** Served requests, since a service need not count others; once nothing is left, whatever is answered instead of a 429. */
function chainOf(history: History, ofKey: readonly Exchange[]): readonly RateLimitReading[] {
  const chain: RateLimitReading[] = [];
  let wasRefused = false;
  for (const exchange of ofKey) {
    const [status, reading, last] = [statusOf(exchange), limitReadingOf(exchange), chain.at(-1)];
    wasRefused ||= status === 429;
    const isBeyond = exchange.credential.kind === 'rate-limit' && last?.remaining === 0 && status !== 429;
    const isCounted = isServed(exchange) || (isBeyond && !(wasRefused && bans.includes(status)));
    const isNext = last === undefined || happenedBefore(last.exchange, exchange);
    if (reading !== undefined && isCounted && isNext && !mayBeCopy(history, exchange)) chain.push(reading);
  }
  return chain;
}

const elapsedMs = (earlier: RateLimitReading, later: RateLimitReading): number =>
  later.exchange.endedAt - earlier.exchange.startedAt;

/** Whether the reset of a reading may have come before the next one. */
function mayReset(earlier: RateLimitReading, later: RateLimitReading, refusals: readonly Exchange[]): boolean {
  const isMoved = later.resetsAt > earlier.resetsAt + roundingMs;
  const untilResetMs = isMoved && !isTimed(earlier) ? 0 : untilResetOf(earlier, later);
  // By the Date of a gateway a reset that has come may seem to be ahead. A 429 allows a request once it is over.
  return (
    untilResetMs <= (isMoved ? leastEarlyResetMs : roundingMs) ||
    refusals.some(
      (one) =>
        one.sent > earlier.exchange.answered &&
        one.endedAt + (readingOf(one).waitMs ?? minuteMs) <= later.exchange.startedAt,
    )
  );
}

function stepsOf(chain: readonly RateLimitReading[], refusals: readonly Exchange[]): readonly Step[] {
  const windows = Map.groupBy(chain, ({ limit, resetsAt }) => `${limit} ${resetsAt}`);
  return chain.slice(1).flatMap((later, at): readonly Step[] => {
    const earlier = chain[at]!;
    const { limit, remaining, aheadMs, resetsAt, exchange } = earlier;
    if (limit !== later.limit || remaining > limit || limit === 0 || mayReset(earlier, later, refusals)) return [];
    const same = windows.get(`${limit} ${resetsAt}`)!;
    const [first, isSame] = [same[0]!, resetsAt === later.resetsAt];
    const stays = isSame && elapsedMs(first, same.at(-1)!) > roundingMs;
    const isUsedUp = same.some((one) => one.remaining * 2 < limit);
    const isWindow = isSame && first.remaining >= limit - 1 && (stays || isUsedUp);
    // What was used a minute ago has left every window of a minute.
    if (!stays && !isWindow && elapsedMs(chain[0]!, later) > slidingWindowAgeMs) return [];
    const isOfMinute = aheadMs >= slidingWindowAgeMs && aheadMs <= longestMinuteMs;
    const untilFull = (limit - remaining) / Math.max(1, aheadMs - roundingMs);
    const ofBucket = Math.max(untilFull, limit / Math.max(minuteMs, aheadMs - roundingMs));
    const perMs = isWindow ? 0 : stays ? untilFull : ofBucket;
    return [
      {
        earlier,
        later,
        givenBack: Math.max(0, later.remaining - remaining + 1),
        flow: elapsedMs(earlier, later) * perMs,
        isWindow,
        dropped: !isWindow && isOfMinute ? Math.max(0, limit - 1 - chain[0]!.remaining) : 0,
        isBeyond: exchange.credential.kind === 'rate-limit' && remaining === 0,
      },
    ];
  });
}

const accountsOf: (history: History) => readonly Account[] = memoize((history: History) =>
  judgedKeys.map((kind) => {
    const ofKey = history.exchanges.filter(({ credential }) => credential.kind === kind);
    const refusals = ofKey.filter((exchange) => statusOf(exchange) === 429);
    const chain = chainOf(history, ofKey);
    return { chain, steps: stepsOf(chain, refusals) };
  }),
);

/** The stretch of steps that gives back most beyond what a flow explains, and how much that is. */
function largestStretch(steps: readonly Step[]) {
  let best = { steps: [] as readonly Step[], sum: 0 };
  let [from, sum] = [0, 0];
  for (const [at, { givenBack, flow }] of steps.entries()) {
    if (sum <= 0) [from, sum] = [at, 0];
    sum += givenBack - flow;
    if (sum > best.sum) best = { steps: steps.slice(from, at + 1), sum };
  }
  return best;
}

/** So many readings that never fall are no coincidence with what comes back. */
const fewestLevel = 10;
/** A restart gives back no less than this; a smaller rise is a wrong count. */
const fewestLost = 5;

/** Whether the service may have lost its counts: the limit is full again, and that of a minute may begin anew. */
function mayRestart({ givenBack, earlier, later }: Step): boolean {
  const isFull = later.limit - later.remaining <= 1 + later.exchange.number - earlier.exchange.number;
  return (
    givenBack >= fewestLost && isFull && (later.resetsAt <= earlier.resetsAt || earlier.aheadMs <= longestMinuteMs)
  );
}

/** The steps of the overdraft of an account; none where it may be the fraction of a bucket, what others had used, or one restart. */
function overdraftOf({ steps }: Account): readonly Step[] {
  const all = largestStretch(steps);
  const restart = all.steps.find(mayRestart);
  const worst = restart === undefined ? all : largestStretch(steps.filter((step) => step !== restart));
  const fraction = worst.steps.every(({ isWindow }) => isWindow) ? 0.5 : 1.1;
  // What others used leaves at its own times, not some with each request.
  const isLevel = worst.steps.length >= fewestLevel && worst.steps.every(({ givenBack }) => givenBack > 0);
  return worst.sum > fraction + (isLevel ? 0 : (worst.steps[0]?.dropped ?? 0)) ? worst.steps : [];
}

function judgeOverdraft(account: Account): readonly Finding[] {
  const steps = overdraftOf(account);
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return [];
  const beyond = steps.filter(({ isBeyond }) => isBeyond).map(({ later }) => later.exchange);
  if (beyond.length > 0) {
    const received = beyond.map((exchange) => `${statusOf(exchange)} to ${exchange.operation}`).join(', ');
    const facts = { expected: '429 after X-RateLimit-Remaining 0', received };
    return [fails('rate-exceeded', 'not-refused', facts, first.earlier.exchange, beyond.at(-1)!)];
  }
  const { earlier, later } = steps.reduce((one, other) => (other.givenBack > one.givenBack ? other : one));
  const isRise = later.remaining > earlier.remaining;
  const [from, to] = isRise ? [earlier, later] : [first.earlier, last.later];
  const facts = {
    expected: isRise
      ? `X-RateLimit-Remaining not to rise before the reset at ${earlier.resetsAt / 1000}`
      : `X-RateLimit-Remaining to fall with each of ${steps.length} requests`,
    received: `${to.remaining} after ${from.remaining}`,
  };
  const isEarly = isRise && to.resetsAt > from.resetsAt;
  return isEarly
    ? [fails('rate-reset-header', 'resets-earlier', facts, from.exchange, to.exchange)]
    : [fails('rate-remaining-falls', isRise ? 'rises' : 'stays', facts, from.exchange, to.exchange)];
}

/** So many changes are none of the plan, nor of the window that the header describes. */
const fewestChanges = 3;

/** Fails a limit that changes with one request after the other while Remaining falls by one: it is the number of no limit. */
function judgeLimit({ chain }: Account): readonly Finding[] {
  const changes = chain.slice(1).filter(({ limit, remaining, resetsAt }, at) => {
    const earlier = chain[at]!;
    return resetsAt === earlier.resetsAt && remaining === earlier.remaining - 1 && limit !== earlier.limit;
  });
  const [first, second] = changes;
  if (first === undefined || second === undefined || changes.length < fewestChanges) return [];
  const received = `${first.limit} and ${second.limit} while X-RateLimit-Remaining fell by one each`;
  const facts = { expected: 'one X-RateLimit-Limit before one reset', received };
  return [fails('rate-limit-header', 'alternates', facts, first.exchange, second.exchange)];
}

export const accountChecks: readonly Check[] = [
  {
    id: 'remaining-falls',
    verifies: ['rate-remaining-falls', 'rate-limit-header', 'rate-reset-header', 'rate-exceeded'],
    judge: (history) =>
      accountsOf(history).flatMap((account) => {
        const falling = account.steps.filter(({ earlier, later }) => later.remaining < earlier.remaining);
        const evidence = falling.map(({ later }) => holds('rate-remaining-falls', later.exchange));
        return [...evidence, ...judgeOverdraft(account), ...judgeLimit(account)];
      }),
  },
];
