/** §5, §8 Observes how keys are read and refused, the scope of limits and animals, and which requests count. */

import { isError } from '../../http/documented.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { queryOf } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import type { World } from '../../world/world.ts';
import { readProbe } from '../8-limits/probes.ts';
import { isServed, type RateLimitReading, readingsOf } from '../8-limits/readings.ts';
import { collectAnswers, type Observe, observationOf, refusalAnswer } from '../observation.ts';

export const bearerCase: Observe<'bearer-case'> = (world) =>
  collectAnswers(
    world.answered.filter(({ credential }) => credential.id === 'lower-case-bearer'),
    (exchange) => {
      if (statusOf(exchange) === 200) return 'accepted';
      return statusOf(exchange) === 401 && isError(exchange) ? 'refused-401' : refusalAnswer(exchange);
    },
  );

export const wwwAuthenticate: Observe<'www-authenticate'> = (world) =>
  collectAnswers(
    world.answered.filter((exchange) => statusOf(exchange) === 401),
    ({ response }) => (response?.headers['www-authenticate'] === undefined ? 'none' : 'sent'),
  );

/** Whether two answers describe one limit: a window has one reset, and that of a bucket moves a little. */
function isSameLimit(one: RateLimitReading, other: RateLimitReading): boolean {
  return one.limit === other.limit && Math.abs(one.resetsAt - other.resetsAt) <= 1_000;
}

/** How the API key is answered while the other is refused; or whether the readings of one key continue the other's. */
export const limitScope: Observe<'limit-scope'> = (world) => {
  const first = readingsOf(world, 'rate-limit').find(({ exchange }) => isServed(exchange));
  const before = readingsOf(world, 'valid').findLast(
    ({ exchange }) => first !== undefined && happenedBefore(exchange, first.exchange),
  );
  if (first === undefined || before === undefined) return undefined;
  const refusal = readProbe(world)?.refusal;
  const other = world.exchanges.find(
    ({ credential, sent }) => credential.kind === 'valid' && sent > (refusal?.answered ?? sent),
  );
  const isRefused = other !== undefined && statusOf(other) === 429 && before.remaining > 0;
  if (isRefused) return observationOf('shared', other);
  if (other !== undefined && isServed(other)) return observationOf('per-key', other);
  const isFresh = first.remaining >= first.limit - 1;
  if (isFresh) return before.remaining < before.limit - 2 ? observationOf('per-key', first.exchange) : undefined;
  const goesOn = isSameLimit(before, first) && first.remaining === before.remaining - 1;
  return goesOn ? observationOf('shared', first.exchange) : undefined;
};

const _isLimitKey = ({ credential }: Exchange): boolean => credential.kind === 'rate-limit';

/** Whether a page with the rate-limit key shows an animal that the API key has created or listed before. */
export const keyScope: Observe<'key-scope'> = (world) => {
  const [main, limit] = world.perKey;
  if (main === undefined || limit === undefined) return undefined;
  const pages = limit.pages.filter(({ exchange }) => queryOf(exchange).size <= 1 && !queryOf(exchange).has('status'));
  const isKnown = (exchange: Exchange, id: bigint): boolean =>
    (main.known.get(id)?.since ?? Number.POSITIVE_INFINITY) < exchange.sent;
  const shared = pages.find(({ exchange, ids }) =>
    [...ids].some((id) => !limit.createdById.has(id) && isKnown(exchange, id)),
  );
  if (shared !== undefined) return observationOf('shared', shared.exchange);
  const empty = pages.find(
    ({ exchange, entries }) =>
      entries.length === 0 && [...main.lastShown.values()].some((sent) => sent > exchange.sent),
  );
  return observationOf('per-key', empty?.exchange);
};

/** Fewer may be chance, by other clients or the refill of a bucket. */
const enough = 3;

/** Whether the limit gives requests back meanwhile, as a bucket does. */
function isRefilled(readings: readonly RateLimitReading[]): boolean {
  return readings.some((later, at) => {
    const earlier = readings[at - 1];
    const isNext = earlier?.resetsAt === later.resetsAt && earlier.limit === later.limit;
    return isNext && isServed(earlier.exchange) && isServed(later.exchange) && later.remaining >= earlier.remaining;
  });
}

/** Whether errors between two served requests have counted. */
export const refusedRequests: Observe<'refused-requests'> = (world: World) => {
  const readings = readingsOf(world, 'valid');
  if (isRefilled(readings)) return undefined;
  const served = readings.flatMap(({ exchange }, at) => (isServed(exchange) ? [at] : []));
  const taken = served.slice(1).flatMap((to, place) => {
    const from = served[place]!;
    const [earlier, later] = [readings[from]!, readings[to]!];
    const errors = readings.slice(from + 1, to);
    const between = world.exchanges.slice(earlier.exchange.number, later.exchange.number - 1);
    const isOnly =
      between.filter(({ credential }) => /^(valid|lenient)$/.test(credential.kind)).length === errors.length;
    const areErrors = errors.every(({ exchange }) => [400, 404].includes(exchange.response.status));
    const isSame = earlier.resetsAt === later.resetsAt && earlier.limit === later.limit;
    const drop = earlier.remaining - later.remaining;
    const [first] = errors;
    return first !== undefined && isOnly && areErrors && isSame
      ? [{ exchange: first.exchange, isCounted: drop === errors.length + 1, isLeftOut: drop === 1 }]
      : [];
  });
  const counted = taken.filter(({ isCounted }) => isCounted);
  const uncounted = taken.filter(({ isLeftOut }) => isLeftOut);
  const [most, fewest] = counted.length > uncounted.length ? [counted, uncounted] : [uncounted, counted];
  if (most.length < enough || fewest.length * 4 > most.length) return undefined;
  return observationOf(most === counted ? 'counted' : 'not-counted', most[0]?.exchange);
};
