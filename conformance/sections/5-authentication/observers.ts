/** §5, §8 Observes the scope of limits and animals, and which requests count. */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { readListing } from '../../http/read-request.ts';
import { animalsOf, pageOf, statusOf } from '../../http/read-response.ts';
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

/** The animals of a page, by what two keys that count ids from 1 would not share. */
const shownIn = (exchange: Exchange): readonly string[] => animalsOf(exchange).map(({ id, name }) => `${id} ${name}`);

/** Whether a page with the rate-limit key shows an animal that the API key has listed before, or none at all. */
export const keyScope: Observe<'key-scope'> = ({ answered }) => {
  const listings = answered.filter((exchange) => pageOf(exchange) !== undefined);
  const { theirs = [], ours = [] } = Object.groupBy(listings, ({ credential }) =>
    credential.kind === 'rate-limit' ? 'theirs' : 'ours',
  );
  const listedBefore = (exchange: Exchange): ReadonlySet<string> =>
    new Set(ours.filter((other) => happenedBefore(other, exchange)).flatMap(shownIn));
  const shared = theirs.find((exchange) => !listedBefore(exchange).isDisjointFrom(new Set(shownIn(exchange))));
  if (shared !== undefined) return observationOf('shared', shared);
  const isEmpty = (exchange: Exchange): boolean =>
    pageOf(exchange)?.length === 0 && readListing(exchange).status === 'any' && listedBefore(exchange).size > 0;
  return observationOf('per-key', theirs.find(isEmpty));
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
    // More is taken by what is sent meanwhile.
    const answer = ({ 1: 'not-counted', 2: 'counted' } as const)[earlier.remaining - later.remaining];
    return isShown && isSame && answer !== undefined ? [{ exchange, answer }] : [];
  });
  const [first, ...others] = between;
  if (first === undefined || between.length < enough || others.some(({ answer }) => answer !== first.answer)) {
    return undefined;
  }
  return observationOf(first.answer, first.exchange);
};
