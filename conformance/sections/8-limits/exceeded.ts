/** §8 Judges the behaviour when the limit is exceeded: 429, with a Retry-After, and served again when both have passed. */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { readRetryAfter, statusOf } from '../../http/read-response.ts';
import {
  dayMs,
  gatewayDateMs,
  longestMinuteMs,
  longestOverstatementMs,
  minuteMs,
  roundingMs,
} from '../../http/tolerances.ts';
import { type Finding, fails, holds, isFailing } from '../../verdict/finding.ts';
import type { World } from '../../world/world.ts';
import type { Judge } from '../judge.ts';
import { unrefusedIn } from './excess.ts';
import { elapsedMs } from './ledger.ts';
import {
  endOfRefusal,
  isShared,
  leftAtRefusal,
  mayBeUsedOnce,
  mostDelayOf,
  mostRefusals,
  type Probe,
  readProbes,
} from './probes.ts';
import {
  answersOf,
  isServed,
  judgedKeys,
  limitsOfPlan,
  type RateLimitReading,
  readingOf,
  readingsOf,
} from './readings.ts';

function hasSameWindow(one: RateLimitReading, other: RateLimitReading): boolean {
  return one.resetsAt === other.resetsAt && one.limit === other.limit;
}

function describeAnswer(exchange: Exchange): string {
  return `${statusOf(exchange) ?? 'no answer'} to ${exchange.operation}`;
}

function judgeExcess(world: World, probe: Probe): readonly Finding[] {
  const { end, refusal, excess } = probe;
  const wrong = unrefusedIn(world, probe);
  const last = wrong.at(-1);
  if (last !== undefined) {
    const why = end === refusal ? 'one' : 'X-RateLimit-Remaining 0';
    const facts = { expected: `429 after ${why}`, received: `${wrong.map(describeAnswer).join(', ')}` };
    return [fails('rate-exceeded', 'not-refused', facts, end, last)];
  }
  return excess
    .filter((exchange) => statusOf(exchange) === 429)
    .map((exchange) => (exchange === end ? holds('rate-exceeded', exchange) : holds('rate-exceeded', end, exchange)));
}

/**
 * Whether the headers describe the other limit of the plan than the one that refused: that of the day if the reset is
 * more than a minute ahead, that of the minute if the refusal outlasts the reset by more than a minute.
 */
function describesOtherWindow(refusal: Exchange): boolean {
  const { aheadMs = 0 } = readingOf(refusal) ?? {};
  const waitMs = refusal.response === undefined ? 0 : (readRetryAfter(refusal.response, refusal.endedAt) ?? 0);
  return aheadMs > longestMinuteMs || (aheadMs > 0 && waitMs > aheadMs + longestMinuteMs);
}

/** Fails a 429 although the previous answer said that requests remained, of the same limit until the same reset. */
function judgeEarlyRefusal(world: World, probe: Probe): readonly Finding[] {
  const { refusal, served } = probe;
  const before = served.at(-1);
  const at = refusal === undefined ? undefined : readingOf(refusal);
  if (refusal === undefined || before === undefined || at === undefined || describesOtherWindow(refusal)) return [];
  if (!hasSameWindow(before, at)) return [];
  if (at.remaining > 0) {
    const facts = { expected: `no requests left with a 429`, received: `X-RateLimit-Remaining ${at.remaining}` };
    return [fails('rate-exceeded', 'refused-early', facts, before.exchange, refusal)];
  }
  if (leftAtRefusal(probe) <= 0 || isShared(world) || mayBeUsedOnce(readProbes(world), probe)) return [];
  const facts = { expected: `no 429 while X-RateLimit-Remaining said ${before.remaining}`, received: `one` };
  return [fails('rate-exceeded', 'refused-early', facts, before.exchange, refusal)];
}

/**
 * Fails the numbers of a 429 that contradict the answers before it: another limit until the same reset than the one that
 * is used up, a reset that has passed although Retry-After asks for more time, or requests left.
 */
