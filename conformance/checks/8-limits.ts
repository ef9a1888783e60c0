/** §8 Limits: the X-RateLimit headers of every answer, as numbers and as a course over time. */

import { planLimits } from '../../spec/facts.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { type Check, type Finding, fails, holds, type Invariant } from '../engine/check.ts';
import { type Exchange, happenedBefore, type RecordedResponse } from '../engine/exchange.ts';
import type { History } from '../engine/history.ts';
import { dateOf, readInteger, readRetryAfter, statusOf } from '../engine/read-response.ts';
import { limitProbe } from './8-limit-probe.ts';

type Answered = Exchange & { readonly response: RecordedResponse };

/** A target with an escape that is none, or is that of a control, may be answered before it reaches the service. */
function isWellFormed(exchange: Exchange): boolean {
  const { target } = exchange.request;
  if (!target.includes('%')) return true;
  try {
    return !/[\x00-\x1f]/.test(decodeURIComponent(target));
  } catch {
    return false;
  }
}

/** Every answer of the three operations, a 429 included. */
function answers(history: History): readonly Answered[] {
  return history.exchanges.filter(
    (exchange): exchange is Answered =>
      exchange.response !== undefined && exchange.operation !== 'other' && isWellFormed(exchange),
  );
}

const daySeconds = 86_400;

function judgeInteger(exchange: Answered, requirement: RequirementId, name: string): Finding {
  const value = readInteger(exchange.response, name.toLowerCase());
  if (value === 'missing') {
    return fails(requirement, 'missing', `expected ${name} on every response, received none`, exchange);
  }
  if (value === 'malformed') {
    const text = exchange.response.headers[name.toLowerCase()];
    return fails(requirement, 'not-an-integer', `expected ${name} to be a plain integer, received ${text}`, exchange);
  }
  return holds(requirement, exchange);
}

function judgeRange(exchange: Answered): readonly Finding[] {
  const limit = readInteger(exchange.response, 'x-ratelimit-limit');
  const remaining = readInteger(exchange.response, 'x-ratelimit-remaining');
  if (typeof limit !== 'number' || typeof remaining !== 'number' || remaining <= limit) return [];
  const message = `expected X-RateLimit-Remaining from 0 to the limit ${limit}, received ${remaining}`;
  return [fails('rate-remaining-header', 'above-limit', message, exchange)];
}

/** Whole seconds are rounded; without a Date of the target, our clock may differ from its own. */
function toleranceOf(response: RecordedResponse): number {
  return response.headers['date'] === undefined ? 300 : 2;
}

function judgeReset(exchange: Answered): readonly Finding[] {
  const { response, startedAt, endedAt } = exchange;
  const reset = readInteger(response, 'x-ratelimit-reset');
  if (typeof reset !== 'number') return [];
  const now = Math.floor(dateOf(response, endedAt) / 1000);
  const tolerance = toleranceOf(response);
  // Reset may be told when the request arrives and Date when it is answered; and a gateway may tell another Date.
  const durationSeconds = Math.ceil((endedAt - startedAt) / 1000);
  const isNear = (time: number): boolean =>
    reset - time >= -tolerance - durationSeconds && reset - time <= daySeconds + tolerance;
  if (isNear(now) || isNear(Math.floor(endedAt / 1000))) return [];
  const ahead = reset - now;
  const message = `expected X-RateLimit-Reset as Unix seconds from ${now} to a day later, received ${reset}`;
  return [fails('rate-reset-header', ahead < 0 ? 'in-the-past' : 'beyond-a-day', message, exchange)];
}

const headersAreThere: Invariant = {
  kind: 'invariant',
  id: 'rate-headers-are-there',
  verifies: ['rate-limit-header', 'rate-remaining-header', 'rate-reset-header'],
  title: 'Every answer carries the three X-RateLimit headers, integers in their range',
  judge: (history) =>
    answers(history).flatMap((exchange) => [
      judgeInteger(exchange, 'rate-limit-header', 'X-RateLimit-Limit'),
      judgeInteger(exchange, 'rate-remaining-header', 'X-RateLimit-Remaining'),
      judgeInteger(exchange, 'rate-reset-header', 'X-RateLimit-Reset'),
      ...judgeRange(exchange),
      ...judgeReset(exchange),
    ]),
};

/** One answer to a request with a key, as a point in the course of its limit. */
interface Point {
  readonly exchange: Answered;
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
}

