/**
 * §8 Exceeding the limit. Judges that requests beyond the limit get 429 and none before, that each 429 has a usable
 * Retry-After, and that the key is served again once Retry-After and the reset have passed.
 */

import type { Exchange } from '../../http/exchange.ts';
import { statusOf } from '../../http/read-response.ts';
import {
  dayMs,
  longestMinuteMs,
  longestOverstatementMs,
  roundingMs,
  slidingWindowAgeMs,
} from '../../http/tolerances.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { type Answered, isRefused } from '../../world/evidence.ts';
import { readingOf } from '../../world/readings.ts';
import type { World } from '../../world/world.ts';
import { type Exhaustion, endOfExhaustion, exhaustionIn, resetAheadOf } from './exhaustion.ts';
import { aheadOfBucket, isOfKnownService, isServed, judgedKeys, type RateLimitReading } from './readings.ts';

/** After so many 429s the service may ban the key (§8.3), and the answers of a ban are open. */
export const mostRefusals = 3;
/** Other clients may have used the key up again, so the run comes back twice. */
export const mostReturns = 2;

const secondsOf = (ms: number): number => Math.floor(ms / 1000);

/** Whether a 429 names the limit that the last answer before it named, or none. */
function isOfSameLimit(refusal: Exchange, last: RateLimitReading): boolean {
  const { limit } = readingOf(refusal);
  return limit === undefined || limit === last.limit;
}

/** Whether a 429 names the reset that the last answer before it named, or none. */
function isOfSameReset(refusal: Exchange, last: RateLimitReading): boolean {
  const { resetsAt } = readingOf(refusal);
  return resetsAt === undefined || resetsAt === last.resetsAt;
}

/**
 * "A request that exceeds the rate limit receives 429" (§8.1), and no other request does: fails a 429 that says that requests
 * are left, or that comes while requests are left of the same limit until the same reset.
 */
function judgeTooManyRequests({
  readings,
  last,
  sent,
  left,
  cost,
  refusal,
  refusals,
  isShared,
}: Exhaustion): readonly Finding[] {
  const held = refusals.slice(0, mostRefusals);
  const evidence = held.map((exchange) => holds('rate-exceeded', exchange));
  if (last === undefined) return evidence;
  // Headers may describe the limit of the day while that of the minute refuses, or the other way round.
  const aheadMs = resetAheadOf(refusal, last);
  const { waitMs = 0 } = readingOf(refusal);
  const isOfMinute = aheadMs <= longestMinuteMs && waitMs <= aheadMs + longestMinuteMs;
  if (!isOfMinute) return evidence;
  const ofLimit = held.filter((exchange) => isOfSameLimit(exchange, last) && isOfSameReset(exchange, last));
  const withRest = ofLimit.find((exchange) => (readingOf(exchange).remaining ?? 0) > 0);
  if (withRest !== undefined) {
    const received = `X-RateLimit-Remaining ${readingOf(withRest).remaining}`;
    const facts = { expected: 'no requests left with a 429', received };
    return [fails('rate-exceeded', 'refused-early', facts, last.exchange, withRest)];
  }
  if (isShared || !ofLimit.includes(refusal)) return evidence;
  if (left >= cost) {
    const facts = { expected: `no 429 while X-RateLimit-Remaining said ${last.remaining}`, received: 'one' };
    return [fails('rate-exceeded', 'refused-early', facts, last.exchange, refusal)];
  }
  const first = readings[0]!;
  const beganFull = first.limit === last.limit && first.remaining >= first.limit - cost;
  if (!beganFull || sent * 2 > last.limit) return evidence;
  const facts = { expected: `${last.limit} requests before a 429, by X-RateLimit-Limit`, received: `${sent}` };
  return [fails('rate-exceeded', 'refused-early', facts, first.exchange, refusal)];
}

/** Whether a cache may have answered a request in place of the service. */
function mayBeCached({ exchanges }: World, exchange: Exchange): boolean {
  const { request, response, sent } = exchange;
  if (request.method !== 'GET') return false;
  if (response?.headers['age'] !== undefined) return true;
  return exchanges.some((one) => one.sent < sent && one.request.target === request.target);
}

