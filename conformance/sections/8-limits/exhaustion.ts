/**
 * §8 Exceeding the limit: the run uses up the key that the user provides for this, exceeds its limit with each operation,
 * waits, and uses it again. Judges that requests beyond the limit get 429, with a Retry-After, until both times have passed.
 */

import { rateLimitKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { idsShownIn, statusOf } from '../../http/read-response.ts';
import { dayMs, longestMinuteMs, longestOverstatementMs, refusalMarginMs, roundingMs } from '../../http/tolerances.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Session } from '../../run/session.ts';
import type { Check } from '../../run/suite.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { type Answered, hasLimits } from '../../world/evidence.ts';
import { endOfRefusal, readingOf } from '../../world/readings.ts';
import type { World } from '../../world/world.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { createPet, drawUnknownId, getPet, listPets, plainPet } from '../requests.ts';
import { isServed, judgedKeys, limitReadingOf, type RateLimitReading } from './readings.ts';

/** After so many refusals the service may ban the key, and the answers of a ban are open. */
const mostRefusals = 3;
/** Other clients may have exhausted the key again, so the return is tried twice. */
const mostReturns = 2;
/** Requests kept for the excess, the other key and the return after the wait. */
const reserve = mostRefusals + 4;

type Recorded = Pick<World, 'exchanges'>;

/** All that was sent with the key. */
function ofLimitKey({ exchanges }: Recorded): readonly Exchange[] {
  return exchanges.filter(({ credential }) => credential.kind === 'rate-limit');
}

/** Whether the service refused a request for its limit. A 429 of a gateway says nothing of the key. */
function isRefused(exchange: Exchange): exchange is Answered {
  return statusOf(exchange) === 429 && hasLimits(exchange);
}

/** How the key was used up: the last request that was served, the 429s from the first one on, and all later requests. */
interface Exhaustion {
  readonly last: RateLimitReading | undefined;
  /** How many requests Remaining said were left when the 429 came; errors since may have counted. */
  readonly left: number;
  readonly refusal: Answered;
  readonly refusals: readonly Answered[];
  readonly later: readonly Exchange[];
  /** Whether other clients use the key, as any answer shows: they may use it at any moment. */
  readonly isShared: boolean;
}

/** The one exhaustion that a run brings about; none where the key was never refused. */
export const exhaustionIn = memoize((record: Recorded): readonly Exhaustion[] => {
  const all = ofLimitKey(record);
  const from = all.findIndex(isServed);
  const at = all.findIndex((exchange, index) => index > from && isRefused(exchange));
  const refusal = all[at];
  if (from < 0 || refusal === undefined || !isRefused(refusal)) return [];
  const readings = all.filter(isServed).flatMap((exchange) => limitReadingOf(exchange) ?? []);
  const last = readings.findLast(({ exchange }) => exchange.sent < refusal.sent);
  const isShared =
    from > 0 ||
    readings.some(({ limit, remaining, exchange }, index) => {
      const earlier = readings[index - 1];
      const sent = all.indexOf(exchange) - (earlier === undefined ? -1 : all.indexOf(earlier.exchange));
      return (earlier?.remaining ?? limit) - remaining > sent;
    });
  const left = last === undefined ? 0 : last.remaining + 1 - (at - all.indexOf(last.exchange));
  return [{ last, left, refusal, refusals: all.slice(at).filter(isRefused), later: all.slice(at + 1), isShared }];
});

/** Fails a 429 that comes, or says, that requests of the same limit are left until the same reset. */
function judgeRefusals({ last, left, refusal, refusals, isShared }: Exhaustion): readonly Finding[] {
  const held = refusals.slice(0, mostRefusals);
  const evidence = held.map((exchange) => holds('rate-exceeded', exchange));
  const { aheadMs = 0, waitMs = 0 } = readingOf(refusal);
  // Its headers describe the limit of the day where they reset later, and that of the minute where it lasts longer.
  const isOfMinute = aheadMs <= longestMinuteMs && waitMs <= aheadMs + longestMinuteMs;
  if (last === undefined || !isOfMinute) return evidence;
  const ofLimit = held.filter((exchange) => {
    const { limit, resetsAt } = readingOf(exchange);
    return limit === last.limit && resetsAt === last.resetsAt;
  });
  const withRest = ofLimit.find((exchange) => (readingOf(exchange).remaining ?? 0) > 0);
  if (withRest !== undefined) {
    const received = `X-RateLimit-Remaining ${readingOf(withRest).remaining}`;
    const facts = { expected: 'no requests left with a 429', received };
    return [fails('rate-exceeded', 'refused-early', facts, last.exchange, withRest)];
  }
  if (left < 1 || isShared || !ofLimit.includes(refusal)) return evidence;
  const facts = { expected: `no 429 while X-RateLimit-Remaining said ${last.remaining}`, received: 'one' };
  return [fails('rate-exceeded', 'refused-early', facts, last.exchange, refusal)];
}

/** Judges one of the first refusals of a key: the answers of a ban are open, and so is how long it lasts. */
function judgeRetryAfter(refusal: Answered, at: number): readonly Finding[] {
  const { waitMs } = readingOf(refusal);
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
function judgeStatedWait({ last, refusal, later, isShared }: Exhaustion): readonly Finding[] {
  const { waitMs, aheadMs = 0 } = readingOf(refusal);
  // Another limit than the one that is used up may take longer, and other clients may use the key up again.
  if (waitMs === undefined || last?.remaining !== 0 || isShared) return [];
  const after = (exchange: Exchange): number => exchange.endedAt - refusal.endedAt;
  const sooner = later.find((one) => isServed(one) && after(one) < waitMs - longestOverstatementMs);
  if (sooner !== undefined && after(sooner) >= aheadMs) {
    const received = `${waitMs / 1000} s: it was served after ${Math.floor(after(sooner) / 1000)} s`;
    const facts = { expected: 'Retry-After to say when the key is served again', received };
    return [fails('rate-retry-after', 'served-sooner', facts, refusal, sooner)];
  }
  const isLater = (one: Exchange): boolean => after(one) >= roundingMs && after(one) < aheadMs - roundingMs;
  const longer = later.find((one) => isRefused(one) && isLater(one));
  if (!/^\s*0/.test(refusal.response.headers['retry-after'] ?? '') || longer === undefined) return [];
  const received = `0, and another 429 ${Math.floor(after(longer) / 1000)} s later`;
  const facts = { expected: 'Retry-After to say how long to wait', received };
  return [fails('rate-retry-after', 'refused-later', facts, refusal, longer)];
}

/** A client that has waited for Retry-After and Reset is served, unless others exhaust the key again: not each time. */
function judgeRecovery({ refusal, refusals, later, isShared }: Exhaustion): readonly Finding[] {
  const { waitMs } = readingOf(refusal);
  if (waitMs === undefined) return [];
  const again = later.filter(({ startedAt }) => startedAt >= refusal.endedAt + waitMs);
  const recovered = again.find(isServed);
  if (recovered !== undefined) return [holds('rate-recovery', refusal, recovered)];
  const isOver = (exchange: Exchange): boolean =>
    refusals.every((one) => one.answered >= exchange.sent || endOfRefusal(one).latest <= exchange.startedAt);
  const [first, ...others] = again.filter((exchange) => isRefused(exchange) && isOver(exchange));
  if (first === undefined || others.length + 1 < mostReturns || isShared) return [];
  const waitedSeconds = Math.floor((first.startedAt - refusal.endedAt) / 1000);
  const expected = `to be served ${waitedSeconds} s later, after Retry-After and the reset`;
  return [fails('rate-recovery', 'still-refused', { expected, received: '429' }, refusal, first)];
}

/** Sends until the key is refused or nothing is left, as far as the budget allows: that answer, or why there is none. */
export async function exhaust(session: Session, next: () => PlannedRequest): Promise<Exchange | string> {
  const { budget } = session;
  let [most, served] = [1, 0];
  while (served <= 2 * most) {
    const exchange = await session.sendOnce(next());
    const [status = 0, { limit, remaining }] = [statusOf(exchange), readingOf(exchange)];
    if (isRefused(exchange) || (isServed(exchange) && remaining === 0)) return exchange;
    // An error other than the first may be the operation's own.
    if (served > 0 && remaining !== undefined && /^4(?!01)/.test(`${status}`)) continue;
    if (!isServed(exchange)) return `the key that may be exhausted was answered with ${status || 'nothing'}`;
    if (limit === undefined || remaining === undefined) return 'the headers do not say how many requests are left';
    served += 1;
    most = limit;
    const [needed, left] = [remaining + reserve, budget.requestsLeft()];
    if (needed > left)
      return `exhausting the key takes ${needed} more requests, the budget has ${left}: raise --max-requests`;
  }
  return `${served} requests did not exhaust the key`;
}

/** Listings with the key, one limit after another, since equal requests could meet a cache. */
export const listWith = (session: Recorded, key: string) => (): PlannedRequest => {
  const limit = 1 + (ofLimitKey(session).length % 20);
  return { ...listPets(`limit=${limit}`), credential: rateLimitKey(key) };
};

/** The requests with the key. What may not be sent is undefined. */
function requestsWith(session: Session, key: string) {
  const { settings, budget } = session;
  const credential = rateLimitKey(key);
  const canRead = !isRemoved(session);
  const canCreate = (): boolean => !settings.isReadOnly && budget.creationsLeft() > 0;
  const list = listWith(session, key);
  /** The newest animal that the key has shown: another key may see others. */
  const read = () => {
    const id = ofLimitKey(session).toReversed().flatMap(idsShownIn)[0];
    return canRead && id !== undefined ? getPet(id) : undefined;
  };
  const create = () => (canCreate() ? createPet(plainPet(session)) : undefined);
  const outOfRange = () => listPets('limit=0&status=sold');
  const unknown = () => (canRead ? getPet(drawUnknownId(session)) : undefined);
  const invalid = () => (canCreate() ? createPet({ name: session.newName() }) : undefined);
  const queue = [list, create, read, unknown, invalid, outOfRange];
  return {
    /** One of each kind, then listings: after an error it would be open whether the limit is reached. */
    next: (): PlannedRequest => ({ ...(queue.shift()?.() ?? list()), credential }),
    /** One of each operation. Where the service counts errors, they are ones that it may look at before the limit. */
    beyond(): readonly PlannedRequest[] {
      const left = ofLimitKey(session).flatMap((one) => readingOf(one).remaining ?? []);
      const isEachCounted = left.slice(1).every((remaining, at) => left[at]! - remaining === 1);
      const kinds = isEachCounted ? [unknown, create, outOfRange, invalid] : [read, create, list];
      return kinds.flatMap((one) => one() ?? []).map((request) => ({ ...request, credential }));
    },
  };
}

const why = 'the limit of PETSTORE_RATE_LIMIT_KEY was used up on purpose';

/**
 * Waits until both times of a refusal are over, or the shorter one where the longer exceeds --max-wait: either may be that
 * of another limit. Resolves with the reason where it does not wait.
 */
async function waitUntilOver({ settings, clock, wait }: Session, refusal: Exchange): Promise<string | undefined> {
  const { waitMs: retryMs = Number.POSITIVE_INFINITY, aheadMs = Number.POSITIVE_INFINITY } = readingOf(refusal);
  const passedMs = clock.now() - refusal.endedAt;
  const times = [endOfRefusal(refusal).latest - refusal.endedAt, Math.min(retryMs, aheadMs)];
  const waitMs = times.map((ms) => Math.max(0, ms - passedMs + refusalMarginMs)).find((ms) => ms <= settings.maxWaitMs);
  if (waitMs === undefined)
    return `the refusal lasts for ${Math.ceil((times[0]! - passedMs) / 1000)} s, longer than --max-wait`;
  await wait(waitMs, why);
  return undefined;
}

/** Exhausts the key, which a run before this one may have used up: then it is waited for first. */
async function exhaustOwn(session: Session, key: string): Promise<Exchange | string> {
  const attempt = () => exhaust(session, requestsWith(session, key).next);
  const isServedAtAll = (): boolean => ofLimitKey(session).some(isServed);
  let end = await attempt();
  if (typeof end !== 'string' && !isServedAtAll() && (await waitUntilOver(session, end)) === undefined)
    end = await attempt();
  if (typeof end === 'string' || isServedAtAll()) return end;
  return 'the key that may be exhausted was refused with 429 from the start';
}

/** Sends with the key after the wait; resolves with the reason if it stays unknown whether it is served. */
async function comeBack(session: Session, request: PlannedRequest, refusals: readonly Exchange[]) {
  const { waitMs, aheadMs = 0 } = readingOf(refusals[0]!);
  if (waitMs === undefined) return undefined;
  if (waitMs === 0 && aheadMs > 2 * roundingMs) {
    await session.wait(roundingMs, why);
    await session.sendOnce(request);
  }
  let last = refusals.reduce((one, other) => (endOfRefusal(other).latest > endOfRefusal(one).latest ? other : one));
  for (let returns = 0; returns < mostReturns; returns += 1) {
    const reason = await waitUntilOver(session, last);
    if (reason !== undefined) return reason;
    last = await session.sendOnce(request);
    if (!isRefused(last)) return undefined;
  }
  return 'other clients had exhausted the key again each time';
}

const probed = ['rate-exceeded', 'rate-retry-after', 'rate-recovery'] as const;

export const exhaustionChecks: readonly Check[] = [
  {
    id: 'excess-is-refused',
    verifies: [...probed, 'rate-retry-after-length'],
    judge: (world) => {
      const refused = world.exchanges.filter(isRefused);
      const ofKeys = judgedKeys.map((kind) => refused.filter(({ credential }) => credential.kind === kind));
      const judges = [judgeRefusals, judgeStatedWait, judgeRecovery];
      return [
        ...ofKeys.flatMap((ofKey) => ofKey.slice(0, mostRefusals).flatMap(judgeRetryAfter)),
        ...exhaustionIn(world).flatMap((exhaustion) => judges.flatMap((judge) => judge(exhaustion))),
      ];
    },
  },
  {
    id: 'exhaust-key',
    rank: 3,
    verifies: [...probed, 'rate-retry-after-length'],
    run: async (session, { notes }) => {
      const key = session.keys.rateLimit;
      if (key === undefined) return;
      const end = await exhaustOwn(session, key);
      if (typeof end === 'string') {
        for (const requirement of probed) notes.set(requirement, end);
        return;
      }
      const answers = [end];
      for (const request of requestsWith(session, key).beyond()) answers.push(await session.sendOnce(request));
      const refusals = answers.filter(isRefused);
      await session.sendOnce(listPets('limit=1'));
      const again = { ...listPets('limit=1'), credential: rateLimitKey(key) };
      if (refusals.length === 0) {
        // What refuses this key before and after the other is served is no outage.
        await session.sendOnce(again);
        return;
      }
      const unknown = await comeBack(session, again, refusals);
      if (unknown !== undefined) notes.set('rate-recovery', unknown);
    },
  },
];
