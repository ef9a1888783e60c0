/** §8 Judges the behaviour when the limit is exceeded: 429, with a Retry-After, and served again when both have passed. */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isGatewayError, readRetryAfter, statusOf } from '../../http/read-response.ts';
import { dayMs, longestMinuteMs, minuteMs, roundingMs } from '../../http/tolerances.ts';
import type { Check } from '../../run/scenario.ts';
import type { Invariant } from '../../verdict/check.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import type { History } from '../../verdict/history.ts';
import { looksLikeOutage } from '../../verdict/outages.ts';
import { mayBeCopy } from './copies.ts';
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

/** After so many refusals the service may ban the key, and the answers of a ban are open. */
export const mostRefusals = 3;

/** The exhaustion of a key: the requests up to its limit, those beyond it, and those after the wait. */
interface Probe {
  /** The readings of the requests that were served before the limit was reached. */
  readonly served: readonly RateLimitReading[];
  /** The first answer that shows the limit is reached: none remaining, or 429. */
  readonly end: Exchange;
  /** The first 429, if there was any. */
  readonly refusal: Exchange | undefined;
  /** The requests beyond the limit before the reset, including the one with the first 429. */
  readonly excess: readonly Exchange[];
  /** The requests after the wait, in order. */
  readonly again: readonly Exchange[];
}

/** When both Retry-After and Reset of a refusal have passed, Unix milliseconds by our clock. */
export function endOfRefusal(refusal: Exchange): number {
  const { response, endedAt } = refusal;
  const waitMs = response === undefined ? 0 : (readRetryAfter(response, endedAt) ?? 0);
  return endedAt + Math.max(waitMs, readingOf(refusal)?.aheadMs ?? 0);
}

/** When Retry-After has passed: requests from then on no longer count as excess. */
function mayAskAgain({ response, endedAt }: Exchange): number {
  return endedAt + (response === undefined ? 0 : (readRetryAfter(response, endedAt) ?? minuteMs));
}

/** The exhaustion of the rate-limit key; undefined if the key was refused from the start, since others exhausted it. */
export function readProbe({ exchanges }: Pick<History, 'exchanges'>): Probe | undefined {
  const all = exchanges
    .filter(({ credential }) => credential.kind === 'rate-limit')
    .toSorted((one, other) => one.sent - other.sent);
  const fromFirstServed = all.slice(Math.max(0, all.findIndex(isServed)));
  const refusal = fromFirstServed.find((exchange) => statusOf(exchange) === 429);
  const isOver = (exchange: Exchange): boolean =>
    exchange === refusal || (isServed(exchange) && readingOf(exchange)?.remaining === 0);
  const end = fromFirstServed.find(isOver);
  if (end === undefined || !isServed(fromFirstServed[0]!)) return undefined;
  const until = refusal === undefined ? Number.POSITIVE_INFINITY : mayAskAgain(refusal);
  const endAt = fromFirstServed.indexOf(end);
  const beyond = fromFirstServed.slice(endAt + (end === refusal ? 0 : 1));
  const isBefore = ({ startedAt }: Exchange): boolean => startedAt < until;
  return {
    served: fromFirstServed.slice(0, endAt + 1).flatMap((one) => (isServed(one) ? (readingOf(one) ?? []) : [])),
    end,
    refusal,
    excess: beyond.filter(isBefore),
    again: beyond.filter((exchange) => !isBefore(exchange)),
  };
}

/** The most requests that other clients sent with this key between two of ours, as the headers show. */
function takenByOthers(served: readonly RateLimitReading[]): number {
  const drops = served.slice(1).flatMap((later, at) => {
    const earlier = served[at]!;
    return earlier.resetsAt === later.resetsAt ? [earlier.remaining - later.remaining - 1] : [];
  });
  const [first] = served;
  // If the key was not fresh when the probe began, other clients use it.
  const isFresh = first === undefined || first.remaining >= first.limit - 1;
  return Math.max(isFresh ? 0 : 1, ...drops);
}

/** How many requests may be served after "none remaining": none in a window, what has been refilled in a bucket. */
function refill({ served }: Probe, from: Exchange, to: Exchange): number {
  const last = served.at(-1);
  const inWindow = served.filter(({ resetsAt }) => resetsAt === last?.resetsAt);
  // The reset of a bucket moves while it empties; the reset of a window stays from the first request to the last.
  const isWindow = last?.remaining === 0 && (inWindow[0]?.remaining ?? 0) > last.limit / 2;
  return isWindow ? 0 : 1 + Math.ceil(((to.endedAt - from.startedAt) * (last?.limit ?? 0)) / minuteMs);
}

function describeAnswer(exchange: Exchange): string {
  return `${statusOf(exchange) ?? 'no answer'} to ${exchange.operation}`;
}

/** Whether a gateway answered, and the service itself answered the next request: its own answer is then unknown. */
function wasTransient(excess: readonly Exchange[], exchange: Exchange): boolean {
  const next = excess.find(({ operation, sent }) => operation === exchange.operation && sent > exchange.answered);
  return isGatewayError(exchange) && next !== undefined && !isGatewayError(next);
}

