/** §8 Judges the X-RateLimit headers of each answer by itself; ledger.ts judges how they change. Lists the checks of §8. */

import { planLimits } from '../../../spec/facts.ts';
import { isShown } from '../../http/documented.ts';
import type { Exchange } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { readPetId } from '../../http/read-request.ts';
import { readInteger, statusOf, timesUntil } from '../../http/read-response.ts';
import { dayMs, gatewayDateMs, longestBanMs, minuteMs, secondMs } from '../../http/tolerances.ts';
import type { Check } from '../../run/suite.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { type Answered, isForeign } from '../../world/evidence.ts';
import { readingOf } from '../../world/readings.ts';
import { isRemovedFor, type World } from '../../world/world.ts';
import { exhaustionChecks } from './exhaustion.ts';
import { accountCheck } from './ledger.ts';
import { mayBeCopy } from './readings.ts';

const rateLimitHeaders = [
  ['X-RateLimit-Limit', 'rate-limit-header'],
  ['X-RateLimit-Remaining', 'rate-remaining-header'],
  ['X-RateLimit-Reset', 'rate-reset-header'],
] as const;

/**
 * Whether §8 applies: the service answers one of the three operations on its path, whatever the key, the query and the
 * body. Server errors fail elsewhere; a router answers a petId that is no int64.
 */
function isJudged(world: World, exchange: Exchange): exchange is Answered {
  const isRouted = exchange.operation !== 'getPet' || typeof readPetId(exchange) === 'bigint';
  const isOfService = !isForeign(exchange) && (statusOf(exchange) ?? 0) < 500;
  return isOfService && isShown(exchange) && isRouted && !isRemovedFor(world, exchange);
}

function judgeInteger(exchange: Answered, [name, requirement]: (typeof rateLimitHeaders)[number]): readonly Finding[] {
  const field = name.toLowerCase() as Lowercase<typeof name>;
  const value = readInteger(exchange.response, field);
  const received = exchange.response.headers[field] ?? 'none';
  if (value === 'missing')
    return [fails(requirement, 'missing', { expected: `${name} on every answer`, received }, exchange)];
  if (value === 'malformed')
    return [fails(requirement, 'not-an-integer', { expected: `${name} to be an integer`, received }, exchange)];
  const facts = { expected: `${name} to be an integer and nothing else`, received };
  return [
    holds(requirement, exchange),
    Number(received) === value
      ? holds('rate-headers-plain', exchange)
      : fails('rate-headers-plain', `more-in-${field}`, facts, exchange),
  ];
}

function judgeRange(exchange: Answered): readonly Finding[] {
  const { limit, remaining } = readingOf(exchange);
  if (limit === undefined || remaining === undefined || remaining <= limit) return [];
  const facts = { expected: `X-RateLimit-Remaining from 0 to the limit ${limit}`, received: `${remaining}` };
  return [fails('rate-remaining-header', 'above-limit', facts, exchange)];
}

/** Whether the key of a request was refused, because of its rate limit or by a ban. */
function isKeyRefused({ credential, response: { status } }: Answered): boolean {
  const isOfKey = credential.kind === 'valid' || credential.kind === 'rate-limit';
  return status === 429 || (isOfKey && (status === 401 || status === 403));
}

function judgeReset(world: World, exchange: Answered): readonly Finding[] {
  const { response, startedAt, endedAt } = exchange;
  const { limit, resetsAt } = readingOf(exchange);
  if (resetsAt === undefined || mayBeCopy(world, exchange)) return [];
  const perMinute = limitsOfPlan(world, exchange)?.[0];
  const isOfMinute = perMinute !== undefined && limit === perMinute;
  const farthestMs = isKeyRefused(exchange) ? longestBanMs : isOfMinute ? minuteMs : dayMs;
  // Headers hold whole seconds, and a gateway's Date may be a little off; without Date the clocks may differ by hours.
  const toleranceMs = response.headers['date'] === undefined ? dayMs : gatewayDateMs;
  const aheads = timesUntil(resetsAt, response, endedAt);
  // The service may compute Reset when the request arrives and Date when it answers.
  const leastMs = startedAt - endedAt - toleranceMs - secondMs;
  if (aheads.some((ms) => ms > leastMs && ms <= farthestMs + toleranceMs)) return [];
  const [aheadMs = 0] = aheads;
  const span = farthestMs === minuteMs ? 'minute' : 'day';
  const now = Math.round((resetsAt - aheadMs) / 1000);
  const facts = {
    expected: `X-RateLimit-Reset as Unix seconds from ${now} to a ${span} later`,
    received: `${resetsAt / 1000}`,
  };
  return [fails('rate-reset-header', aheadMs < 0 ? 'in-the-past' : `beyond-a-${span}`, facts, exchange)];
}

/** The findings that depend on one answer alone, which a run judges several times. */
const judgeNumbers = memoize((exchange: Answered): readonly Finding[] => [
  ...rateLimitHeaders.flatMap((header) => judgeInteger(exchange, header)),
  ...judgeRange(exchange),
]);

/** The limits of the plan of the API key (§8); undefined unless the user names a plan that has numbers. */
function limitsOfPlan({ settings: { plan } }: World, { credential }: Answered): readonly number[] | undefined {
  const { perMinute, perDay } = credential.kind !== 'valid' || plan === undefined ? {} : planLimits[plan];
  return perMinute === undefined || perDay === undefined ? undefined : [perMinute, perDay];
}

function judgePlan(world: World, exchange: Answered): readonly Finding[] {
  const limits = limitsOfPlan(world, exchange);
  const { limit } = readingOf(exchange);
  // What a ban says about limits is open.
  if (limits === undefined || limit === undefined || isKeyRefused(exchange)) return [];
  if (limits.includes(limit)) return [holds('rate-limit-plan', exchange)];
  // A copy may repeat the headers of an answer to another key.
  if (mayBeCopy(world, exchange)) return [];
  const facts = { expected: `the limit of the key's plan, ${limits.join(' or ')}`, received: `${limit}` };
  return [fails('rate-limit-plan', 'not-of-the-plan', facts, exchange)];
}

function judgeAnswer(world: World, exchange: Answered): readonly Finding[] {
  return [...judgeNumbers(exchange), ...judgeReset(world, exchange), ...judgePlan(world, exchange)];
}

export const limitChecks: readonly Check[] = [
  {
    id: 'rate-headers-are-there',
    verifies: [...rateLimitHeaders.map(([, requirement]) => requirement), 'rate-headers-plain', 'rate-limit-plan'],
    judge: (world) =>
      world.exchanges
        .filter((exchange) => isJudged(world, exchange))
        .flatMap((exchange) => judgeAnswer(world, exchange)),
  },
  accountCheck,
  ...exhaustionChecks,
];