function judgeRefusalNumbers({ refusal, served, excess }: Probe): readonly Finding[] {
  const before = served.at(-1);
  if (before === undefined || refusal === undefined || before.remaining > 0) return [];
  const refused = excess.flatMap((exchange) => (statusOf(exchange) === 429 ? (readingOf(exchange) ?? []) : []));
  const isOther = ({ limit, resetsAt, aheadMs }: RateLimitReading): boolean =>
    limit !== before.limit && resetsAt === before.resetsAt && aheadMs > roundingMs;
  const other = refused.find(isOther);
  if (other !== undefined) {
    const facts = { expected: `X-RateLimit-Limit ${before.limit} with the 429, too`, received: `${other.limit}` };
    return [fails('rate-limit-header', 'differs-with-429', facts, before.exchange, other.exchange)];
  }
  // A gateway may add a Date that is as far ahead as this, but then the answers before show it, too.
  const past = refused.find(
    ({ limit, aheadMs, resetsAt, exchange: { response, endedAt } }) =>
      limit === before.limit &&
      aheadMs < -roundingMs &&
      before.resetsAt - resetsAt > gatewayDateMs &&
      (readRetryAfter(response, endedAt) ?? 0) > gatewayDateMs,
  );
  if (past !== undefined) {
    const facts = {
      expected: `X-RateLimit-Reset ${before.resetsAt / 1000} with the 429, too`,
      received: `${past.resetsAt / 1000}, which has passed`,
    };
    return [fails('rate-reset-header', 'in-the-past', facts, before.exchange, past.exchange)];
  }
  const early = refused.find((one) => one.exchange !== refusal && one.remaining > 0 && hasSameWindow(one, before));
  if (early === undefined || describesOtherWindow(refusal) || (readingOf(refusal)?.remaining ?? 0) > 0) return [];
  const facts = { expected: `no requests left with a 429`, received: `X-RateLimit-Remaining ${early.remaining}` };
  return [fails('rate-exceeded', 'refused-early', facts, refusal, early.exchange)];
}

/**
 * Fails a window that serves more requests than its limit: a bucket may have refilled some meanwhile. A reset that is
 * near, or that moves, belongs to no window that could be counted.
 */
function judgeServedCount(world: World): readonly Finding[] {
  const readings = readingsOf(world, 'rate-limit').filter(({ exchange }) => isServed(exchange));
  const windows = Map.groupBy(readings, ({ limit, resetsAt }) => `${limit} ${resetsAt}`);
  return [...windows.values()].flatMap((inWindow) => {
    const counted = inWindow.filter(({ aheadMs }) => aheadMs > roundingMs);
    const [first, last] = [counted[0], counted.at(-1)];
    if (first === undefined || last === undefined) return [];
    const { limit } = first;
    const refilled = Math.floor((elapsedMs(first, last) * limit) / minuteMs);
    if (limit === 0 || counted.length <= limit + refilled) return [];
    const facts = {
      expected: `429 after the ${limit} requests of X-RateLimit-Limit`,
      received: `${counted.length} answers before the reset`,
    };
    return [fails('rate-exceeded', 'beyond-the-limit', facts, first.exchange, last.exchange)];
  });
}

/** Fails a key that is served more than twice its plan's limit in a minute: no window or bucket allows more than that. */
function judgeBeyondPlan(world: World): readonly Finding[] {
  const perMinute = limitsOfPlan(world.settings, 'rate-limit')?.perMinute ?? Number.POSITIVE_INFINITY;
  const served = readingsOf(world, 'rate-limit').filter(({ exchange }) => isServed(exchange));
  const last = served.find(({ exchange }, at) => {
    const first = served[at - 2 * perMinute]?.exchange;
    return first !== undefined && exchange.endedAt - first.startedAt < minuteMs;
  });
  if (last === undefined) return [];
  const facts = {
    expected: `429 beyond the ${perMinute} requests a minute of the plan`,
    received: `${2 * perMinute + 1} answers within a minute`,
  };
  return [fails('rate-exceeded', 'beyond-the-plan', facts, last.exchange)];
}

