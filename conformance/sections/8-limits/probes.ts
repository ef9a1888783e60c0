/**
 * §8 Exceeding the limit: the run uses up the key that the user provides for this, exceeds its limit with each operation,
 * waits as the 429s say, and uses the key again.
 */

import { freePlan } from '../../../spec/facts.ts';
import type { Operation } from '../../../spec/operations.ts';
import { rateLimitKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { readPetId } from '../../http/read-request.ts';
import { idsShownIn, statusOf } from '../../http/read-response.ts';
import { refusalMarginMs, roundingMs } from '../../http/tolerances.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Session } from '../../run/session.ts';
import type { Scenario } from '../../run/suite.ts';
import { isRefused } from '../../world/evidence.ts';
import { endOfRefusal, readingOf, remainingOf } from '../../world/readings.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { createPet, drawUnknownId, getPet, listPets, plainPet } from '../requests.ts';
import { endOfExhaustion, listWith, ofLimitKey } from './exhaustion.ts';
import { fewestLevelReadings, isServed, limitReadingOf, type RateLimitReading } from './readings.ts';
import { mostRefusals, mostReturns } from './refusals.ts';

/** Requests kept for the excess, the other key and the return after the wait. */
const reserve = mostRefusals + 4;

/** Where no header says how many requests are left, the key is taken for one of the Free plan. */
const assumedLimit = freePlan.perMinute;
/** A creation and a read are sent besides listings. Where each operation has a limit of its own, only listings use up theirs. */
const besidesListings = 2;
/** After so many errors the next one is no longer the answer to its request alone. */
const mostErrors = 10;

/** Whether an error may be the answer to this request alone: an unknown id, or a scope that forbids the operation. */
function isOwnError(exchange: Exchange): boolean {
  const status = statusOf(exchange) ?? 0;
  if (status < 400 || status >= 500 || status === 401) return false;
  return status !== 403 || exchange.operation !== 'listPets';
}

/** What the headers of the key have said so far. */
interface Announced {
  readonly limit: number;
  /** The last X-RateLimit-Remaining. */
  readonly left: number;
  /** Whether Remaining has fallen since the first request. */
  readonly hasFallen: boolean;
}

/** What the headers have said after one more answer; one without numbers leaves what was said before. */
function announcedAfter(exchange: Exchange, before: Announced | undefined): Announced | undefined {
  const left = remainingOf(exchange);
  if (left === undefined) return before;
  if (before === undefined) return { limit: readingOf(exchange).limit ?? assumedLimit, left, hasFallen: false };
  const limit = readingOf(exchange).limit ?? before.limit;
  return { limit, left, hasFallen: before.hasFallen || left < before.left };
}

/** Why the run stops using up a key whose headers say how many requests are left; undefined where it goes on. */
function obstacleWithHeaders({ limit, left, hasFallen }: Announced, served: number, budgetLeft: number) {
  if (!hasFallen && served >= fewestLevelReadings) return `X-RateLimit-Remaining did not fall with ${served} requests`;
  if (served > 2 * limit) return `${served} requests did not exhaust the key`;
  const needed = left + reserve;
  if (needed <= budgetLeft) return undefined;
  return `exhausting the key takes ${needed} more requests, the budget has ${budgetLeft}: raise --max-requests`;
}

/** Why the run stops using up a key of which no header says how many requests are left; undefined where it goes on. */
function obstacleWithoutHeaders(served: number, budgetLeft: number): string | undefined {
  const sentence = `${served} requests did not exhaust the key, and no header says how many are left`;
  if (served > assumedLimit + besidesListings) return sentence;
  return budgetLeft > reserve ? undefined : `${sentence}: raise --max-requests`;
}

/**
 * Sends requests until the key is refused or nothing is left, as far as the budget allows. Resolves with the last answer, or
 * with the reason why the key is not used up.
 */
export async function exhaust(session: Session, next: () => PlannedRequest): Promise<Exchange | string> {
  let announced: Announced | undefined;
  let served = 0;
  let errors = 0;
  for (;;) {
    const exchange = await session.sendOnce(next());
    if (isRefused(exchange)) return exchange;
    if (isServed(exchange)) {
      served += 1;
    } else {
      const isOfRequest = served > 0 && isOwnError(exchange) && errors < mostErrors;
      if (!isOfRequest) return `the key that may be exhausted was answered with ${statusOf(exchange) ?? 'nothing'}`;
      errors += 1;
    }
    announced = announcedAfter(exchange, announced);
    if (announced?.left === 0 && isServed(exchange)) return exchange;
    const budgetLeft = session.budget.requestsLeft();
    const obstacle =
      announced === undefined
        ? obstacleWithoutHeaders(served, budgetLeft)
        : obstacleWithHeaders(announced, served, budgetLeft);
    if (obstacle !== undefined) return obstacle;
  }
}

/** The requests with the key. One that may not be sent is undefined. */
function requestsWith(session: Session, key: string) {
  const { settings, budget } = session;
  const credential = rateLimitKey(key);
  const canRead = !isRemoved(session);
  const canCreate = (): boolean => !settings.isReadOnly && budget.creationsLeft() > 0;
  const list = listWith(session, key);
  /** The newest animal that the key has shown, since another key may see others; if possible one that no request has read. */
  const read = () => {
    const ids = ofLimitKey(session).toReversed().flatMap(idsShownIn);
    const hasRead = new Set(session.exchanges.map(readPetId));
    const id = ids.find((one) => !hasRead.has(one)) ?? ids[0];
    return canRead && id !== undefined ? getPet(id) : undefined;
  };
  const create = () => (canCreate() ? createPet(plainPet(session)) : undefined);
  const outOfRange = () => listPets('limit=0&status=sold');
  const unknown = () => (canRead ? getPet(drawUnknownId(session)) : undefined);
  const invalid = () => (canCreate() ? createPet({ name: session.newName() }) : undefined);
  const queue = [list, create, read, unknown, invalid, outOfRange];
  const valid: Readonly<Partial<Record<Operation, typeof create>>> = {
    listPets: list,
    createPet: create,
    getPet: read,
  };
  const withKey = (request: PlannedRequest): PlannedRequest => ({ ...request, credential });
  return {
    /** One of each kind, then listings: after an error it would be open whether the limit is reached. */
    next: (): PlannedRequest => withKey(queue.shift()?.() ?? list()),
    /** One of each operation. Where the service counts errors, they are ones that it may look at before the limit. */
    beyond(): readonly PlannedRequest[] {
      const left = ofLimitKey(session).flatMap((one) => readingOf(one).remaining ?? []);
      const isEachCounted = left.slice(1).every((remaining, at) => left[at]! - remaining === 1);
      const kinds = left.length > 1 && isEachCounted ? [unknown, create, outOfRange, invalid] : [read, create, list];
      return kinds.flatMap((one) => one() ?? []).map(withKey);
    },
    /** A valid request of the operation, another one than before where there is one; none where it may not be sent. */
    again: ({ operation }: Exchange): readonly PlannedRequest[] => [valid[operation]?.() ?? []].flat().map(withKey),
  };
}

const why = 'the limit of PETSTORE_RATE_LIMIT_KEY was used up on purpose';

/** The reading of the last request with the key that was served. */
function lastReading(session: Session): RateLimitReading | undefined {
  const served = ofLimitKey(session).findLast(isServed);
  return served && limitReadingOf(served);
}

/**
 * Waits until Retry-After and the reset of a refusal have passed, or only for the shorter one where the longer one exceeds
 * --max-wait: either may be that of another limit. Resolves with the reason where it does not wait.
 */
async function waitUntilOver(session: Session, refusal: Exchange): Promise<string | undefined> {
  const { settings, clock, wait } = session;
  const { waitMs: retryMs = Number.POSITIVE_INFINITY, aheadMs = Number.POSITIVE_INFINITY } = readingOf(refusal);
  const passedMs = clock.now() - refusal.endedAt;
  const longestMs = endOfExhaustion(refusal, lastReading(session)) - refusal.endedAt;
  const waits = [longestMs, Math.min(retryMs, aheadMs)].map((ms) => Math.max(0, ms - passedMs + refusalMarginMs));
  const waitMs = waits.find((ms) => ms <= settings.maxWaitMs);
  if (waitMs === undefined)
    return `the refusal lasts for ${Math.ceil((longestMs - passedMs) / 1000)} s, longer than --max-wait`;
  await wait(waitMs, why);
  return undefined;
}

/** Uses up the key. Where an earlier run has used it up already, it first waits until the key is served. */
async function exhaustOwn(session: Session, key: string): Promise<Exchange | string> {
  const attempt = () => exhaust(session, requestsWith(session, key).next);
  const isServedAtAll = (): boolean => ofLimitKey(session).some(isServed);
  let end = await attempt();
  if (typeof end !== 'string' && !isServedAtAll() && (await waitUntilOver(session, end)) === undefined)
    end = await attempt();
  if (typeof end === 'string' || isServedAtAll()) return end;
  return 'the key that may be exhausted was refused with 429 from the start';
}

/**
 * Where an operation was served after another was refused, the limit may hold for the other alone, or it may have given back
 * some requests meanwhile: sends both once more, and the refused one again after a pause.
 */
async function compareOperations(
  session: Session,
  key: string,
  refusal: Exchange,
  answers: readonly Exchange[],
): Promise<void> {
  const served = answers.find((one) => isServed(one) && one.sent > refusal.answered);
  if (served === undefined) return;
  const { again } = requestsWith(session, key);
  for (const request of [served, refusal].flatMap(again)) await session.sendOnce(request);
  await session.wait(roundingMs, why);
  for (const request of again(refusal)) await session.sendOnce(request);
}

/** The refusal that ends last. */
function lastToEnd(session: Session, refusals: readonly Exchange[]): Exchange {
  const last = lastReading(session);
  return refusals.reduce((one, other) => (endOfExhaustion(other, last) > endOfExhaustion(one, last) ? other : one));
}

/**
 * Where Retry-After ends clearly before the reset, waits for Retry-After alone, sends the request, and resolves with the answer;
 * undefined otherwise. The 429s of other operations may ask for longer.
 */
async function comeBackEarly(session: Session, request: PlannedRequest, refusals: readonly Exchange[]) {
  const { clock, settings } = session;
  const resetAt = endOfExhaustion(lastToEnd(session, refusals), lastReading(session));
  const statedAt = Math.max(...refusals.map((one) => endOfRefusal(one).stated ?? resetAt));
  if (statedAt + 2 * roundingMs >= resetAt) return undefined;
  const waitMs = Math.max(statedAt - clock.now() + refusalMarginMs, roundingMs);
  if (waitMs > settings.maxWaitMs) return undefined;
  await session.wait(waitMs, why);
  return session.sendOnce(request);
}

/** Sends with the key after the wait; resolves with the reason if it stays unknown whether it is served. */
async function comeBack(session: Session, request: PlannedRequest, refusals: readonly Exchange[]) {
  if (readingOf(refusals[0]!).waitMs === undefined) return 'the 429 does not say how long to wait';
  const early = await comeBackEarly(session, request, refusals);
  if (early !== undefined && !isRefused(early)) return undefined;
  let last = lastToEnd(session, early === undefined ? refusals : [...refusals, early]);
  for (let returns = 0; returns < mostReturns; returns += 1) {
    const reason = await waitUntilOver(session, last);
    if (reason !== undefined) return reason;
    last = await session.sendOnce(request);
    if (!isRefused(last)) return undefined;
  }
  return 'other clients had exhausted the key again each time';
}

const probed = ['rate-exceeded', 'rate-retry-after', 'rate-recovery'] as const;

export const exhaustKey: Scenario = {
  id: 'exhaust-key',
  rank: 3,
  verifies: [...probed, 'rate-retry-after-length', 'rate-retry-after-suffices'],
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
    await session.sendOnce(listPets('limit=1'));
    const again = { ...listPets('limit=1'), credential: rateLimitKey(key) };
    const refusals = answers.filter(isRefused);
    const [first] = refusals;
    if (first === undefined) {
      // A service that refuses this key before and after it serves the other one has no outage.
      await session.sendOnce(again);
      return;
    }
    await compareOperations(session, key, first, answers);
    const unknown = await comeBack(session, again, refusals);
    if (unknown !== undefined) notes.set('rate-recovery', unknown);
  },
};
