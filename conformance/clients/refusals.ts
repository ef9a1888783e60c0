/** Legal services whose limit is exceeded (§8), at requests that the client is known to send, in every legal form. */

import type { StoreResponse, Wrap } from '../../reference-server/twin/index.ts';
import { type Operation, type OperationName, operationOf, operations } from '../../spec/operations.ts';
import {
  earlyTimerMs,
  longestVariantWaitMs,
  secondMs,
  shortestVariantWaitMs,
  underWayAtServiceMs,
  variantBanMs,
  variantRetryAfterMs,
} from '../http/tolerances.ts';
import type { LegalService } from './services.ts';

/** One request of the usual run: the first, second, … of its operation. */
export interface Moment {
  readonly operation: Operation;
  readonly nth: number;
}

interface Refusal {
  readonly isDate?: true;
  /** An Error if undefined. */
  readonly body?: keyof typeof bodies;
  /** Set if the headers show the limit of the day, not of the minute. */
  readonly isOfDay?: true;
  /** How many times in a row; once if undefined. */
  readonly times?: number;
  /** Set if a client that does not wait is banned. */
  readonly isBanning?: true;
  /** One second if undefined. */
  readonly waitMs?: number;
}

const bodies = {
  error: ['application/json', '{"code":"too_many_requests","message":"Please wait.","status":429}'],
  empty: ['application/json', ''],
  text: ['text/plain', 'Slow down, please.'],
  html: ['text/html', '<!doctype html><title>429</title><h1>Too many requests</h1>'],
  'other-json': ['application/json', '{"error":{"reason":"rateLimitExceeded"}}'],
} as const;

function refusalUntil({ isDate, body = 'error', isOfDay }: Refusal, until: number, now: number): StoreResponse {
  const [type, text] = bodies[body];
  return {
    status: 429,
    headers: {
      'Content-Type': type,
      'Retry-After': isDate ? new Date(until).toUTCString() : String(Math.ceil((until - now) / 1000)),
      'X-RateLimit-Limit': isOfDay ? '100000' : '1000',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': String(Math.ceil(until / 1000)),
    },
    body: text,
  };
}

/** Refuses one request and what comes too soon after it, whatever the client has sent before: others use the limit too. */
function refusing(at: Moment, refusal: Refusal): Wrap {
  const { isDate, isBanning, times = 1, waitMs = variantRetryAfterMs } = refusal;
  return (handle, { api }) => {
    let [seen, refusals, refusedAt, until] = [0, 0, 0, 0];
    return (request, now) => {
      const hasKey = request.headers.some(([, value]) => value === `Bearer ${api}`);
      if (!hasKey) return handle(request, now);
      const path = request.target.split('?')[0]!.slice('/v1'.length);
      if (operationOf(request.method, path) === at.operation) seen += 1;
      if (now < until - earlyTimerMs) {
        if (isBanning && now > refusedAt + underWayAtServiceMs) until = now + variantBanMs;
        return refusalUntil(refusal, until, now);
      }
      if (seen < at.nth || refusals === times) return handle(request, now);
      refusals += 1;
      refusedAt = now;
      // Dates are whole seconds, so the wait ends with one.
      until = isDate ? Math.ceil((now + waitMs) / secondMs) * secondMs : now + waitMs;
      return refusalUntil(refusal, until, now);
    };
  };
}

function refusalRow(
  id: string,
  requirement: LegalService['requirement'],
  meaning: string,
  at: Moment,
  refusal: Refusal,
  rest: Partial<LegalService> = {},
): LegalService {
  return { id, requirement, meaning, isSlow: true, wrap: refusing(at, refusal), ...rest };
}

const plainId = ({ operation }: Moment): string => `429-to-${operation}`;

/** A plain 429 to each operation that the client uses: clients may repeat one and not another. */
export function plainRefusals(usual: readonly Moment[]): readonly LegalService[] {
  return (Object.keys(operations) as OperationName[])
    .flatMap((operation) => usual.find((one) => one.operation === operation) ?? [])
    .map((at) => refusalRow(plainId(at), 'client-goes-on', `The first ${at.operation} gets 429.`, at, {}));
}

const late = 11;

/** A plain 429 later in the run: a client that repeats the same operation earlier must do so here, too. */
export function lateRefusals(usual: readonly Moment[]): readonly LegalService[] {
  return [
    ['429-late', 'The eleventh request gets 429.', usual[late - 1]] as const,
    ['429-last', 'The last usual request gets 429.', usual.at(-1)] as const,
  ].flatMap(([id, meaning, at]) =>
    at === undefined || at.nth === 1
      ? []
      : [refusalRow(id, 'client-goes-on', meaning, at, {}, { control: plainId(at) })],
  );
}

/** Longer than any pause that the client has made so far: a fixed pause is not a reaction to Retry-After. */
function longerThan(pauseMs: number): number {
  const longer = Math.ceil(pauseMs / secondMs + 2) * secondMs;
  return Math.min(longestVariantWaitMs, Math.max(shortestVariantWaitMs, longer));
}

/** Forms of a 429 to a request after which the client passes a plain one; a form is blamed only where that one is none. */
export function formsOfRefusals(at: Moment, longestPauseMs: number): readonly LegalService[] {
  const row = (
    id: string,
    requirement: LegalService['requirement'],
    meaning: string,
    form: Refusal,
    rest: Partial<LegalService> = {},
  ): LegalService => refusalRow(id, requirement, meaning, at, form, { control: plainId(at), ...rest });
  const body = (id: Exclude<keyof typeof bodies, 'error'>, meaning: string): LegalService =>
    row(
      `too-many-requests-body=${id}`,
      'any-too-many-requests-body',
      meaning,
      { body: id },
      {
        answer: { gap: 'too-many-requests-body', id },
      },
    );
  return [
    row('429-of-a-day', 'client-goes-on', 'The limit that is exceeded is that of the day.', { isOfDay: true }),
    row(
      'retry-after-form=http-date',
      'any-retry-after-form',
      'Retry-After is an HTTP date.',
      { isDate: true },
      {
        answer: { gap: 'retry-after-form', id: 'http-date' },
      },
    ),
    body('empty', 'A 429 has no body.'),
    body('text', 'A 429 has plain text.'),
    body('html', 'A 429 has an HTML page.'),
    body('other-json', 'A 429 has JSON that is no Error.'),
    row(
      'ban=banned-429',
      'any-ban',
      'A client that does not wait is refused for longer.',
      { isBanning: true },
      {
        answer: { gap: 'ban', id: 'banned-429' },
      },
    ),
    row('429-five-times', 'client-goes-on', 'The limit is met five times in a row.', { times: 5 }, { isOpen: true }),
    row(
      '429-with-a-long-retry-after',
      'client-waits',
      'Retry-After asks for more than the client has waited so far.',
      { waitMs: longerThan(longestPauseMs) },
      { isOpen: true },
    ),
  ];
}

/** All of them for a client of which nothing is known: they refuse the first request of its operation. */
export const usualRefusals: readonly LegalService[] = [
  ...plainRefusals((Object.keys(operations) as OperationName[]).map((operation) => ({ operation, nth: 1 }))),
  ...formsOfRefusals({ operation: 'listPets', nth: 1 }, 0),
];