/** The course of one key: answers that were carried out, in the order in which they were sent. */
function courseOf(history: History, kind: Exchange['credential']['kind']): readonly Point[] {
  return answers(history).flatMap((exchange) => {
    const { response } = exchange;
    const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
      readInteger(response, `x-ratelimit-${name}`),
    );
    const isServed = response.status === 200 || response.status === 201;
    if (exchange.credential.kind !== kind || !isServed) return [];
    if (typeof limit !== 'number' || typeof remaining !== 'number' || typeof reset !== 'number') return [];
    return [{ exchange, limit, remaining, reset }];
  });
}

/** Milliseconds after which a window that slides may have forgotten the first requests of the run. */
const slidingMs = 58_000;

/**
 * A rise that a window which slides, or a bucket that fills, can explain: as many as come back in the time between,
 * less the one that was taken; or any number once a minute has passed since the first request.
 */
function mayRise(first: Point, earlier: Point, later: Point): number {
  const elapsed = later.exchange.endedAt - earlier.exchange.startedAt;
  // Whole seconds of Reset do not show a window that has slid by less.
  const forgets = later.exchange.endedAt - first.exchange.startedAt > slidingMs || maySlide(first, later);
  const hidden = elapsed < 2_000 && forgets;
  return hidden ? Number.POSITIVE_INFINITY : Math.max(0, Math.ceil(elapsed * fillsPerMs(earlier)) - 1);
}

/**
 * The most requests that come back in a millisecond: the limit in a minute or, where a bucket fills sooner, what is
 * missing until the reset. Reset and Date are whole seconds.
 */
function fillsPerMs(point: Point): number {
  const untilFull = Math.max(1, aheadMs(point) - 2_000);
  return Math.max(point.limit / 60_000, (point.limit - point.remaining) / untilFull);
}

/** Milliseconds from an answer to the reset that it tells. */
function aheadMs({ exchange, reset }: Point): number {
  return reset * 1000 - dateOf(exchange.response, exchange.endedAt);
}

/**
 * Whether a window that slides may forget requests that others sent before the run: the key was not fresh, and Reset
 * is a whole window ahead.
 */
function maySlide(first: Point, later: Point): boolean {
  return first.remaining < first.limit - 1 && aheadMs(later) >= slidingMs;
}

/** The last point up to a position whose answer was here before another was asked for. */
function lastBefore(course: readonly Point[], from: number, later: Point): Point | undefined {
  for (let at = from; at >= 0; at -= 1) {
    const point = course[at]!;
    if (happenedBefore(point.exchange, later.exchange)) return point;
  }
  return undefined;
}

function judgeRise(course: readonly Point[]): readonly Finding[] {
  return course.slice(1).flatMap((later, at) => {
    const earlier = lastBefore(course, at, later);
    if (earlier === undefined || earlier.reset !== later.reset || earlier.limit !== later.limit) return [];
    // Whole seconds do not tell whether a reset this near has passed.
    if (aheadMs(later) <= 1_500) return [];
    if (later.remaining - earlier.remaining <= mayRise(course[0]!, earlier, later)) return [];
    const message = `expected X-RateLimit-Remaining not to rise before the reset at ${later.reset}, received ${later.remaining} after ${earlier.remaining}`;
    return [fails('rate-remaining-falls', 'rises', message, earlier.exchange, later.exchange)];
  });
}

/** Fewer points in one window tell nothing of a course. */
const enoughPoints = 3;

/**
 * Requests between two resets take from what remains. Where Reset moves with every answer the window slides or a
 * bucket fills, and only requests faster than it can fill show a fall.
 */
function judgeFall(all: readonly Point[]): readonly Finding[] {
  // A bucket that is full again within a second or two shows no fall.
  const course = all.filter((point) => aheadMs(point) > 2_000);
  const falls = course
    .slice(1)
    .flatMap((later, at) => (later.remaining < course[at]!.remaining ? [later.exchange] : []));
  if (falls.length > 0) return falls.map((exchange) => holds('rate-remaining-falls', exchange));
  const [first] = course;
  const last = course.at(-1);
  if (first === undefined || last === undefined) return [];
  const byReset = Object.values(Object.groupBy(course, (point) => point.reset));
  const isFixed = byReset.some((points) => {
    const [one, other] = [points?.[0], points?.at(-1)];
    const filled = one && other ? ((other.exchange.endedAt - one.exchange.startedAt) * first.limit) / 60_000 : 0;
    return (points?.length ?? 0) >= enoughPoints && filled < (points?.length ?? 0) - 1;
  });
  const filled = ((last.exchange.endedAt - first.exchange.startedAt) * first.limit) / 60_000;
  const isFast = course.length >= enoughPoints && filled < course.length - 2;
  const lastsLong = byReset.some((points) => (points?.length ?? 0) >= enoughPoints && outlastsRounding(points ?? []));
  if (!isFixed && !isFast && !lastsLong) return [];
  const message = `expected X-RateLimit-Remaining to fall over ${course.length} requests, received ${last.remaining} throughout`;
  return [fails('rate-remaining-falls', 'never-falls', message, first.exchange, last.exchange)];
}

