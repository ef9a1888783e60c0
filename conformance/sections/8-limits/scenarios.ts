/** §8 Sends what shows the behaviour when the limit is exceeded: exhausts the key that the user provides for this. */

import type { OperationName } from '../../../spec/operations.ts';
import { rateLimitKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { isGatewayError, readRetryAfter, statusOf } from '../../http/read-response.ts';
import { minuteMs, refusalMarginMs, roundedDownMs } from '../../http/tolerances.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Check, Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { createPet, drawUnknownId, getPet, listPets, plainPet } from '../requests.ts';
import { endOfRefusal, mostRefusals, readProbe } from './exceeded.ts';
import { isServed, limitsOfPlan, type RateLimitReading, readingOf } from './readings.ts';

const probed = ['rate-exceeded', 'rate-retry-after', 'rate-recovery'] as const;

/** The outcome of exhausting a key: the refusal, or the reason why there is none, if known. */
export interface Exhaustion {
  readonly refusal?: Exchange;
  readonly reason?: string;
}

/** Whether the rate-limit key may be used to create an animal. */
function mayCreateWith(session: Session): boolean {
  return !session.settings.isReadOnly && session.budget.creationsLeft() > 0;
}

/** One request of each operation, since all share one limit; none of an operation that may not be sent. */
function excessWith(session: Session, key: string): readonly PlannedRequest[] {
  const credential = rateLimitKey(key);
  const requests: Readonly<Record<OperationName, PlannedRequest | undefined>> = {
    // A drawn id, since an existing animal may be visible to the other key only.
    getPet: isRemoved(session) ? undefined : getPet(drawUnknownId(session), credential),
    createPet: mayCreateWith(session) ? createPet(plainPet(session), credential) : undefined,
    listPets: listPets('limit=1', credential),
  };
  return Object.values(requests).filter((request) => request !== undefined);
}

/** Requests kept for the excess, the other key and the return after the wait. */
const reserve = mostRefusals + 3;
/** So many answers show how fast the target is. */
const enough = 5;

/** The reason why the key cannot be exhausted, as the answers so far show. */
function whyInexhaustible(session: Session, served: readonly RateLimitReading[]): string | undefined {
  const [first, last] = [served[0]!, served.at(-1)!];
  const perMinute = limitsOfPlan(session.settings, 'rate-limit')?.perMinute;
  // If the plan's minute ends sooner than Remaining says, the headers describe the day.
  const isOfDay = perMinute !== undefined && perMinute < last.remaining + served.length;
  const left = isOfDay ? Math.max(0, perMinute - served.length) : last.remaining;
  const budget = session.budget.requestsLeft();
  if (left + reserve > budget) {
    return `exhausting the key takes ${left + reserve} more requests, the budget has ${budget}: raise --max-requests`;
  }
  const perRequestMs = (last.exchange.endedAt - first.exchange.startedAt) / served.length;
  const limit = perMinute ?? last.limit;
  const isTooSlow =
    served.length >= enough && perRequestMs * limit > minuteMs && (isOfDay || last.aheadMs <= minuteMs + roundedDownMs);
  return isTooSlow ? `the target answers too slowly for ${limit} requests a minute` : undefined;
}

/** Sends a request, and repeats it once after a gateway's answer; with `or-none`, after a broken connection too. */
async function sendPastGateway(
  session: Session,
  request: PlannedRequest,
  repeats: 'gateway' | 'gateway-or-none',
): Promise<Exchange> {
  const exchange = await session.sendOnce(request);
  const isLost = repeats === 'gateway-or-none' && exchange.response === undefined;
  return isLost || isGatewayError(exchange) ? session.sendOnce(request) : exchange;
}

/** Sends until the key is refused, as far as the budget allows. */
export async function exhaust(session: Session, key: string): Promise<Exhaustion> {
  const request = listPets('limit=1', rateLimitKey(key));
  const perMinute = limitsOfPlan(session.settings, 'rate-limit')?.perMinute;
  const served: RateLimitReading[] = [];
  // Serving more than twice the plan's limit is a failure already; another limit may be for a shorter time than a minute.
  while (served.length <= 2 * (perMinute ?? served[0]?.limit ?? 1)) {
    const exchange = await sendPastGateway(session, request, 'gateway-or-none');
    if (statusOf(exchange) === 429) return { refusal: exchange };
    const reading = readingOf(exchange);
    if (!isServed(exchange) || reading === undefined) return { reason: whyUnused(exchange) };
    served.push(reading);
    if (reading.remaining === 0) return exceed(session, key);
    const reason = whyInexhaustible(session, served);
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
  for (const request of excessWith(session, key)) {
    const exchange = await sendPastGateway(session, request, 'gateway');
    if (statusOf(exchange) === 429) return { refusal: exchange };
  }
  return {};
}

/** Sends the operations that have not been sent beyond the limit yet; resolves with all refusals. */
async function exceedFurther(session: Session, key: string): Promise<readonly Exchange[]> {
  const asked = readProbe(session)?.excess ?? [];
  const others = excessWith(session, key).filter(({ operation }) => asked.every((one) => one.operation !== operation));
  const exchanges = [...asked];
  for (const request of others) exchanges.push(await sendPastGateway(session, request, 'gateway'));
  return exchanges.filter((exchange) => statusOf(exchange) === 429);
}

/**
 * Waits until a refusal is over, up to --max-wait; resolves with whether it waited. A reset farther ahead than that may
 * be the day's; the minute's limit comes back after Retry-After.
 */
async function waitUntilOver({ settings, clock, wait }: Session, refusal: Exchange): Promise<boolean> {
  const { response, endedAt } = refusal;
  const retryAt = endedAt + ((response && readRetryAfter(response, endedAt)) ?? Number.POSITIVE_INFINITY);
  const waits = [endOfRefusal(refusal), retryAt].map((time) => Math.max(0, time - clock.now() + refusalMarginMs));
  const waitMs = waits.find((ms) => ms <= settings.maxWaitMs);
  if (waitMs === undefined) return false;
  await wait(waitMs, 'the rate-limit key is refused');
  return true;
}

/** Exhausts a fresh key; a key that is refused from the start is exhausted once its refusal is over. */
async function exhaustFresh(session: Session, key: string): Promise<Exhaustion> {
  const first = await exhaust(session, key);
  const isFresh = first.refusal === undefined || readProbe(session) !== undefined;
  if (isFresh) return first;
  const next = (await waitUntilOver(session, first.refusal!)) ? await exhaust(session, key) : first;
  if (next.refusal === undefined || readProbe(session) !== undefined) return next;
  return { reason: 'the key that may be exhausted was refused with 429 from the start' };
}

/** The refusal that lasts longest. */
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
    last = await session.sendOnce(request);
    if (statusOf(last) !== 429) {
      if (isServed(last) && mayCreateWith(session)) {
        await session.sendOnce(createPet(plainPet(session), rateLimitKey(key)));
      }
      return undefined;
    }
  }
  const seconds = Math.ceil((endOfRefusal(last) - session.clock.now()) / 1000);
  if (seconds * 1000 > session.settings.maxWaitMs) return `the refusal lasts for ${seconds} s, longer than --max-wait`;
  return 'other clients had exhausted the key again each time';
}

const exhaustKey: Scenario = {
  kind: 'scenario',
  id: 'exhaust-key',
  rank: 3,
  verifies: [...probed, 'rate-retry-after-length'],
  title: 'Exhausts the rate-limit key, exceeds its limit with each operation, uses the API key, waits, uses it again',
  run: async (session, { note }) => {
    const key = session.keys.rateLimit;
    if (key === undefined) return;
    const { refusal, reason } = await exhaustFresh(session, key);
    if (reason !== undefined) for (const requirement of probed) note(requirement, reason);
    if (refusal?.response === undefined) return;
    const last = longest(await exceedFurther(session, key));
    await session.send(listPets('limit=1'));
    if (readRetryAfter(refusal.response, refusal.endedAt) === undefined) return;
    const reasonOfRecovery = await comeBack(session, key, last);
    if (reasonOfRecovery !== undefined) note('rate-recovery', reasonOfRecovery);
  },
};

export const limitScenarios: readonly Check[] = [exhaustKey];
