/** §8 Behaviour when exceeded: who goes beyond the limit gets 429, is told when to come back, and is served then. */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isGatewayError, readRetryAfter, statusOf } from '../../http/read-response.ts';
import { dayMs, longestMinuteMs, minuteMs, roundingMs } from '../../http/tolerances.ts';
import type { Check } from '../../run/scenario.ts';
import type { Invariant } from '../../verdict/check.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import type { History } from '../../verdict/history.ts';
import {
  type Answered,
  answersOf,
  isServed,
  judgedKeys,
  limitsOfPlan,
  type RateLimitReading,
  readingOf,
  readingsOf,
  untilResetOf,
} from './readings.ts';

/** Refusals after which a ban of the key is at stake, whose answers are open. */
export const mostRefusals = 3;

/** The use of a key until it is used up, and what came after that until its refusal was over. */
interface Probe {
  /** What was carried out before the limit was reached. */
  readonly served: readonly RateLimitReading[];
  /** The answer that said so: nothing is left, or the first 429. */
  readonly end: Exchange;
  /** The first 429, if there was any. */
  readonly refusal: Exchange | undefined;
  /** What was asked beyond the limit before the reset, the first 429 included. */
  readonly excess: readonly Exchange[];
  /** What was asked after the client had waited, in order. */
  readonly again: readonly Exchange[];
}

/** When a client may come back as its refusals say: both Retry-After and Reset have passed; Unix milliseconds by our clock. */
export function endOfRefusal(refusal: Exchange): number {
  const { response, endedAt } = refusal;
  const waitMs = response === undefined ? 0 : (readRetryAfter(response, endedAt) ?? 0);
  return endedAt + Math.max(waitMs, readingOf(refusal)?.aheadMs ?? 0);
}

/** When a client may ask again at the earliest: what it then gets is no excess any more. */
function mayAskAgain({ response, endedAt }: Exchange): number {
  return endedAt + (response === undefined ? 0 : (readRetryAfter(response, endedAt) ?? minuteMs));
}

/** A key that was refused from the start was used up by somebody else. */
export function readProbe({ exchanges }: Pick<History, 'exchanges'>): Probe | undefined {
  const all = exchanges
    .filter(({ credential }) => credential.kind === 'rate-limit')
    .toSorted((one, other) => one.sent - other.sent);
  const course = all.slice(Math.max(0, all.findIndex(isServed)));
  const refusal = course.find((exchange) => statusOf(exchange) === 429);
  const isOver = (exchange: Exchange): boolean =>
    exchange === refusal || (isServed(exchange) && readingOf(exchange)?.remaining === 0);
  const end = course.find(isOver);
  if (end === undefined || !isServed(course[0]!)) return undefined;
  const until = refusal === undefined ? Number.POSITIVE_INFINITY : mayAskAgain(refusal);
  const beyond = course.slice(course.indexOf(end) + (end === refusal ? 0 : 1));
  const isBefore = ({ startedAt }: Exchange): boolean => startedAt < until;
  return {
    served: course.slice(0, course.indexOf(end) + 1).flatMap((one) => (isServed(one) ? (readingOf(one) ?? []) : [])),
    end,
    refusal,
    excess: beyond.filter(isBefore),
    again: beyond.filter((exchange) => !isBefore(exchange)),
  };
}

/** The most requests that others may have sent with the same key between two of the probe, by what its headers show. */
function takenByOthers(served: readonly RateLimitReading[]): number {
  const drops = served.slice(1).flatMap((later, at) => {
    const earlier = served[at]!;
    return earlier.resetsAt === later.resetsAt ? [earlier.remaining - later.remaining - 1] : [];
  });
  const [first] = served;
  // A key that was not fresh when the probe began has other users.
  const isFresh = first === undefined || first.remaining >= first.limit - 1;
  return Math.max(isFresh ? 0 : 1, ...drops);
}

/** Requests that a limit may serve after it said that nothing is left: none in a window, what has come back in a bucket. */
function refill({ served }: Probe, from: Exchange, to: Exchange): number {
  const last = served.at(-1);
  const inWindow = served.filter(({ resetsAt }) => resetsAt === last?.resetsAt);
  // The reset of a bucket moves as it empties; that of a window stays from the first request to the last.
  const isWindow = last?.remaining === 0 && (inWindow[0]?.remaining ?? 0) > last.limit / 2;
  return isWindow ? 0 : 1 + Math.ceil(((to.endedAt - from.startedAt) * (last?.limit ?? 0)) / minuteMs);
}