/** Judges only the first refusals of each key: the answers of a ban are open. */
function judgeRetryAfter(world: World): readonly Finding[] {
  return judgedKeys.flatMap((kind) => {
    const refusals = answersOf(world)
      .filter((exchange) => exchange.credential.kind === kind && statusOf(exchange) === 429)
      .toSorted((one, other) => one.sent - other.sent)
      .slice(0, mostRefusals);
    return refusals.flatMap((refusal, at): readonly Finding[] => {
      const waitMs = readRetryAfter(refusal.response, refusal.endedAt);
      if (waitMs === undefined) {
        const text = refusal.response.headers['retry-after'] ?? 'none';
        const facts = { expected: `Retry-After in seconds or as an HTTP date with each 429`, received: `${text}` };
        return [fails('rate-retry-after', 'unusable', facts, refusal)];
      }
      const isUsable = holds('rate-retry-after', refusal);
      if (at > 0) return [isUsable];
      if (waitMs <= dayMs) return [isUsable, holds('rate-retry-after-length', refusal)];
      const facts = { expected: `Retry-After of no more than a day`, received: `${Math.round(waitMs / 1000)} s` };
      return [isUsable, fails('rate-retry-after-length', 'beyond-a-day', facts, refusal)];
    });
  });
}

/**
 * Fails a Retry-After that the service itself refutes: the key is served again as soon as its limit resets, long before
 * the time is over, or it is refused for longer than the 0 seconds.
 */
function judgeStatedWait(world: World, probe: Probe): readonly Finding[] {
  const { refusal, sent } = probe;
  const [at, waitMs] =
    refusal?.response === undefined ? [] : [readingOf(refusal), readRetryAfter(refusal.response, refusal.endedAt)];
  // Another limit than the one that is used up may take longer, and other clients may use the key up again.
  const isKnown = at !== undefined && probe.served.at(-1)?.remaining === 0 && !isShared(world);
  if (refusal === undefined || waitMs === undefined || !isKnown) return [];
  const later = sent.filter((exchange) => exchange.startedAt - refusal.endedAt >= roundingMs);
  const isBefore = (exchange: Exchange, time: number): boolean => exchange.endedAt < refusal.endedAt + time;
  const served = later.find((exchange) => isServed(exchange) && isBefore(exchange, waitMs - longestOverstatementMs));
  if (served !== undefined && !isBefore(served, at.aheadMs)) {
    const facts = {
      expected: `Retry-After to say when the key is served again`,
      received: `${waitMs / 1000} s: it was served after ${Math.ceil((served.startedAt - refusal.endedAt) / 1000)} s`,
    };
    return [fails('rate-retry-after', 'served-sooner', facts, refusal, served)];
  }
  const refused = later.find((exchange) => statusOf(exchange) === 429 && isBefore(exchange, at.aheadMs - roundingMs));
  if (waitMs > 0 || mostDelayOf(refusal) > 0 || refused === undefined) return [];
  const facts = {
    expected: `Retry-After to say how long to wait`,
    received: `0, and another 429 ${Math.floor((refused.startedAt - refusal.endedAt) / 1000)} s later`,
  };
  return [fails('rate-retry-after', 'refused-later', facts, refusal, refused)];
}

/** Whether Retry-After is a date by the clock of the target, and no Date header shows that clock. */
function isByUnknownClock({ response }: Exchange): boolean {
  return response?.headers['date'] === undefined && !/^\s*\d/.test(response?.headers['retry-after'] ?? '');
}

