/** §8 Judges the behaviour when the limit is exceeded: 429, with a Retry-After, and served again when both have passed. */

import { isError } from '../../http/documented.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { readRetryAfter, statusOf } from '../../http/read-response.ts';
import {
  dayMs,
  gatewayDateMs,
  longestMinuteMs,
  longestOverstatementMs,
  minuteMs,
  roundingMs,
} from '../../http/tolerances.ts';
import type { Check } from '../../run/scenario.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import type { History } from '../../verdict/history.ts';
import type { Answered } from '../../world/evidence.ts';
import { answersOf, isServed, isTimed, judgedKeys, type RateLimitReading, readingOf } from './readings.ts';

/** After so many refusals the service may ban the key, and the answers of a ban are open. */
export const mostRefusals = 3;

/** How the key that may be exhausted was used up once: what was served, the 429s that followed, and what came after the wait. */
interface Exhaustion {
  readonly served: readonly RateLimitReading[];
  /** How many requests Remaining said were left when the first 429 came; errors since may have counted. */
  readonly left: number;
  readonly refusal: Answered;
  /** Whether other clients use the key, as any answer of the run shows: they may use it at any moment. */
  readonly isShared: boolean;
  /** All later requests. */
  readonly later: readonly Exchange[];
  /** Those of them that were sent once the first Retry-After had passed. */
  readonly again: readonly Exchange[];
}

/** Whether the service refused a request for its limit. A 429 of a gateway says nothing of the key. */
export function isRefused(exchange: Exchange): exchange is Answered {
  if (statusOf(exchange) !== 429) return false;
  const names = Object.keys(exchange.response?.headers ?? {});
  return names.some((name) => name.startsWith('x-ratelimit-')) || isError(exchange);
}

export function waitOf({ response, endedAt }: Exchange): number | undefined {
  return response === undefined ? undefined : readRetryAfter(response, endedAt);
}

/** When both Retry-After and Reset of a refusal have passed, Unix milliseconds by our clock. */
export function endOfRefusal(refusal: Exchange): number {
  return refusal.endedAt + Math.max(waitOf(refusal) ?? 0, readingOf(refusal)?.aheadMs ?? 0);
}

/** A Retry-After that is a date is one of the service's clock, and Date may be a gateway's: it may end so much later. */
export function mostDelayOf({ response }: Exchange): number {
  return /^\s*\d/.test(response?.headers['retry-after'] ?? '') ? 0 : gatewayDateMs;
}

/** Each exhaustion of the key: the run repeats it after the recovery. None where the key was refused from the start. */
export const exhaustionsIn = memoize(({ exchanges }: Pick<History, 'exchanges'>): readonly Exhaustion[] => {
  const ofKey = exchanges
    .filter(({ credential }) => credential.kind === 'rate-limit')
    .toSorted((one, other) => one.sent - other.sent);
  const found: Omit<Exhaustion, 'isShared'>[] = [];
  let isShared = ofKey[0] !== undefined && isRefused(ofKey[0]);
  let rest: readonly Exchange[] = ofKey.slice(Math.max(0, ofKey.findIndex(isServed)));
  for (;;) {
    const refusal = rest.find(isRefused);
    if (refusal === undefined || !isServed(rest[0]!)) return found.map((one) => ({ ...one, isShared }));
    const sent = rest.slice(0, rest.indexOf(refusal) + 1);
    const later = rest.slice(sent.length);
    const served = sent.flatMap((exchange) => (isServed(exchange) ? (readingOf(exchange) ?? []) : []));
    const [first, last] = [served[0], served.at(-1)];
    const countSent = (from: RateLimitReading, to: Exchange): number => sent.indexOf(to) - sent.indexOf(from.exchange);
    isShared ||=
      (first !== undefined && first.remaining < first.limit - 1) ||
      served.some(
        (one, at) => at > 0 && served[at - 1]!.remaining - one.remaining > countSent(served[at - 1]!, one.exchange),
      );
    const until = refusal.endedAt + (waitOf(refusal) ?? minuteMs);
    const again = later.filter(({ startedAt }) => startedAt >= until);
    const left = last === undefined ? 0 : last.remaining + 1 - countSent(last, refusal);
    found.push({ served, left, refusal, later, again });
    rest = again.slice(Math.max(0, again.findIndex(isServed)));
  }
});

