/**
 * §8 One account for each key. A limit gives back by a flow (a bucket, a sliding window), at once at a reset, and at one
 * restart of the service; nothing else does. Requests that were carried out although none of this explains them are the
 * overdraft.
 */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { statusOf } from '../../http/read-response.ts';
import { leastEarlyResetMs, longestMinuteMs, minuteMs, roundingMs, slidingWindowAgeMs } from '../../http/tolerances.ts';
import type { Check } from '../../run/suite.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import type { Answered } from '../../world/evidence.ts';
import { readingOf } from '../../world/readings.ts';
import type { World } from '../../world/world.ts';
import { isServed, isTimed, judgedKeys, limitReadingOf, mayBeCopy, type RateLimitReading } from './readings.ts';

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
}

/** Whether only a 429 is right after a reading: nothing was left of the key that may be exhausted. */
const isUsedUp = ({ remaining, exchange }: RateLimitReading): boolean =>
  remaining === 0 && exchange.credential.kind === 'rate-limit';

/** Whether 503 refuses this key alone: another one is served between the first and the last 503, as in no outage. */
function isRefusedWith503({ exchanges }: World, ofKey: readonly Exchange[]): boolean {
  const unavailable = ofKey.filter((exchange) => statusOf(exchange) === 503);
  const [first, last] = [unavailable[0], unavailable.at(-1)];
  if (first === undefined || last === undefined) return false;
  const isBetween = (one: Exchange): boolean => happenedBefore(first, one) && happenedBefore(one, last);
  return exchanges.some((one) => isServed(one) && isBetween(one) && one.credential.kind !== first.credential.kind);
}

/**
 * Readings of which each was asked for after the answer before: of served requests, since a service need not count others;
 * once nothing is left, of whatever is answered instead of a 429.
 */
function chainOf(world: World, ofKey: readonly Exchange[]): readonly RateLimitReading[] {
  const chain: RateLimitReading[] = [];
  const isRefusing = isRefusedWith503(world, ofKey);
  let wasRefused = false;
  for (const exchange of ofKey) {
    const [status, last] = [statusOf(exchange), chain.at(-1)];
    wasRefused ||= status === 429;
    const isBeyond = last !== undefined && isUsedUp(last) && status !== 429;
    // A proxy that refuses the key with 503 shows no limit.
    const isOfProxy = isBeyond && status === 503 && isRefusing;
    const reading = limitReadingOf(exchange) ?? (isOfProxy ? { ...last, exchange: exchange as Answered } : undefined);
    const mayBeBan = wasRefused && (status === 401 || status === 403);
    const isCounted = isServed(exchange) || (isBeyond && !mayBeBan);
    const isNext = last === undefined || happenedBefore(last.exchange, exchange);
    if (reading !== undefined && isCounted && isNext && !mayBeCopy(world, exchange)) chain.push(reading);
  }
  return chain;
}

const elapsedMs = (earlier: RateLimitReading, later: RateLimitReading): number =>
  later.exchange.endedAt - earlier.exchange.startedAt;

/** Whether the reset of a reading may have come before the next one. */
function mayReset(earlier: RateLimitReading, later: RateLimitReading, refusals: readonly Exchange[]): boolean {
  const isMoved = later.resetsAt > earlier.resetsAt + roundingMs;
  const elapsedMs = later.exchange.endedAt - earlier.exchange.endedAt;
  // By the clock of either answer.
  const aheads = [earlier.aheadMs - elapsedMs, earlier.resetsAt - later.resetsAt + later.aheadMs];
  const untilResetMs = isMoved && !isTimed(earlier) ? 0 : Math.min(...aheads);
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
    const { limit, remaining, aheadMs, resetsAt } = earlier;
    if (limit !== later.limit || limit === 0 || mayReset(earlier, later, refusals)) return [];
    const same = windows.get(`${limit} ${resetsAt}`)!;
    const [first, isSame] = [same[0]!, resetsAt === later.resetsAt];
    const stays = isSame && elapsedMs(first, same.at(-1)!) > roundingMs;
    const isHalfUsed = same.some((one) => one.remaining * 2 < limit);
    const isWindow = isSame && first.remaining >= limit - 1 && (stays || isHalfUsed);
    // What was used a minute ago has left every window of a minute.
    if (!stays && elapsedMs(chain[0]!, later) > slidingWindowAgeMs) return [];
    const untilFull = (limit - remaining) / Math.max(1, aheadMs - roundingMs);
    const ofBucket = Math.max(untilFull, limit / Math.max(minuteMs, aheadMs - roundingMs));
    const perMs = isWindow ? 0 : stays ? untilFull : ofBucket;
    const givenBack = Math.max(0, later.remaining - remaining + 1);
    return [{ earlier, later, givenBack, flow: elapsedMs(earlier, later) * perMs, isWindow }];
  });
}

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

