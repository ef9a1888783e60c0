/** §8 Behaviour when exceeded: uses up a key that the user gave for it, by no more than one request of each operation. */

import { rateLimitKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { isGatewayError, readRetryAfter, statusOf } from '../../http/read-response.ts';
import { minuteMs, refusalMarginMs, roundedDownMs } from '../../http/tolerances.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Check, Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { createPet, drawUnknownId, getPet, listPets, plainPet } from '../requests.ts';
import { isServed, limitsOfPlan, type RateLimitReading, readingOf } from './readings.ts';
import { endOfRefusal, mostRefusals, readProbe } from './refusals.ts';

const probed = ['rate-exceeded', 'rate-retry-after', 'rate-recovery'] as const;

/** What came of using a key up: the refusal, or why there is none where that can be told. */
export interface Exhaustion {
  readonly refusal?: Exchange;
  readonly reason?: string;
}

/** One request of each operation, since the limit is one of them all; what may be created first. */
function excessWith(session: Session, key: string): readonly PlannedRequest[] {
  const credential = rateLimitKey(key);
  const mayCreate = !session.settings.isReadOnly && session.budget.creationsLeft() > 0;
  return [
    // An animal may be one that only the other key sees.
    ...(isRemoved(session) ? [] : [getPet(drawUnknownId(session), credential)]),
    ...(mayCreate ? [createPet(plainPet(session), credential)] : []),
    listPets('limit=1', credential),
  ];
}

/** The excess, the other key and the ways back. */
const reserve = mostRefusals + 3;
/** After so many requests it can be told how fast a target answers. */
const enough = 5;

/** Why a key cannot be used up, as far as that can be told after some answers. */
function whyInexhaustible(session: Session, served: readonly RateLimitReading[]): string | undefined {
  const [first, last] = [served[0]!, served.at(-1)!];
  const perMinute = limitsOfPlan(session.settings, 'rate-limit')?.perMinute;
  // What the headers say may be of the day, where the minute of the plan is used up much sooner.
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

/** The answer to a request of a key that is used up; what may pass, as a broken connection, is asked for again. */
async function use(session: Session, request: PlannedRequest): Promise<Exchange> {
  const exchange = await session.sendOnce(request);
  return exchange.response === undefined || isGatewayError(exchange) ? session.sendOnce(request) : exchange;
}

/** Sends until the key is refused, as far as the budget reaches. */
export async function exhaust(session: Session, key: string): Promise<Exhaustion> {
  const request = listPets('limit=1', rateLimitKey(key));
  const perMinute = limitsOfPlan(session.settings, 'rate-limit')?.perMinute ?? Number.POSITIVE_INFINITY;
  const served: RateLimitReading[] = [];
  // A target that serves twice the plan has shown what there is to show.
  while (served.length <= 2 * perMinute) {
    const exchange = await use(session, request);
    if (statusOf(exchange) === 429) return { refusal: exchange };
    const standing = readingOf(exchange);
    if (!isServed(exchange) || standing === undefined) return { reason: whyUnused(exchange) };
    served.push(standing);
    if (standing.remaining === 0) return exceed(session, key);
    const reason = whyInexhaustible(session, served);
    if (reason !== undefined) return { reason };
  }
  return {};
}

function whyUnused(exchange: Exchange): string {
  if (isServed(exchange)) return 'the headers do not say how many requests are left';
  return `the key that may be exhausted was answered with ${statusOf(exchange) ?? 'nothing'}`;
}

/** Asks beyond the limit, and once more where a gateway answers for the service: it may be there again. */
async function askBeyond(session: Session, request: PlannedRequest): Promise<Exchange> {
  const exchange = await session.sendOnce(request);
  return isGatewayError(exchange) ? session.sendOnce(request) : exchange;
}

/** Asks one operation after the other, up to the first refusal. */
async function exceed(session: Session, key: string): Promise<Exhaustion> {
  for (const request of excessWith(session, key)) {
    const exchange = await askBeyond(session, request);
    if (statusOf(exchange) === 429) return { refusal: exchange };
  }
  return {};
}

/** Asks the operations that were not asked beyond the limit yet; resolves with those of all that were refused. */
async function exceedFurther(session: Session, key: string): Promise<readonly Exchange[]> {
  const asked = readProbe(session)?.excess ?? [];
  const others = excessWith(session, key).filter(({ operation }) => asked.every((one) => one.operation !== operation));
  const exchanges = [...asked];
  for (const request of others) exchanges.push(await askBeyond(session, request));
  return exchanges.filter((exchange) => statusOf(exchange) === 429);
}

/**
 * Waits until a refusal is over, as far as the user lets a run wait; resolves with whether it waited. A reset that is
 * farther ahead than that may be one of the day: what comes back sooner shows after Retry-After.
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

/** Uses a key up that is fresh, or as soon as it is again. */
async function exhaustFresh(session: Session, key: string): Promise<Exhaustion> {
  const first = await exhaust(session, key);
  const isFresh = first.refusal === undefined || readProbe(session) !== undefined;
  if (isFresh) return first;
  const next = (await waitUntilOver(session, first.refusal!)) ? await exhaust(session, key) : first;
  if (next.refusal === undefined || readProbe(session) !== undefined) return next;
  return { reason: 'the key that may be exhausted was refused with 429 from the start' };
}

/** Of several refusals the one that lasts longest counts. */
function longest(refusals: readonly Exchange[]): Exchange {
  return refusals.reduce((one, other) => (endOfRefusal(other) > endOfRefusal(one) ? other : one));
}

/** Others may have used up what came back first; the next time is the last. */
const mostTries = 2;

/** Asks with the key again when its refusal is over; resolves with why it is not known whether it is served then. */
async function comeBack(session: Session, key: string, refusal: Exchange): Promise<string | undefined> {
  const request = listPets('limit=1', rateLimitKey(key));
  let last = refusal;
  for (let tries = 0; tries < mostTries; tries += 1) {
    if (!(await waitUntilOver(session, last))) break;
    last = await session.sendOnce(request);
    if (statusOf(last) !== 429) return undefined;
  }
  const seconds = Math.ceil((endOfRefusal(last) - session.clock.now()) / 1000);
  if (seconds * 1000 > session.settings.maxWaitMs) return `the refusal lasts for ${seconds} s, longer than --max-wait`;
  return 'others had used the key up again each time that it was asked with';
}

const exhaustKey: Scenario = {
  kind: 'scenario',
  id: 'exhaust-key',
  rank: 3,
  verifies: [...probed, 'rate-retry-after-length'],
  title: 'Uses the rate-limit key up, exceeds it with each operation, asks with the other key, waits, asks again',
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

export const limitProbe: readonly Check[] = [exhaustKey];
