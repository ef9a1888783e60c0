/** §5, §8 Observes the scope of limits and animals, and which requests count. */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { readListing } from '../../http/read-request.ts';
import { idsShownIn, pageOf, statusOf } from '../../http/read-response.ts';
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
 * API key lists one before and after it.
 */
export const keyScope: Observe<'key-scope'> = ({ answered, created }) => {
  const listings = answered.filter((exchange) => pageOf(exchange) !== undefined);
  const [ofLimitKey = [], ofApiKey = []] = [true, false].map((is) => listings.filter((one) => isLimitKey(one) === is));
  // Where each key has animals of its own, both may count their ids from 1.
  const own = new Set(created.filter(({ exchange }) => isLimitKey(exchange)).map(({ id }) => id));
  const idsIn = (all: readonly Exchange[]): ReadonlySet<bigint> => new Set(all.flatMap(idsShownIn)).difference(own);
  const before = (exchange: Exchange) => idsIn(ofApiKey.filter((other) => happenedBefore(other, exchange)));
  const after = (exchange: Exchange) => idsIn(ofApiKey.filter((other) => happenedBefore(exchange, other)));
  const shared = ofLimitKey.find((exchange) => !idsIn([exchange]).isDisjointFrom(before(exchange)));
  if (shared !== undefined) return observationOf('shared', shared);
  const empty = ofLimitKey.find(
    (exchange) =>
      pageOf(exchange)?.length === 0 &&
      readListing(exchange).status === 'any' &&
      !before(exchange).isDisjointFrom(after(exchange)),
  );
  return observationOf('per-key', empty);
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

const isError = ({ exchange }: RateLimitReading): boolean => [400, 404].includes(exchange.response.status);

/** Whether an error between two served requests of one window has counted. */
export const refusedRequests: Observe<'refused-requests'> = (history) => {
  const readings = readingsOf(history, 'valid');
  if (isRefilled(readings)) return undefined;
  const votes = readings.slice(2).flatMap((later, at) => {
    const [earlier, error] = [readings[at]!, readings[at + 1]!];
    const isSame = earlier.resetsAt === later.resetsAt && earlier.limit === later.limit;
    const isClear = isSame && isServed(earlier.exchange) && isError(error) && isServed(later.exchange);
    const taken = earlier.remaining - later.remaining - 1;
    const answer = (['not-counted', 'counted'] as const)[taken];
    return isClear && answer !== undefined ? [{ answer, exchange: error.exchange }] : [];
  });
  const { counted = [], 'not-counted': left = [] } = Object.groupBy(votes, ({ answer }) => answer);
  const [most, fewest] = counted.length > left.length ? [counted, left] : [left, counted];
  if (most.length < enough || fewest.length * 4 > most.length) return undefined;
  return observationOf(most[0]?.answer, most[0]?.exchange);
};
