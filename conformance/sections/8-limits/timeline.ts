/** §8 Limits: the X-RateLimit headers of one key as a course over time, which has to be that of some limit. */

import { happenedBefore } from '../../http/exchange.ts';
import {
  instanceClocksMs,
  leastEarlyResetMs,
  minuteMs,
  roundingMs,
  slidingWindowAgeMs,
} from '../../http/tolerances.ts';
import type { Check } from '../../run/scenario.ts';
import type { Invariant } from '../../verdict/check.ts';
import { type Finding, fails, holds, isFailing } from '../../verdict/finding.ts';
import { countBelow, type History } from '../../verdict/history.ts';
import { isServed, judgedKeys, type RateLimitReading, readingsOf, untilResetOf } from './readings.ts';

/** Answers to one key in the order of their requests. */
interface Timeline {
  readonly all: readonly RateLimitReading[];
  /** Those among them that were carried out. */
  readonly served: readonly RateLimitReading[];
  /** When all other requests with the key were sent and answered, whatever came of them: event numbers, in order. */
  readonly failed: { readonly sent: readonly number[]; readonly answered: readonly number[] };
}

/** Of errors only those of a request that the operation has looked at: others may come from before the limit. */
const judgedErrors: readonly number[] = [400, 404];

function timelineOf(history: History, kind: (typeof judgedKeys)[number]): Timeline {
  const all = readingsOf(history, kind).filter(
    ({ exchange }) => isServed(exchange) || judgedErrors.includes(exchange.response.status),
  );
  const ofKey = history.exchanges.filter(({ credential }) => credential.kind === kind || credential.kind === 'lenient');
  const failed = ofKey.filter((exchange) => !isServed(exchange));
  const inOrder = (events: readonly number[]): readonly number[] => events.toSorted((one, other) => one - other);
  return {
    all,
    served: all.filter(({ exchange }) => isServed(exchange)),
    failed: {
      sent: inOrder(failed.map(({ sent }) => sent)),
      answered: inOrder(failed.map(({ answered }) => answered)),
    },
  };
}

function elapsedMs(earlier: RateLimitReading, later: RateLimitReading): number {
  return later.exchange.endedAt - earlier.exchange.startedAt;
}

function hasSameWindow(one: RateLimitReading, other: RateLimitReading): boolean {
  return one.resetsAt === other.resetsAt && one.limit === other.limit;
}

/**
 * The most requests that a bucket or a window that slides gives back in a millisecond. A reset that stays for longer
 * than rounding hides is that of one window, which gives back no more than what was used, evenly until the reset; else
 * it may move, and all of the limit comes back within its window, which is as long as the reset is ahead or longer.
 */
function fillsPerMs(earlier: RateLimitReading, later: RateLimitReading): number {
  const { limit, remaining, aheadMs } = earlier;
  const untilFull = (limit - remaining) / Math.max(1, aheadMs - roundingMs);
  if (hasSameWindow(earlier, later) && elapsedMs(earlier, later) > roundingMs) return untilFull;
  return Math.max(untilFull, limit / Math.max(minuteMs, aheadMs - roundingMs));
}

/** The last standing before a position whose answer was here before that one was asked for. */
function lastBefore(course: readonly RateLimitReading[], at: number): RateLimitReading | undefined {
  const { exchange } = course[at]!;
  for (let before = at - 1; before >= 0; before -= 1) {
    if (happenedBefore(course[before]!.exchange, exchange)) return course[before];
  }
  return undefined;
}

/** Each standing of a course after the one before it, as far as there is one. */
function pairsOf(course: readonly RateLimitReading[]): readonly (readonly [RateLimitReading, RateLimitReading])[] {
  return course.flatMap((later, at): (readonly [RateLimitReading, RateLimitReading])[] => {
    const earlier = lastBefore(course, at);
    return earlier === undefined ? [] : [[earlier, later]];
  });
}

/** Two events a request: those of the last three requests. */
const recentEvents = 6;

/** Requests that failed just before or side by side: some services count a request first, and forget it when it fails. */
function countForgiven({ failed }: Timeline, { exchange: { sent, answered } }: RateLimitReading): number {
  // Whatever was answered so long ago was sent before, too.
  return countBelow(failed.sent, answered) - countBelow(failed.answered, sent - recentEvents + 1);
}

/**
 * How many requests a window that slides may have forgotten within one second of Reset by a time: those that others sent
 * before the run, as far as the first answer shows them, where Reset is a whole window ahead; later on any.
 */
function mayForget(first: RateLimitReading, later: RateLimitReading): number {
  if (elapsedMs(first, later) > slidingWindowAgeMs) return Number.POSITIVE_INFINITY;
  return later.aheadMs >= slidingWindowAgeMs ? first.limit - first.remaining - 1 : 0;
}

