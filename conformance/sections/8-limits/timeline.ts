/** §8 Judges the X-RateLimit headers of one key over time: some window or bucket must explain how they change. */

import { memoize } from '../../http/memoize.ts';
import {
  dayMs,
  gatewayDateMs,
  longestMinuteMs,
  minuteMs,
  roundingMs,
  slidingWindowAgeMs,
} from '../../http/tolerances.ts';
import type { Check } from '../../run/scenario.ts';
import { type Finding, fails, holds, isFailing } from '../../verdict/finding.ts';
import { countBelow, type History } from '../../verdict/history.ts';
import { judgeBursts, judgePrices, judgeServedWithoutRest } from './bursts.ts';
import { areOneRestart, elapsedMs, fewestEqualReadings, hasSameWindow, type Pair, pairsOf } from './pairs.ts';
import {
  byClock,
  isServed,
  judgedKeys,
  limitsOfPlan,
  type RateLimitReading,
  readingsOf,
  untilResetOf,
} from './readings.ts';
import { judgeResets, type KeyReadings } from './resets.ts';

type JudgedKey = (typeof judgedKeys)[number];

interface Timeline extends KeyReadings {
  readonly kind: JudgedKey;
  /** The event numbers at which all other requests with the key were sent and answered, in ascending order. */
  readonly failed: { readonly sent: readonly number[]; readonly answered: readonly number[] };
}

/** Errors that the operation itself gives. Others may come from a layer that does not count requests. */
const judgedErrors: readonly number[] = [400, 404];

const timelinesOf = memoize((history: History) => judgedKeys.flatMap((kind) => timelinesOfKey(history, kind)));

function timelinesOfKey(history: History, kind: JudgedKey): readonly Timeline[] {
  const readings = readingsOf(history, kind).filter(
    // A reset that lies beyond a day fails for that alone: no window ends there.
    ({ exchange, aheadMs }) =>
      aheadMs <= dayMs + gatewayDateMs && (isServed(exchange) || judgedErrors.includes(exchange.response.status)),
  );
  const ofKey = history.exchanges.filter(({ credential }) => credential.kind === kind || credential.kind === 'lenient');
  const failed = ofKey.filter((exchange) => !isServed(exchange));
  const inOrder = (events: readonly number[]): readonly number[] => events.toSorted((one, other) => one - other);
  const clocks = byClock(readings);
  return clocks.map((all) => ({
    kind,
    isOnlyClock: clocks.length === 1,
    all,
    served: all.filter(({ exchange }) => isServed(exchange)),
    failed: {
      sent: inOrder(failed.map(({ sent }) => sent)),
      answered: inOrder(failed.map(({ answered }) => answered)),
    },
  }));
}

/**
 * The most requests that a bucket or a sliding window gives back in a millisecond. A reset that stays for longer than
 * rounding explains belongs to one window, which gives back at most what was used, evenly until the reset. Otherwise the
 * reset may move, and the whole limit comes back within a window that is at least as long as the reset is ahead.
 */
function fillsPerMs(earlier: RateLimitReading, later: RateLimitReading): number {
  const { limit, remaining, aheadMs, exchange } = earlier;
  const untilFull = (limit - remaining) / Math.max(1, aheadMs - roundingMs);
  // Without a Date header the clock of the target is unknown, and so is how far ahead its reset is.
  const isTimed = exchange.response.headers['date'] !== undefined;
  if (isTimed && hasSameWindow(earlier, later) && elapsedMs(earlier, later) > roundingMs) return untilFull;
  return Math.max(untilFull, limit / Math.max(minuteMs, isTimed ? aheadMs - roundingMs : minuteMs));
}

/** The events of the last three requests: each is sent and answered. */
const recentEvents = 6;

/**
 * How many requests failed just before a reading or concurrently with it. Some services count each request first, and
 * give it back when it fails.
 */
function countRefundable({ failed }: Timeline, { exchange: { sent, answered } }: RateLimitReading): number {
  // A request that was answered before the recent events was sent before them, too.
  return countBelow(failed.sent, answered) - countBelow(failed.answered, sent - recentEvents + 1);
}

/**
 * How many requests a sliding window may have dropped within one second of Reset: those that other clients sent before
 * the run, as the first answer shows them, if Reset is a whole window ahead; after that time, any number.
 */
function countDroppable(first: RateLimitReading, later: RateLimitReading): number {
  if (elapsedMs(first, later) > slidingWindowAgeMs) return Number.POSITIVE_INFINITY;
  return later.aheadMs >= slidingWindowAgeMs ? first.limit - first.remaining - 1 : 0;
}

