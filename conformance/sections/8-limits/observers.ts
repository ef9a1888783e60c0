/** §8 Observes what the interface leaves open about limits: windows, the form of a refusal, bans; and which keys share them (§5). */

import { planLimits } from '../../../spec/facts.ts';
import type { OpenGapId } from '../../../spec/gaps.ts';
import { isError } from '../../http/documented.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { readListing } from '../../http/read-request.ts';
import { animalsOf, bodyOf, pageOf, statusOf } from '../../http/read-response.ts';
import { dayMs, longestHourMs, longestMinuteMs } from '../../http/tolerances.ts';
import { isRefused } from '../../world/evidence.ts';
import { readingOf } from '../../world/readings.ts';
import type { World } from '../../world/world.ts';
import { type Observe, observationOf, observeEach } from '../observation.ts';
import { exhaustionIn } from './exhaustion.ts';
import { isServed, isTimed, judgedKeys, type RateLimitReading, readingsOf } from './readings.ts';

const freeLimits: readonly number[] = Object.values(planLimits.free);

const isWithinMinute = ({ aheadMs }: RateLimitReading): boolean => aheadMs <= longestMinuteMs;

const rateLimitWindow: Observe<'rate-limit-window'> = (world) => {
  const readings = readingsOf(world, ...judgedKeys).filter(isTimed);
  const short = readings.find(isWithinMinute);
  const long = readings.find((reading) => !isWithinMinute(reading));
  if (long === undefined) return observationOf('at-most-a-minute', short?.exchange);
  if (short !== undefined) return observationOf('tightest', long.exchange);
  const { plan } = world.settings;
  const perDay = plan === undefined ? undefined : planLimits[plan].perDay;
  const isDay = long.limit === perDay || long.resetsAt % dayMs === 0 || long.aheadMs > longestHourMs;
  return observationOf(isDay ? 'day' : 'other-length', long.exchange);
};

/** How the API key is answered while the other one is refused. */
const limitScope: Observe<'limit-scope'> = (world) => {
  const refusal = exhaustionIn(world)[0]?.refusal;
  const other = world.exchanges.find(
    ({ credential, sent }) => refusal !== undefined && credential.kind === 'valid' && sent > refusal.answered,
  );
  if (other === undefined) return undefined;
  if (isRefused(other)) return observationOf('shared', other);
  return observationOf(isServed(other) ? 'per-key' : undefined, other);
};

/** The animals of a page, by id and name: two keys with animals of their own may both count ids from 1. */
const shownIn = (exchange: Exchange): readonly string[] => animalsOf(exchange).map(({ id, name }) => `${id} ${name}`);

/** Whether a page with the rate-limit key shows an animal that the API key has listed before, or none at all. */
const keyScope: Observe<'key-scope'> = ({ answered }) => {
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

/** Fewer errors may say the same by chance, because of other clients or the refill of a bucket. */
const enough = 3;

/** Whether an error between two served requests of one window has counted; unknown where not all say the same. */
const refusedRequests: Observe<'refused-requests'> = (world) => {
  // A key in a lenient form takes of the same limit. A router may answer an unknown path before anything is counted.
  const readings = readingsOf(world, 'valid', 'lenient').filter(({ exchange }) => exchange.operation !== 'other');
  const between = readings.slice(2).flatMap((later, at) => {
    const earlier = readings[at]!;
    const { exchange } = readings[at + 1]!;
    const isShown =
      isServed(earlier.exchange) && isServed(later.exchange) && [400, 404].includes(exchange.response.status);
    const isSame = earlier.resetsAt === later.resetsAt && earlier.limit === later.limit;
    // Other requests that are sent meanwhile take more.
    const answer = ({ 1: 'not-counted', 2: 'counted' } as const)[earlier.remaining - later.remaining];
    return isShown && isSame && answer !== undefined ? [{ exchange, answer }] : [];
  });
  const [first, ...others] = between;
  if (first === undefined || between.length < enough || others.some(({ answer }) => answer !== first.answer))
    return undefined;
  return observationOf(first.answer, first.exchange);
};

/** Whether 401 or 403 follows a 429 of the key that may be exhausted. A 429 that lasts longer may be that of another limit. */
const ban: Observe<'ban'> = ({ exchanges }) => {
  const ofKey = exchanges.filter(({ credential, response }) => credential.kind === 'rate-limit' && response);
  const next = ofKey.find((one, at) => at > 0 && isRefused(ofKey[at - 1]!) && !isRefused(one));
  const status = next && statusOf(next);
  return status === 401 || status === 403 ? observationOf(`banned-${status}`, next) : undefined;
};

const refusals = ({ exchanges }: World) => exchanges.filter(isRefused).map((exchange) => ({ exchange }));

export const limitObservers = {
  'key-scope': keyScope,
  'too-many-requests-body': observeEach(refusals, ({ exchange }) => {
    if (isError(exchange)) return 'error';
    const { body = '', headers = {} } = exchange.response ?? {};
    if (body === '') return 'empty';
    if (bodyOf(exchange) !== undefined) return 'other-json';
    return /html/i.test(headers['content-type'] ?? '') || /^\s*</.test(body) ? 'html' : 'text';
  }),
  'rate-limit-window': rateLimitWindow,
  'rate-limit-without-key': observeEach(
    (world) => readingsOf(world, 'missing', 'invalid', 'misplaced'),
    (reading, world) => {
      const { limit } = reading;
      if (limit === 0) return 'zero';
      if (!readingsOf(world, 'valid').some((one) => one.limit === limit))
        return freeLimits.includes(limit) ? 'free-per-address' : 'another';
      // The key may have the Free plan as well. Its 1,000 are of a day; the Business plan has 1,000 a minute.
      const isFree = limit === planLimits.free.perDay ? !isWithinMinute(reading) : freeLimits.includes(limit);
      return isFree ? undefined : 'same-as-key';
    },
  ),
  'limit-scope': limitScope,
  'refused-requests': refusedRequests,
  'retry-after-form': observeEach(refusals, ({ exchange }) => {
    if (readingOf(exchange).waitMs === undefined) return undefined;
    return /^\s*\d/.test(exchange.response?.headers['retry-after'] ?? '') ? 'seconds' : 'http-date';
  }),
  ban,
} satisfies { readonly [Id in OpenGapId]?: Observe<Id> };
