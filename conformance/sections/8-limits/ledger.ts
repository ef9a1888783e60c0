/**
 * §8 One account for each key. A limit gives requests back by a flow (a bucket, a sliding window), at once at a reset, and
 * at one restart of the service; nothing else does. The overdraft is the requests that were served although none of these
 * gave room for them.
 */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { statusOf } from '../../http/read-response.ts';
import { leastEarlyResetMs, longestMinuteMs, minuteMs, roundingMs, slidingWindowAgeMs } from '../../http/tolerances.ts';
import type { Check } from '../../run/suite.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { type Answered, isRefused } from '../../world/evidence.ts';
import { readingOf } from '../../world/readings.ts';
import type { World } from '../../world/world.ts';
import { judgeSteadyFalls } from './falls.ts';
import {
  aheadOfBucket,
  fewestLevelReadings,
  isServed,
  isTimed,
  type JudgedKey,
  judgedKeys,
  limitReadingOf,
  mayBeCopy,
  type RateLimitReading,
} from './readings.ts';

/**
 * How a limit gives requests back before its reset, as far as the readings show it. `window`: not at all. `sliding`: evenly,
 * so that all are back at the reset. `bucket`: at least the whole limit in each minute, or until the reset. `unknown`: the
 * readings do not show how many have come back.
 */
type LimitModel = 'window' | 'sliding' | 'bucket' | 'unknown';

/** Two consecutive readings of one window: no reset came between them. */
interface Step {
  readonly earlier: RateLimitReading;
  readonly later: RateLimitReading;
  readonly model: Exclude<LimitModel, 'unknown'>;
  /** How many requests the limit has given back at least. Requests of other clients can only hide some of them. */
  readonly givenBack: number;
  /** How many requests the model may have given back in this time. */
  readonly flow: number;
}

/** Whether the reading says that nothing is left of the key that may be exhausted. Each later request must then get 429. */
const isUsedUp = ({ remaining, exchange }: RateLimitReading): boolean =>
  remaining === 0 && exchange.credential.kind === 'rate-limit';

/** Whether 503 refuses this key alone: another one is served between two 503s, as in no outage. */
function isRefusedWith503({ exchanges }: World, key: JudgedKey): boolean {
  const unavailable = exchanges.filter((one) => one.credential.kind === key && statusOf(one) === 503);
  const isBetween = (one: Exchange): boolean =>
    unavailable.some((refusal) => happenedBefore(refusal, one)) &&
    unavailable.some((refusal) => happenedBefore(one, refusal));
  return exchanges.some((one) => isServed(one) && one.credential.kind !== key && isBetween(one));
}

/**
 * The readings of a key, each of a request that was sent after the answer before. Only served requests give a reading, since
 * a service need not count others. Once nothing is left, every answer other than a 429 gives one.
 */
