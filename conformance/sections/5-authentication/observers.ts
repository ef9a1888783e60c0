/** §5, §8 Observes the scope of limits and animals, and which requests count. */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { readListing } from '../../http/read-request.ts';
import { idsShownIn, pageOf, statusOf } from '../../http/read-response.ts';
import { exhaustionIn } from '../8-limits/exhaustion.ts';
import { isServed, readingsOf } from '../8-limits/readings.ts';
import { type Observe, observationOf } from '../observation.ts';

/** How the API key is answered while the other one is refused. */
export const limitScope: Observe<'limit-scope'> = (history) => {
  const refusal = exhaustionIn(history)[0]?.refusal;
  const other = history.exchanges.find(
    ({ credential, sent }) => refusal !== undefined && credential.kind === 'valid' && sent > refusal.answered,
  );
  if (other === undefined) return undefined;
  return observationOf(statusOf(other) === 429 ? 'shared' : isServed(other) ? 'per-key' : undefined, other);
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

/** Whether an error between two served requests of one window has counted; unknown where not all say the same. */
export const refusedRequests: Observe<'refused-requests'> = (history) => {
  // A router may answer an unknown path before anything is counted.
  const readings = readingsOf(history, 'valid').filter(({ exchange }) => exchange.operation !== 'other');
  const between = readings.slice(2).flatMap((later, at) => {
    const [earlier, { exchange }] = [readings[at]!, readings[at + 1]!];
    const isShown =
      isServed(earlier.exchange) && isServed(later.exchange) && [400, 404].includes(exchange.response.status);
    const isSame = earlier.resetsAt === later.resetsAt && earlier.limit === later.limit;
    return isShown && isSame ? [{ exchange, taken: earlier.remaining - later.remaining }] : [];
  });
  const answers = { 1: 'not-counted', 2: 'counted' } as const;
  const [first, ...others] = between;
  if (first === undefined || between.length < enough || others.some(({ taken }) => taken !== first.taken)) {
    return undefined;
  }
  return observationOf(answers[first.taken as 1 | 2], first.exchange);
};
