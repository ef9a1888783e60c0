/** §8 Observes what the interface leaves open about limits: the window, the form of a refusal, bans. */

import { planLimits } from '../../../spec/facts.ts';
import { isError } from '../../http/documented.ts';
import { bodyOf, statusOf } from '../../http/read-response.ts';
import { dayMs, longestHourMs, longestMinuteMs } from '../../http/tolerances.ts';
import type { History } from '../../world/history.ts';
import { readingOf } from '../../world/readings.ts';
import { each, type Observe, observationOf } from '../observation.ts';
import { isTimed, judgedKeys, type RateLimitReading, readingsOf } from './readings.ts';

const refusals = ({ exchanges }: History) =>
  exchanges.filter((exchange) => statusOf(exchange) === 429).map((exchange) => ({ exchange }));

export const tooManyRequestsBody: Observe<'too-many-requests-body'> = each(refusals, ({ exchange }) => {
  if (isError(exchange)) return 'error';
  const { body = '', headers = {} } = exchange.response ?? {};
  if (body === '') return 'empty';
  if (bodyOf(exchange) !== undefined) return 'other-json';
  return /html/i.test(headers['content-type'] ?? '') || /^\s*</.test(body) ? 'html' : 'text';
});

export const retryAfterForm: Observe<'retry-after-form'> = each(refusals, ({ exchange }) => {
  if (readingOf(exchange).waitMs === undefined) return undefined;
  return /^\s*\d/.test(exchange.response?.headers['retry-after'] ?? '') ? 'seconds' : 'http-date';
});

const isWithinMinute = ({ aheadMs }: RateLimitReading): boolean => aheadMs <= longestMinuteMs;

export const rateLimitWindow: Observe<'rate-limit-window'> = (history) => {
  const readings = readingsOf(history, ...judgedKeys).filter(isTimed);
  const short = readings.find(isWithinMinute);
  const long = readings.find((reading) => !isWithinMinute(reading));
  if (long === undefined) return observationOf('at-most-a-minute', short?.exchange);
  if (short !== undefined) return observationOf('tightest', long.exchange);
  const { plan } = history.settings;
  const perDay = plan === undefined ? undefined : planLimits[plan].perDay;
  const isDay = long.limit === perDay || long.resetsAt % dayMs === 0 || long.aheadMs > longestHourMs;
  return observationOf(isDay ? 'day' : 'other-length', long.exchange);
};

const freeLimits: readonly number[] = Object.values(planLimits.free);

export const rateLimitWithoutKey: Observe<'rate-limit-without-key'> = each(
  (history) => readingsOf(history, 'missing', 'invalid', 'misplaced'),
  (reading, history) => {
    const { limit } = reading;
    if (limit === 0) return 'zero';
    if (!readingsOf(history, 'valid').some((one) => one.limit === limit)) {
      return freeLimits.includes(limit) ? 'free-per-address' : 'another';
    }
    // The key may have the Free plan as well. Its 1,000 are of a day; the Business plan has 1,000 a minute.
    const isFree = limit === planLimits.free.perDay ? !isWithinMinute(reading) : freeLimits.includes(limit);
    return isFree ? undefined : 'same-as-key';
  },
);

/** What follows the refusals of a key instead of an answer: 401 or 403. A longer 429 may be that of another limit. */
export const ban: Observe<'ban'> = ({ exchanges }) => {
  const ofKey = exchanges.filter(({ credential, response }) => credential.kind === 'rate-limit' && response);
  const from = ofKey.findIndex((one) => statusOf(one) === 429);
  const next = ofKey.find((one, at) => from >= 0 && at > from && statusOf(one) !== 429);
  const status = next && statusOf(next);
  return status === 401 || status === 403 ? observationOf(`banned-${status}`, next) : undefined;
};