/** Excess requests that were not answered 429. After a first 429 a ban may answer 401 or 403. */
function unrefused(history: History, { excess, refusal, end }: Probe): readonly Exchange[] {
  const atEnd = readingOf(end);
  // Where other requests met an outage, a 503 may be a gateway's as well.
  const mayBeOutage = history.outages.lost.some(({ credential }) => credential.kind !== 'rate-limit');
  return excess.filter((exchange) => {
    if (mayBeOutage && looksLikeOutage(exchange)) return false;
    const status = statusOf(exchange);
    if (status === undefined) return refusal === undefined;
    if (wasTransient(excess, exchange) || mayBeCopy(history, exchange)) return false;
    if (status === 429 || ((status === 401 || status === 403) && refusal !== undefined)) return false;
    return atEnd === undefined || untilResetOf(atEnd, { exchange: exchange as Answered }) > roundingMs;
  });
}

function judgeExcess(history: History, probe: Probe): readonly Finding[] {
  const { end, refusal, excess } = probe;
  const wrong = unrefused(history, probe);
  const last = wrong.at(-1);
  const isLost = wrong.every(({ response }) => response === undefined);
  // A single broken connection proves nothing.
  if (last !== undefined && wrong.length > (isLost ? 1 : refill(probe, end, last))) {
    const why = end === refusal ? 'one' : 'X-RateLimit-Remaining 0';
    const message = `expected 429 after ${why}, received ${wrong.map(describeAnswer).join(', ')}`;
    return [fails('rate-exceeded', 'not-refused', message, end, last)];
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
function judgeEarlyRefusal({ refusal, served }: Probe): readonly Finding[] {
  const before = served.at(-1);
  const at = refusal === undefined ? undefined : readingOf(refusal);
  if (refusal === undefined || before === undefined || at === undefined || describesOtherWindow(refusal)) return [];
  const isSame = before.limit === at.limit && before.resetsAt === at.resetsAt;
  if (!isSame) return [];
  if (at.remaining > 0) {
    const message = `expected no requests left with a 429, received X-RateLimit-Remaining ${at.remaining}`;
    return [fails('rate-exceeded', 'refused-early', message, before.exchange, refusal)];
  }
  if (before.remaining <= takenByOthers(served)) return [];
  const message = `expected no 429 while X-RateLimit-Remaining said ${before.remaining}, received one`;
  return [fails('rate-exceeded', 'refused-early', message, before.exchange, refusal)];
}

/** Fails a key that is served more than twice its plan's limit in a minute: no window or bucket allows more than that. */
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
    if (probe !== undefined) return [...judgeExcess(history, probe), ...judgeEarlyRefusal(probe)];
    return judgeBeyondPlan(history);
  },
};

/** Judges only the first refusals of each key: the answers of a ban are open. */
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
  title: 'A 429 has a Retry-After in seconds or as an HTTP date',
  judge: judgeRetryAfter,
};

/** Whether Retry-After is a date by the clock of the target, and no Date header shows that clock. */
function isByUnknownClock({ response }: Exchange): boolean {
  return response?.headers['date'] === undefined && !/^\s*\d/.test(response?.headers['retry-after'] ?? '');
}

/** Refusals after every earlier refusal's Retry-After and Reset had passed. */
function refusedAgain({ refusal, excess, again }: Probe): readonly Exchange[] {
  const refusals = [...excess, ...again].filter((exchange) => statusOf(exchange) === 429);
  const isOver = (exchange: Exchange): boolean =>
    refusals.every((one) => !happenedBefore(one, exchange) || endOfRefusal(one) <= exchange.startedAt);
  return again.filter((exchange) => exchange !== refusal && statusOf(exchange) === 429 && isOver(exchange));
}

/** Fails a 429 after the recovery although the answer before said that requests remained. */
function judgeAfterRecovery({ again, served }: Probe, refusal: Exchange, recovered: Exchange): readonly Finding[] {
  const { remaining = 0 } = readingOf(recovered) ?? {};
  const next = again.find((exchange) => happenedBefore(recovered, exchange));
  if (next === undefined || statusOf(next) !== 429 || remaining <= takenByOthers(served)) {
    return [holds('rate-recovery', refusal, recovered)];
  }
  const message = `expected ${next.operation} to be served after the recovery, with ${remaining} requests left, received 429`;
  return [fails('rate-recovery', 'still-refused', message, recovered, next)];
}

/**
 * A client that has waited for Retry-After and Reset must be served, unless other clients have exhausted the key again.
 * That shows as a new window; if nobody else used the key before, it explains one refusal but not two.
 */
function judgeRecovery(probe: Probe): readonly Finding[] {
  const { refusal, again, served } = probe;
  if (refusal?.response === undefined || readRetryAfter(refusal.response, refusal.endedAt) === undefined) return [];
  const recovered = again.find(isServed);
  if (recovered !== undefined) return judgeAfterRecovery(probe, refusal, recovered);
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

export const exceededChecks: readonly Check[] = [excessIsRefused, refusalSaysWhen, refusalEnds];