function name(exchange: Exchange): string {
  return `${statusOf(exchange) ?? 'no answer'} to ${exchange.operation}`;
}

/** What a gateway answered for a service that was there again the next time: nobody knows what the service would say. */
function hasPassed(excess: readonly Exchange[], exchange: Exchange): boolean {
  const next = excess.find(({ operation, sent }) => operation === exchange.operation && sent > exchange.answered);
  return isGatewayError(exchange) && next !== undefined && !isGatewayError(next);
}

/** What was not refused as it should have been; a ban may answer with 401 or 403 once there was a 429. */
function unrefused({ excess, refusal, end }: Probe): readonly Exchange[] {
  const told = readingOf(end);
  return excess.filter((exchange) => {
    const status = statusOf(exchange);
    if (status === undefined) return refusal === undefined;
    if (hasPassed(excess, exchange)) return false;
    if (status === 429 || ((status === 401 || status === 403) && refusal !== undefined)) return false;
    return told === undefined || untilResetOf(told, { exchange: exchange as Answered }) > roundingMs;
  });
}

function judgeExcess(probe: Probe): readonly Finding[] {
  const { end, refusal, excess } = probe;
  const wrong = unrefused(probe);
  const last = wrong.at(-1);
  const isLost = wrong.every(({ response }) => response === undefined);
  // One connection may break for any reason.
  if (last !== undefined && wrong.length > (isLost ? 1 : refill(probe, end, last))) {
    const why = end === refusal ? 'one' : 'X-RateLimit-Remaining 0';
    const message = `expected 429 after ${why}, received ${wrong.map(name).join(', ')}`;
    return [fails('rate-exceeded', 'not-refused', message, end, last)];
  }
  return excess
    .filter((exchange) => statusOf(exchange) === 429)
    .map((exchange) => (exchange === end ? holds('rate-exceeded', exchange) : holds('rate-exceeded', end, exchange)));
}

/**
 * A plan has two limits, and the headers may speak of the one that has not refused: of the day, where the reset is more
 * than a minute ahead, or of the minute, where the refusal lasts for more than a minute longer.
 */
function speaksOfOtherWindow(refusal: Exchange): boolean {
  const { aheadMs = 0 } = readingOf(refusal) ?? {};
  const waitMs = refusal.response === undefined ? 0 : (readRetryAfter(refusal.response, refusal.endedAt) ?? 0);
  return aheadMs > longestMinuteMs || (aheadMs > 0 && waitMs > aheadMs + longestMinuteMs);
}

/** A 429 while the answer before said that more are left, of the same limit and until the same reset. */
function judgeEarlyRefusal({ refusal, served }: Probe): readonly Finding[] {
  const before = served.at(-1);
  const at = refusal === undefined ? undefined : readingOf(refusal);
  if (refusal === undefined || before === undefined || at === undefined || speaksOfOtherWindow(refusal)) return [];
  const isSame = before.limit === at.limit && before.resetsAt === at.resetsAt;
  if (!isSame || before.remaining <= takenByOthers(served)) return [];
  const message = `expected no 429 while X-RateLimit-Remaining said ${before.remaining}, received one`;
  return [fails('rate-exceeded', 'refused-early', message, before.exchange, refusal)];
}

/** Served more than any window or bucket of the plan may serve in a minute: all of it twice, about the end of a window. */
function judgeBeyondPlan(history: History): readonly Finding[] {
  const perMinute = limitsOfPlan(history.settings, 'rate-limit')?.perMinute ?? Number.POSITIVE_INFINITY;
  const served = readingsOf(history, 'rate-limit').filter(({ exchange }) => isServed(exchange));
  const last = served.find(({ exchange }, at) => {
    const first = served[at - 2 * perMinute]?.exchange;
    return first !== undefined && exchange.endedAt - first.startedAt < minuteMs;
  });
  if (last === undefined) return [];
  const message = `expected 429 beyond the ${perMinute} requests a minute of the plan, received ${2 * perMinute + 1} answers within a minute`;
  return [fails('rate-exceeded', 'beyond-the-plan', message, last.exchange)];
}

