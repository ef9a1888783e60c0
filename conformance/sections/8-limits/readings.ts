/** Reads what an answer says about its client's limit (§8): the numbers of the three X-RateLimit headers, unless a cache repeats them. */

import { planLimits } from '../../../spec/facts.ts';
import { hasLargeBody } from '../../http/documented.ts';
import type { CredentialKind, Exchange, RecordedResponse } from '../../http/exchange.ts';
import { memoize, memoizeIncrementally } from '../../http/memoize.ts';
import { decodeEscapes } from '../../http/percent-escapes.ts';
import { readPetId } from '../../http/read-request.ts';
import { dateOf, readInteger, statusOf, timeUntil } from '../../http/read-response.ts';
import { instanceClocksMs, roundingMs } from '../../http/tolerances.ts';
import type { Settings } from '../../verdict/settings.ts';
import { isRemovedFor, type World } from '../../world/world.ts';
import { rateLimitHeaders } from '../stated-fields.ts';

export type Answered = Exchange & { readonly response: RecordedResponse };

/** What one answer says about the limit of its client. */
export interface RateLimitReading {
  readonly exchange: Answered;
  readonly limit: number;
  readonly remaining: number;
  /** When the limit resets, by the clock of the target, Unix milliseconds. */
  readonly resetsAt: number;
  /** From the answer to the reset, milliseconds. */
  readonly aheadMs: number;
  /** When the answer was given, by the same clock as `resetsAt`. */
  readonly at: number;
}

/** A target with a malformed escape or an escaped control character may be answered before it reaches the service. */
function isWellFormed(target: string): boolean {
  const decoded = decodeEscapes(target);
  return decoded !== undefined && !/[\x00-\x1f]/.test(decoded);
}

/** Whether §4 shows the path, so that the answer comes from the operation and not from a router. */
function isShown(exchange: Exchange): boolean {
  if (exchange.operation === 'other' || !isWellFormed(exchange.request.target)) return false;
  return exchange.operation !== 'getPet' || typeof readPetId(exchange) === 'bigint';
}

/**
 * Whether §8 applies to an answer: it answers one of the three operations on its path, whatever the key, the query and
 * the body. Server errors fail elsewhere; an answer of a router or a gateway before the service is none of the service.
 */
export function isServiceAnswer(world: World, exchange: Exchange): exchange is Answered {
  const { response } = exchange;
  if (response === undefined || response.status >= 500 || !isShown(exchange)) return false;
  if (isRemovedFor(world, exchange) || !/^(answer|refusal)$/.test(world.evidence.get(exchange) ?? '')) return false;
  return response.status < 400 || !hasLargeBody(exchange);
}

export const answersOf: (world: World) => readonly Answered[] = memoize((world: World) =>
  world.exchanges.filter((exchange): exchange is Answered => isServiceAnswer(world, exchange)),
);

/** The three numbers of an answer; undefined unless all are integers. */
const numbersOf = memoize(({ response }: Exchange): readonly number[] | undefined => {
  const numbers = rateLimitHeaders.map(([name]) => response && readInteger(response, name.toLowerCase()));
  return numbers.every((number) => typeof number === 'number') ? numbers : undefined;
});

/** The reading of an answer; undefined unless all three headers hold integers. */
export const readingOf: (exchange: Exchange) => RateLimitReading | undefined = memoize((exchange: Exchange) => {
  const { response, endedAt } = exchange as Answered;
  const [limit, remaining, reset] = numbersOf(exchange) ?? [];
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  const resetsAt = reset * 1000;
  const aheadMs = timeUntil(resetsAt, response, endedAt);
  return { exchange: exchange as Answered, limit, remaining, resetsAt, aheadMs, at: resetsAt - aheadMs };
});

const isRead = ({ operation }: Exchange): boolean => operation === 'listPets' || operation === 'getPet';

interface Copies {
  hasCopy: boolean;
  /** By client, request and headers: the bodies that were served, each with the first answer that has it. */
  readonly served: Map<string, Map<string, Exchange>>;
  /** The headers of the latest answer to each client. */
  readonly latest: Map<string, string>;
}

