/**
 * What an exchange counts as, decided once and from itself alone: an answer of the service, a refusal for its rate limit
 * (429), or something foreign, which a gateway or the network brought about and which says nothing of the service.
 */

import { hasLargeBody, isDocumented, isError } from '../http/documented.ts';
import { type Exchange, happenedBefore, type RecordedResponse } from '../http/exchange.ts';
import { memoize } from '../http/memoize.ts';
import { isAllowed, readListing } from '../http/read-request.ts';
import { isGatewayError, isJson, statusOf } from '../http/read-response.ts';
import { persistentFailureMs } from '../http/tolerances.ts';

export type Evidence =
  | 'answer'
  | 'refusal'
  /** Foreign, but the same request may be answered soon: no gateway reached the service, or no answer came in time. */
  | 'outage'
  /** A gateway refused the request by itself or for a limit of its own, or the request or its answer is too large. */
  | 'foreign';

export type Answered = Exchange & { readonly response: RecordedResponse };

/** Whether an answer has a header of §8, as those of the service have. */
export const hasLimits = ({ response }: Exchange): boolean =>
  Object.keys(response?.headers ?? {}).some((name) => name.startsWith('x-ratelimit-'));

/** The statuses with which a gateway refuses a request that is too large or looks like an attack, in JSON as well. */
const ofGateways: readonly number[] = [403, 406, 413, 414, 431];
const tooLarge: readonly number[] = [413, 414, 431];

/** Whether only the key of a request is wrong: a gateway has no reason to refuse it, unless it bans the client (403). */
function lacksOnlyItsKey({ operation, credential: { kind }, request, response }: Exchange): boolean {
  const isPlain =
    /^[\w\s{}":,.-]*$/.test(request.body ?? '') &&
    (operation === 'listPets' ? isAllowed(readListing({ request })) : !request.target.includes('?')) &&
    Object.keys(request.headers).every((name) => /^(accept|content-type|user-agent)$/.test(name));
  const isBan = response?.status === 403 && /^\s*</.test(response.body);
  return (kind === 'missing' || kind === 'invalid') && isPlain && !isBan;
}

/** Whether a gateway refused a request: a 4xx that §4 does not list, without the headers of §8 and without an Error. */
function isOfGateway(exchange: Exchange): boolean {
  const status = statusOf(exchange) ?? 0;
  if (status < 400 || status >= 500 || hasLimits(exchange) || isError(exchange)) return false;
  if (isDocumented(exchange) || !(ofGateways.includes(status) || !isJson(exchange))) return false;
  return tooLarge.includes(status) || !lacksOnlyItsKey(exchange);
}

export const evidenceOf = memoize((exchange: Exchange): Evidence => {
  const status = statusOf(exchange);
  const isTooLarge = exchange.failure?.code === 'too-large' || hasLargeBody(exchange);
  if (status === undefined) return isTooLarge ? 'foreign' : 'outage';
  if (isGatewayError(exchange)) return 'outage';
  // Nobody judges the answers to other operations, so it does not matter whether a gateway gave them.
  if (status !== 429) return exchange.operation !== 'other' && isOfGateway(exchange) ? 'foreign' : 'answer';
  // The rate-limit key is sent until the service refuses it, so its 429 is never a gateway's.
  return hasLimits(exchange) || isError(exchange) || exchange.credential.kind === 'rate-limit' ? 'refusal' : 'foreign';
});

export function isOfService(exchange: Exchange): exchange is Answered {
  return evidenceOf(exchange) === 'answer';
}

export function isOutage(exchange: Exchange): boolean {
  return evidenceOf(exchange) === 'outage';
}

export function isForeign(exchange: Exchange): boolean {
  return isOutage(exchange) || evidenceOf(exchange) === 'foreign';
}

/** Each request with its repetitions, in the order of sending. */
function attemptsOf(exchanges: readonly Exchange[]): readonly (readonly Exchange[])[] {
  const attempts = new Map<number, Exchange[]>();
  for (const exchange of exchanges) {
    const before = exchange.repeats === undefined ? undefined : attempts.get(exchange.repeats);
    const all = before ?? [];
    all.push(exchange);
    attempts.set(exchange.number, all);
  }
  return [...new Set(attempts.values())];
}

/** The repetitions of a request that have to fail: more if a gateway is flaky, so that other requests recovered. */
const [fewestRepeats, repeatsBehindFlakyGateway] = [3, 8];

/**
 * The requests whose attempts were all outages, while the service answered others: the request itself is the cause. Maps the
 * last attempt to all attempts and one of those answers, in the order of sending.
 */
export function lastingOutages(exchanges: readonly Exchange[]): ReadonlyMap<Exchange, readonly Exchange[]> {
  if (!exchanges.some(isOutage)) return new Map();
  const requests = attemptsOf(exchanges).filter(([first]) => isOutage(first!));
  const recovered = requests.filter((attempts) => isOfService(attempts.at(-1)!)).length;
  const needed = 1 + (recovered < 2 ? fewestRepeats : repeatsBehindFlakyGateway);
  const lasting = requests.flatMap((attempts) => {
    const [first, last] = [attempts[0]!, attempts.at(-1)!];
    const isLong = attempts.length >= needed && last.startedAt - first.endedAt >= persistentFailureMs;
    if (!isLong || !attempts.every(isOutage)) return [];
    const other = exchanges.find((one) => isOfService(one) && happenedBefore(first, one) && happenedBefore(one, last));
    return other === undefined ? [] : [[last, [...attempts.slice(0, -1), other, last]] as const];
  });
  return new Map(lasting);
}

/** How many requests got no response although one was due, not even when they were repeated. */
export function countUnanswered(exchanges: readonly Exchange[]): number {
  const isDue = (exchange: Exchange): boolean =>
    exchange.operation !== 'other' && exchange.credential.kind !== 'rate-limit' && !hasLargeBody(exchange);
  const last = attemptsOf(exchanges).map((attempts) => attempts.at(-1)!);
  return last.filter((exchange) => exchange.response === undefined && isDue(exchange)).length;
}

/** Sentences on what was foreign in a run, such as "12 of 300 answers were a gateway's (403, 502): not judged." */
export function describeForeign(exchanges: readonly Exchange[], requests: number): readonly string[] {
  const lasting = new Set([...lastingOutages(exchanges).values()].flat());
  const foreign = exchanges.filter((one) => isForeign(one) && !lasting.has(one));
  const statuses = foreign.flatMap((exchange) => statusOf(exchange) ?? []);
  const [answered, lost] = [statuses.length, foreign.length - statuses.length];
  const gateway = `${answered} of ${requests} answers were a gateway's (${[...new Set(statuses)].sort().join(', ')})`;
  const none = `${lost} of ${requests} requests got no answer`;
  return [...(answered > 0 ? [gateway] : []), ...(lost > 0 ? [none] : [])].map((what) => `${what}: not judged.`);
}

/** Whether an error has neither JSON nor the headers of §8, like the pages of gateways and frameworks. */
export function looksForeign(exchange: Exchange): boolean {
  return (statusOf(exchange) ?? 0) >= 400 && !hasLimits(exchange) && !isJson(exchange);
}