const excessIsRefused: Invariant = {
  kind: 'invariant',
  id: 'excess-is-refused',
  verifies: ['rate-exceeded'],
  title: 'Beyond the limit every operation answers 429, and none does before',
  judge: (history) => {
    const probe = readProbe(history);
    if (probe !== undefined) return [...judgeExcess(probe), ...judgeEarlyRefusal(probe)];
    return judgeBeyondPlan(history);
  },
};

/** The first refusals of each key: what a ban answers is open. */
function judgeRetryAfter(history: History): readonly Finding[] {
  return judgedKeys.flatMap((kind) => {
    const refusals = answersOf(history)
      .filter((exchange) => exchange.credential.kind === kind && statusOf(exchange) === 429)
      .toSorted((one, other) => one.sent - other.sent)
      .slice(0, mostRefusals);
    return refusals.flatMap((refusal, at): readonly Finding[] => {
      const waitMs = readRetryAfter(refusal.response, refusal.endedAt);
      if (waitMs === undefined) {
        const text = refusal.response.headers['retry-after'] ?? 'none';
        const message = `expected Retry-After in seconds or as an HTTP date with each 429, received ${text}`;
        return [fails('rate-retry-after', 'unusable', message, refusal)];
      }
      const isUsable = holds('rate-retry-after', refusal);
      if (at > 0) return [isUsable];
      if (waitMs <= dayMs) return [isUsable, holds('rate-retry-after-length', refusal)];
      const message = `expected Retry-After of no more than a day, received ${Math.round(waitMs / 1000)} s`;
      return [isUsable, fails('rate-retry-after-length', 'beyond-a-day', message, refusal)];
    });
  });
}

const refusalSaysWhen: Invariant = {
  kind: 'invariant',
  id: 'refusal-says-when',
  verifies: ['rate-retry-after', 'rate-retry-after-length'],
  title: 'A 429 says when to come back',
  judge: judgeRetryAfter,
};

/** A date of Retry-After is by the clock of the target, which nothing tells where there is no Date. */
function isByUnknownClock({ response }: Exchange): boolean {
  return response?.headers['date'] === undefined && !/^\s*\d/.test(response?.headers['retry-after'] ?? '');
}

/** Refused again after all that the refusals before said had passed; what lasts longer than a run waits is not there. */
function refusedAgain({ refusal, excess, again }: Probe): readonly Exchange[] {
  const refusals = [...excess, ...again].filter((exchange) => statusOf(exchange) === 429);
  const isOver = (exchange: Exchange): boolean =>
    refusals.every((one) => !happenedBefore(one, exchange) || endOfRefusal(one) <= exchange.startedAt);
  return again.filter((exchange) => exchange !== refusal && statusOf(exchange) === 429 && isOver(exchange));
}

/**
 * Who has waited for Retry-After and for the reset is served, unless others have used up what came back: that shows in a
 * new window, and where nobody else used the key before it is no reason twice.
 */
function judgeRecovery(probe: Probe): readonly Finding[] {
  const { refusal, again, served } = probe;
  if (refusal?.response === undefined || readRetryAfter(refusal.response, refusal.endedAt) === undefined) return [];
  const recovered = again.find(isServed);
  if (recovered !== undefined) return [holds('rate-recovery', refusal, recovered)];
  const refused = refusedAgain(probe);
  const [first] = refused;
  if (first === undefined || refused.some(isByUnknownClock) || isByUnknownClock(refusal)) return [];
  const isSameWindow = readingOf(first)?.resetsAt === readingOf(refusal)?.resetsAt;
  if (!isSameWindow && (refused.length < 2 || takenByOthers(served) > 0)) return [];
  const waitedMs = first.startedAt - refusal.endedAt;
  const message = `expected to be served ${Math.floor(waitedMs / 1000)} s later, after Retry-After and the reset, received 429`;
  return [fails('rate-recovery', 'still-refused', message, refusal, first)];
}

const refusalEnds: Invariant = {
  kind: 'invariant',
  id: 'refusal-ends',
  verifies: ['rate-recovery'],
  title: 'A refused key is served again once Retry-After and the reset have passed',
  judge: (history) => {
    const probe = readProbe(history);
    return probe === undefined ? [] : judgeRecovery(probe);
  },
};

export const limitRefusals: readonly Check[] = [excessIsRefused, refusalSaysWhen, refusalEnds];
