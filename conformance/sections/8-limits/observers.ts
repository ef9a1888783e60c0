/** §8 Observes what the interface leaves open about limits: the window, the form of a refusal, bans. */

import { planLimits } from '../../../spec/facts.ts';
import type { AnswerId } from '../../../spec/gaps.ts';
import { isError } from '../../http/documented.ts';
import { type CredentialKind, type Exchange, happenedBefore } from '../../http/exchange.ts';
import { bodyOf, dateOf, readRetryAfter, statusOf } from '../../http/read-response.ts';
import {
  dayMs,
  extendedRefusalMs,
  instanceClocksMs,
  longestHourMs,
  longestMinuteMs,
  roundingMs,
} from '../../http/tolerances.ts';
import type { Observation } from '../../verdict/check.ts';
import type { History } from '../../verdict/history.ts';
import { collectAnswers, type Observe, observationOf, withSize } from '../observation.ts';
import { judgedKeys, type RateLimitReading, readingsOf } from './readings.ts';

function refusals({ exchanges }: History): readonly Exchange[] {
  return exchanges.filter((exchange) => statusOf(exchange) === 429);
}

export const tooManyRequestsBody: Observe<'too-many-requests-body'> = (history) =>
  collectAnswers(refusals(history), (exchange) => {
    if (isError(exchange)) return 'error';
    const { body = '', headers = {} } = exchange.response ?? {};
    if (body === '') return 'empty';
    if (bodyOf(exchange) !== undefined) return 'other-json';
    return /html/i.test(headers['content-type'] ?? '') || /^\s*</.test(body) ? 'html' : 'text';
  });

export const retryAfterForm: Observe<'retry-after-form'> = (history) =>
  collectAnswers(refusals(history), ({ response, endedAt }) => {
    if (response === undefined || readRetryAfter(response, endedAt) === undefined) return undefined;
    return /^\s*\d/.test(response.headers['retry-after'] ?? '') ? 'seconds' : 'http-date';
  });

type WindowAnswer = AnswerId<'rate-limit-window'>;

const isWithinMinute = ({ aheadMs }: RateLimitReading): boolean => aheadMs <= longestMinuteMs;

/** Tells a day, by the plan's limit or by its length, from another window longer than a minute. */
function longWindow(
  history: History,
  { exchange, limit, resetsAt, aheadMs }: RateLimitReading,
): Observation<WindowAnswer> {
  const perDay = history.settings.plan === undefined ? undefined : planLimits[history.settings.plan].perDay;
  const isDay = limit === perDay || resetsAt % dayMs === 0 || aheadMs > longestHourMs;
  return { answers: [isDay ? 'day' : 'other-length'], exchange };
}

/** Whether a reset gave back less than a new window would: most of the use remains, and the next reset is near. */
function isSliding(before: RateLimitReading, later: RateLimitReading): boolean {
  const used = ({ limit, remaining }: RateLimitReading): number => limit - remaining;
  const isNext =
    before.aheadMs > 0 && later.resetsAt - later.aheadMs >= before.resetsAt && later.resetsAt > before.resetsAt;
  // Requests in between may have been taken from the new window.
  const taken = later.exchange.number - before.exchange.number;
  return isNext && later.aheadMs < longestMinuteMs / 2 && used(later) > 1 + taken + used(before) / 4;
}

/** Whether readings show a reset that moves, or a window that slides. */
function movementIn(readings: readonly RateLimitReading[]): Observation<WindowAnswer> | undefined {
  /** The position of the first reading whose reset has not come. */
  let pending = 0;
  const goesBack = readings.some(({ resetsAt }, at) => resetsAt < (readings[at - 1]?.resetsAt ?? 0) - instanceClocksMs);
  for (const [at, later] of readings.entries()) {
    while (readings[pending]!.resetsAt <= later.resetsAt - later.aheadMs + roundingMs && pending < at) pending += 1;
    // A fixed window does not move its reset before it has come; instances with clocks of their own show theirs by turns.
    const isMoved = later.resetsAt >= readings[pending]!.resetsAt + roundingMs;
    if (isMoved && !goesBack) return observationOf('moving', later.exchange);
    const before = readings[at - 1];
    // A limit that gives back one by one with resets that are always near is a bucket, too.
    const isLong = readings.some(({ aheadMs }) => aheadMs > longestMinuteMs / 2);
    if (before !== undefined && isSliding(before, later))
      return observationOf(isLong ? 'sliding' : 'moving', later.exchange);
  }
  return undefined;
}