/** The longest time between two consecutive 429s. In that time the limit gave back less than one request. */
function longestRefusedMs(ofKey: readonly Exchange[]): number {
  let longestMs = 0;
  for (let at = 1; at < ofKey.length; at += 1) {
    const earlier = ofKey[at - 1]!;
    const later = ofKey[at]!;
    if (isRefused(earlier) && isRefused(later)) longestMs = Math.max(longestMs, later.startedAt - earlier.endedAt);
  }
  return longestMs;
}

/**
 * "429 … any" operation (§7): fails a limit that refuses one operation while it serves more requests of others than it can have
 * given back in that time. Needs no X-RateLimit headers.
 */
function judgeServedMeanwhile(world: World, { refusal, later, isShared, startedAt }: Exhaustion): readonly Finding[] {
  const sameOperation = later.filter(({ operation }) => operation === refusal.operation);
  const servedAgain = sameOperation.findIndex((exchange) => !isRefused(exchange));
  const stillRefused = servedAgain < 0 ? sameOperation : sameOperation.slice(0, servedAgain);
  const last = stillRefused.at(-1);
  if (last === undefined || isShared) return [];
  const ofKey = [refusal, ...later.filter((exchange) => exchange.sent <= last.sent)];
  const served = ofKey.filter((exchange) => isServed(exchange) && !mayBeCached(world, exchange));
  // A sliding window drops requests that were sent a minute ago, any number at a time.
  if (last.endedAt - startedAt >= slidingWindowAgeMs) return [];
  const lastServed = served.at(-1);
  const refusedMs = longestRefusedMs(ofKey);
  if (lastServed === undefined || refusedMs === 0) return [];
  const flow = (lastServed.endedAt - refusal.startedAt) / refusedMs;
  if (served.length <= aheadOfBucket + flow) return [];
  const received = served.map((exchange) => `${statusOf(exchange)} to ${exchange.operation}`).join(', ');
  const facts = { expected: `429 to every operation while ${refusal.operation} is refused`, received };
  return [fails('rate-exceeded', 'not-refused', facts, refusal, lastServed, last)];
}

/** "The time given in the Retry-After header" (§8.2), judged on one of the first 429s of a key. */
function judgeRetryAfter(refusal: Answered, at: number): readonly Finding[] {
  const { waitMs } = readingOf(refusal);
  if (waitMs === undefined) {
    const received = refusal.response.headers['retry-after'] ?? 'none';
    const facts = { expected: 'Retry-After in seconds or as an HTTP date with each 429', received };
    return [fails('rate-retry-after', 'unusable', facts, refusal)];
  }
  const isUsable = holds('rate-retry-after', refusal);
  if (at > 0) return [isUsable];
  if (waitMs <= dayMs) return [isUsable, holds('rate-retry-after-length', refusal)];
  const facts = { expected: 'Retry-After of no more than a day', received: `${Math.round(waitMs / 1000)} s` };
  return [isUsable, fails('rate-retry-after-length', 'beyond-a-day', facts, refusal)];
}

/**
 * The last reading before the first 429, if Retry-After can be compared with how long the key is refused. Another limit than
 * the one that is used up may last longer, and other clients may use the key up again.
 */
function usedUpReadingOf({ last, cost, isShared }: Exhaustion): RateLimitReading | undefined {
  const isUsedUp = last !== undefined && last.limit > 0 && last.remaining < cost;
  return isUsedUp && !isShared ? last : undefined;
}

/** Fails a Retry-After that is far too long: the key is served as soon as its limit resets, an hour or more before it ends. */
function judgeLongWait(exhaustion: Exhaustion): readonly Finding[] {
  const { refusal, later } = exhaustion;
  const last = usedUpReadingOf(exhaustion);
  const { waitMs } = readingOf(refusal);
  if (last === undefined || waitMs === undefined) return [];
  const passedMs = (exchange: Exchange): number => exchange.endedAt - refusal.endedAt;
  const sooner = later.find((one) => isServed(one) && passedMs(one) < waitMs - longestOverstatementMs);
  if (sooner === undefined || passedMs(sooner) < resetAheadOf(refusal, last)) return [];
  const received = `${waitMs / 1000} s: it was served after ${secondsOf(passedMs(sooner))} s`;
  const facts = { expected: 'Retry-After to say when the key is served again', received };
  return [fails('rate-retry-after', 'served-sooner', facts, refusal, sooner)];
}

