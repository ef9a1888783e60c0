/** §8 Judges the behaviour when the limit is exceeded: 429, with a Retry-After, and served again when both have passed. */

import { isError } from '../../http/documented.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { statusOf } from '../../http/read-response.ts';
import { dayMs, longestMinuteMs, longestOverstatementMs, minuteMs, roundingMs } from '../../http/tolerances.ts';
import type { Check } from '../../run/suite.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { type Answered, hasLimits } from '../../world/evidence.ts';
import type { History } from '../../world/history.ts';
import { answersOf, isServed, isTimed, judgedKeys, type RateLimitReading, readingOf, waitOf } from './readings.ts';

/** After so many refusals the service may ban the key, and the answers of a ban are open. */
export const mostRefusals = 3;

/** How the key that may be exhausted was used up once: what was served, the 429 that followed, and all later requests. */
interface Exhaustion {
  readonly served: readonly RateLimitReading[];
  /** How many requests Remaining said were left when the 429 came; errors since may have counted. */
  readonly left: number;
  readonly refusal: Answered;
  /** It and the 429s that followed. */
  readonly refusals: readonly Answered[];
  readonly later: readonly Exchange[];
  /** Those of them that were sent once the Retry-After had passed. */
  readonly again: readonly Exchange[];
}

/** Whether the service refused a request for its limit. A 429 of a gateway says nothing of the key. */
export function isRefused(exchange: Exchange): exchange is Answered {
  return statusOf(exchange) === 429 && (hasLimits(exchange) || isError(exchange));
}

/** When both Retry-After and Reset of a refusal have passed, Unix milliseconds by our clock. */
export function endOfRefusal(refusal: Exchange): number {
  return refusal.endedAt + Math.max(waitOf(refusal) ?? 0, readingOf(refusal)?.aheadMs ?? 0);
}

function ofLimitKey({ exchanges }: Pick<History, 'exchanges'>): readonly Exchange[] {
  const ofKey = exchanges.filter(({ credential }) => credential.kind === 'rate-limit');
  return ofKey.toSorted((one, other) => one.sent - other.sent);
}

const readingsIn = (exchanges: readonly Exchange[]): readonly RateLimitReading[] =>
  exchanges.filter(isServed).flatMap((exchange) => readingOf(exchange) ?? []);

/** Each exhaustion of the key: the run repeats it after the recovery. */
export const exhaustionsIn = memoize((history: Pick<History, 'exchanges'>): readonly Exhaustion[] => {
  const found: Exhaustion[] = [];
  let rest = ofLimitKey(history);
  for (;;) {
    rest = rest.slice(Math.max(0, rest.findIndex(isServed)));
    const refusal = rest.find(isRefused);
    if (refusal === undefined || !isServed(rest[0]!)) return found;
    const sent = rest.slice(0, rest.indexOf(refusal) + 1);
    const later = rest.slice(sent.length);
    const until = refusal.endedAt + (waitOf(refusal) ?? minuteMs);
    const again = later.filter(({ startedAt }) => startedAt >= until);
    const served = readingsIn(sent);
    const last = served.at(-1);
    const left = last === undefined ? 0 : last.remaining + 1 - (sent.length - 1 - sent.indexOf(last.exchange));
    found.push({ served, left, refusal, refusals: [refusal, ...later.filter(isRefused)], later, again });
    rest = again;
  }
});

/** Whether other clients use the key, as any answer of the run shows: they may use it at any moment. */
const isShared = memoize((history: Pick<History, 'exchanges'>): boolean => {
  const ofKey = ofLimitKey(history);
  const readings = readingsIn(ofKey);
  const begins = exhaustionsIn(history).map(({ served }) => served[0]);
  return (
    (ofKey[0] !== undefined && isRefused(ofKey[0])) ||
    begins.some((first) => first !== undefined && first.remaining < first.limit - 1) ||
    readings.slice(1).some((later, at) => {
      const earlier = readings[at]!;
      return earlier.remaining - later.remaining > ofKey.indexOf(later.exchange) - ofKey.indexOf(earlier.exchange);
    })
  );
});

/** Fails a 429 that comes, or says, that requests of the same limit are left until the same reset, or shows another limit. */
function judgeRefusals(history: History, { served, left, refusal, refusals }: Exhaustion): readonly Finding[] {
  const [before, at, waitMs = 0] = [served.at(-1), readingOf(refusal), waitOf(refusal)];
  if (before === undefined || at === undefined) return [];
  // Its headers describe the limit of the day where they reset later, and that of the minute where it lasts longer.
  if (at.aheadMs > longestMinuteMs || (at.aheadMs > 0 && waitMs > at.aheadMs + longestMinuteMs)) return [];
  const ofWindow = refusals
    .slice(0, mostRefusals)
    .flatMap((one) => readingOf(one) ?? [])
    .filter((one) => one.resetsAt === before.resetsAt && one.aheadMs > roundingMs);
  const other = before.remaining > 0 ? undefined : ofWindow.find(({ limit }) => limit !== before.limit);
  if (other !== undefined) {
    const facts = { expected: `X-RateLimit-Limit ${before.limit} with the 429, too`, received: `${other.limit}` };
    return [fails('rate-limit-header', 'differs-with-429', facts, before.exchange, other.exchange)];
  }
  const ofLimit = ofWindow.filter(({ limit }) => limit === before.limit);
  const withRest = ofLimit.find(({ remaining }) => remaining > 0);
  if (withRest !== undefined) {
    const facts = { expected: 'no requests left with a 429', received: `X-RateLimit-Remaining ${withRest.remaining}` };
    return [fails('rate-exceeded', 'refused-early', facts, before.exchange, withRest.exchange)];
  }
  // Another client may have used the key once, without any answer that shows it.
  const isEarly = left > 1 || (left === 1 && exhaustionsIn(history).filter((one) => one.left === 1).length > 1);
  if (!isEarly || isShared(history) || !ofLimit.includes(at)) return [];
  const facts = { expected: `no 429 while X-RateLimit-Remaining said ${before.remaining}`, received: 'one' };
  return [fails('rate-exceeded', 'refused-early', facts, before.exchange, refusal)];
}