/** Refusals after every earlier refusal's Retry-After and Reset had passed. */
function refusedAgain({ refusal, excess, again }: Probe): readonly Exchange[] {
  const refusals = [...excess, ...again].filter((exchange) => statusOf(exchange) === 429);
  const isOver = (exchange: Exchange): boolean =>
    refusals.every(
      (one) => !happenedBefore(one, exchange) || endOfRefusal(one) + mostDelayOf(one) <= exchange.startedAt,
    );
  return again.filter((exchange) => exchange !== refusal && statusOf(exchange) === 429 && isOver(exchange));
}

/** Fails a 429 after the recovery although the answer before said that requests remained. */
function judgeAfterRecovery(
  world: World,
  { again }: Probe,
  refusal: Exchange,
  recovered: Exchange,
): readonly Finding[] {
  const { remaining = 0 } = readingOf(recovered) ?? {};
  const next = again.find((exchange) => happenedBefore(recovered, exchange));
  // Another client may have sent one request in between.
  if (next === undefined || statusOf(next) !== 429 || remaining <= 1 || isShared(world)) {
    return [holds('rate-recovery', refusal, recovered)];
  }
  const facts = {
    expected: `${next.operation} to be served after the recovery, with ${remaining} requests left`,
    received: `429`,
  };
  return [fails('rate-recovery', 'still-refused', facts, recovered, next)];
}

/**
 * A client that has waited for Retry-After and Reset must be served, unless other clients have exhausted the key again.
 * That shows as a new window; if nobody else uses the key, it explains one refusal but not two.
 */
function judgeRecovery(world: World, probe: Probe): readonly Finding[] {
  const { refusal, again } = probe;
  if (refusal?.response === undefined || readRetryAfter(refusal.response, refusal.endedAt) === undefined) return [];
  const recovered = again.find(isServed);
  if (recovered !== undefined) return judgeAfterRecovery(world, probe, refusal, recovered);
  const refused = refusedAgain(probe);
  const [first] = refused;
  if (first === undefined || refused.some(isByUnknownClock) || isByUnknownClock(refusal)) return [];
  const isSameReset = readingOf(first)?.resetsAt === readingOf(refusal)?.resetsAt;
  if (!isSameReset && (refused.length < 2 || isShared(world))) return [];
  const waitedMs = first.startedAt - refusal.endedAt;
  const facts = {
    expected: `to be served ${Math.floor(waitedMs / 1000)} s later, after Retry-After and the reset`,
    received: `429`,
  };
  return [fails('rate-recovery', 'still-refused', facts, refusal, first)];
}

export const exceededJudges: readonly Judge[] = [
  {
    id: 'excess-is-refused',
    verifies: ['rate-exceeded', 'rate-limit-header', 'rate-reset-header'],
    title: 'Beyond the limit every operation answers 429, and none does before',
    scope: 'record',
    judge: (world) => {
      const probes = readProbes(world);
      const known = probes.flatMap((probe, at) => [
        ...judgeExcess(world, probe),
        ...judgeRefusalNumbers(probe),
        // After the recovery, the first answer and the next one are judged as that.
        ...(at === 0 || probe.served.length > 1 ? judgeEarlyRefusal(world, probe) : []),
      ]);
      if (known.some(isFailing)) return known;
      const beyond = probes.length === 0 ? judgeBeyondPlan(world) : [];
      return [...known, ...(beyond.length > 0 ? beyond : judgeServedCount(world))];
    },
  },
  {
    id: 'refusal-says-when',
    verifies: ['rate-retry-after', 'rate-retry-after-length'],
    title: 'A 429 has a Retry-After in seconds or as an HTTP date',
    scope: 'record',
    judge: (world) => [
      ...judgeRetryAfter(world),
      ...readProbes(world)
        .slice(0, 1)
        .flatMap((probe) => judgeStatedWait(world, probe)),
    ],
  },
  {
    id: 'refusal-ends',
    verifies: ['rate-recovery'],
    title: 'A refused key is served again once Retry-After and the reset have passed',
    scope: 'record',
    judge: (world) => {
      return readProbes(world).flatMap((probe) => judgeRecovery(world, probe));
    },
  },
];