/** A first refusal that lasts longer than the minute that the headers describe: they do not describe the day's limit. */
function refusalOfTheDay(history: History): Exchange | undefined {
  return judgedKeys
    .flatMap((kind) => refusals(history).find(({ credential }) => credential.kind === kind) ?? [])
    .find(({ response, endedAt }) => ((response && readRetryAfter(response, endedAt)) ?? 0) > 2 * longestMinuteMs);
}

/** The limit that a window shows: that of the key of the run, if any, since the rate-limit key may have another plan. */
function withLimit(history: History, observation: Observation<WindowAnswer> | undefined) {
  const readings = readingsOf(history, 'valid');
  const isShort = observation?.answers[0] !== 'day';
  return withSize(observation, readings.find((reading) => isWithinMinute(reading) === isShort)?.limit);
}

export const rateLimitWindow: Observe<'rate-limit-window'> = (history) => withLimit(history, movementOf(history));

function movementOf(history: History): Observation<WindowAnswer> | undefined {
  // Without a Date header it is unknown how far ahead a reset is.
  const isTimed = ({ exchange }: RateLimitReading): boolean => exchange.response.headers['date'] !== undefined;
  const timelines = judgedKeys.map((kind) => readingsOf(history, kind).filter(isTimed));
  const readings = timelines.flat();
  const short = readings.find(isWithinMinute);
  const long = readings.find((reading) => !isWithinMinute(reading));
  if (short !== undefined && long !== undefined) return observationOf('tightest', long.exchange);
  if (long !== undefined) return longWindow(history, long);
  const movement = timelines.map(movementIn).find((seen) => seen !== undefined);
  if (movement !== undefined) return movement;
  return observationOf('minute', refusalOfTheDay(history)) ?? observationOf('at-most-a-minute', short?.exchange);
}

const freeLimits: readonly number[] = Object.values(planLimits.free);

export const rateLimitWithoutKey: Observe<'rate-limit-without-key'> = (history) => {
  const ofKey = new Set(readingsOf(history, 'valid').map(({ limit }) => limit));
  const refused = readingsOf(history, 'missing', 'invalid', 'misplaced');
  const readings = new Map<Exchange, RateLimitReading>(refused.map((reading) => [reading.exchange, reading]));
  return collectAnswers([...readings.keys()], (exchange) => {
    const reading = readings.get(exchange)!;
    const { limit } = reading;
    if (limit === 0) return 'zero';
    if (!ofKey.has(limit)) return freeLimits.includes(limit) ? 'free-per-address' : 'another';
    // The key may have the Free plan as well. Its 1,000 are of a day; the Business plan has 1,000 a minute.
    const isFree = limit === planLimits.free.perDay ? !isWithinMinute(reading) : freeLimits.includes(limit);
    return isFree ? undefined : 'same-as-key';
  });
};

/** After so many refusals of equal length there is no ban that a client meets. */
const manyRefusals = 20;

/** When a refusal ends, Unix milliseconds by the clock of the target. */
function endOf({ response, endedAt }: Exchange): number | undefined {
  const waitMs = response === undefined ? undefined : readRetryAfter(response, endedAt);
  return response === undefined || waitMs === undefined ? undefined : dateOf(response, endedAt) + waitMs;
}

/** The exchanges of a key from its first refusal until that refusal ends. */
function duringRefusal({ exchanges }: History, kind: CredentialKind): readonly Exchange[] {
  const ofKey = exchanges.filter(({ credential, response }) => credential.kind === kind && response !== undefined);
  const first = ofKey.find((exchange) => statusOf(exchange) === 429);
  const until = first === undefined ? undefined : endOf(first);
  if (first === undefined || until === undefined) return [];
  const isDuring = (exchange: Exchange): boolean =>
    exchange === first || (happenedBefore(first, exchange) && dateOf(exchange.response!, exchange.endedAt) < until);
  return ofKey.filter(isDuring);
}

export const ban: Observe<'ban'> = (history) => {
  for (const kind of ['rate-limit', 'valid'] as const) {
    const during = duringRefusal(history, kind);
    const [first] = during;
    const until = first === undefined ? undefined : endOf(first);
    if (until === undefined) continue;
    const banned = during.find((exchange) => {
      const status = statusOf(exchange);
      return status === 401 || status === 403 || (endOf(exchange) ?? until) > until + extendedRefusalMs;
    });
    const status = banned === undefined ? undefined : statusOf(banned);
    if (status === 401 || status === 403 || status === 429) return observationOf(`banned-${status}`, banned);
    if (during.length > manyRefusals) return observationOf('none', first);
  }
  return undefined;
};
