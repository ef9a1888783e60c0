/** Reads what an answer says about its client's limit (§8): the numbers of the three X-RateLimit headers, and Retry-After. */

import type { CredentialKind, Exchange } from '../../http/exchange.ts';
import { memoize, memoizeIncrementally } from '../../http/memoize.ts';
import { readInteger, readRetryAfter, statusOf, timeUntil } from '../../http/read-response.ts';
import type { Answered } from '../../world/evidence.ts';
import type { History } from '../../world/history.ts';
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

/** The reads that a cache may have answered: they have an Age, or repeat body and numbers of an earlier answer. */
const copiesIn = memoizeIncrementally(
  () => ({ answers: new Set<string>(), copies: new Set<Exchange>() }),
  ({ answers, copies }, exchange) => {
    const { credential, operation, request, response } = exchange;
    const reading = readingOf(exchange);
    if (response === undefined || reading === undefined) return;
    const { limit, remaining, resetsAt } = reading;
    const answer = [credential.kind, operation, limit, remaining, resetsAt, request.target, response.body].join(' ');
    if (response.headers['age'] !== undefined || answers.has(answer)) copies.add(exchange);
    answers.add(answer);
  },
);

export function mayBeCopy(history: Pick<History, 'exchanges'>, exchange: Exchange): boolean {
  return copiesIn(history).copies.has(exchange);
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

/** The readings of all answers to some credentials but 429s and copies, in the order in which the requests were sent. */
export function readingsOf(history: History, ...kinds: readonly CredentialKind[]): readonly RateLimitReading[] {
  return history.answered
    .filter((exchange) => kinds.includes(exchange.credential.kind) && !mayBeCopy(history, exchange))
    .toSorted((one, other) => one.sent - other.sent)
    .flatMap((exchange) => readingOf(exchange) ?? []);
}

export function isServed(exchange: Exchange): boolean {
  const status = statusOf(exchange);
  return status === 200 || status === 201;
}

export const judgedKeys = ['valid', 'rate-limit'] as const;