/**
 * Creations that follow each other with nothing between take from what remains as well: a service that counts only
 * reads shows the same number throughout, in a window that stays and too fast for a bucket to fill.
 */
function judgeFallOfCreations(course: readonly Point[]): readonly Finding[] {
  const pairs = course.slice(1).flatMap((later, at): (readonly [Point, Point])[] => {
    const earlier = course[at]!;
    const areCreations = [earlier, later].every(({ exchange }) => exchange.operation === 'createPet');
    const isNext = later.exchange.number === earlier.exchange.number + 1;
    const isSame = earlier.reset === later.reset && earlier.limit === later.limit && aheadMs(later) > 2_000;
    const filled = ((later.exchange.endedAt - earlier.exchange.startedAt) * later.limit) / 60_000;
    return areCreations && isNext && isSame && filled < 1 ? [[earlier, later]] : [];
  });
  const [first] = pairs;
  if (first === undefined || pairs.length < enoughPoints) return [];
  if (pairs.some(([earlier, later]) => later.remaining !== earlier.remaining)) return [];
  const message = `expected X-RateLimit-Remaining to fall with each creation, received ${first[1].remaining} again`;
  return [fails('rate-remaining-falls', 'creations-not-counted', message, first[0].exchange, first[1].exchange)];
}

/** Whether Reset stayed for longer than a window that slides could keep it by rounding to seconds. */
function outlastsRounding(points: readonly Point[]): boolean {
  const [first] = points;
  const last = points.at(-1);
  return first !== undefined && last !== undefined && last.exchange.startedAt - first.exchange.endedAt > 2_000;
}

const remainingFalls: Invariant = {
  kind: 'invariant',
  id: 'remaining-falls',
  verifies: ['rate-remaining-falls'],
  title: 'What remains falls with each request and rises only at a reset',
  judge: (history) =>
    (['valid', 'rate-limit'] as const).flatMap((kind) => {
      const course = courseOf(history, kind);
      return [...judgeRise(course), ...judgeFall(course), ...judgeFallOfCreations(course)];
    }),
};

function judgePlan(history: History): readonly Finding[] {
  const { plan } = history.settings;
  if (plan === undefined || plan === 'enterprise') return [];
  const limits: readonly number[] = Object.values(planLimits[plan]);
  return answers(history).flatMap((exchange) => {
    const limit = readInteger(exchange.response, 'x-ratelimit-limit');
    if (exchange.credential.kind !== 'valid' || typeof limit !== 'number' || statusOf(exchange) === 401) return [];
    if (limits.includes(limit)) return [holds('rate-limit-plan', exchange)];
    const message = `expected the limit of the ${plan} plan, ${limits.join(' or ')}, received ${limit}`;
    return [fails('rate-limit-plan', 'not-of-the-plan', message, exchange)];
  });
}

const limitIsOfThePlan: Invariant = {
  kind: 'invariant',
  id: 'limit-is-of-the-plan',
  verifies: ['rate-limit-plan'],
  title: 'The limit is one of the row of the plan',
  judge: judgePlan,
};

/** Only the first refusal of a key is judged: the answers of a ban are open. */
function judgeRetryAfter(history: History): readonly Finding[] {
  return (['valid', 'rate-limit'] as const).flatMap((kind) => {
    const refused = answers(history).find(
      (exchange) => exchange.credential.kind === kind && statusOf(exchange) === 429,
    );
    if (refused === undefined) return [];
    if (readRetryAfter(refused.response, refused.endedAt) !== undefined) return [holds('rate-retry-after', refused)];
    const text = refused.response.headers['retry-after'] ?? 'none';
    const message = `expected Retry-After in seconds or as an HTTP date with the 429, received ${text}`;
    return [fails('rate-retry-after', 'unusable', message, refused)];
  });
}

const refusalSaysWhen: Invariant = {
  kind: 'invariant',
  id: 'refusal-says-when',
  verifies: ['rate-retry-after'],
  title: 'A 429 says when to come back',
  judge: judgeRetryAfter,
};

export const limitChecks: readonly Check[] = [
  headersAreThere,
  remainingFalls,
  limitIsOfThePlan,
  refusalSaysWhen,
  ...limitProbe,
];