/**
 * Whether the headers of a 429 describe another limit of the plan than the one that refused: that of the day if the reset is
 * more than a minute ahead, that of the minute if the refusal outlasts the reset by more than a minute.
 */
function isOfOtherLimit({ aheadMs, exchange }: RateLimitReading): boolean {
  return aheadMs > longestMinuteMs || (aheadMs > 0 && (waitOf(exchange) ?? 0) > aheadMs + longestMinuteMs);
}

/** Fails a 429 that comes, or says, that requests of the same limit are left until the same reset, or shows another limit. */
function judgeRefusals(
  all: readonly Exhaustion[],
  { served, left, refusal, later, isShared }: Exhaustion,
): readonly Finding[] {
  const before = served.at(-1);
  const at = readingOf(refusal);
  if (before === undefined || at === undefined || isOfOtherLimit(at)) return [];
  // A gateway may add a Date that is this far ahead, but then the answers before show it, too.
  const isBack = before.resetsAt - at.resetsAt > gatewayDateMs && (waitOf(refusal) ?? 0) > gatewayDateMs;
  if (isBack && at.aheadMs < -roundingMs) {
    const facts = { expected: 'X-RateLimit-Reset to be ahead with Retry-After', received: `${at.resetsAt / 1000}` };
    return [fails('rate-reset-header', 'in-the-past', facts, refusal)];
  }
  const refusals = [refusal, ...later.filter(isRefused)].slice(0, mostRefusals).flatMap((one) => readingOf(one) ?? []);
  const ofWindow = refusals.filter((one) => one.resetsAt === before.resetsAt && one.aheadMs > roundingMs);
  const other = before.remaining > 0 ? undefined : ofWindow.find(({ limit }) => limit !== before.limit);
  if (other !== undefined) {
    const facts = { expected: `X-RateLimit-Limit ${before.limit} with the 429, too`, received: `${other.limit}` };
    return [fails('rate-limit-header', 'differs-with-429', facts, before.exchange, other.exchange)];
  }
  const early = ofWindow.find(({ limit, remaining }) => limit === before.limit && remaining > 0);
  if (early !== undefined) {
    const facts = { expected: 'no requests left with a 429', received: `X-RateLimit-Remaining ${early.remaining}` };
    return [fails('rate-exceeded', 'refused-early', facts, before.exchange, early.exchange)];
  }
  // Another client may have used the key once, without any answer that shows it.
  const isEarly = left > 1 || (left === 1 && all.filter((one) => one.left === 1).length > 1);
  if (!isEarly || isShared || !ofWindow.includes(at) || at.limit !== before.limit) return [];
  const facts = { expected: `no 429 while X-RateLimit-Remaining said ${before.remaining}`, received: 'one' };
  return [fails('rate-exceeded', 'refused-early', facts, before.exchange, refusal)];
}

/** Judges only the first refusals of each key: the answers of a ban are open. */
function judgeRetryAfter(history: History): readonly Finding[] {
  return judgedKeys.flatMap((kind) => {
    const refusals = answersOf(history).filter((one) => one.credential.kind === kind && isRefused(one));
    return refusals.slice(0, mostRefusals).flatMap((refusal, at): readonly Finding[] => {
      const waitMs = waitOf(refusal);
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
    });
  });
}

/**
 * Fails a Retry-After that the service itself refutes: the key is served again as soon as its limit resets, long before
 * the time is over, or it is refused for longer than the 0 seconds.
 */