/** Rises that nothing explains: no reset has come, no bucket fills so fast, no window forgets so much. */
function judgeRise(course: Timeline): readonly Finding[] {
  let forgotten = 0;
  return pairsOf(course.all).flatMap(([earlier, later]) => {
    const isInWindow = later.limit === earlier.limit && later.resetsAt <= earlier.resetsAt;
    // Whole seconds do not tell whether a reset this near has passed.
    if (!isInWindow || untilResetOf(earlier, later) <= roundingMs) return [];
    const taken = isServed(later.exchange) ? 1 : 0;
    const filled = Math.ceil(elapsedMs(earlier, later) * fillsPerMs(earlier, later));
    const explained = Math.max(0, filled - taken) + countForgiven(course, earlier);
    const rise = later.remaining - earlier.remaining;
    if (rise <= explained) return [];
    if (elapsedMs(earlier, later) < roundingMs) forgotten += rise - explained;
    if (elapsedMs(earlier, later) < roundingMs && forgotten <= mayForget(course.all[0]!, later)) return [];
    const message = `expected X-RateLimit-Remaining not to rise before the reset at ${earlier.resetsAt / 1000}, received ${later.remaining} after ${earlier.remaining}`;
    return [fails('rate-remaining-falls', 'rises', message, earlier.exchange, later.exchange)];
  });
}

/** Fewer standings in one window tell nothing of a course. */
const enough = 3;

/** Whether less came back while these requests came than they took. */
function isFast(course: readonly RateLimitReading[]): boolean {
  const [first, last] = [course[0], course.at(-1)];
  if (first === undefined || last === undefined || course.length < enough) return false;
  return elapsedMs(first, last) * fillsPerMs(first, last) < course.length - 2;
}

/** So many in a row do not stay the same because as much comes back as is taken. */
const many = 10;

/** Whether nothing moves, for longer than a window that slides could hide by rounding its reset to seconds. */
function standsStill(course: readonly RateLimitReading[]): boolean {
  const [first, last] = [course[0], course.at(-1)];
  if (first === undefined || last === undefined || course.length < many) return false;
  return elapsedMs(first, last) > roundingMs && course.every(({ remaining }) => remaining === first.remaining);
}

/**
 * Requests between two resets take from what remains. Where Reset moves with every answer the window slides or a
 * bucket fills, and only requests faster than it can fill show a fall.
 */
function judgeFall({ served }: Timeline): readonly Finding[] {
  // A bucket that is full again within a second or two shows no fall.
  const course = served.filter(({ aheadMs }) => aheadMs > roundingMs);
  const falls = course.slice(1).filter((later, at) => later.remaining < course[at]!.remaining);
  if (falls.length > 0) return falls.map(({ exchange }) => holds('rate-remaining-falls', exchange));
  const byReset = [...Map.groupBy(course, ({ resetsAt }) => resetsAt).values()];
  const [first, last] = [course[0], course.at(-1)];
  const isShown = isFast(course) || byReset.some((part) => isFast(part) || standsStill(part));
  if (first === undefined || last === undefined || !isShown) return [];
  const message = `expected X-RateLimit-Remaining to fall over ${course.length} requests, received ${last.remaining} throughout`;
  return [fails('rate-remaining-falls', 'never-falls', message, first.exchange, last.exchange)];
}

/** Requests of one window that followed each other, with nothing between that failed. */
interface Followers {
  readonly pairs: readonly (readonly [RateLimitReading, RateLimitReading])[];
  readonly fillsPerMs: number;
  /** How many times what remains may stay the same for what is given back. */
  readonly mayStay: number;
}

function followersIn(course: Timeline): readonly Followers[] {
  const pairs = pairsOf(course.served).filter(([earlier, later]) => {
    const isClean = countForgiven(course, earlier) === 0 && countForgiven(course, later) === 0;
    return isClean && hasSameWindow(earlier, later) && later.aheadMs > roundingMs;
  });
  const windows = Map.groupBy(pairs, ([, { resetsAt, limit }]) => `${resetsAt} ${limit}`);
  return [...windows.values()].map((inWindow) => {
    const [first, last] = [inWindow[0]![0], inWindow.at(-1)![1]];
    const perMs = fillsPerMs(first, last);
    const forgotten = elapsedMs(first, last) > roundingMs ? 0 : mayForget(course.all[0]!, last);
    return { pairs: inWindow, fillsPerMs: perMs, mayStay: 1 + Math.ceil(elapsedMs(first, last) * perMs) + forgotten };
  });
}

const stays = ([earlier, later]: readonly [RateLimitReading, RateLimitReading]): boolean =>
  later.remaining >= earlier.remaining;

/** Each request that is carried out takes one: within a window what remains may stay only as often as some come back. */
function judgeSteps(followers: readonly Followers[]): readonly Finding[] {
  return followers.flatMap(({ pairs, mayStay }) => {
    const same = pairs.filter(stays);
    const [first] = same;
    if (first === undefined || same.length <= mayStay) return [];
    const message = `expected X-RateLimit-Remaining to fall with each request, received the same again ${same.length} of ${pairs.length} times`;
    return [fails('rate-remaining-falls', 'stays', message, ...first.map(({ exchange }) => exchange))];
  });
}