/** Fails rises that no reset, no refill of a bucket, no sliding window and no restart explains. */
function judgeRise(history: History, timeline: Timeline): readonly Finding[] {
  let dropped = 0;
  const rises = pairsOf(timeline.all).filter(([earlier, later]) => {
    const isInWindow = later.limit === earlier.limit && later.resetsAt <= earlier.resetsAt;
    // Whole seconds do not show whether a reset this near has passed.
    if (!isInWindow || untilResetOf(earlier, later) <= roundingMs) return false;
    const taken = isServed(later.exchange) ? 1 : 0;
    // By the Date of a gateway a reset may seem this much farther ahead than it is: a bucket is then full much sooner.
    const mayBeNear = earlier.aheadMs <= gatewayDateMs;
    const perMs = Math.max(fillsPerMs(earlier, later), mayBeNear ? earlier.limit / minuteMs : 0);
    const filled = Math.ceil(elapsedMs(earlier, later) * perMs);
    const explained = Math.max(0, filled - taken) + countRefundable(timeline, earlier);
    const rise = later.remaining - earlier.remaining;
    if (rise <= explained) return false;
    // A sliding window may drop a burst of other clients at once; a reset that is farther ahead belongs to none of a minute.
    const mayDrop = elapsedMs(earlier, later) < roundingMs || later.aheadMs <= longestMinuteMs;
    if (mayDrop) dropped += rise - explained;
    return !mayDrop || dropped > countDroppable(timeline.all[0]!, later);
  });
  if (areOneRestart(history, rises)) return [];
  return rises.map(([earlier, later]) => {
    const facts = {
      expected: `X-RateLimit-Remaining not to rise before the reset at ${earlier.resetsAt / 1000}`,
      received: `${later.remaining} after ${earlier.remaining}`,
    };
    return fails('rate-remaining-falls', 'rises', facts, earlier.exchange, later.exchange);
  });
}

/** Fewer readings in one window show no trend. */
const fewestReadings = 3;

/** Whether these requests took more than the limit gave back meanwhile. */
function isFasterThanRefill(readings: readonly RateLimitReading[]): boolean {
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined || readings.length < fewestReadings) return false;
  return elapsedMs(first, last) * fillsPerMs(first, last) < readings.length - 2;
}

/** Whether all readings are equal, for longer than a sliding window could hide by rounding its reset to seconds. */
function isConstant(readings: readonly RateLimitReading[]): boolean {
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined || readings.length < fewestEqualReadings) return false;
  return elapsedMs(first, last) > roundingMs && readings.every(({ remaining }) => remaining === first.remaining);
}

/**
 * Remaining must fall between two resets. If Reset moves with every answer, the window slides or a bucket refills, and
 * only requests that are faster than the refill show a fall.
 */
function judgeFall({ served }: Timeline): readonly Finding[] {
  // A bucket that is full again within a second or two shows no fall.
  const readings = served.filter(({ aheadMs }) => aheadMs > roundingMs);
  const falls = readings.slice(1).filter((later, at) => later.remaining < readings[at]!.remaining);
  if (falls.length > 0) return falls.map(({ exchange }) => holds('rate-remaining-falls', exchange));
  const byReset = [...Map.groupBy(readings, ({ resetsAt }) => resetsAt).values()];
  const [first, last] = [readings[0], readings.at(-1)];
  const isShown = isFasterThanRefill(readings) || byReset.some((part) => isFasterThanRefill(part) || isConstant(part));
  if (first === undefined || last === undefined || !isShown) return [];
  const facts = {
    expected: `X-RateLimit-Remaining to fall over ${readings.length} requests`,
    received: `${last.remaining} throughout`,
  };
  return [fails('rate-remaining-falls', 'never-falls', facts, first.exchange, last.exchange)];
}

/** Consecutive requests of one window, with no failed request between them. */
interface Steps {
  readonly pairs: readonly Pair[];
  readonly fillsPerMs: number;
  /** How often Remaining may stay the same because of what the limit gives back. */
  readonly mostEqual: number;
}

/** The pairs of readings between which no failed request may have given anything back. */
function cleanPairsOf(timeline: Timeline): readonly Pair[] {
  return pairsOf(timeline.served).filter((pair) => pair.every((one) => countRefundable(timeline, one) === 0));
}

function stepsIn(timeline: Timeline): readonly Steps[] {
  const pairs = cleanPairsOf(timeline).filter(
    ([earlier, later]) => hasSameWindow(earlier, later) && later.aheadMs > roundingMs,
  );
  const windows = Map.groupBy(pairs, ([, { resetsAt, limit }]) => `${resetsAt} ${limit}`);
  return [...windows.values()].map((inWindow) => {
    const [first, last] = [inWindow[0]![0], inWindow.at(-1)![1]];
    const perMs = fillsPerMs(first, last);
    const dropped = elapsedMs(first, last) > roundingMs ? 0 : countDroppable(timeline.all[0]!, last);
    return { pairs: inWindow, fillsPerMs: perMs, mostEqual: 1 + Math.ceil(elapsedMs(first, last) * perMs) + dropped };
  });
}

const stays = ([earlier, later]: Pair): boolean => later.remaining >= earlier.remaining;

/** Each request that is carried out takes one: Remaining may stay the same only as often as the limit gives one back. */
function judgeSteps(steps: readonly Steps[]): readonly Finding[] {
  return steps.flatMap(({ pairs, mostEqual }) => {
    const same = pairs.filter(stays);
    const [first] = same;
    if (first === undefined || same.length <= mostEqual) return [];
    const facts = {
      expected: 'X-RateLimit-Remaining to fall with each request',
      received: `the same again ${same.length} of ${pairs.length} times`,
    };
    return [fails('rate-remaining-falls', 'stays', facts, ...first.map(({ exchange }) => exchange))];
  });
}

