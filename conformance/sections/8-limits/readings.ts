/** §8 The readings of a key: of all answers that show its limit, those that count, in the order of their requests. */

import type { CredentialKind, Exchange } from '../../http/exchange.ts';
import { memoizeIncrementally } from '../../http/memoize.ts';
import { statusOf } from '../../http/read-response.ts';
import type { Answered } from '../../world/evidence.ts';
import { type LimitReading, readingOf } from '../../world/readings.ts';
import type { World } from '../../world/world.ts';

/** Anything that holds exchanges: the session during a run, or the world that is read from them. */
export type WithExchanges = Pick<World, 'exchanges'>;

/** The reading of an answer whose three headers hold integers. */
export type RateLimitReading = Required<Omit<LimitReading, 'waitMs'>> & { readonly exchange: Answered };

export function limitReadingOf(exchange: Exchange): RateLimitReading | undefined {
  const { limit, remaining, resetsAt, aheadMs } = readingOf(exchange);
  if (limit === undefined || remaining === undefined || resetsAt === undefined || aheadMs === undefined)
    return undefined;
  return { exchange: exchange as Answered, limit, remaining, resetsAt, aheadMs };
}

/** The reads that a cache may have answered: they have an Age, or repeat body and numbers of an earlier answer. */
const copiesIn = memoizeIncrementally(
  () => ({ answers: new Set<string>(), copies: new Set<Exchange>() }),
  ({ answers, copies }, exchange) => {
    const { limit, remaining, resetsAt } = readingOf(exchange);
    if (resetsAt === undefined) return;
    const { credential, operation, request, response } = exchange as Answered; // since it has a reset
    const answer = [credential.kind, operation, limit, remaining, resetsAt, request.target, response.body].join(' ');
    if (response.headers['age'] !== undefined || answers.has(answer)) copies.add(exchange);
    answers.add(answer);
  },
);

/** Whether a cache may have given an answer in place of the service. */
export function mayBeCopy(world: WithExchanges, exchange: Exchange): boolean {
  return copiesIn(world).copies.has(exchange);
}

/** Whether the clock of the target is known, and so how far ahead its reset is. */
export function isTimed({ exchange }: Pick<RateLimitReading, 'exchange'>): boolean {
  return exchange.response.headers['date'] !== undefined;
}

/**
 * The readings of the answers to requests with one of these kinds of credential, in the order in which the requests were sent.
 * A copy from a cache shows the numbers of an earlier request, and is left out.
 */
export function readingsOf(world: World, ...kinds: readonly CredentialKind[]): readonly RateLimitReading[] {
  return world.answered
    .filter((exchange) => kinds.includes(exchange.credential.kind) && !mayBeCopy(world, exchange))
    .toSorted((one, other) => one.sent - other.sent)
    .flatMap((exchange) => limitReadingOf(exchange) ?? []);
}

export function isServed(exchange: Exchange): boolean {
  const status = statusOf(exchange);
  return status === 200 || status === 201;
}

/**
 * Whether a 429 is the service's: it shows a limit, or an operation was answered otherwise at this address. An address that
 * answers nothing but bare 429s may be wrong.
 */
export function isOfKnownService({ answered }: Pick<World, 'answered'>, refusal: Exchange): boolean {
  const { limit, remaining, resetsAt } = readingOf(refusal);
  const showsLimit = (limit ?? remaining ?? resetsAt) !== undefined;
  return showsLimit || answered.some(({ operation }) => operation !== 'other');
}

/**
 * After so many readings in a row, a Remaining that never falls shows no count: many mocks show an example, and requests of
 * other clients do not leave a window that often.
 */
export const fewestLevelReadings = 10;

/** How many requests a bucket may be ahead of the whole number that it shows, or hold when it refuses one: almost one. */
export const aheadOfBucket = 1.1;

/** The keys of the user, whose limits are judged. */
export const judgedKeys = ['valid', 'rate-limit'] as const;
export type JudgedKey = (typeof judgedKeys)[number];