/** Whether every 429 that was known when a request was sent was over by then; `endOf` says when one is, Unix milliseconds. */
function areOverBefore(
  exchange: Exchange,
  refusals: readonly Exchange[],
  endOf: (refusal: Exchange) => number,
): boolean {
  const known = refusals.filter(({ answered }) => answered < exchange.sent);
  return known.every((refusal) => endOf(refusal) <= exchange.startedAt);
}

/**
 * "The client should wait for the time given in the Retry-After header" (§8.2): the key is served once it has waited so
 * long. A Retry-After of 0, or a date that is past, says nothing and fails if it is refuted; a short one only warns.
 */
function judgeShortWait(exhaustion: Exhaustion): readonly Finding[] {
  const { refusal, refusals, later } = exhaustion;
  const last = usedUpReadingOf(exhaustion);
  const { waitMs } = readingOf(refusal);
  if (last === undefined || waitMs === undefined) return [];
  const aheadMs = resetAheadOf(refusal, last);
  const passedMs = (exchange: Exchange): number => exchange.startedAt - refusal.endedAt;
  const endOfWait = (one: Exchange): number => one.endedAt + (readingOf(one).waitMs ?? 0);
  const back = later.find(
    (exchange) => passedMs(exchange) >= Math.max(waitMs, roundingMs) && areOverBefore(exchange, refusals, endOfWait),
  );
  if (back === undefined) return [];
  if (isServed(back)) {
    const isByRetryAfter = passedMs(back) < aheadMs || waitMs >= aheadMs - roundingMs;
    return isByRetryAfter ? [holds('rate-retry-after-suffices', refusal, back)] : [];
  }
  const isBeforeReset = back.endedAt - refusal.endedAt < aheadMs - roundingMs;
  if (!isRefused(back) || !isBeforeReset || !isOfSameLimit(back, last)) return [];
  const stated = refusal.response.headers['retry-after'] ?? '';
  const facts = {
    expected: 'the key to be served after the time in Retry-After',
    received: `Retry-After ${stated}, and another 429 ${secondsOf(passedMs(back))} s later`,
  };
  const saysNothing = waitMs === 0 ? [fails('rate-retry-after', 'refused-later', facts, refusal, back)] : [];
  return [...saysNothing, fails('rate-retry-after-suffices', 'refused-later', facts, refusal, back)];
}

/** "The client should wait" (§8.2): it is served then. Other clients may use the key up again, but not after each wait. */
function judgeRecovery({ last, refusal, refusals, later, isShared }: Exhaustion): readonly Finding[] {
  const { waitMs } = readingOf(refusal);
  if (waitMs === undefined) return [];
  const again = later.filter(({ startedAt }) => startedAt >= refusal.endedAt + waitMs);
  const recovered = again.find(isServed);
  if (recovered !== undefined) return [holds('rate-recovery', refusal, recovered)];
  const endOf = (one: Exchange): number => endOfExhaustion(one, last);
  const refusedAgain = again.filter((exchange) => isRefused(exchange) && areOverBefore(exchange, refusals, endOf));
  if (refusedAgain.length < mostReturns || isShared) return [];
  const first = refusedAgain[0]!;
  const waitedSeconds = secondsOf(first.startedAt - refusal.endedAt);
  const expected = `to be served ${waitedSeconds} s later, after Retry-After and the reset`;
  return [fails('rate-recovery', 'still-refused', { expected, received: '429' }, refusal, first)];
}

/** The judges of the exhaustion, and of Retry-After on the first 429s of each key. */
export function judgeExcess(world: World): readonly Finding[] {
  const refused = world.exchanges.filter(isRefused).filter((exchange) => isOfKnownService(world, exchange));
  const ofKeys = judgedKeys.map((kind) => refused.filter(({ credential }) => credential.kind === kind));
  return [
    ...ofKeys.flatMap((ofKey) => ofKey.slice(0, mostRefusals).flatMap(judgeRetryAfter)),
    ...exhaustionIn(world).flatMap((exhaustion) => [
      ...judgeTooManyRequests(exhaustion),
      ...judgeServedMeanwhile(world, exhaustion),
      ...judgeLongWait(exhaustion),
      ...judgeShortWait(exhaustion),
      ...judgeRecovery(exhaustion),
    ]),
  ];
}
