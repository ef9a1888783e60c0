/** §8 Judges the X-RateLimit headers of each answer by itself; ledger.ts judges how they change. Lists the checks of §8. */

import { planLimits } from '../../../spec/facts.ts';
import { isShown } from '../../http/documented.ts';
import type { Exchange } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { readPetId } from '../../http/read-request.ts';
import { integersIn, readInteger, timesUntil } from '../../http/read-response.ts';
import { dayMs, gatewayDateMs, longestBanMs, minuteMs, secondMs } from '../../http/tolerances.ts';
import type { Check } from '../../run/suite.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { type Answered, isOfService, isOutage, isRefused } from '../../world/evidence.ts';
import { readingOf } from '../../world/readings.ts';
import { isRemovedFor, type World } from '../../world/world.ts';
import { accountCheck } from './ledger.ts';
import { exhaustKey } from './probes.ts';
import { isOfKnownService, mayBeCopy } from './readings.ts';
import { judgeExcess } from './refusals.ts';

const rateLimitHeaders = [
  ['X-RateLimit-Limit', 'rate-limit-header'],
  ['X-RateLimit-Remaining', 'rate-remaining-header'],
  ['X-RateLimit-Reset', 'rate-reset-header'],
] as const;

/** Whether a router may have given the answer: it takes a path whose petId is no int64 for an unknown one. */
const isOfRouter = (exchange: Exchange): boolean =>
  exchange.operation === 'getPet' && typeof readPetId(exchange) !== 'bigint';

/**
 * Whether §8 requires the headers: the service answers one of the three operations on its path, whatever the key, the query,
 * the body and the status. The gateway errors of an outage are foreign.
 */
function isJudged(world: World, exchange: Exchange): exchange is Answered {
  const isOfTarget = isOfService(exchange) || (isRefused(exchange) && isOfKnownService(world, exchange));
  return isOfTarget && isShown(exchange) && !isOfRouter(exchange) && !isRemovedFor(world, exchange);
}

/** Whether the service answers a path or a method below the base address that the interface does not show. */
function isElsewhere(exchange: Exchange): exchange is Answered {
  if (exchange.response === undefined || isOutage(exchange)) return false;
  return exchange.operation === 'other' || (isShown(exchange) && isOfRouter(exchange));
}

/** "Every response carries these headers" (§8): of other paths and methods this is advised. */
function judgeElsewhere(exchange: Answered): Finding {
  const missing = rateLimitHeaders.filter(
    ([name]) => exchange.response.headers[name.toLowerCase() as Lowercase<typeof name>] === undefined,
  );
  if (missing.length === 0) return holds('rate-headers-elsewhere', exchange);
  const names = missing.map(([name]) => name).join(', ');
  const { method, target } = exchange.request;
  const facts = { expected: `${names} on the answer to ${method} ${target}`, received: insteadOfHeader(exchange) };
  return fails('rate-headers-elsewhere', 'missing', facts, exchange);
}

/** A header as a sentence shows it: without a value the sentence would seem to end too early. */
function headerInWords(value: string): string {
  return value.trim() === '' ? 'an empty value' : value;
}

/** What an answer has in place of a missing header: headers of other names that may be meant for it. */
function insteadOfHeader({ response: { headers } }: Answered): string {
  const similar = Object.keys(headers).filter((name) => /rate-?limit/.test(name));
  const known: readonly string[] = rateLimitHeaders.map(([name]) => name.toLowerCase());
  const others = similar.filter((name) => !known.includes(name));
  return others.length === 0 ? 'none' : `none; the answer has ${others.join(', ')}`;
}

/** What a malformed header should be: no time and no count is below zero, or has so many digits as some values have. */
function integerInWords(name: string, received: string): string {
  if (/^-\d+$/.test(received.trim())) return `${name} to be an integer from 0 up`;
  if (!/^\d+$/.test(received.trim())) return `${name} to be an integer`;
  return name === 'X-RateLimit-Reset'
    ? 'X-RateLimit-Reset as a Unix timestamp in seconds, which has ten digits'
    : `${name} to be an integer of at most 15 digits`;
}

/** "Every response carries these headers" (§8), each an integer; more text behind it warns. */
function judgeInteger(exchange: Answered, [name, requirement]: (typeof rateLimitHeaders)[number]): readonly Finding[] {
  const field = name.toLowerCase() as Lowercase<typeof name>;
  const value = readInteger(exchange.response, field);
  const received = headerInWords(exchange.response.headers[field] ?? '');
  if (value === 'missing') {
    const { status } = exchange.response;
    const where = status >= 400 ? `every answer, a ${status} too` : 'every answer';
    const facts = { expected: `${name} on ${where}`, received: insteadOfHeader(exchange) };
    return [fails(requirement, 'missing', facts, exchange)];
  }
  if (value === 'malformed')
    return [fails(requirement, 'not-an-integer', { expected: integerInWords(name, received), received }, exchange)];
  if (new Set(integersIn(exchange.response, field)).size > 1)
    return [fails(requirement, 'two-values', { expected: `one value of ${name}`, received }, exchange)];
  const facts = { expected: `${name} to be an integer and nothing else`, received };
  return [
    holds(requirement, exchange),
    Number(received) === value
      ? holds('rate-headers-plain', exchange)
      : fails('rate-headers-plain', `more-in-${field}`, facts, exchange),
  ];
}

