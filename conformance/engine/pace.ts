/** How long to wait before the next request, so that no 429 is of our own doing. */

import type { Exchange } from './exchange.ts';
import { dateOf, readInteger, readRetryAfter } from './read-response.ts';

const dayMs = 86_400_000;
/** Reset has whole seconds, and so has Date: what is rounded down twice may lie this much behind. */
const roundingMs = 1_000;

/** Milliseconds until the window of an exchange resets, if its headers say that nothing is left; 0 otherwise. */
export function waitForReset(exchange: Exchange): number {
  const { response } = exchange;
  if (response === undefined || readInteger(response, 'x-ratelimit-remaining') !== 0) return 0;
  const reset = readInteger(response, 'x-ratelimit-reset');
  if (typeof reset !== 'number') return 0;
  const wait = reset * 1000 - dateOf(response, exchange.endedAt);
  // A Reset in the past or more than a day ahead is no timestamp to wait for.
  return wait <= 0 || wait > dayMs + roundingMs ? 0 : wait + roundingMs;
}

/** Milliseconds that a 429 asks to wait: Retry-After, else the reset, else a minute. */
export function waitAfterRefusal(exchange: Exchange): number {
  const { response } = exchange;
  if (response === undefined) return 0;
  return readRetryAfter(response, exchange.endedAt) ?? (waitForReset(exchange) || 60_000);
}

/** Whom a target counts requests for, as far as a run can tell. */
export type Client = 'key' | 'rate-limit-key' | 'without-key';

/** What a run knows of the limits of its clients. */
export interface Pace {
  /** Milliseconds to wait before the next request of a client. */
  readonly waitBefore: (client: Client, now: number) => number;
  /** Whether requests that are under way may take all that is left. */
  readonly mayBeUsedUp: (client: Client, underWay: number) => boolean;
  readonly noteAnswer: (client: Client, exchange: Exchange) => void;
  /** Notes a 429; how many there were for this client, of which those sent side by side are one. */
  readonly noteRefusal: (client: Client, exchange: Exchange) => number;
}

interface Course {
  last: Exchange | undefined;
  hasWaited: boolean;
  isPaced: boolean;
  refusals: number;
  lastRefusal: Exchange | undefined;
  /** When the requests of the last minute were answered, Unix milliseconds. */
  readonly recent: number[];
  /** How many a minute are known to be too many, by the plan or by a 429. */
  mostPerMinute: number;
}

const minuteMs = 60_000;

/** Milliseconds until a minute has fewer requests than are allowed. */
function waitForMinute({ recent, mostPerMinute }: Course, now: number): number {
  const oldest = recent.at(-mostPerMinute);
  return recent.length < mostPerMinute || oldest === undefined ? 0 : Math.max(0, oldest + minuteMs - now);
}

/**
 * Requests without a key are answered by 401 whatever is left for their address, so they are paced only once they were
 * refused for their number. A 429 that no header foretold teaches how many a minute are too many: the headers may
 * speak of the day. `planPerMinute` is what the plan of the key allows, where it is known.
 */
export function createPace(planPerMinute = Number.POSITIVE_INFINITY): Pace {
  const start = (isPaced: boolean, mostPerMinute = Number.POSITIVE_INFINITY): Course => ({
    last: undefined,
    hasWaited: false,
    isPaced,
    refusals: 0,
    lastRefusal: undefined,
    recent: [],
    mostPerMinute,
  });
  const courses: Readonly<Record<Client, Course>> = {
    key: start(true, planPerMinute),
    'rate-limit-key': start(false),
    'without-key': start(false),
  };
  return {
    waitBefore(client, now) {
      const course = courses[client];
      while ((course.recent[0] ?? now) <= now - minuteMs) course.recent.shift();
      const untilReset = course.isPaced && course.last !== undefined ? waitForReset(course.last) : 0;
      const ms = Math.max(0, untilReset - (now - (course.last?.endedAt ?? now)));
      course.hasWaited = ms > 0;
      return Math.max(ms, waitForMinute(course, now));
    },
    mayBeUsedUp(client, underWay) {
      const { isPaced, last } = courses[client];
      const left = last?.response === undefined ? undefined : readInteger(last.response, 'x-ratelimit-remaining');
      return isPaced && typeof left === 'number' && left <= underWay;
    },
    noteAnswer(client, exchange) {
      const course = courses[client];
      // Nothing left right after a reset: the header does not tell what is left, and waiting for it would never end.
      if (course.hasWaited && waitForReset(exchange) > 0) course.isPaced = false;
      course.hasWaited = false;
      course.last = exchange;
      course.recent.push(exchange.endedAt);
    },
    noteRefusal(client, exchange) {
      const course = courses[client];
      course.last = undefined;
      course.isPaced = true;
      if (course.lastRefusal === undefined || exchange.sent > course.lastRefusal.answered) course.refusals += 1;
      course.lastRefusal = exchange;
      // A key that others had used up before says nothing of how many a minute are too many.
      if (course.recent.length > 0) course.mostPerMinute = course.recent.length;
      return course.refusals;
    },
  };
}
