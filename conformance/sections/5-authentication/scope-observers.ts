/** §5, §8 Observes the scope of limits and animals, and which requests count. */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isInt64 } from '../../http/json.ts';
import { animalsOf, pageOf, statusOf } from '../../http/read-response.ts';
import type { History } from '../../verdict/history.ts';
import { readProbe } from '../8-limits/probes.ts';
import { isServed, type RateLimitReading, readingsOf } from '../8-limits/readings.ts';

import { type Observe, observationOf } from '../observation.ts';

/** Whether two answers describe one limit: a window has one reset, and that of a bucket moves a little. */
function isSameLimit(one: RateLimitReading, other: RateLimitReading): boolean {
  return one.limit === other.limit && Math.abs(one.resetsAt - other.resetsAt) <= 1_000;
}

/** How the API key is answered while the other is refused; or whether the readings of one key continue the other's. */
export const limitScope: Observe<'limit-scope'> = (history) => {
  const first = readingsOf(history, 'rate-limit').find(({ exchange }) => isServed(exchange));
  const before = readingsOf(history, 'valid').findLast(
    ({ exchange }) => first !== undefined && happenedBefore(exchange, first.exchange),
  );
  if (first === undefined || before === undefined) return undefined;
  const refusal = readProbe(history)?.refusal;
  const other = history.exchanges.find(
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

const isLimitKey = ({ credential }: Exchange): boolean => credential.kind === 'rate-limit';

/** Whether a page with the rate-limit key shows an animal that the API key has shown before, or none at all. */
export const keyScope: Observe<'key-scope'> = (history) => {
  const known = new Map<bigint, number>();
  for (const exchange of history.answered.filter(({ credential }) => credential.kind === 'valid')) {
    for (const { id } of exchange.operation === 'getPet' ? [] : animalsOf(exchange)) {
      if (isInt64(id) && !known.has(id)) known.set(id, exchange.answered);
    }
  }
  // Where each key has animals of its own, both may count their ids from 1.
  const own = new Set(history.created.filter(({ exchange }) => isLimitKey(exchange)).map(({ id }) => id));
  const isKnown = (exchange: Exchange): boolean =>
    animalsOf(exchange).some(
      ({ id }) => isInt64(id) && !own.has(id) && (known.get(id) ?? exchange.sent) < exchange.sent,
    );
  const pages = history.answered.filter((exchange) => isLimitKey(exchange) && pageOf(exchange) !== undefined);
  const shared = pages.find(isKnown);
  if (shared !== undefined) return observationOf('shared', shared);
  const isEarlier = (exchange: Exchange): boolean => [...known.values()].some((since) => since < exchange.sent);
  return observationOf(
    'per-key',
    pages.find((exchange) => pageOf(exchange)?.length === 0 && isEarlier(exchange)),
  );
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
export const refusedRequests: Observe<'refused-requests'> = (history: History) => {
  const readings = readingsOf(history, 'valid');
  if (isRefilled(readings)) return undefined;
  const served = readings.flatMap(({ exchange }, at) => (isServed(exchange) ? [at] : []));
  const taken = served.slice(1).flatMap((to, place) => {
    const from = served[place]!;
    const [earlier, later] = [readings[from]!, readings[to]!];
    const errors = readings.slice(from + 1, to);
    const between = history.exchanges.slice(earlier.exchange.number, later.exchange.number - 1);
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