/** "Requests left in the current window" (§8) are no more than the limit. */
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

/** How far ahead a reset may lie, and this time in words. */
interface Farthest {
  readonly ms: number;
  readonly span: 'minute' | 'day';
}

function farthestReset(world: World, exchange: Answered): Farthest {
  // What a ban says about limits is open.
  if (isKeyRefused(exchange)) return { ms: longestBanMs, span: 'day' };
  const [perMinute] = limitsOfPlan(world, exchange);
  const isOfMinute = perMinute !== undefined && readingOf(exchange).limit === perMinute;
  return isOfMinute ? { ms: minuteMs, span: 'minute' } : { ms: dayMs, span: 'day' };
}

/** "Unix timestamp at which the limit resets" (§8): from now to a day ahead, or a minute for the plan's limit of a minute. */
function judgeReset(world: World, exchange: Answered): readonly Finding[] {
  const { response, startedAt, endedAt } = exchange;
  const { resetsAt } = readingOf(exchange);
  if (resetsAt === undefined || mayBeCopy(world, exchange)) return [];
  const farthest = farthestReset(world, exchange);
  // Headers hold whole seconds, and a gateway's Date may be a little off; without Date the clocks may differ by hours.
  const toleranceMs = response.headers['date'] === undefined ? dayMs : gatewayDateMs;
  const aheads = timesUntil(resetsAt, response, endedAt);
  // The service may compute Reset when the request arrives and Date when it answers.
  const leastMs = startedAt - endedAt - toleranceMs - secondMs;
  if (aheads.some((ms) => ms > leastMs && ms <= farthest.ms + toleranceMs)) return [];
  const [aheadMs = 0] = aheads;
  const now = Math.round((resetsAt - aheadMs) / 1000);
  const facts = {
    expected: `X-RateLimit-Reset as Unix seconds from ${now} to a ${farthest.span} later`,
    received: `${resetsAt / 1000}`,
  };
  const code = aheadMs < 0 ? 'in-the-past' : (`beyond-a-${farthest.span}` as const);
  return [fails('rate-reset-header', code, facts, exchange)];
}

/** The findings that depend on one answer alone, which a run judges several times. */
const judgeNumbers = memoize((exchange: Answered): readonly Finding[] => [
  ...rateLimitHeaders.flatMap((header) => judgeInteger(exchange, header)),
  ...judgeRange(exchange),
]);

/** The limits of a minute and of a day in the plan of the API key (§8); none unless the user names a plan that has numbers. */
function limitsOfPlan({ settings: { plan } }: World, { credential }: Answered): readonly number[] {
  if (plan === undefined || credential.kind !== 'valid') return [];
  const { perMinute, perDay } = planLimits[plan];
  return [perMinute, perDay].filter((limit) => limit !== undefined);
}

/** "The request limit that applies" (§8) is one of the two of the plan, where the user names the plan. */
function judgePlan(world: World, exchange: Answered): readonly Finding[] {
  const limits = limitsOfPlan(world, exchange);
  const { limit } = readingOf(exchange);
  // What a ban says about limits is open.
  if (limits.length === 0 || limit === undefined || isKeyRefused(exchange)) return [];
  if (limits.includes(limit)) return [holds('rate-limit-plan', exchange)];
  // A copy may repeat the headers of an answer to another key.
  if (mayBeCopy(world, exchange)) return [];
  const facts = { expected: `the limit of the key's plan, ${limits.join(' or ')}`, received: `${limit}` };
  return [fails('rate-limit-plan', 'not-of-the-plan', facts, exchange)];
}

/** All that one answer shows of its headers (§8): whether they are there, are integers and lie in their ranges. */
function judgeRateHeaders(world: World, exchange: Answered): readonly Finding[] {
  return [...judgeNumbers(exchange), ...judgeReset(world, exchange), ...judgePlan(world, exchange)];
}

export const limitChecks: readonly Check[] = [
  {
    id: 'rate-headers-are-there',
    verifies: [...rateLimitHeaders.map(([, requirement]) => requirement), 'rate-headers-plain', 'rate-limit-plan'],
    judge: (world) =>
      world.exchanges
        .filter((exchange) => isJudged(world, exchange))
        .flatMap((exchange) => judgeRateHeaders(world, exchange)),
  },
  {
    id: 'rate-headers-are-elsewhere',
    verifies: ['rate-headers-elsewhere'],
    judge: (world) => world.exchanges.filter(isElsewhere).map(judgeElsewhere),
  },
  accountCheck,
  {
    id: 'excess-is-refused',
    verifies: [...exhaustKey.verifies],
    judge: judgeExcess,
  },
  exhaustKey,
];
