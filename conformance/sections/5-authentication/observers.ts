/** §5, §8 Observes the scope of limits and animals, and which requests count. */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { idsShownIn, pageOf, statusOf } from '../../http/read-response.ts';
import { type History, isSettledBefore } from '../../verdict/history.ts';
import { type ListedPage, latePages, listedPages, promptPages } from '../../world/pages.ts';
import { exhaustionsIn } from '../8-limits/exceeded.ts';
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
  const refusal = exhaustionsIn(history)[0]?.refusal;
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

/**
 * Whether a page with the rate-limit key shows an animal that the API key has listed before, or none at all although the
 * API key lists one before and after it. A filter may leave no animal, and an old copy may be older than all of them.
 */
export const keyScope: Observe<'key-scope'> = (history) => {
  const listings = history.answered.filter((exchange) => pageOf(exchange) !== undefined);
  const pages = listings.filter(isLimitKey);
  const ofApiKey = listings.filter(({ credential }) => credential.kind === 'valid');
  // Where each key has animals of its own, both may count their ids from 1.
  const own = new Set(history.created.filter(({ exchange }) => isLimitKey(exchange)).map(({ id }) => id));
  const idsIn = (exchange: Exchange): readonly bigint[] => idsShownIn(exchange).filter((id) => !own.has(id));
  const before = (exchange: Exchange): ReadonlySet<bigint> =>
    new Set(ofApiKey.filter((other) => happenedBefore(other, exchange)).flatMap(idsIn));
  const shared = pages.find((exchange) => {
    const known = before(exchange);
    return idsIn(exchange).some((id) => known.has(id));
  });
  if (shared !== undefined || latePages(history).length > 0) return observationOf('shared', shared);
  const isListedAround = (exchange: Exchange): boolean => {
    const after = ofApiKey.filter((other) => happenedBefore(exchange, other)).flatMap(idsIn);
    const had = [...before(exchange)].filter((id) => after.includes(id));
    return had.some((id) => promptPages(history).length > 0 || isSettledBefore(history, exchange, id));
  };
  const isEmpty = ({ status, ids, page }: ListedPage): boolean =>
    status === 'any' && ids.size === 0 && page.entries.length === 0;
  const empty = listedPages(history).find(
    (view) => isLimitKey(view.exchange) && isEmpty(view) && isListedAround(view.exchange),
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
