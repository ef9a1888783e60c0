/** Reads what an answer says about its client's limit (§8): the numbers of the three X-RateLimit headers, unless a cache repeats them. */

import { planLimits } from '../../../spec/facts.ts';
import { hasLargeBody } from '../../http/documented.ts';
import type { CredentialKind, Exchange } from '../../http/exchange.ts';
import { memoize, memoizeIncrementally } from '../../http/memoize.ts';
import { decodeEscapes } from '../../http/percent-escapes.ts';
import { readPetId } from '../../http/read-request.ts';
import { readInteger, readRetryAfter, statusOf, timeUntil } from '../../http/read-response.ts';
import { type Answered, isForeign } from '../../world/evidence.ts';
import { type History, isRemovedFor } from '../../world/history.ts';
import { rateLimitHeaders } from '../stated-fields.ts';

/** What one answer says about the limit of its client. */
export interface RateLimitReading {
  readonly exchange: Answered;
  readonly limit: number;
  readonly remaining: number;
  /** When the limit resets, by the clock of the target, Unix milliseconds. */
  readonly resetsAt: number;
  /** From the answer to the reset, milliseconds. */
  readonly aheadMs: number;
}

/** Whether §4 shows the path, so that the answer comes from the operation and not from a router, which may refuse escapes. */
function isShown(exchange: Exchange): boolean {
  const target = decodeEscapes(exchange.request.target);
  if (exchange.operation === 'other' || target === undefined || /[\x00-\x1f]/.test(target)) return false;
  return exchange.operation !== 'getPet' || typeof readPetId(exchange) === 'bigint';
}

/**
 * Whether §8 applies to an answer: it answers one of the three operations on its path, whatever the key, the query and
 * the body. Server errors fail elsewhere; an answer of a router or a gateway before the service is none of the service.
 */
function isServiceAnswer(history: History, exchange: Exchange): exchange is Answered {
  const { response } = exchange;
  if (response === undefined || response.status >= 500 || !isShown(exchange)) return false;
  if (isRemovedFor(history, exchange) || isForeign(exchange)) return false;
  return response.status < 400 || !hasLargeBody(exchange);
}

export const answersOf: (history: History) => readonly Answered[] = memoize((history: History) =>
  history.exchanges.filter((exchange): exchange is Answered => isServiceAnswer(history, exchange)),
);

/** The reading of an answer; undefined unless all three headers hold integers. */
export const readingOf: (exchange: Exchange) => RateLimitReading | undefined = memoize((exchange: Exchange) => {
  const { response, endedAt } = exchange;
  const numbers = rateLimitHeaders.map(([name]) => response && readInteger(response, name.toLowerCase()));
  const [limit, remaining, reset] = numbers;
  if (typeof limit !== 'number' || typeof remaining !== 'number' || typeof reset !== 'number') return undefined;
  const resetsAt = reset * 1000;
  return {
    exchange: exchange as Answered,
    limit,
    remaining,
    resetsAt,
    aheadMs: timeUntil(resetsAt, response!, endedAt),
  };
});

/** The wait that Retry-After asks for, milliseconds; undefined if it is missing or malformed. */
export function waitOf({ response, endedAt }: Exchange): number | undefined {
  return response === undefined ? undefined : readRetryAfter(response, endedAt);
}

const isRead = ({ operation }: Exchange): boolean => operation === 'listPets' || operation === 'getPet';

/**
 * Whether a cache answers reads: an answer has an Age, or repeats body and numbers of an earlier one to the same request
 * although others came in between.
 */
const copiesIn = memoizeIncrementally(
  () => ({ hasCopy: false, answers: new Set<string>(), latest: new Map<string, string>() }),
  (copies, exchange) => {
    const { credential, request, response } = exchange;
    const reading = readingOf(exchange);
    if (response === undefined || reading === undefined) return;
    const numbers = `${reading.limit} ${reading.remaining} ${reading.resetsAt}`;
    if (isRead(exchange) && response.status === 200) {
      const answer = `${credential.kind} ${numbers} ${request.target} ${response.body}`;
      const isRepeated = copies.answers.has(answer) && copies.latest.get(credential.kind) !== numbers;
      copies.hasCopy ||= response.headers['age'] !== undefined || isRepeated;
      copies.answers.add(answer);
    }
    copies.latest.set(credential.kind, numbers);
  },
);

/** Whether an answer may be a copy. Behind a cache any read may be one, since the cache also refreshes by itself. */
export function mayBeCopy(history: Pick<History, 'exchanges'>, exchange: Exchange): boolean {
  return isRead(exchange) && copiesIn(history).hasCopy;
}

/** Whether the clock of the target is known, and so how far ahead its reset is. */
export function isTimed({ exchange }: Pick<RateLimitReading, 'exchange'>): boolean {
  return exchange.response.headers['date'] !== undefined;
}

/** Milliseconds from an answer to the reset that an earlier one announced, by the clock of either: the shorter time. */
export function untilResetOf(earlier: RateLimitReading, later: RateLimitReading): number {
  const elapsedMs = later.exchange.endedAt - earlier.exchange.endedAt;
  return Math.min(earlier.aheadMs - elapsedMs, earlier.resetsAt - later.resetsAt + later.aheadMs);
}

/**
 * The readings of all answers to credentials of some kinds, in the order in which the requests were sent; 429s and
 * copies from a cache are left out.
 */
export function readingsOf(history: History, ...kinds: readonly CredentialKind[]): readonly RateLimitReading[] {
  return answersOf(history)
    .filter((one) => kinds.includes(one.credential.kind) && one.response.status !== 429 && !mayBeCopy(history, one))
    .toSorted((one, other) => one.sent - other.sent)
    .flatMap((exchange) => readingOf(exchange) ?? []);
}

export function isServed(exchange: Exchange): boolean {
  const status = statusOf(exchange);
  return status === 200 || status === 201;
}

export const judgedKeys = ['valid', 'rate-limit'] as const;

/** The limits of the plan of the API key (§8); undefined unless the user names a plan that has numbers. */
export function limitsOfPlan({ settings }: History, kind: CredentialKind): readonly number[] | undefined {
  const { perMinute, perDay } = kind !== 'valid' || settings.plan === undefined ? {} : planLimits[settings.plan];
  return perMinute === undefined || perDay === undefined ? undefined : [perMinute, perDay];
}