/** Requests of one operation that take nothing, as where a gateway counts only what it may not cache. */
function judgeUncounted(followers: readonly Followers[]): readonly Finding[] {
  return followers.flatMap(({ pairs, fillsPerMs: perMs, mayStay }) => {
    const byOperation = Map.groupBy(pairs, ([, { exchange }]) => exchange.operation);
    return [...byOperation].flatMap(([operation, asked]) => {
      const filled = asked.reduce((sum, [earlier, later]) => sum + elapsedMs(earlier, later) * perMs, 0);
      const [first] = asked;
      const isShown = asked.length >= enough && filled < 1 && mayStay !== Number.POSITIVE_INFINITY;
      if (first === undefined || !isShown || !asked.every(stays)) return [];
      const message = `expected X-RateLimit-Remaining to fall with each ${operation}, received ${first[1].remaining} again`;
      return [fails('rate-remaining-falls', 'not-counted', message, ...first.map(({ exchange }) => exchange))];
    });
  });
}

const remainingFalls: Invariant = {
  kind: 'invariant',
  id: 'remaining-falls',
  verifies: ['rate-remaining-falls'],
  title: 'What remains falls with each request and rises only at a reset',
  judge: (history) =>
    judgedKeys.flatMap((kind) => {
      const course = timelineOf(history, kind);
      // What explains the others is told alone.
      const followers = followersIn(course);
      const [falls, steps] = [judgeFall(course), judgeSteps(followers)];
      const stalls = falls.some(isFailing) ? [] : steps.length > 0 ? steps : judgeUncounted(followers);
      return [...judgeRise(course), ...falls, ...stalls];
    }),
};

/** Changes to another limit and back again, twice: one may be a change of the plan, or of the window that is told. */
const mostChanges = 2;

function judgeLimit({ served }: Timeline): readonly Finding[] {
  const parts = Map.groupBy(served, ({ resetsAt, exchange }) => `${resetsAt} ${exchange.operation}`).values();
  return [...parts].flatMap((part) => {
    const changes = part.slice(1).flatMap((later, at) => (later.limit === part[at]!.limit ? [] : [[part[at]!, later]]));
    const [first] = changes;
    if (first === undefined || changes.length <= mostChanges) return [];
    const limits = first.map(({ limit }) => limit).join(' and ');
    const message = `expected one X-RateLimit-Limit before one reset, received ${limits} by turns`;
    return [fails('rate-limit-header', 'alternates', message, ...first.map(({ exchange }) => exchange))];
  });
}

/** A reset that has not come stays where it is or moves on, whatever window or bucket it is of. */
function judgeJumps({ served }: Timeline): readonly Finding[] {
  const jumps = pairsOf(served).filter(
    ([earlier, later]) =>
      later.limit === earlier.limit &&
      later.resetsAt < earlier.resetsAt - instanceClocksMs &&
      untilResetOf(earlier, later) > instanceClocksMs,
  );
  const [first] = jumps;
  if (first === undefined || jumps.length < 2) return [];
  const [earlier, later] = first;
  const message = `expected X-RateLimit-Reset to stay at ${earlier.resetsAt / 1000} or to move on, received ${later.resetsAt / 1000}, and the like ${jumps.length} times`;
  return [fails('rate-reset-header', 'jumps-back', message, earlier.exchange, later.exchange)];
}

/**
 * A limit that was given back long before its reset: more remains than a bucket would have filled by then, than others
 * may have used before the run, and than the run had when it began, while all that it sent is of one window still.
 */
function judgeEarlyReset({ served }: Timeline): readonly Finding[] {
  const [first] = served;
  if (first === undefined) return [];
  for (const [earlier, later] of pairsOf(served)) {
    const untilReset = untilResetOf(earlier, later) - elapsedMs(first, earlier);
    // Without a Date the clock of the target may be hours ahead.
    const isTimed = earlier.exchange.response.headers['date'] !== undefined;
    if (
      !isTimed ||
      earlier.limit !== later.limit ||
      earlier.resetsAt === later.resetsAt ||
      untilReset < leastEarlyResetMs
    )
      continue;
    const filled = elapsedMs(earlier, later) * ((earlier.limit - earlier.remaining) / (earlier.aheadMs || 1));
    const explained = Math.ceil(filled) + (first.limit - first.remaining) + 1;
    if (later.remaining <= earlier.remaining + explained) continue;
    const message = `expected the limit to reset at ${earlier.resetsAt / 1000} as X-RateLimit-Reset said, received ${later.remaining} left after ${earlier.remaining} ${Math.round(untilReset / 1000)} s before`;
    return [fails('rate-reset-header', 'resets-earlier', message, earlier.exchange, later.exchange)];
  }
  return [];
}

const resetIsTrue: Invariant = {
  kind: 'invariant',
  id: 'reset-is-true',
  verifies: ['rate-limit-header', 'rate-reset-header'],
  title: 'Until the limit resets it is one limit with one reset, which may move on with a window or a bucket',
  judge: (history) =>
    judgedKeys.flatMap((kind) => {
      const course = timelineOf(history, kind);
      return [...judgeLimit(course), ...judgeJumps(course), ...judgeEarlyReset(course)];
    }),
};

export const timelineChecks: readonly Check[] = [remainingFalls, resetIsTrue];