function judgeStatedWait({ served, refusal, later, isShared }: Exhaustion): readonly Finding[] {
  const [at, waitMs] = [readingOf(refusal), waitOf(refusal)];
  // Another limit than the one that is used up may take longer, and other clients may use the key up again.
  if (at === undefined || waitMs === undefined || served.at(-1)?.remaining !== 0 || isShared) return [];
  const secondsLater = ({ startedAt }: Exchange): number => Math.floor((startedAt - refusal.endedAt) / 1000);
  const isBefore = ({ endedAt }: Exchange, ms: number): boolean => endedAt < refusal.endedAt + ms;
  const sooner = later.find((one) => isServed(one) && isBefore(one, waitMs - longestOverstatementMs));
  if (sooner !== undefined && !isBefore(sooner, at.aheadMs)) {
    const received = `${waitMs / 1000} s: it was served after ${secondsLater(sooner)} s`;
    const facts = { expected: 'Retry-After to say when the key is served again', received };
    return [fails('rate-retry-after', 'served-sooner', facts, refusal, sooner)];
  }
  const longer = later.find(
    (one) => isRefused(one) && one.startedAt - refusal.endedAt >= roundingMs && isBefore(one, at.aheadMs - roundingMs),
  );
  if (waitMs > 0 || mostDelayOf(refusal) > 0 || longer === undefined) return [];
  const facts = {
    expected: 'Retry-After to say how long to wait',
    received: `0, and another 429 ${secondsLater(longer)} s later`,
  };
  return [fails('rate-retry-after', 'refused-later', facts, refusal, longer)];
}

/**
 * A client that has waited for Retry-After and Reset must be served, unless other clients have exhausted the key again.
 * That shows as a new window; if nobody else uses the key, it explains one refusal but not two.
 */
function judgeRecovery({ refusal, later, again, isShared }: Exhaustion): readonly Finding[] {
  const recovered = again.find(isServed);
  if (waitOf(refusal) === undefined) return [];
  if (recovered !== undefined) return [holds('rate-recovery', refusal, recovered)];
  const all = [refusal, ...later.filter(isRefused)];
  const isOver = (exchange: Exchange): boolean =>
    all.every((one) => !happenedBefore(one, exchange) || endOfRefusal(one) + mostDelayOf(one) <= exchange.startedAt);
  const [first, second] = again.filter((exchange) => isRefused(exchange) && isOver(exchange));
  if (first === undefined || all.some((one) => !isTimed({ exchange: one }) && mostDelayOf(one) > 0)) return [];
  const isSameReset = readingOf(first)?.resetsAt === readingOf(refusal)?.resetsAt;
  if (!isSameReset && (second === undefined || isShared)) return [];
  const waitedSeconds = Math.floor((first.startedAt - refusal.endedAt) / 1000);
  const expected = `to be served ${waitedSeconds} s later, after Retry-After and the reset`;
  return [fails('rate-recovery', 'still-refused', { expected, received: '429' }, refusal, first)];
}

export const exceededChecks: readonly Check[] = [
  {
    id: 'excess-is-refused',
    verifies: ['rate-exceeded', 'rate-limit-header', 'rate-reset-header'],
    title: 'No 429 comes before the limit, or says that requests are left',
    judge: (history) => {
      const all = exhaustionsIn(history);
      return all.flatMap((one) => {
        const found = judgeRefusals(all, one);
        const refused = [one.refusal, ...one.later.filter(isRefused)].slice(0, mostRefusals);
        return found.length > 0 ? found : refused.map((exchange) => holds('rate-exceeded', exchange));
      });
    },
  },
  {
    id: 'refusal-says-when',
    verifies: ['rate-retry-after', 'rate-retry-after-length'],
    title: 'A 429 has a Retry-After in seconds or as an HTTP date',
    judge: (history) => [...judgeRetryAfter(history), ...exhaustionsIn(history).slice(0, 1).flatMap(judgeStatedWait)],
  },
  {
    id: 'refusal-ends',
    verifies: ['rate-recovery'],
    title: 'A refused key is served again once Retry-After and the reset have passed',
    judge: (history) => exhaustionsIn(history).flatMap(judgeRecovery),
  },
];
