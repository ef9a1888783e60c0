/** §8 Uses up the key that the user provides for this, exceeds its limit with each operation, waits, and uses it again. */

import { petStatuses } from '../../../spec/operations.ts';
import { shuffle } from '../../../spec/random.ts';
import { rateLimitKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { idsShownIn, isGatewayError, statusOf } from '../../http/read-response.ts';
import { minuteMs, refusalMarginMs, roundedDownMs, roundingMs } from '../../http/tolerances.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Check } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { waitToSettle } from '../../run/settling.ts';
import { readHistory } from '../../verdict/history.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { createPet, drawUnknownId, getPet, idsIn, listPets, plainPet } from '../requests.ts';
import { endOfRefusal, exhaustionsIn, isRefused, mostDelayOf, mostRefusals, waitOf } from './exceeded.ts';
import { accountsOf } from './ledger.ts';
import { isServed, type RateLimitReading, readingOf } from './readings.ts';

/** The outcome of exhausting a key: the 429 or the answer that none is left, or the reason why there is neither. */
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
/** A service may count errors or not. A few show what it does, and none comes where it could be the last request. */
const mostErrors = 4;
const leftForErrors = 3;
/** The largest limit of the listings, which use one limit after another: equal requests could meet a cache. */
const largestLimit = 20;
/** A second exhaustion may take this share of the requests left. */
const shareOfAgain = 8;

const why = 'the limit of PETSTORE_RATE_LIMIT_KEY was used up on purpose';

const isOfKey = ({ credential }: Exchange): boolean => credential.kind === 'rate-limit';

/** Sends a request, and once more if its connection broke or a gateway answered. */
async function sendPastGateway(session: Session, request: PlannedRequest): Promise<Exchange> {
  const exchange = await session.sendOnce(request);
  return exchange.response === undefined || isGatewayError(exchange) ? session.sendOnce(request) : exchange;
}

/** Whether creations are worth trying: a key without the right for them is refused with 403. */
function isCreating({ settings, budget, exchanges }: Session): boolean {
  const isForbidden = exchanges.some((one) => isOfKey(one) && one.operation === 'createPet' && statusOf(one) === 403);
  return !settings.isReadOnly && budget.creationsLeft() > 0 && !isForbidden;
}

/** One request of each kind with the key; undefined of a kind that may not be sent. */
function kindsOf(session: Session, key: string) {
  const credential = rateLimitKey(key);
  let [listings, reads] = [0, 0];
  const list = (filter = ''): PlannedRequest => {
    listings += 1;
    return listPets(`limit=${1 + ((listings - 1) % largestLimit)}${filter}`, credential);
  };
  return {
    list,
    filter: () => list(`&status=${petStatuses[Math.floor(session.random() * petStatuses.length)]}`),
    read(): PlannedRequest | undefined {
      // Another key may see other animals than this one.
      const ids = isRemoved(session) ? [] : [...new Set(session.exchanges.filter(isOfKey).toReversed().flatMap(idsIn))];
      reads += 1;
      return ids.length === 0 ? undefined : getPet(ids[(reads - 1) % ids.length]!, credential);
    },
    create: () => (isCreating(session) ? createPet(plainPet(session), credential) : undefined),
    outOfRange: () => listPets('limit=0&status=sold', credential),
    unknown: () => (isRemoved(session) ? undefined : getPet(drawUnknownId(session), credential)),
    invalid: () => (isCreating(session) ? createPet({ name: session.newName() }, credential) : undefined),
  };
}

/** First requests that are served, then errors, then each kind in every round; `served-only` leaves out the errors. */
function createMix(session: Session, key: string, which: 'all' | 'served-only'): NextRequest {
  const { list, filter, read, create, outOfRange, unknown, invalid } = kindsOf(session, key);
  const refused = which === 'all' ? [unknown, invalid, outOfRange] : [];
  let [creations, errors] = [0, 0];
  const draw = <Kind>(kinds: readonly Kind[]): readonly Kind[] => shuffle(kinds, session.random);
  const queue = [list, ...draw(which === 'all' ? [read, create] : [read]), ...refused];
  return (left) => {
    const isLast = left === leftForLastCreation && creations === 1;
    if (queue.length === 0) queue.push(...draw([filter, read, ...refused]));
    const kind = isLast ? create : queue.shift()!;
    if (kind === create) creations += 1;
    const isError = refused.includes(kind as typeof unknown);
    if (isError) errors += 1;
    return (isError && (left < leftForErrors || errors > mostErrors) ? undefined : kind()) ?? list();
  };
}

/**
 * One request of each operation, and an invalid creation. Where the service has counted the errors of an operation, its
 * request is one that a service may look at before the limit.
 */
function beyondTheLimit(session: Session, key: string): readonly PlannedRequest[] {
  const { list, read, create, outOfRange, unknown, invalid } = kindsOf(session, key);
  const isCounted = countedErrors(session);
  return [
    (isCounted('getPet') ? undefined : read()) ?? unknown(),
    create(),
    isCounted('listPets') ? outOfRange() : list('&status=sold'),
    isCounted('createPet') ? invalid() : undefined,
  ].filter((request) => request !== undefined);
}

/** Whether the errors of an operation took a request each from the key, which nobody else uses. */
function countedErrors({ exchanges, settings }: Session): (operation: string) => boolean {
  const ofKey = accountsOf(readHistory(exchanges, settings)).find(({ kind }) => kind === 'rate-limit');
  const steps = (ofKey?.steps ?? []).map(({ earlier, later }) => ({
    operation: isServed(later.exchange) ? undefined : later.exchange.operation,
    taken: earlier.remaining - later.remaining,
  }));
  return (operation) => {
    const errors = steps.filter((step) => step.operation === operation);
    return errors.length > 0 && errors.every(({ taken }) => taken === 1) && steps.every(({ taken }) => taken <= 1);
  };
}

/** Why the key cannot be exhausted within a budget, as its last answer shows. */
function whyInexhaustible(perRequestMs: number, { limit, remaining, aheadMs }: RateLimitReading, budget: number) {
  const needed = remaining + reserve;
  if (needed > budget)
    return `exhausting the key takes ${needed} more requests, the budget has ${budget}: raise --max-requests`;
  const isTooSlow = perRequestMs * limit > minuteMs && aheadMs <= minuteMs + roundedDownMs;
  return isTooSlow ? `the target answers too slowly for ${limit} requests a minute` : undefined;
}

/** Sends until the key is refused or nothing is left, as far as a budget allows. */
export async function exhaust(
  session: Session,
  nextRequest: NextRequest,
  budget: () => number = session.budget.requestsLeft,
): Promise<Exhausted> {
  const served: RateLimitReading[] = [];
  let left = 0;
  while (served.length <= 2 * (served[0]?.limit ?? 1)) {
    const exchange = await sendPastGateway(session, nextRequest(left));
    if (isRefused(exchange)) return { end: exchange };
    const [status = 0, reading] = [statusOf(exchange), readingOf(exchange)];
    left = reading?.remaining ?? 0;
    // An error other than the first may be the operation's own.
    if (served.length > 0 && reading !== undefined && status >= 400 && status < 500 && status !== 401) continue;
    if (!isServed(exchange))
      return { reason: `the key that may be exhausted was answered with ${status || 'nothing'}` };
    if (reading === undefined) return { reason: 'the headers do not say how many requests are left' };
    served.push(reading);
    if (left === 0) return { end: exchange };
    const perRequestMs = (exchange.endedAt - served[0]!.exchange.startedAt) / served.length;
    const reason = whyInexhaustible(served.length < enough ? 0 : perRequestMs, reading, budget());
    if (reason !== undefined) return { reason };
  }
  return { reason: `${served.length} requests did not exhaust the key` };
}

/** Sends requests beyond the limit; resolves with the 429s, the one that ended the exhaustion included. */
async function exceed(
  session: Session,
  end: Exchange,
  requests: readonly PlannedRequest[],
): Promise<readonly Exchange[]> {
  const answers = [end];
  for (const request of requests) {
    if (!isRefused(end) || request.operation !== end.operation) answers.push(await sendPastGateway(session, request));
  }
  return answers.filter(isRefused);
}

/**
 * Waits until a refusal is over, up to --max-wait; resolves with whether it waited. A reset farther ahead than that may
 * be the day's; the minute's limit comes back after Retry-After.
 */
async function waitUntilOver({ settings, clock, wait }: Session, refusal: Exchange): Promise<boolean> {
  const retryAt = refusal.endedAt + (waitOf(refusal) ?? Number.POSITIVE_INFINITY);
  const waits = [endOfRefusal(refusal), retryAt].map((time) => Math.max(0, time - clock.now() + refusalMarginMs));
  const waitMs = waits.find((ms) => ms <= settings.maxWaitMs);
  if (waitMs !== undefined) await wait(waitMs, why);
  return waitMs !== undefined;
}

/** Asks once where a Retry-After of 0 or beyond --max-wait can be refuted: soon after it, or once the limit has reset. */
async function checkRetryAfter(session: Session, request: PlannedRequest, refusal: Exchange): Promise<void> {
  const { settings, clock } = session;
  const retryMs = waitOf(refusal) ?? 0;
  const untilResetMs = (readingOf(refusal)?.aheadMs ?? 0) - (clock.now() - refusal.endedAt);
  const isLong = retryMs > settings.maxWaitMs && untilResetMs <= settings.maxWaitMs;
  if (!isLong && (retryMs > 0 || untilResetMs <= 2 * roundingMs)) return;
  await session.wait(isLong ? untilResetMs + refusalMarginMs : roundingMs, why);
  await session.sendOnce(request);
}

/** Other clients may have exhausted the key again, so the return is tried twice. */
const mostTries = 2;

/** Sends with the key after the wait; resolves with whether it is served, or why that stays unknown. */
async function comeBack(session: Session, request: PlannedRequest, refusal: Exchange): Promise<boolean | string> {
  let last = refusal;
  for (let tries = 0; tries < mostTries; tries += 1) {
    if (!(await waitUntilOver(session, last))) break;
    if (tries > 0 && mostDelayOf(last) > 0)
      await session.wait(mostDelayOf(last), 'its Retry-After may be by another clock');
    last = await session.sendOnce(request);
    if (!isRefused(last)) return isServed(last);
  }
  const seconds = Math.ceil((endOfRefusal(last) - session.clock.now()) / 1000);
  if (seconds * 1000 > session.settings.maxWaitMs) return `the refusal lasts for ${seconds} s, longer than --max-wait`;
  return 'other clients had exhausted the key again each time';
}

/** Creates and reads an animal after the recovery; resolves with whether the key was served. */
async function useAgain(session: Session, key: string): Promise<boolean> {
  const request = isCreating(session) ? createPet(plainPet(session), rateLimitKey(key)) : undefined;
  const creation = request === undefined ? undefined : await session.sendOnce(request);
  const [id] = creation === undefined || isRemoved(session) ? [] : idsShownIn(creation);
  if (id !== undefined && statusOf(await session.sendOnce(getPet(id, rateLimitKey(key)))) === 404) {
    await waitToSettle(session);
    await session.sendOnce(getPet(id, rateLimitKey(key)));
  }
  return creation === undefined || !isRefused(creation);
}

/**
 * Exhausts the key once more, where that takes a small part of the requests left. Without errors, which a service may count
 * or not, it shows whether one request too many is served, or one too few once again.
 */
async function exhaustAgain(session: Session, key: string): Promise<void> {
  const isDoubtful = exhaustionsIn(session)[0]?.left === 1;
  const share = isDoubtful ? 1 : shareOfAgain;
  const budget = (): number => Math.floor(session.budget.requestsLeft() / share) + (isDoubtful ? 0 : reserve);
  const { end } = await exhaust(session, createMix(session, key, 'served-only'), budget);
  if (end !== undefined) await exceed(session, end, [listPets('limit=1&status=sold', rateLimitKey(key))]);
}

const probed = ['rate-exceeded', 'rate-retry-after', 'rate-recovery'] as const;

export const limitScenarios: readonly Check[] = [
  {
    id: 'exhaust-key',
    rank: 3,
    verifies: [...probed, 'rate-retry-after-length'],
    title: 'Exhausts the rate-limit key, exceeds its limit with each operation, uses the API key, waits, uses it again',
    run: async (session, { note }) => {
      const key = session.keys.rateLimit;
      if (key === undefined) return;
      const isRefusedFromTheStart = (): boolean => !session.exchanges.some((one) => isOfKey(one) && isServed(one));
      let { end, reason } = await exhaust(session, createMix(session, key, 'all'));
      if (end !== undefined && isRefusedFromTheStart() && (await waitUntilOver(session, end)))
        ({ end, reason } = await exhaust(session, createMix(session, key, 'all')));
      if (end !== undefined && isRefusedFromTheStart())
        reason = 'the key that may be exhausted was refused with 429 from the start';
      if (reason !== undefined) for (const requirement of probed) note(requirement, reason);
      if (end === undefined || reason !== undefined) return;
      const refusals = await exceed(session, end, beyondTheLimit(session, key));
      await session.sendOnce(listPets('limit=1'));
      const [refusal] = refusals;
      if (refusal === undefined || waitOf(refusal) === undefined) return;
      const request = listPets('limit=1', rateLimitKey(key));
      await checkRetryAfter(session, request, refusal);
      const longest = refusals.reduce((one, other) => (endOfRefusal(other) > endOfRefusal(one) ? other : one));
      const result = await comeBack(session, request, longest);
      if (typeof result === 'string') note('rate-recovery', result);
      else if (result && (await useAgain(session, key))) await exhaustAgain(session, key);
    },
  },
];
