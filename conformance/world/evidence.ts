/**
 * What an exchange counts as, decided once and from itself alone: an answer of the service, a refusal for its rate limit
 * (429), or something foreign, which says nothing of the service. The service is whatever stands at the base address: an
 * application, its framework, its limiter and its gateway.
 */

import { hasLargeBody, hasUnusualContent, isError } from '../http/documented.ts';
import { type Exchange, happenedBefore, type RecordedResponse } from '../http/exchange.ts';
import { memoize } from '../http/memoize.ts';
import { isGatewayError, isJson, statusOf } from '../http/read-response.ts';
import { persistentFailureMs } from '../http/tolerances.ts';

export type Evidence =
  | 'answer'
  | 'refusal'
  /** Foreign, but the same request may be answered soon: no gateway reached the service, or no answer came in time. */
  | 'outage'
  /** A refusal of unusual content, which says nothing of plain content, or an answer too large to read. */
  | 'foreign';

export type Answered = Exchange & { readonly response: RecordedResponse };

/** Whether an answer has a header of §8, as those of the service have. */
export const hasLimits = ({ response }: Exchange): boolean =>
  Object.keys(response?.headers ?? {}).some((name) => name.startsWith('x-ratelimit-'));

/**
 * Whether something in front of the operation refused a request for its content: a 4xx that carries neither the headers of
 * §8 nor an Error. A refusal of the key (401) and any answer to plain content are the service's, whoever composed them: a
 * client sees no difference.
 */
function isRefusalOfContent(exchange: Exchange, status: number): boolean {
  if (exchange.operation === 'other') return false;
  if (status < 400 || status >= 500 || status === 401) return false;
  if (!hasUnusualContent(exchange)) return false;
  return !hasLimits(exchange) && !isError(exchange);
}

export const evidenceOf = memoize((exchange: Exchange): Evidence => {
  const status = statusOf(exchange);
  if (status === undefined) {
    const isTooLarge = exchange.failure?.code === 'too-large' || hasLargeBody(exchange);
    return isTooLarge ? 'foreign' : 'outage';
  }
  if (isGatewayError(exchange)) return 'outage';
  if (status === 429) return 'refusal';
  return isRefusalOfContent(exchange, status) ? 'foreign' : 'answer';
});

export function isOfService(exchange: Exchange): exchange is Answered {
  return evidenceOf(exchange) === 'answer';
}

/** Whether the limit refused a request. Any 429 is the service's, with or without the headers of §8 and an Error. */
export function isRefused(exchange: Exchange): exchange is Answered {
  return evidenceOf(exchange) === 'refusal';
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

/** So many repetitions of a request have to fail before the outage is lasting. */
const fewestRepeats = 3;
/** So many where a gateway is flaky. */
const repeatsBehindFlakyGateway = 8;
/** A gateway is flaky if so many requests were answered when they were repeated. */
const recoveriesOfFlakyGateway = 2;

/**
 * The requests whose attempts were all outages, while the service answered others: the request itself is the cause. Maps the
 * last attempt to all attempts and one of those answers, in the order of sending.
 */
export function lastingOutages(exchanges: readonly Exchange[]): ReadonlyMap<Exchange, readonly Exchange[]> {
  if (!exchanges.some(isOutage)) return new Map();
  const requests = attemptsOf(exchanges).filter(([first]) => isOutage(first!));
  const recovered = requests.filter((attempts) => isOfService(attempts.at(-1)!)).length;
  const needed = 1 + (recovered < recoveriesOfFlakyGateway ? fewestRepeats : repeatsBehindFlakyGateway);
  const lasting = requests.flatMap((attempts) => {
    const first = attempts[0]!;
    const last = attempts.at(-1)!;
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

const listedOnce = (statuses: readonly number[]): string => [...new Set(statuses)].sort().join(', ');

/** The exchanges that show nothing but a passing outage, which no request has to answer for: all but those of `lastingOutages`. */
export function outagesIn(exchanges: readonly Exchange[]): readonly Exchange[] {
  const lasting = new Set([...lastingOutages(exchanges).values()].flat());
  return exchanges.filter((one) => isOutage(one) && !lasting.has(one));
}

/** Sentences on what was foreign in a run, such as "12 of 300 answers came from a gateway (502, 503): not judged." */
export function describeForeign(exchanges: readonly Exchange[], requests: number): readonly string[] {
  const lasting = new Set([...lastingOutages(exchanges).values()].flat());
  const foreign = exchanges.filter((one) => isForeign(one) && !lasting.has(one));
  const answered = foreign.filter(({ response }) => response !== undefined);
  const { outages = [], refusals = [] } = Object.groupBy(answered, (one) => (isOutage(one) ? 'outages' : 'refusals'));
  const statusesOf = (some: readonly Exchange[]): string => listedOnce(some.flatMap((one) => statusOf(one) ?? []));
  const sentences: readonly (readonly [count: number, sentence: string])[] = [
    [outages.length, `answers came from a gateway (${statusesOf(outages)})`],
    [refusals.length, `requests got a refusal for unusual content (${statusesOf(refusals)})`],
    [foreign.length - answered.length, 'requests got no answer'],
  ];
  return sentences.flatMap(([count, what]) => (count === 0 ? [] : [`${count} of ${requests} ${what}: not judged.`]));
}

/** Whether an error has neither JSON nor the headers of §8, like the pages of gateways and frameworks. */
export function looksForeign(exchange: Exchange): boolean {
  return (statusOf(exchange) ?? 0) >= 400 && !hasLimits(exchange) && !isJson(exchange);
}
