/** §8 Uses up the key that the user provides for this, and exceeds its limit. */

import type { Exchange } from '../../http/exchange.ts';
import { isGatewayError, readRetryAfter, statusOf } from '../../http/read-response.ts';
import { gatewayDateMs, lookBeforeMs, minuteMs, refusalMarginMs, roundedDownMs } from '../../http/tolerances.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Session } from '../../run/session.ts';
import { listPets } from '../requests.ts';
import { beyondTheLimit, createMix, invalidBeyondTheLimit, type NextRequest } from './mixed-requests.ts';
import { endOfRefusal, mayBeUsedOnce, mostRefusals, readProbe } from './probes.ts';
import { isServed, limitsOfPlan, type RateLimitReading, readingOf } from './readings.ts';

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
  await session.wait(waitMs - lookBeforeMs, 'the limit of PETSTORE_RATE_LIMIT_KEY was used up on purpose');
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
  await wait(Math.max(0, until - clock.now()), 'the limit of PETSTORE_RATE_LIMIT_KEY was used up on purpose');
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
