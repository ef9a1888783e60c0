/** §8 Uses up the key that the user provides for this, exceeds its limit, waits, and sees how it comes back. */

import { type OperationName, petStatuses } from '../../spec/operations.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { rateLimitKey, type SentCredential } from '../http/credentials.ts';
import type { Exchange } from '../http/exchange.ts';
import { idsShownIn, isGatewayError, readRetryAfter, statusOf } from '../http/read-response.ts';
import {
  gatewayDateMs,
  lookBeforeMs,
  minuteMs,
  refusalMarginMs,
  roundedDownMs,
  roundingMs,
} from '../http/tolerances.ts';
import {
  countedErrors,
  endOfRefusal,
  mayBeUsedOnce,
  mostDelayOf,
  mostRefusals,
  readProbe,
} from '../sections/8-limits/probes.ts';
import { isServed, limitsOfPlan, type RateLimitReading, readingOf } from '../sections/8-limits/readings.ts';
import { createPet, drawUnknownId, getPet, listPets, type PlannedRequest } from '../world/requests.ts';
import { isRemoved } from '../world/world.ts';
import { plainCategory } from './scene.ts';
import type { Session } from './session.ts';

/** An animal of a category that the target has accepted. */
function plainPetOf(session: Session) {
  return { name: session.newName(), categoryId: plainCategory(session) };
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

/** Whether the rate-limit key may be used to create an animal. */
export function mayCreateWith(session: Session): boolean {
  return !session.settings.isReadOnly && session.budget.creationsLeft() > 0;
}

/** The animals that the rate-limit key has seen, the newest first. Another key may see others. */
function idsOfKey({ exchanges }: Session): readonly bigint[] {
  const ofKey = exchanges.filter(({ credential }) => credential.kind === 'rate-limit');
  return [
    ...new Set(
      ofKey
        .filter(({ operation }) => operation !== 'getPet')
        .toReversed()
        .flatMap(idsShownIn),
    ),
  ];
}

/** A creation without categoryId. */
function invalidCreation(session: Session, credential: SentCredential): PlannedRequest {
  return createPet({ name: session.newName() }, credential);
}

/**
 * One request of each operation, since all share one limit; none of an operation that may not be sent. Where the service
 * has counted the errors of an operation, its request is one that a service may look at before the limit.
 */
export function beyondTheLimit(session: Session, key: string): readonly PlannedRequest[] {
  const credential = rateLimitKey(key);
  const isCounted = countedErrors(session);
  const id = (isCounted('getPet') ? undefined : idsOfKey(session)[0]) ?? drawUnknownId(session.random);
  const requests: Readonly<Record<OperationName, PlannedRequest | undefined>> = {
    getPet: isRemoved(session) ? undefined : getPet(id, credential),
    createPet: mayCreateWith(session) ? createPet(plainPetOf(session), credential) : undefined,
    listPets: listPets(`limit=${isCounted('listPets') ? 0 : 1}&status=sold`, credential),
  };
  return Object.values(requests).filter((request) => request !== undefined);
}

/** An invalid creation beside the valid one, which alone shows whether a refused creation is stored. */
export function invalidBeyondTheLimit(session: Session, key: string): readonly PlannedRequest[] {
  return countedErrors(session)('createPet') ? [invalidCreation(session, rateLimitKey(key))] : [];
}

/** Whether creations are worth trying: a key without the right for them is refused with 403. */
function isCreating(session: Session): boolean {
  const isForbidden = session.exchanges.some(
    (one) => one.credential.kind === 'rate-limit' && one.operation === 'createPet' && statusOf(one) === 403,
  );
  return mayCreateWith(session) && !isForbidden;
}

/** Nothing can be deleted, so a window creates two animals: one at first, and one when so few requests are left. */
const leftForLastCreation = 2;
/** A service may count errors or not. A few show what it does, and none comes where it could be the last request. */
const mostErrors = 4;
const leftForErrors = 3;

/** The next request for a key that has so many requests left. */
export type NextRequest = (left: number) => PlannedRequest;

/** The largest limit of the listings, which use one limit after another: equal requests could meet a cache. */
export const largestLimit = 20;

/**
 * First requests that are served, then errors: an error that gives the whole limit back shows once some of it is used.
 * Then each kind of request in every round; `served-only` leaves out the errors.
 */
export function createMix(session: Session, key: string, kinds: 'all' | 'served-only' = 'all'): NextRequest {
  const credential = rateLimitKey(key);
  let [listings, reads, creations, errors] = [0, 0, 0, 0];
  const list = (filter = ''): PlannedRequest => {
    listings += 1;
    return listPets(`limit=${1 + ((listings - 1) % largestLimit)}${filter}`, credential);
  };
  /** Returns undefined where it is not the turn of its kind. */
  type Kind = (left: number) => PlannedRequest | undefined;
  const filtered: Kind = () => list(`&status=${petStatuses[Math.floor(session.random() * petStatuses.length)]}`);
  const known: Kind = () => {
    const ids = isRemoved(session) ? [] : idsOfKey(session);
    reads += 1;
    return ids.length === 0 ? undefined : getPet(ids[(reads - 1) % ids.length]!, credential);
  };
  const creation: Kind = (left) => {
    const isDue = creations === 0 || (creations === 1 && left === leftForLastCreation);
    if (!isDue || !isCreating(session)) return undefined;
    creations += 1;
    return createPet(plainPetOf(session), credential);
  };
  const error =
    (request: () => PlannedRequest | undefined): Kind =>
    (left) => {
      if (left < leftForErrors || errors >= mostErrors) return undefined;
      errors += 1;
      return request();
    };
  const invalid = error(() => (isCreating(session) ? invalidCreation(session, credential) : undefined));
  const unknown = error(() => (isRemoved(session) ? undefined : getPet(drawUnknownId(session.random), credential)));
  const outOfRange = error(() => listPets('limit=0&status=sold', credential));
  const draw = (all: readonly Kind[]): readonly Kind[] => shuffled(all, session.random);
  const refused = kinds === 'all' ? [invalid, unknown, outOfRange] : [];
  // After the recovery an animal has been created already.
  const queue: Kind[] = [() => list(), ...draw(kinds === 'all' ? [known, creation] : [known]), ...draw(refused)];
  return (left) => {
    if (queue.length === 0) queue.push(...draw([filtered, known, ...refused]));
    return (creations === 1 ? creation(left) : undefined) ?? queue.shift()!(left) ?? list();
  };
}

/** The outcome of exhausting a key: the refusal, or the reason why there is none, if known. */
export interface Exhaustion {
  readonly refusal?: Exchange;
  readonly reason?: string;
}

/** Requests kept for the excess, the other key and the return after the wait. */
const reserve = mostRefusals + 4;
/** So many answers show how fast the target is. */
const enough = 5;

/** The share of the requests left that may be spent where they may not suffice to exhaust the key. */
const shareInDoubt = 8;

/** Whether the key has the numbers of the API key: either both share one limit, or one gets the numbers of the other. */
function hasNumbersOfApiKey({ exchanges }: Session, { limit, exchange }: RateLimitReading): boolean {
  const isBefore = (one: Exchange): boolean => one.credential.kind === 'valid' && one.sent < exchange.sent;
  const last = exchanges.findLast((one) => isBefore(one) && readingOf(one) !== undefined);
  return last !== undefined && readingOf(last)?.limit === limit;
}

/** The reason why the key cannot be exhausted within a budget, as the answers so far show. */
function whyInexhaustible(session: Session, served: readonly RateLimitReading[], budget: number): string | undefined {
  const [first, last] = [served[0]!, served.at(-1)!];
  const perMinute = limitsOfPlan(session.settings, 'rate-limit')?.perMinute;
  // If the plan's minute ends sooner than Remaining says, the headers describe the day.
  const isOfDay = perMinute !== undefined && perMinute < last.remaining + served.length;
  const left = isOfDay ? Math.max(0, perMinute - served.length) : last.remaining;
  if (left + reserve > budget) {
    const isDoubtful = perMinute === undefined && hasNumbersOfApiKey(session, first);
    if (isDoubtful && served.length < budget / shareInDoubt) return undefined;
    return `exhausting the key takes ${left + reserve} more requests, the budget has ${budget}: raise --max-requests`;
  }
  const perRequestMs = (last.exchange.endedAt - first.exchange.startedAt) / served.length;
  const limit = perMinute ?? last.limit;
  const isTooSlow =
    served.length >= enough && perRequestMs * limit > minuteMs && (isOfDay || last.aheadMs <= minuteMs + roundedDownMs);
  return isTooSlow ? `the target answers too slowly for ${limit} requests a minute` : undefined;
}

/** Sends a request, and repeats it once after a gateway's answer; with `or-none`, after a broken connection too. */
export async function sendPastGateway(
  session: Session,
  request: PlannedRequest,
  repeats: 'gateway' | 'gateway-or-none',
): Promise<Exchange> {
  const exchange = await session.sendOnce(request);
  const isLost = repeats === 'gateway-or-none' && exchange.response === undefined;
  return isLost || isGatewayError(exchange) ? session.sendOnce(request) : exchange;
}

/** Whether an answer other than the first may be the operation's own: it says how many requests are left. */
function mayBeOperationAnswer(exchange: Exchange): boolean {
  const status = statusOf(exchange) ?? 0;
  return status >= 400 && status < 500 && status !== 401 && readingOf(exchange) !== undefined;
}

/** Sends until the key is refused, as far as a budget allows. */
export async function exhaust(
  session: Session,
  key: string,
  nextRequest: NextRequest,
  budget: () => number = session.budget.requestsLeft,
): Promise<Exhaustion> {
  const perMinute = limitsOfPlan(session.settings, 'rate-limit')?.perMinute;
  const served: RateLimitReading[] = [];
  let left = 0;
  // Serving more than twice the plan's limit is a failure already; another limit may be for a shorter time than a minute.
  while (served.length <= 2 * (perMinute ?? served[0]?.limit ?? 1)) {
    const exchange = await sendPastGateway(session, nextRequest(left), 'gateway-or-none');
    if (statusOf(exchange) === 429) return { refusal: exchange };
    const reading = readingOf(exchange);
    left = reading?.remaining ?? 0;
    if (served.length > 0 && mayBeOperationAnswer(exchange)) continue;
    if (!isServed(exchange) || reading === undefined) return { reason: whyUnused(exchange) };
    served.push(reading);
    if (reading.remaining === 0) return exceed(session, key);
    const reason = whyInexhaustible(session, served, budget());
    if (reason !== undefined) return { reason };
  }
  return perMinute === undefined ? { reason: `${served.length} requests did not exhaust the key` } : {};
}

function whyUnused(exchange: Exchange): string {
  if (isServed(exchange)) return 'the headers do not say how many requests are left';
  return `the key that may be exhausted was answered with ${statusOf(exchange) ?? 'nothing'}`;
}

/** Sends one request of each operation beyond the limit, up to the first refusal. */
async function exceed(session: Session, key: string): Promise<Exhaustion> {
  for (const request of beyondTheLimit(session, key)) {
    const exchange = await sendPastGateway(session, request, 'gateway');
    if (statusOf(exchange) === 429) return { refusal: exchange };
  }
  return {};
}

/** Sends the operations that have not been sent beyond the limit yet; resolves with all refusals. */
export async function exceedFurther(session: Session, key: string): Promise<readonly Exchange[]> {
  const asked = readProbe(session)?.excess ?? [];
  const others = beyondTheLimit(session, key).filter(({ operation }) =>
    asked.every((one) => one.operation !== operation),
  );
  const exchanges = [...asked];
  for (const request of [...others, ...invalidBeyondTheLimit(session, key)])
    exchanges.push(await sendPastGateway(session, request, 'gateway'));
  return exchanges.filter((exchange) => statusOf(exchange) === 429);
}

/**
 * Lists with the API key near the end of a long wait: its window is then old enough to show a Reset that passed long ago.
 * Keys with equal numbers may share a limit that is used up.
 */
async function lookWithApiKey(session: Session, refusal: Exchange, waitMs: number): Promise<void> {
  const reading = readingOf(refusal);
  const isOther = reading !== undefined && !hasNumbersOfApiKey(session, reading);
  if (waitMs <= gatewayDateMs || !isOther || session.budget.requestsLeft() <= reserve) return;
  await session.wait(waitMs - lookBeforeMs, 'the rate-limit key is refused');
  await session.send(listPets('limit=1'));
}

/**
 * Waits until a refusal is over, up to --max-wait; resolves with whether it waited. A reset farther ahead than that may
 * be the day's; the minute's limit comes back after Retry-After.
 */
export async function waitUntilOver(session: Session, refusal: Exchange): Promise<boolean> {
  const { settings, clock, wait } = session;
  const { response, endedAt } = refusal;
  const retryAt = endedAt + ((response && readRetryAfter(response, endedAt)) ?? Number.POSITIVE_INFINITY);
  const waits = [endOfRefusal(refusal), retryAt].map((time) => Math.max(0, time - clock.now() + refusalMarginMs));
  const waitMs = waits.find((ms) => ms <= settings.maxWaitMs);
  if (waitMs === undefined) return false;
  const until = clock.now() + waitMs;
  await lookWithApiKey(session, refusal, waitMs);
  await wait(Math.max(0, until - clock.now()), 'the rate-limit key is refused');
  return true;
}

/** Exhausts a fresh key; a key that is refused from the start is exhausted once its refusal is over. */
export async function exhaustFresh(session: Session, key: string): Promise<Exhaustion> {
  const first = await exhaust(session, key, createMix(session, key));
  const isFresh = first.refusal === undefined || readProbe(session) !== undefined;
  if (isFresh) return first;
  const next = (await waitUntilOver(session, first.refusal!))
    ? await exhaust(session, key, createMix(session, key))
    : first;
  if (next.refusal === undefined || readProbe(session) !== undefined) return next;
  return { reason: 'the key that may be exhausted was refused with 429 from the start' };
}

/**
 * Exhausts the key once more after its recovery, where that takes a small part of the requests left. Without errors, which
 * a service may count or not, it shows whether one request too many is served. After a refusal that came one request early
 * it takes as many as are left: another client may have used the key once, or the service refuses each last request.
 */
export async function exhaustAgain(session: Session, key: string): Promise<void> {
  const probe = readProbe(session);
  const isDoubtful = probe !== undefined && mayBeUsedOnce([probe], probe);
  const share = isDoubtful ? 1 : shareInDoubt;
  const budget = (): number => Math.floor(session.budget.requestsLeft() / share) + (isDoubtful ? 0 : reserve);
  await exhaust(session, key, createMix(session, key, 'served-only'), budget);
}

const probed = ['rate-exceeded', 'rate-retry-after', 'rate-recovery'] as const;

function longest(refusals: readonly Exchange[]): Exchange {
  return refusals.reduce((one, other) => (endOfRefusal(other) > endOfRefusal(one) ? other : one));
}

/** Other clients may have exhausted the key again, so the return is tried twice. */
const mostTries = 2;

/** Sends with the key after the wait; resolves with the reason if it stays unknown whether the key is served again. */
async function comeBack(session: Session, key: string, refusal: Exchange): Promise<string | undefined> {
  const request = listPets('limit=1', rateLimitKey(key));
  let last = refusal;
  for (let tries = 0; tries < mostTries; tries += 1) {
    if (!(await waitUntilOver(session, last))) break;
    if (tries > 0 && mostDelayOf(last) > 0)
      await session.wait(mostDelayOf(last), 'its Retry-After may be by another clock');
    last = await session.sendOnce(request);
    if (statusOf(last) === 429) continue;
    if (isServed(last)) await goOn(session, key);
    return undefined;
  }
  const seconds = Math.ceil((endOfRefusal(last) - session.clock.now()) / 1000);
  if (seconds * 1000 > session.settings.maxWaitMs) return `the refusal lasts for ${seconds} s, longer than --max-wait`;
  return 'other clients had exhausted the key again each time';
}

/** Creates and reads an animal after the recovery, then exhausts the key again. */
async function goOn(session: Session, key: string): Promise<void> {
  const credential = rateLimitKey(key);
  const creation = mayCreateWith(session)
    ? await session.sendOnce(createPet(plainPetOf(session), credential))
    : undefined;
  if (creation !== undefined && statusOf(creation) === 429) return;
  const id = creation === undefined || isRemoved(session) ? undefined : idsShownIn(creation)[0];
  if (id !== undefined) await session.sendOnce(getPet(id, credential));
  await exhaustAgain(session, key);
}

/** Asks once where a Retry-After of 0 or beyond --max-wait can be refuted: soon after it, or once the limit has reset. */
async function checkRetryAfter(session: Session, key: string, refusal: Exchange, retryMs: number): Promise<void> {
  const { maxWaitMs } = session.settings;
  const untilResetMs = (readingOf(refusal)?.aheadMs ?? 0) - (session.clock.now() - refusal.endedAt);
  const isAsked = retryMs === 0 ? untilResetMs > 2 * roundingMs : retryMs > maxWaitMs && untilResetMs <= maxWaitMs;
  if (!isAsked) return;
  await session.wait(retryMs === 0 ? roundingMs : untilResetMs + refusalMarginMs, 'the rate-limit key is refused');
  await session.sendOnce(listPets('limit=1', rateLimitKey(key)));
}

/** So many requests in a row show whether the API key is served although nothing is left. */
const requestsWithoutRest = 2;

/** Lists with the API key while the other is refused. Where nothing is left for it, it asks until it is refused, too. */
async function askWithApiKey(session: Session): Promise<void> {
  let last = await session.send(listPets('limit=1'));
  for (let count = 0; count < requestsWithoutRest; count += 1) {
    if (!isServed(last) || readingOf(last)?.remaining !== 0) return;
    last = await session.sendOnce(listPets('limit=1'));
  }
}

/** Exhausts the rate-limit key, exceeds its limit with each operation, uses the API key, waits, uses the key again. */
export async function probeLimit(
  session: Session,
  note: (requirement: RequirementId, reason: string) => void,
): Promise<void> {
  const key = session.keys.rateLimit;
  if (key === undefined) return;
  session.enter('exhaust-key');
  const { refusal, reason } = await exhaustFresh(session, key);
  if (reason !== undefined) for (const requirement of probed) note(requirement, reason);
  if (refusal?.response === undefined) return;
  const last = longest(await exceedFurther(session, key));
  await askWithApiKey(session);
  const retryMs = readRetryAfter(refusal.response, refusal.endedAt);
  if (retryMs === undefined) return;
  await checkRetryAfter(session, key, refusal, retryMs);
  const reasonOfRecovery = await comeBack(session, key, last);
  if (reasonOfRecovery !== undefined) note('rate-recovery', reasonOfRecovery);
}