/** Fails an operation whose requests are not counted, as behind a gateway that counts only cacheable requests. */
function judgeUncounted(steps: readonly Steps[]): readonly Finding[] {
  return steps.flatMap(({ pairs, fillsPerMs: perMs, mostEqual }) => {
    const byOperation = Map.groupBy(pairs, ([, { exchange }]) => exchange.operation);
    return [...byOperation].flatMap(([operation, asked]) => {
      const filled = asked.reduce((sum, [earlier, later]) => sum + elapsedMs(earlier, later) * perMs, 0);
      const [first] = asked;
      const isShown = asked.length >= fewestReadings && filled < 1 && mostEqual !== Number.POSITIVE_INFINITY;
      if (first === undefined || !isShown || !asked.every(stays)) return [];
      const facts = {
        expected: `X-RateLimit-Remaining to fall with each ${operation}`,
        received: `${first[1].remaining} again`,
      };
      return [fails('rate-remaining-falls', 'not-counted', facts, ...first.map(({ exchange }) => exchange))];
    });
  });
}

/** One change to another limit and back may be a change of the plan, or of the window that the header describes. */
const mostReturns = 1;

/** So many different numbers show that a header repeats the other. */
const fewestNumbers = 4;

/** Fails a limit that is always what remains, and falls with it. */
function judgeRepeated(served: Timeline['served']): readonly Finding[] {
  const numbers = [...new Set(served.map(({ limit }) => limit))];
  if (numbers.length < fewestNumbers || served.some(({ limit, remaining }) => limit !== remaining)) return [];
  const shown = served.filter(({ limit }, at) => at === 0 || limit !== served[at - 1]!.limit).slice(0, fewestNumbers);
  const facts = {
    expected: 'X-RateLimit-Limit to stay while X-RateLimit-Remaining falls',
    received: `the same number in both, from ${numbers[0]} to ${numbers.at(-1)}`,
  };
  return [fails('rate-limit-header', 'repeats-remaining', facts, ...shown.map(({ exchange }) => exchange))];
}

function judgeLimit({ served }: Timeline): readonly Finding[] {
  const repeated = judgeRepeated(served);
  if (repeated.length > 0) return repeated;
  // At midnight the windows of a minute and of a day reset together, and headers may describe either.
  const known = served.filter(({ resetsAt, aheadMs }) => resetsAt % dayMs !== 0 || aheadMs > longestMinuteMs);
  const parts = Map.groupBy(known, ({ resetsAt, exchange }) => `${resetsAt} ${exchange.operation}`).values();
  return [...parts].flatMap((part) => {
    const changes = part.slice(1).flatMap((later, at) => (later.limit === part[at]!.limit ? [] : [[part[at]!, later]]));
    const [first] = changes;
    // A limit that grows or shrinks with the load returns to no earlier number.
    const returns = changes.length + 1 - new Set(part.map(({ limit }) => limit)).size;
    if (first === undefined || returns <= mostReturns) return [];
    const limits = first.map(({ limit }) => limit).join(' and ');
    const facts = { expected: 'one X-RateLimit-Limit before one reset', received: `${limits} alternately` };
    return [fails('rate-limit-header', 'alternates', facts, ...first.map(({ exchange }) => exchange))];
  });
}

export const timelineChecks: readonly Check[] = [
  {
    id: 'remaining-falls',
    verifies: ['rate-remaining-falls'],
    title: 'X-RateLimit-Remaining falls with each request and rises only at a reset',
    judge: (history) =>
      timelinesOf(history).flatMap((timeline) => {
        const { kind } = timeline;
        const steps = stepsIn(timeline);
        // The first of these failures explains those after it, so it is reported alone.
        const [falls, inSteps] = [judgeFall(timeline), judgeSteps(steps)];
        const stalls = falls.some(isFailing) ? [] : inSteps.length > 0 ? inSteps : judgeUncounted(steps);
        const known = [...judgeRise(history, timeline), ...falls, ...stalls];
        if (known.some(isFailing)) return known;
        // How the key that is used up is refused is judged with its exhaustion.
        const withoutRest = kind === 'valid' ? judgeServedWithoutRest(timeline.served) : [];
        if (withoutRest.length > 0) return [...known, ...withoutRest];
        const clean = cleanPairsOf(timeline);
        const inBursts = judgeBursts(clean, limitsOfPlan(history.settings, kind)?.perMinute);
        return [...known, ...inBursts, ...(inBursts.length > 0 ? [] : judgePrices(clean))];
      }),
  },
  {
    id: 'reset-is-true',
    verifies: ['rate-limit-header', 'rate-reset-header'],
    title: 'Until it resets, a limit has one value and one reset, which may move on with a sliding window or a bucket',
    judge: (history) =>
      timelinesOf(history).flatMap((timeline) => {
        return [...judgeLimit(timeline), ...judgeResets(history, timeline)];
      }),
  },
];
