/** §8 Uses up the key that the user provides for this, exceeds its limit with each operation, waits, and uses it again. */

import { petStatuses } from '../../../spec/operations.ts';
import { shuffle } from '../../../spec/random.ts';
import { rateLimitKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { isGatewayError, statusOf } from '../../http/read-response.ts';
import { minuteMs, refusalMarginMs, roundedDownMs, roundingMs } from '../../http/tolerances.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Session } from '../../run/session.ts';
import type { Scenario } from '../../run/suite.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { createPet, drawUnknownId, getPet, idsIn, listPets, plainPet } from '../requests.ts';
import { endOfRefusal, exhaustionsIn, isRefused, mostRefusals } from './exceeded.ts';
import { isServed, type RateLimitReading, readingOf, waitOf } from './readings.ts';

/** The 429, or the answer that none is left; or the reason why there is neither. */
interface Exhausted {
  readonly end?: Exchange;
  readonly reason?: string;
}

/** The next request for a key that has so many requests left. */
type NextRequest = (left: number) => PlannedRequest;

/** Requests kept for the excess, the other key and the return after the wait. */
const reserve = mostRefusals + 4;
/** So many answers show how fast the target is. */
const enough = 5;
/** Nothing can be deleted, so a window creates two animals: one at first, and one when so few requests are left. */
const leftForLastCreation = 2;
/** A second exhaustion may take this share of the requests left. */
const shareOfAgain = 8;
/** Other clients may have exhausted the key again, so the return is tried twice. */
const mostTries = 2;

const why = 'the limit of PETSTORE_RATE_LIMIT_KEY was used up on purpose';

/** All that was sent with the key. */
function ofKey({ exchanges }: Session): readonly Exchange[] {
  return exchanges.filter(({ credential }) => credential.kind === 'rate-limit');
}

/** Sends a request, and once more if its connection broke or a gateway answered. */
async function sendPastGateway(session: Session, request: PlannedRequest): Promise<Exchange> {
  const exchange = await session.sendOnce(request);
  return exchange.response === undefined || isGatewayError(exchange) ? session.sendOnce(request) : exchange;
}

/** One request of each kind with the key. A listing replaces what may not be sent. */
function kindsOf(session: Session, key: string) {
  const { settings, budget, random } = session;
  const credential = rateLimitKey(key);
  let listings = 0;
  /** One limit after another, since equal requests could meet a cache. */
  const list = (filter = ''): PlannedRequest => {
    listings = (listings % 20) + 1;
    return listPets(`limit=${listings}${filter}`, credential);
  };
  const canRead = !isRemoved(session);
  /** A key without the right for creations is refused with 403. */
  const canCreate = (): boolean =>
    !settings.isReadOnly &&
    budget.creationsLeft() > 0 &&
    !ofKey(session).some((one) => one.operation === 'createPet' && statusOf(one) === 403);
  return {
    list,
    filter: () => list(`&status=${petStatuses[Math.floor(random() * petStatuses.length)]}`),
    /** The newest animal that the key has shown: another key may see others. */
    read(): PlannedRequest {
      const id = ofKey(session).toReversed().flatMap(idsIn)[0];
      return canRead && id !== undefined ? getPet(id, credential) : list();
    },
    create: () => (canCreate() ? createPet(plainPet(session), credential) : list()),
    outOfRange: () => listPets('limit=0&status=sold', credential),
    unknown: () => (canRead ? getPet(drawUnknownId(session), credential) : list()),
    invalid: () => (canCreate() ? createPet({ name: session.newName() }, credential) : list()),
  };
}

type Kinds = ReturnType<typeof kindsOf>;

/** Some kinds in their order, then what is served in a drawn one. An error is never the last request. */
function createMix(session: Session, kinds: Kinds, first: readonly (keyof Kinds)[]): NextRequest {
  const queue = [...first];
  let hasLast = false;
  return (left) => {
    if (left <= leftForLastCreation) {
      const isLast = left === leftForLastCreation && !hasLast;
      hasLast ||= isLast;
      return isLast ? kinds.create() : kinds.list();
    }
    if (queue.length === 0) queue.push(...shuffle<keyof Kinds>(['filter', 'read', 'list'], session.random));
    return kinds[queue.shift()!]();
  };
}

/** One request of each operation. Where the service counts errors, they are ones that it may look at before the limit. */
function beyondTheLimit(session: Session, kinds: Kinds): readonly PlannedRequest[] {
  const left = ofKey(session).flatMap((one) => readingOf(one)?.remaining ?? []);
  const isEachCounted = left.slice(1).every((remaining, at) => left[at]! - remaining === 1);
  const { unknown, create, outOfRange, invalid, read, filter } = kinds;
  const kindsSent = isEachCounted ? [unknown, create, outOfRange, invalid] : [read, create, filter];
  const requests = kindsSent.map((kind) => kind());
  const listing = requests.findLast(({ operation }) => operation === 'listPets');
  return requests.filter((one) => one.operation !== 'listPets' || one === listing);
}

/** Why the key cannot be exhausted within a budget, as its last answer shows. */
function whyInexhaustible(perRequestMs: number, { limit, remaining, aheadMs }: RateLimitReading, budget: number) {
  const needed = remaining + reserve;
  if (needed > budget)
    return `exhausting the key takes ${needed} more requests, the budget has ${budget}: raise --max-requests`;
  const isTooSlow = perRequestMs * limit > minuteMs && aheadMs <= minuteMs + roundedDownMs;
  return isTooSlow ? `the target answers too slowly for ${limit} requests a minute` : undefined;
}

/** Sends until the key is refused or nothing is left, as far as a budget allows; the first requests in any case. */
export async function exhaust(
  session: Session,
  next: NextRequest,
  budget: () => number = session.budget.requestsLeft,
  fewest = 1,
): Promise<Exhausted> {
  const served: RateLimitReading[] = [];
  let left = Number.POSITIVE_INFINITY;
  while (served.length <= 2 * (served[0]?.limit ?? 1)) {
    const exchange = await sendPastGateway(session, next(left));
    if (isRefused(exchange)) return { end: exchange };
    const [status = 0, reading] = [statusOf(exchange), readingOf(exchange)];
    left = reading?.remaining ?? 0;
    // An error other than the first may be the operation's own.
    if (served.length > 0 && reading !== undefined && /^4(?!01)/.test(`${status}`)) continue;
    if (!isServed(exchange))
      return { reason: `the key that may be exhausted was answered with ${status || 'nothing'}` };
    if (reading === undefined) return { reason: 'the headers do not say how many requests are left' };
    served.push(reading);
    if (left === 0) return { end: exchange };
    const perRequestMs = (exchange.endedAt - served[0]!.exchange.startedAt) / served.length;
    const reason = whyInexhaustible(served.length < enough ? 0 : perRequestMs, reading, budget());
    if (reason !== undefined && served.length >= fewest) return { reason };
  }
  return { reason: `${served.length} requests did not exhaust the key` };
}

/** Sends requests beyond the limit; resolves with the 429s, the one that ended the exhaustion included. */
async function exceed(session: Session, end: Exchange, requests: readonly PlannedRequest[]) {
  const answers = [end];
  for (const request of requests) {
    if (!isRefused(end) || request.operation !== end.operation) answers.push(await sendPastGateway(session, request));
  }
  return answers.filter(isRefused);
}

/**
 * Waits until both times of a refusal are over, or the shorter one where the longer exceeds --max-wait: either may be that
 * of another limit. Resolves with the reason where it does not wait.
 */
async function waitUntilOver({ settings, clock, wait }: Session, refusal: Exchange): Promise<string | undefined> {
  const retryMs = waitOf(refusal) ?? Number.POSITIVE_INFINITY;
  const resetMs = readingOf(refusal)?.aheadMs ?? Number.POSITIVE_INFINITY;
  const passedMs = clock.now() - refusal.endedAt;
  const times = [endOfRefusal(refusal) - refusal.endedAt, Math.min(retryMs, resetMs)];
  const waitMs = times.map((ms) => Math.max(0, ms - passedMs + refusalMarginMs)).find((ms) => ms <= settings.maxWaitMs);
  if (waitMs === undefined) {
    return `the refusal lasts for ${Math.ceil((times[0]! - passedMs) / 1000)} s, longer than --max-wait`;
  }
  await wait(waitMs, why);
  return undefined;
}

/** Sends with the key after the wait; resolves with whether it is served, or why that stays unknown. */
async function comeBack(session: Session, request: PlannedRequest, refusals: readonly Exchange[]) {
  const [first] = refusals;
  if (first !== undefined && waitOf(first) === 0 && (readingOf(first)?.aheadMs ?? 0) > 2 * roundingMs) {
    await session.wait(roundingMs, why);
    await session.sendOnce(request);
  }
  let last = refusals.reduce((one, other) => (endOfRefusal(other) > endOfRefusal(one) ? other : one));
  for (let tries = 0; tries < mostTries; tries += 1) {
    const reason = await waitUntilOver(session, last);
    if (reason !== undefined) return reason;
    last = await session.sendOnce(request);
    if (!isRefused(last)) return isServed(last);
  }
  return 'other clients had exhausted the key again each time';
}

/**
 * Creates and reads an animal after the recovery, and exhausts the key once more where that takes a small part of the
 * requests left: it shows whether one request too many is served, or one too few once again.
 */
async function useAgain(session: Session, kinds: Kinds): Promise<void> {
  const isDoubtful = exhaustionsIn(session)[0]?.left === 1;
  const share = isDoubtful ? 1 : shareOfAgain;
  const budget = (): number => Math.floor(session.budget.requestsLeft() / share) + (isDoubtful ? 0 : reserve);
  const { end } = await exhaust(session, createMix(session, kinds, ['create', 'read']), budget, 2);
  if (end !== undefined) await exceed(session, end, [kinds.filter()]);
}

const probed = ['rate-exceeded', 'rate-retry-after', 'rate-recovery'] as const;

export const exhaustKey: Scenario = {
  id: 'exhaust-key',
  rank: 3,
  verifies: [...probed, 'rate-retry-after-length'],
  title: 'Exhausts the rate-limit key, exceeds its limit with each operation, uses the API key, waits, uses it again',
  run: async (session, { notes }) => {
    const key = session.keys.rateLimit;
    if (key === undefined) return;
    const kinds = kindsOf(session, key);
    const errors = ['unknown', 'invalid', 'outOfRange'] as const;
    const useUp = (): Promise<Exhausted> =>
      exhaust(
        session,
        createMix(session, kinds, ['list', ...shuffle<keyof Kinds>(['read', 'create'], session.random), ...errors]),
      );
    const isRefusedFromTheStart = (): boolean => !ofKey(session).some(isServed);
    let { end, reason } = await useUp();
    if (end !== undefined && isRefusedFromTheStart() && (await waitUntilOver(session, end)) === undefined)
      ({ end, reason } = await useUp());
    if (end !== undefined && isRefusedFromTheStart())
      reason = 'the key that may be exhausted was refused with 429 from the start';
    if (reason !== undefined) for (const requirement of probed) notes.set(requirement, reason);
    if (end === undefined || reason !== undefined) return;
    const refusals = await exceed(session, end, beyondTheLimit(session, kinds));
    await session.sendOnce(listPets('limit=1'));
    if (refusals[0] === undefined || waitOf(refusals[0]) === undefined) return;
    const result = await comeBack(session, listPets('limit=1', rateLimitKey(key)), refusals);
    if (typeof result === 'string') notes.set('rate-recovery', result);
    else if (result) await useAgain(session, kinds);
  },
};