/** How many requests of others before the run a sliding window of a minute may drop at any moment. */
function droppedAt({ earlier: { limit, aheadMs } }: Step, first: RateLimitReading): number {
  const isOfMinute = aheadMs >= slidingWindowAgeMs && aheadMs <= longestMinuteMs;
  return isOfMinute ? Math.max(0, limit - 1 - first.remaining) : 0;
}

/** The steps of the overdraft; none where it may be the fraction of a bucket, what others had used, or one restart. */
function overdraftOf(steps: readonly Step[], chain: readonly RateLimitReading[]): readonly Step[] {
  const all = largestStretch(steps);
  const restart = all.steps.find(mayRestart);
  const worst = restart === undefined ? all : largestStretch(steps.filter((step) => step !== restart));
  const fraction = worst.steps.every(({ isWindow }) => isWindow) ? 0.5 : 1.1;
  // What others used leaves at its own times, not some with each request.
  const isLevel = worst.steps.length >= fewestLevel && worst.steps.every(({ givenBack }) => givenBack > 0);
  const [first] = worst.steps;
  const dropped = isLevel || first === undefined ? 0 : droppedAt(first, chain[0]!);
  return worst.sum > fraction + dropped ? worst.steps : [];
}

/** Judges the steps of an overdraft. */
function judgeOverdraft(steps: readonly Step[]): readonly Finding[] {
  const [first] = steps;
  if (first === undefined) return [];
  const beyond = steps.filter(({ earlier }) => isUsedUp(earlier)).map(({ later }) => later.exchange);
  if (beyond.length > 0) {
    const received = beyond.map((exchange) => `${statusOf(exchange)} to ${exchange.operation}`).join(', ');
    const facts = { expected: '429 after X-RateLimit-Remaining 0', received };
    return [fails('rate-exceeded', 'not-refused', facts, first.earlier.exchange, beyond.at(-1)!)];
  }
  const { earlier, later } = steps.reduce((one, other) => (other.givenBack > one.givenBack ? other : one));
  const isRise = later.remaining > earlier.remaining;
  // A service may name several limits in turn.
  const ofLimit = steps.filter((step) => step.later.limit === first.later.limit);
  const [from, to] = isRise ? [earlier, later] : [first.earlier, ofLimit.at(-1)!.later];
  const expected = isRise
    ? `X-RateLimit-Remaining not to rise before the reset at ${earlier.resetsAt / 1000}`
    : `X-RateLimit-Remaining to fall by ${ofLimit.length} or more`;
  const facts = { expected, received: `${to.remaining} after ${from.remaining}` };
  const isEarly = isRise && to.resetsAt > from.resetsAt;
  return isEarly
    ? [fails('rate-reset-header', 'resets-earlier', facts, from.exchange, to.exchange)]
    : [fails('rate-remaining-falls', isRise ? 'rises' : 'stays', facts, from.exchange, to.exchange)];
}

/** So many changes are none of the plan, nor of the window that the header describes. */
const fewestChanges = 3;

/** Fails a limit that changes with one request after the other while Remaining falls by one: it is the number of no limit. */
function judgeLimit(chain: readonly RateLimitReading[]): readonly Finding[] {
  const changes = chain.slice(1).filter(({ limit, remaining }, at) => {
    return remaining === chain[at]!.remaining - 1 && limit !== chain[at]!.limit;
  });
  if (changes.length < fewestChanges) return [];
  const [first, second] = [changes[0]!, changes[1]!];
  const received = `${first.limit} and ${second.limit} while X-RateLimit-Remaining fell by one each`;
  const facts = { expected: 'one X-RateLimit-Limit before one reset', received };
  return [fails('rate-limit-header', 'alternates', facts, first.exchange, second.exchange)];
}

function judgeAccount(world: World, key: (typeof judgedKeys)[number]): readonly Finding[] {
  const ofKey = world.exchanges.filter(({ credential }) => credential.kind === key);
  const chain = chainOf(world, ofKey);
  const refusals = ofKey.filter((exchange) => statusOf(exchange) === 429);
  const steps = stepsOf(chain, refusals);
  const falling = steps.filter(({ earlier, later }) => later.remaining < earlier.remaining);
  const evidence = falling.map(({ later }) => holds('rate-remaining-falls', later.exchange));
  return [...evidence, ...judgeOverdraft(overdraftOf(steps, chain)), ...judgeLimit(chain)];
}

export const accountCheck = {
  id: 'remaining-falls',
  verifies: ['rate-remaining-falls', 'rate-limit-header', 'rate-reset-header', 'rate-exceeded'],
  judge: (world: World) => judgedKeys.flatMap((key) => judgeAccount(world, key)),
} satisfies Check;