/** Whether an answer repeats the Date of an earlier one, although time has passed since. */
function repeatsDate(earlier: Exchange, { response, startedAt }: Exchange): boolean {
  const date = response?.headers['date'];
  const isOver = startedAt - earlier.endedAt >= roundingMs;
  return isOver && date !== undefined && date === earlier.response?.headers['date'];
}

/**
 * Whether an answer to a read came from a cache: it has an Age header, or it repeats body and headers of an earlier
 * answer to the same request, although other answers in between had other headers or its Date has passed.
 */
const copiesIn = memoizeIncrementally(
  (): Copies => ({ hasCopy: false, served: new Map(), latest: new Map() }),
  (copies, exchange) => {
    const { credential, request, response } = exchange;
    const client = credential.kind;
    const numbers = numbersOf(exchange)?.join();
    const isServedRead = isRead(exchange) && response?.status === 200;
    if (isServedRead && response.headers['age'] !== undefined) copies.hasCopy = true;
    if (numbers === undefined) return;
    if (isServedRead) {
      const answer = `${client} ${numbers} ${request.target}`;
      const bodies = copies.served.get(answer) ?? new Map<string, Exchange>();
      copies.served.set(answer, bodies);
      const first = bodies.get(response.body);
      if (first === undefined) bodies.set(response.body, exchange);
      else if (copies.latest.get(client) !== numbers || repeatsDate(first, exchange)) copies.hasCopy = true;
    }
    copies.latest.set(client, numbers);
  },
);

/** Whether an answer may be a copy. Behind a cache any read may be one, since the cache also refreshes by itself. */
export function mayBeCopy(world: Pick<World, 'exchanges'>, exchange: Exchange): boolean {
  return isRead(exchange) && copiesIn(world).hasCopy;
}

/** Milliseconds from an answer to the reset that another answer announced. */
export function untilResetOf({ resetsAt }: RateLimitReading, { exchange }: Pick<RateLimitReading, 'exchange'>): number {
  return timeUntil(resetsAt, exchange.response, exchange.endedAt);
}

/**
 * The readings of all answers to credentials of some kinds, in the order in which the requests were sent; 429s and
 * copies from a cache are left out.
 */
export function readingsOf(world: World, ...kinds: readonly CredentialKind[]): readonly RateLimitReading[] {
  return answersOf(world)
    .filter(({ credential, response }) => kinds.includes(credential.kind) && response.status !== 429)
    .filter((exchange) => !mayBeCopy(world, exchange))
    .toSorted((one, other) => one.sent - other.sent)
    .flatMap((exchange) => readingOf(exchange) ?? []);
}

/**
 * The readings of each clock in their order: several instances may answer behind one address, each with the Date and the
 * Reset of its own clock.
 */
export function byClock(readings: readonly RateLimitReading[]): readonly (readonly RateLimitReading[])[] {
  const aheadOf = ({ exchange: { response, endedAt } }: RateLimitReading): number =>
    dateOf(response, endedAt) - endedAt;
  const sorted = readings.toSorted((one, other) => aheadOf(one) - aheadOf(other));
  const starts = sorted.flatMap((reading, at) =>
    at > 0 && aheadOf(reading) - aheadOf(sorted[at - 1]!) <= instanceClocksMs ? [] : [aheadOf(reading)],
  );
  const byStart = Map.groupBy(readings, (reading) => starts.findLast((start) => start <= aheadOf(reading)));
  return [...byStart.values()];
}

export function isServed(exchange: Exchange): boolean {
  const status = statusOf(exchange);
  return status === 200 || status === 201;
}

export const judgedKeys = ['valid', 'rate-limit'] as const;

/** The limits of a key's plan (§8); undefined unless the user names a plan that has numbers. */
export function limitsOfPlan(
  settings: Settings,
  kind: CredentialKind,
): { perMinute: number; perDay: number } | undefined {
  const plan = kind === 'valid' ? settings.plan : kind === 'rate-limit' ? settings.rateLimitPlan : undefined;
  const { perMinute, perDay } = plan === undefined ? {} : planLimits[plan];
  return perMinute === undefined || perDay === undefined ? undefined : { perMinute, perDay };
}