/** Judges one of the first refusals of a key: the answers of a ban are open, and so is how long it lasts. */
function judgeRetryAfter(refusal: Answered, at: number): readonly Finding[] {
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
}

/**
 * Fails a Retry-After that the service itself refutes: the key is served again as soon as its limit resets, long before
 * the time is over, or it is refused for longer than the 0 seconds.
 */
function judgeStatedWait(history: History, { served, refusal, refusals, later }: Exhaustion): readonly Finding[] {
  const [at, waitMs] = [readingOf(refusal), waitOf(refusal)];
  // Another limit than the one that is used up may take longer, and other clients may use the key up again.
  if (at === undefined || waitMs === undefined || served.at(-1)?.remaining !== 0 || isShared(history)) return [];
  const after = (exchange: Exchange): number => exchange.endedAt - refusal.endedAt;
  const sooner = later.find((one) => isServed(one) && after(one) < waitMs - longestOverstatementMs);
  if (sooner !== undefined && after(sooner) >= at.aheadMs) {
    const received = `${waitMs / 1000} s: it was served after ${Math.floor(after(sooner) / 1000)} s`;
    const facts = { expected: 'Retry-After to say when the key is served again', received };
    return [fails('rate-retry-after', 'served-sooner', facts, refusal, sooner)];
  }
  const isLater = (one: Exchange): boolean => after(one) >= roundingMs && after(one) < at.aheadMs - roundingMs;
  const longer = refusals.find(isLater);
  if (!/^\s*0/.test(refusal.response.headers['retry-after'] ?? '') || longer === undefined) return [];
  const received = `0, and another 429 ${Math.floor(after(longer) / 1000)} s later`;
  const facts = { expected: 'Retry-After to say how long to wait', received };
  return [fails('rate-retry-after', 'refused-later', facts, refusal, longer)];
}

/**
 * A client that has waited for Retry-After and Reset must be served, unless other clients have exhausted the key again.
 * That shows as a new window; if nobody else uses the key, it explains one refusal but not two.
 */
function judgeRecovery(history: History, { refusal, refusals, again }: Exhaustion): readonly Finding[] {
  const recovered = again.find(isServed);
  if (waitOf(refusal) === undefined) return [];
  if (recovered !== undefined) return [holds('rate-recovery', refusal, recovered)];
  const isOver = (exchange: Exchange): boolean =>
    refusals.every((one) => !happenedBefore(one, exchange) || endOfRefusal(one) <= exchange.startedAt);
  // A Retry-After that is a date says no time where the clock of the service is unknown.
  const [first, second] = again.filter((exchange) => isRefused(exchange) && isOver(exchange) && isTimed({ exchange }));
  const isSameReset = first !== undefined && readingOf(first)?.resetsAt === readingOf(refusal)?.resetsAt;
  if (first === undefined || (!isSameReset && (second === undefined || isShared(history)))) return [];
  const waitedSeconds = Math.floor((first.startedAt - refusal.endedAt) / 1000);
  const expected = `to be served ${waitedSeconds} s later, after Retry-After and the reset`;
  return [fails('rate-recovery', 'still-refused', { expected, received: '429' }, refusal, first)];
}

export const exceededChecks: readonly Check[] = [
  {
    id: 'excess-is-refused',
    verifies: ['rate-exceeded', 'rate-limit-header'],
    title: 'No 429 comes before the limit, or says that requests are left',
    judge: (history) =>
      exhaustionsIn(history).flatMap((one) => {
        const found = judgeRefusals(history, one);
        return found.length > 0
          ? found
          : one.refusals.slice(0, mostRefusals).map((exchange) => holds('rate-exceeded', exchange));
      }),
  },
  {
    id: 'refusal-says-when',
    verifies: ['rate-retry-after', 'rate-retry-after-length'],
    title: 'A 429 has a Retry-After in seconds or as an HTTP date',
    judge: (history) => {
      const refused = answersOf(history).filter(isRefused);
      const ofKeys = judgedKeys.map((kind) => refused.filter(({ credential }) => credential.kind === kind));
      const [first] = exhaustionsIn(history);
      return [
        ...ofKeys.flatMap((ofKey) => ofKey.slice(0, mostRefusals).flatMap(judgeRetryAfter)),
        ...(first === undefined ? [] : judgeStatedWait(history, first)),
      ];
    },
  },
  {
    id: 'refusal-ends',
    verifies: ['rate-recovery'],
    title: 'A refused key is served again once Retry-After and the reset have passed',
    judge: (history) => exhaustionsIn(history).flatMap((one) => judgeRecovery(history, one)),
  },
];
