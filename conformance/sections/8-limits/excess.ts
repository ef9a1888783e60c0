/** §8 Reads which requests beyond a limit were not refused with 429. */

import type { Exchange } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { isGatewayError, statusOf } from '../../http/read-response.ts';
import { minuteMs, roundingMs, slidingWindowAgeMs } from '../../http/tolerances.ts';
import { looksLikeOutage } from '../../world/evidence.ts';
import type { World } from '../../world/world.ts';
import { isShared, type Probe, readProbes } from './probes.ts';
import { type Answered, mayBeCopy, readingOf, untilResetOf } from './readings.ts';

/**
 * How many requests may be served after "none remaining": none in a window, what has been refilled in a bucket, and in a
 * sliding window also what other clients used before the run.
 */
function refill(world: World, { served }: Probe, from: Exchange, to: Exchange): number {
  const [first, last] = [served[0], served.at(-1)];
  if (first === undefined || last === undefined) return 1;
  const inWindow = served.filter(({ resetsAt }) => resetsAt === last.resetsAt);
  // The reset of a bucket moves while it empties; the reset of a window stays from the first request to the last.
  const isWindow = last.remaining === 0 && inWindow[0]!.remaining > last.limit / 2;
  if (isWindow && !isShared(world)) return 0;
  const ofOthers = last.aheadMs >= slidingWindowAgeMs ? Math.max(0, first.limit - first.remaining - 1) : 0;
  return 1 + ofOthers + Math.ceil(((to.endedAt - from.startedAt) * last.limit) / minuteMs);
}

/** Whether a gateway answered, and the service itself answered the next request: its own answer is then unknown. */
function wasTransient(excess: readonly Exchange[], exchange: Exchange): boolean {
  const next = excess.find(({ operation, sent }) => operation === exchange.operation && sent > exchange.answered);
  return isGatewayError(exchange) && next !== undefined && !isGatewayError(next);
}

/** Excess requests that were not answered 429. After a first 429 a ban may answer 401 or 403. */
function notRefused(world: World, { excess, refusal, end }: Probe): readonly Exchange[] {
  const atEnd = readingOf(end);
  // A ban may also follow the refusals of an earlier exhaustion.
  const mayBeBanned = readProbes(world).some((probe) => probe.refusal !== undefined);
  // Where other requests met an outage or a ban, these answers may be a gateway's as well.
  const { lost } = world.outages;
  const mayBeLost = lost.some(({ credential }) => credential.kind !== 'rate-limit');
  return excess.filter((exchange) => {
    if (mayBeLost && looksLikeOutage(exchange)) return false;
    if (world.evidence.get(exchange) === 'foreign') return false;
    const status = statusOf(exchange);
    if (status === undefined) return refusal === undefined;
    if (wasTransient(excess, exchange) || mayBeCopy(world, exchange)) return false;
    if (status === 429 || ((status === 401 || status === 403) && mayBeBanned)) return false;
    return atEnd === undefined || untilResetOf(atEnd, { exchange: exchange as Answered }) > roundingMs;
  });
}

/** Excess requests that break §8, since a bucket does not explain them; none where the limit is kept. */
export function unrefusedIn(world: World, probe: Probe): readonly Exchange[] {
  const wrong = notRefused(world, probe);
  const last = wrong.at(-1);
  if (last === undefined) return [];
  const isLost = wrong.every(({ response }) => response === undefined);
  // A single broken connection proves nothing.
  return wrong.length > (isLost ? 1 : refill(world, probe, probe.end, last)) ? wrong : [];
}

/** All of them: `rate-exceeded` reports them, so that no other requirement judges their status. */
export const unrefusedExcess = memoize(
  (world: World): ReadonlySet<Exchange> => new Set(readProbes(world).flatMap((probe) => unrefusedIn(world, probe))),
);