function chainOf(world: World, key: JudgedKey, ofKey: readonly Exchange[]): readonly RateLimitReading[] {
  const chain: RateLimitReading[] = [];
  const isRefusing = isRefusedWith503(world, key);
  let wasRefused = false;
  for (const exchange of ofKey) {
    const status = statusOf(exchange);
    const last = chain.at(-1);
    wasRefused ||= isRefused(exchange);
    const isBeyond = last !== undefined && isUsedUp(last) && !isRefused(exchange);
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

/** Whether a 429 between two readings was over when the later request was sent: the limit may have reset by then. */
function isRefusalOver(earlier: RateLimitReading, later: RateLimitReading, refusals: readonly Exchange[]): boolean {
  return refusals.some((refusal) => {
    if (refusal.sent <= earlier.exchange.answered) return false;
    const waitMs = readingOf(refusal).waitMs ?? minuteMs;
    return refusal.endedAt + waitMs <= later.exchange.startedAt;
  });
}

/** Whether the reset of a reading may have come before the next one. */
function mayReset(earlier: RateLimitReading, later: RateLimitReading, refusals: readonly Exchange[]): boolean {
  if (isRefusalOver(earlier, later, refusals)) return true;
  const isMoved = later.resetsAt > earlier.resetsAt + roundingMs;
  // Without a Date the clock of the target is unknown, and a reset that has moved may have come at any time.
  if (isMoved && !isTimed(earlier)) return true;
  const passedMs = later.exchange.endedAt - earlier.exchange.endedAt;
  const byEarlierDateMs = earlier.aheadMs - passedMs;
  const byLaterDateMs = earlier.resetsAt - later.resetsAt + later.aheadMs;
  const untilResetMs = Math.min(byEarlierDateMs, byLaterDateMs);
  // A gateway may write a Date that is late by seconds, so that a reset seems to lie ahead although it has come.
  return untilResetMs <= (isMoved ? leastEarlyResetMs : roundingMs);
}

/** The model of the limit between two readings; `window` has all readings with the limit and the reset of the earlier one. */
function modelOf(
  earlier: RateLimitReading,
  later: RateLimitReading,
  window: readonly RateLimitReading[],
  begin: RateLimitReading,
): LimitModel {
  const first = window[0]!;
  const isSameReset = earlier.resetsAt === later.resetsAt;
  const resetStays = isSameReset && elapsedMs(first, window.at(-1)!) > roundingMs;
  // A sliding window of a minute drops requests that the run sent a minute ago, any number at a time.
  if (!resetStays && elapsedMs(begin, later) > slidingWindowAgeMs) return 'unknown';
  const beginsFull = first.remaining >= first.limit - 1;
  const isHalfUsed = window.some(({ remaining, limit }) => remaining * 2 < limit);
  if (isSameReset && beginsFull && (resetStays || isHalfUsed)) return 'window';
  return resetStays ? 'sliding' : 'bucket';
}

/** How many requests a limit may give back in a millisecond after a reading. */
function refillPerMs(model: Step['model'], { limit, remaining, aheadMs }: RateLimitReading): number {
  if (model === 'window') return 0;
  const untilFull = (limit - remaining) / Math.max(1, aheadMs - roundingMs);
  if (model === 'sliding') return untilFull;
  return Math.max(untilFull, limit / Math.max(minuteMs, aheadMs - roundingMs));
}

function stepsOf(chain: readonly RateLimitReading[], refusals: readonly Exchange[]): readonly Step[] {
  const windows = Map.groupBy(chain, ({ limit, resetsAt }) => `${limit} ${resetsAt}`);
  const steps: Step[] = [];
  for (let at = 1; at < chain.length; at += 1) {
    const earlier = chain[at - 1]!;
    const later = chain[at]!;
    if (earlier.limit === 0) continue; // a placeholder
    if (earlier.limit !== later.limit) continue; // another limit
    if (mayReset(earlier, later, refusals)) continue;
    const window = windows.get(`${earlier.limit} ${earlier.resetsAt}`)!;
    const model = modelOf(earlier, later, window, chain[0]!);
    if (model === 'unknown') continue;
    const givenBack = Math.max(0, later.remaining - earlier.remaining + 1);
    const flow = elapsedMs(earlier, later) * refillPerMs(model, earlier);
    steps.push({ earlier, later, model, givenBack, flow });
  }
  return steps;
}

/** The consecutive steps that give back most beyond their flow, and how much that is. */
function largestStretch(steps: readonly Step[]) {
  let best = { steps: [] as readonly Step[], sum: 0 };
  let from = 0;
  let sum = 0;
  for (const [at, { givenBack, flow }] of steps.entries()) {
    if (sum <= 0) {
      from = at;
      sum = 0;
    }
    sum += givenBack - flow;
    if (sum > best.sum) best = { steps: steps.slice(from, at + 1), sum };
  }
  return best;
}

/** A restart gives back no less than this; a smaller rise is a wrong count. */
const fewestLost = 5;
/** The overdraft of a window that is no fault: rounding hides less than one request. */
const fractionOfWindow = 0.5;

/** Whether the service may have lost its counts: the limit is full again, and a window of a minute may begin anew. */
function mayRestart({ givenBack, earlier, later }: Step): boolean {
  const sent = 1 + later.exchange.number - earlier.exchange.number;
  const isFull = later.limit - later.remaining <= sent;
  const mayBegin = later.resetsAt <= earlier.resetsAt || earlier.aheadMs <= longestMinuteMs;
  return givenBack >= fewestLost && isFull && mayBegin;
}

/** How many requests of other clients, sent before the run, a sliding window of a minute may drop at any moment. */
function droppedAt({ earlier: { limit, aheadMs } }: Step, first: RateLimitReading): number {
  const isOfMinute = aheadMs >= slidingWindowAgeMs && aheadMs <= longestMinuteMs;
  return isOfMinute ? Math.max(0, limit - 1 - first.remaining) : 0;
}

/** The steps of the overdraft; none where the fraction of a bucket, requests of other clients or one restart may explain it. */
function overdraftOf(steps: readonly Step[], chain: readonly RateLimitReading[]): readonly Step[] {
  const all = largestStretch(steps);
  const restart = all.steps.find(mayRestart);
  const worst = largestStretch(steps.filter((step) => step !== restart));
  const [first] = worst.steps;
  if (first === undefined) return [];
  const isWindow = worst.steps.every(({ model }) => model === 'window');
  const fraction = isWindow ? fractionOfWindow : aheadOfBucket;
  // Requests of other clients leave a window at times of their own, not some with each request of the run.
  const isLevel = worst.steps.length >= fewestLevelReadings && worst.steps.every(({ givenBack }) => givenBack > 0);
  const dropped = isLevel ? 0 : droppedAt(first, chain[0]!);
  return worst.sum > fraction + dropped ? worst.steps : [];
}

/** Fails the steps of an overdraft: requests beyond the limit were served, Remaining rises, or it does not fall. */
function judgeOverdraft(steps: readonly Step[]): readonly Finding[] {
  const [first] = steps;
  if (first === undefined) return [];
  const beyond = steps.filter(({ earlier }) => isUsedUp(earlier)).map(({ later }) => later.exchange);
  if (beyond.length > 0) {
    const received = beyond.map((exchange) => `${statusOf(exchange)} to ${exchange.operation}`).join(', ');
    const facts = { expected: '429 after X-RateLimit-Remaining 0', received };
    return [fails('rate-exceeded', 'not-refused', facts, first.earlier.exchange, beyond.at(-1)!)];
  }
  const largest = steps.reduce((one, other) => (other.givenBack > one.givenBack ? other : one));
  if (largest.later.remaining > largest.earlier.remaining) return [riseOf(largest)];
  // A service may describe several limits in its answers, one after another: the message compares numbers of one.
  const ofLimit = steps.filter((step) => step.later.limit === first.later.limit);
  const from = first.earlier;
  const to = ofLimit.at(-1)!.later;
  const facts = {
    expected: `X-RateLimit-Remaining to fall by ${ofLimit.length} or more`,
    received: `${to.remaining} after ${from.remaining}`,
  };
  return [fails('rate-remaining-falls', 'stays', facts, from.exchange, to.exchange)];
}

/** The failure of a Remaining that rises. Where a new window begins with it, its Reset was wrong. */
function riseOf({ earlier, later }: Step): Finding {
  const facts = {
    expected: `X-RateLimit-Remaining not to rise before the reset at ${earlier.resetsAt / 1000}`,
    received: `${later.remaining} after ${earlier.remaining}`,
  };
  if (later.resetsAt > earlier.resetsAt)
    return fails('rate-reset-header', 'resets-earlier', facts, earlier.exchange, later.exchange);
  return fails('rate-remaining-falls', 'rises', facts, earlier.exchange, later.exchange);
}

/** A change of plan, or of the window that the headers describe, changes the limit less often than this. */
const fewestChanges = 3;

/** Fails a limit that changes from one request to the next while Remaining falls by one: no limit has that number. */
function judgeChangingLimit(chain: readonly RateLimitReading[]): readonly Finding[] {
  const changes = chain.slice(1).filter(({ limit, remaining }, at) => {
    return remaining === chain[at]!.remaining - 1 && limit !== chain[at]!.limit;
  });
  if (changes.length < fewestChanges) return [];
  const first = changes[0]!;
  const second = changes[1]!;
  const received = `${first.limit} and ${second.limit} while X-RateLimit-Remaining fell by one each`;
  const facts = { expected: 'one X-RateLimit-Limit before one reset', received };
  return [fails('rate-limit-header', 'alternates', facts, first.exchange, second.exchange)];
}

/** After so many served requests a limit of 0 is a placeholder. */
const fewestServedAtZero = 10;

/** Fails a limit of 0, of which 0 are left, while requests with the key are served: no limit has that number. */
function judgePlaceholder(chain: readonly RateLimitReading[]): readonly Finding[] {
  const atZero = chain.filter(({ limit, remaining, exchange }) => limit === 0 && remaining === 0 && isServed(exchange));
  if (atZero.length < fewestServedAtZero) return [];
  const facts = {
    expected: 'X-RateLimit-Limit to be the limit that applies',
    received: `0 while ${atZero.length} requests with the key were served`,
  };
  return [fails('rate-limit-header', 'placeholder', facts, atZero[0]!.exchange, atZero.at(-1)!.exchange)];
}

/** "Requests left in the current window" (§8): what the readings of a key, one after another, say of its limit. */
function judgeAccount(world: World, key: JudgedKey): readonly Finding[] {
  const ofKey = world.exchanges.filter(({ credential }) => credential.kind === key);
  const chain = chainOf(world, key, ofKey);
  const steps = stepsOf(chain, ofKey.filter(isRefused));
  const falling = chain.filter(({ limit, remaining }, at) => {
    const earlier = chain[at - 1];
    return earlier !== undefined && limit === earlier.limit && remaining < earlier.remaining;
  });
  return [
    ...falling.map(({ exchange }) => holds('rate-remaining-falls', exchange)),
    ...judgeOverdraft(overdraftOf(steps, chain)),
    ...judgeSteadyFalls(world, key),
    ...judgeChangingLimit(chain),
    ...judgePlaceholder(chain),
  ];
}

export const accountCheck = {
  id: 'remaining-falls',
  verifies: ['rate-remaining-falls', 'rate-limit-header', 'rate-reset-header', 'rate-exceeded'],
  judge: (world: World) => judgedKeys.flatMap((key) => judgeAccount(world, key)),
} satisfies Check;
