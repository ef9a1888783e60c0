/** §8 Reads how a key was used up: the requests up to its limit, those beyond it, and those after the wait. */

import type { OperationName } from '../../../spec/operations.ts';
import type { Exchange } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { readRetryAfter, statusOf } from '../../http/read-response.ts';
import { gatewayDateMs, minuteMs } from '../../http/tolerances.ts';
import type { World } from '../../world/world.ts';
import { isServed, type RateLimitReading, readingOf } from './readings.ts';

/** After so many refusals the service may ban the key, and the answers of a ban are open. */
export const mostRefusals = 3;

/** The exhaustion of a key: the requests up to its limit, those beyond it, and those after the wait. */
export interface Probe {
  /** All requests of the window and after it, in the order in which they were sent. */
  readonly sent: readonly Exchange[];
  /** The readings of the requests that were served before the limit was reached. */
  readonly served: readonly RateLimitReading[];
  /** The first answer that shows the limit is reached: none remaining, or 429. */
  readonly end: Exchange;
  readonly refusal: Exchange | undefined;
  /** The requests beyond the limit before the reset, including the one with the first 429. */
  readonly excess: readonly Exchange[];
  readonly again: readonly Exchange[];
}

/** When both Retry-After and Reset of a refusal have passed, Unix milliseconds by our clock. */
export function endOfRefusal(refusal: Exchange): number {
  const { response, endedAt } = refusal;
  const waitMs = response === undefined ? 0 : (readRetryAfter(response, endedAt) ?? 0);
  return endedAt + Math.max(waitMs, readingOf(refusal)?.aheadMs ?? 0);
}

/**
 * How much later than it says a refusal may end, milliseconds: a Retry-After that is a date is one of the service's clock,
 * and Date may be a gateway's.
 */
export function mostDelayOf({ response }: Exchange): number {
  return /^\s*\d/.test(response?.headers['retry-after'] ?? '') ? 0 : gatewayDateMs;
}

/** When Retry-After has passed: requests from then on no longer count as excess. */
function mayAskAgain({ response, endedAt }: Exchange): number {
  return endedAt + (response === undefined ? 0 : (readRetryAfter(response, endedAt) ?? minuteMs));
}

/** The first exhaustion in some requests of the rate-limit key; undefined if the key was refused from the start. */
function readExhaustion(all: readonly Exchange[]): Probe | undefined {
  const sent = all.slice(Math.max(0, all.findIndex(isServed)));
  const refusal = sent.find((exchange) => statusOf(exchange) === 429);
  const isOver = (exchange: Exchange): boolean =>
    exchange === refusal || (isServed(exchange) && readingOf(exchange)?.remaining === 0);
  const end = sent.find(isOver);
  if (end === undefined || !isServed(sent[0]!)) return undefined;
  const until = refusal === undefined ? Number.POSITIVE_INFINITY : mayAskAgain(refusal);
  const endAt = sent.indexOf(end);
  const beyond = sent.slice(endAt + (end === refusal ? 0 : 1));
  const isBefore = ({ startedAt }: Exchange): boolean => startedAt < until;
  return {
    sent,
    served: sent.slice(0, endAt + 1).flatMap((one) => (isServed(one) ? (readingOf(one) ?? []) : [])),
    end,
    refusal,
    excess: beyond.filter(isBefore),
    again: beyond.filter((exchange) => !isBefore(exchange)),
  };
}

function sentWithKey(exchanges: World['exchanges']): readonly Exchange[] {
  return exchanges
    .filter(({ credential }) => credential.kind === 'rate-limit')
    .toSorted((one, other) => one.sent - other.sent);
}

/** Each exhaustion of the rate-limit key: the run repeats it after the recovery, where that takes few requests. */
export const readProbes = memoize(({ exchanges }: Pick<World, 'exchanges'>): readonly Probe[] => {
  const probes: Probe[] = [];
  let rest = sentWithKey(exchanges);
  for (;;) {
    const probe = readExhaustion(rest);
    if (probe === undefined) return probes;
    probes.push(probe);
    rest = probe.again.slice(Math.max(0, probe.again.findIndex(isServed)));
  }
});

/** The first exhaustion of the rate-limit key; undefined if the key was refused from the start, since others exhausted it. */
export function readProbe({ exchanges }: Pick<World, 'exchanges'>): Probe | undefined {
  return readProbes({ exchanges })[0];
}

/** How many requests with the key were sent after one, up to another. */
export function countSent({ sent }: Probe, after: Exchange, upTo: Exchange): number {
  return sent.indexOf(upTo) - sent.indexOf(after);
}

/** How many requests Remaining said were left when the first 429 came; errors since may have counted. */
export function leftAtRefusal(probe: Probe): number {
  const before = probe.served.at(-1);
  if (before === undefined || probe.refusal === undefined) return 0;
  return before.remaining + 1 - countSent(probe, before.exchange, probe.refusal);
}

/** Whether one request of another client, which no other answer shows, may explain an early refusal. */
export function mayBeUsedOnce(probes: readonly Probe[], probe: Probe): boolean {
  return leftAtRefusal(probe) === 1 && probes.every((other) => other === probe || leftAtRefusal(other) <= 0);
}

/** Whether Remaining fell by more than the requests of the run between two answers. */
function hasDrop(probe: Probe): boolean {
  return probe.served.slice(1).some((later, at) => {
    const earlier = probe.served[at]!;
    return earlier.remaining - later.remaining > countSent(probe, earlier.exchange, later.exchange);
  });
}

/**
 * Whether other clients use the rate-limit key, as any answer of the run shows. They may use it at any other moment of the
 * run, too, as often as they like.
 */
export const isShared = memoize((world: Pick<World, 'exchanges'>): boolean => {
  const [first] = sentWithKey(world.exchanges);
  const wasRefused = first !== undefined && statusOf(first) === 429;
  const wasUsedBefore = ({ served: [earliest] }: Probe): boolean =>
    earliest !== undefined && earliest.remaining < earliest.limit - 1;
  return wasRefused || readProbes(world).some((probe) => wasUsedBefore(probe) || hasDrop(probe));
});

/**
 * Whether the errors of an operation took a request each from the key in its first window, as everything did there. A
 * service may answer an error before it counts, and then also beyond the limit.
 */
export function countedErrors({ exchanges }: Pick<World, 'exchanges'>): (operation: OperationName) => boolean {
  // A session is one object while its exchanges grow.
  const world = { exchanges };
  const [probe, again] = readProbes(world);
  const [first, last] = [probe?.served[0], probe?.served.at(-1)];
  const isFirst = probe !== undefined && again === undefined && !isShared(world);
  if (!isFirst || first === undefined || last === undefined) return () => false;
  const isEachCounted = first.remaining - last.remaining === countSent(probe, first.exchange, last.exchange);
  const errors = probe.sent.slice(0, probe.sent.indexOf(probe.end)).filter((exchange) => !isServed(exchange));
  return (operation) => isEachCounted && errors.some((exchange) => exchange.operation === operation);
}
