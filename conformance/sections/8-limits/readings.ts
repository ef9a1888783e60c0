/** Where an answer says that its client stands: the numbers of the three X-RateLimit headers (§8). */

import { planLimits } from '../../../spec/facts.ts';
import { hasLargeBody } from '../../http/documented.ts';
import type { CredentialKind, Exchange, RecordedResponse } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { readPetId } from '../../http/read-request.ts';
import { readInteger, statusOf, timeUntil } from '../../http/read-response.ts';
import type { History } from '../../verdict/history.ts';
import type { Settings } from '../../verdict/settings.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';

export type Answered = Exchange & { readonly response: RecordedResponse };

/** What one answer says of the limit of its client. */
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

/** A target with an escape that is none, or is that of a control, may be answered before it reaches the service. */
function isWellFormed(target: string): boolean {
  try {
    return !/[\x00-\x1f]/.test(decodeURIComponent(target));
  } catch {
    return false;
  }
}

/** Whether a path is one of those that §4 shows, so that its answer comes from the operation and from no router. */
function isShown(exchange: Exchange): boolean {
  if (exchange.operation === 'other' || !isWellFormed(exchange.request.target)) return false;
  return exchange.operation !== 'getPet' || typeof readPetId(exchange) === 'bigint';
}

/**
 * The answers that §8 speaks of: those of the three operations on their paths, whatever the key, the query and the body.
 * A server error is told as one, and what a router or a gateway refuses before the service is there is not the service.
 */
export function isOfTheService(history: History, exchange: Exchange): exchange is Answered {
  const { operation, response } = exchange;
  if (response === undefined || response.status >= 500 || !isShown(exchange)) return false;
  if (operation === 'getPet' && isRemoved(history)) return false;
  return response.status < 400 || !hasLargeBody(exchange);
}

export const answersOf: (history: History) => readonly Answered[] = memoize((history: History) =>
  history.exchanges.filter((exchange): exchange is Answered => isOfTheService(history, exchange)),
);

/** What an answer says, or undefined where it does not say all of it. */
export const readingOf: (exchange: Exchange) => RateLimitReading | undefined = memoize(readStanding);

function readStanding(exchange: Exchange): RateLimitReading | undefined {
  const { response } = exchange;
  if (response === undefined) return undefined;
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    readInteger(response, `x-ratelimit-${name}`),
  );
  if (typeof limit !== 'number' || typeof remaining !== 'number' || typeof reset !== 'number') return undefined;
  const resetsAt = reset * 1000;
  const aheadMs = timeUntil(resetsAt, response, exchange.endedAt);
  return { exchange: exchange as Answered, limit, remaining, resetsAt, aheadMs, at: resetsAt - aheadMs };
}

/** Milliseconds from an answer to the reset that another one told. */
export function untilResetOf({ resetsAt }: RateLimitReading, { exchange }: Pick<RateLimitReading, 'exchange'>): number {
  return timeUntil(resetsAt, exchange.response, exchange.endedAt);
}

/** What answers say to clients of some kinds that were not refused for their number, in the order of their requests. */
export function readingsOf(history: History, ...kinds: readonly CredentialKind[]): readonly RateLimitReading[] {
  return answersOf(history)
    .filter(({ credential, response }) => kinds.includes(credential.kind) && response.status !== 429)
    .toSorted((one, other) => one.sent - other.sent)
    .flatMap((exchange) => readingOf(exchange) ?? []);
}

export function isServed(exchange: Exchange): boolean {
  const status = statusOf(exchange);
  return status === 200 || status === 201;
}

/** The keys whose course is judged, each with the plan that the user names. */
export const judgedKeys = ['valid', 'rate-limit'] as const;
export type JudgedKey = (typeof judgedKeys)[number];

/** The numbers of the plan of a key (§8), where the user names one that has numbers. */
export function limitsOfPlan(
  settings: Settings,
  kind: CredentialKind,
): { perMinute: number; perDay: number } | undefined {
  const plan = kind === 'valid' ? settings.plan : kind === 'rate-limit' ? settings.rateLimitPlan : undefined;
  const { perMinute, perDay } = plan === undefined ? {} : planLimits[plan];
  return perMinute === undefined || perDay === undefined ? undefined : { perMinute, perDay };
}
