/** What is known of the limit of one client, and what its next request has to wait for by that. */

import { planLimits } from '../../spec/facts.ts';
import type { Exchange } from '../http/exchange.ts';
import { remainingOf, untilReset, waitAfterRefusal } from '../http/rate-limit-headers.ts';
import { minuteMs } from '../http/tolerances.ts';

/** Whom a target counts requests for, as far as a run can tell. */
export type RateLimitedClient = 'key' | 'rate-limit-key' | 'without-key';

/** What is known of the limit of one client. */
export interface RateLimitState {
  /** What is under way; each settles with its request. */
  readonly underWay: Set<Promise<void>>;
  /** When requests of the last minute were sent, Unix milliseconds. */
  readonly recent: number[];
  /** The answer whose headers count; undefined before the first, and after a refusal. */
  last: Exchange | undefined;
  /** Unix milliseconds before which nothing may go. */
  heldUntil: number;
  /** Answers in a row that said right after a reset that nothing is left. */
  emptyResets: number;
  hasWaitedForReset: boolean;
  /** Refusals, of which those sent side by side are one. */
  refusals: number;
  lastRefusal: Exchange | undefined;
  mostPerMinute: number;
  /** What all that have to wait wait for. */
  waiting: Promise<void> | undefined;
}

/** A wait before the next request of a client. */
export interface Wait {
  readonly ms: number;
  readonly why: string;
  /** What holds when it is over, whatever a clock says. */
  readonly release: () => void;
}

/** A header that says this often that a new window is empty does not tell what is left. */
const mostEmptyResets = 2;

export function createRateLimitState(mostPerMinute = Number.POSITIVE_INFINITY): RateLimitState {
  return {
    underWay: new Set(),
    recent: [],
    last: undefined,
    heldUntil: 0,
    emptyResets: 0,
    hasWaitedForReset: false,
    refusals: 0,
    lastRefusal: undefined,
    mostPerMinute,
    waiting: undefined,
  };
}

/** What is left by the headers, less what is under way; undefined where they do not tell. */
function leftFor({ last, underWay, emptyResets }: RateLimitState): number | undefined {
  const remaining = last === undefined || emptyResets >= mostEmptyResets ? undefined : remainingOf(last);
  return remaining === undefined ? undefined : remaining - underWay.size;
}

/** Whether what is under way decides how much is left: its answers are awaited first. */
export function mustAwaitAnswers(course: RateLimitState): boolean {
  if (course.underWay.size === 0) return false;
  return course.last === undefined || (leftFor(course) ?? 1) <= 0;
}

/** Milliseconds until a minute has fewer requests than are allowed. */
function untilMinuteHasRoom({ recent, mostPerMinute }: RateLimitState, now: number): number {
  while ((recent[0] ?? now) <= now - minuteMs) recent.shift();
  const oldest = recent.at(-mostPerMinute);
  return recent.length < mostPerMinute || oldest === undefined ? 0 : Math.max(0, oldest + minuteMs - now);
}

/** How many a minute are too many, as a refusal teaches: who used the key before is unknown, the plans are not. */
function learnFrom({ recent, refusals, underWay }: RateLimitState): number {
  // Neither the refused one was served, nor may those be that are under way beside it.
  const sent = Math.max(1, recent.length - 1 - underWay.size);
  const planned = Object.values(planLimits).flatMap(({ perMinute }) => perMinute ?? []);
  return refusals > 1 ? sent : (planned.find((limit) => limit >= sent) ?? sent);
}

/** Takes an answer into account. */
export function noteAnswer(course: RateLimitState, exchange: Exchange): void {
  if (exchange.response === undefined) return;
  if (course.hasWaitedForReset) course.emptyResets = remainingOf(exchange) === 0 ? course.emptyResets + 1 : 0;
  course.hasWaitedForReset = false;
  if (course.last === undefined || exchange.sent > course.last.sent) course.last = exchange;
}

/** Takes a 429 into account: nothing goes until it is over, and then one request at a time until one is answered. */
export function noteRefusal(course: RateLimitState, exchange: Exchange): void {
  course.last = undefined;
  course.heldUntil = Math.max(course.heldUntil, exchange.endedAt + waitAfterRefusal(exchange));
  const isOfTheSame = course.lastRefusal !== undefined && exchange.sent < course.lastRefusal.answered;
  if (isOfTheSame) return;
  course.refusals += 1;
  course.lastRefusal = exchange;
  course.mostPerMinute = Math.min(course.mostPerMinute, learnFrom(course));
}

/** Whether a client waits for a reset: those without a key get 401 whatever is left, which is not worth the end of a run. */
function waitsForReset(client: RateLimitedClient, ms: number, maxWaitMs: number): boolean {
  return client === 'key' || (client === 'without-key' && ms <= maxWaitMs);
}

function waitForReset(course: RateLimitState, now: number): Wait | undefined {
  const { last } = course;
  const reset = last === undefined || (leftFor(course) ?? 1) > 0 ? undefined : untilReset(last);
  if (reset === undefined || last === undefined) return undefined;
  const release = (): void => {
    course.last = undefined;
    course.hasWaitedForReset = true;
  };
  return { ms: reset - (now - last.endedAt), why: 'no requests are left until the reset', release };
}

/** What the next request of a client has to wait for by now, if anything. */
export function waitOf(
  client: RateLimitedClient,
  course: RateLimitState,
  now: number,
  maxWaitMs: number,
): Wait | undefined {
  if (course.heldUntil > now) {
    const release = (): void => {
      course.heldUntil = 0;
    };
    return { ms: course.heldUntil - now, why: 'the target answered 429', release };
  }
  const untilNext = waitForReset(course, now);
  if (untilNext !== undefined && untilNext.ms > 0 && waitsForReset(client, untilNext.ms, maxWaitMs)) return untilNext;
  const untilRoom = untilMinuteHasRoom(course, now);
  const release = (): void => void course.recent.shift();
  return untilRoom > 0 ? { ms: untilRoom, why: 'more a minute would be refused', release } : undefined;
}
