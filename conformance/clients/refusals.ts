/** Legal services whose limit is exceeded (§8), at requests that the client is known to send, in every legal form. */

import type { StoreResponse, Wrap } from '../../reference-server/twin/index.ts';
import type { AnswerId, OpenGapId } from '../../spec/gaps.ts';
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
  /** Set if the request is served, and its answer says that none remains. */
  readonly isAnnounced?: true;
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
  const { isDate, isBanning, isAnnounced, times = 1, waitMs = variantRetryAfterMs } = refusal;
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
      // Dates and resets are whole seconds, so the wait ends with one.
      until = isDate || isAnnounced ? Math.ceil((now + waitMs) / secondMs) * secondMs : now + waitMs;
      const refused = refusalUntil(refusal, until, now);
      if (!isAnnounced) return refused;
      const {
        'Content-Type': _type,
        'Retry-After': _wait,
        ...limit
      } = refused.headers as Readonly<Record<string, string>>;
      const answer = handle(request, now);
      return { ...answer, headers: { ...answer.headers, ...limit } };
    };
  };
}

type Row = readonly [
  id: string,
  requirement: LegalService['requirement'],
  meaning: string,
  refusal: Refusal,
  rest?: Partial<LegalService>,
];

function serviceAt(at: Moment, [id, requirement, meaning, refusal, rest]: Row): LegalService {
  return { id, requirement, meaning, isSlow: true, wrap: refusing(at, refusal), ...rest };
}

const plainId = ({ operation }: Moment): string => `429-to-${operation}`;

const operationNames = Object.keys(operations) as OperationName[];

/** A plain 429 to each operation that the client uses: clients may repeat one and not another. */
export function plainRefusals(usual: readonly Moment[]): readonly LegalService[] {
  return operationNames
    .flatMap((operation) => usual.find((one) => one.operation === operation) ?? [])
    .map((at) => serviceAt(at, [plainId(at), 'client-goes-on', `The first ${at.operation} gets 429.`, {}]));
}

/** A plain 429 later in the run: a client that repeats the same operation earlier must do so here, too. */
export function lateRefusals(usual: readonly Moment[]): readonly LegalService[] {
  return Object.entries({ eleventh: usual[10], last: usual.at(-1) }).flatMap(([which, at]) => {
    if (at === undefined || at.nth === 1) return [];
    const meaning = `The ${which} of the usual requests gets 429.`;
    return [serviceAt(at, [`429-${which}`, 'client-goes-on', meaning, {}, { control: plainId(at) }])];
  });
}

/** Longer than any pause that the client has made so far: a fixed pause is not a reaction to Retry-After. */
function longerThan(pauseMs: number): number {
  const longer = Math.ceil(pauseMs / secondMs + 2) * secondMs;
  return Math.min(longestVariantWaitMs, Math.max(shortestVariantWaitMs, longer));
}

const open = { isOpen: true } as const;

/** Only observed: no sentence asks a client to heed Remaining. */
export function nothingRemains(at: Moment): LegalService {
  const meaning = 'After the first answer no request remains for a moment.';
  return serviceAt(at, ['nothing-remains', 'client-goes-on', meaning, { isAnnounced: true }, open]);
}

/** An answer to a gap, given by a 429. */
function answering(gap: OpenGapId, id: AnswerId, meaning: string, refusal: Refusal): Row {
  return [`${gap}=${id}`, `any-${gap}`, meaning, refusal, { answer: { gap, id } }];
}

const body = 'too-many-requests-body';

/** Forms of a 429 to a request after which the client passes a plain one; a form is blamed only where that one is none. */
export function formsOfRefusals(at: Moment, longestPauseMs: number): readonly LegalService[] {
  const waitMs = longerThan(longestPauseMs);
  const rows: readonly Row[] = [
    ['429-of-a-day', 'client-goes-on', 'The limit that is exceeded is that of the day.', { isOfDay: true }],
    answering('retry-after-form', 'http-date', 'Retry-After is an HTTP date.', { isDate: true }),
    answering(body, 'empty', 'A 429 has no body.', { body: 'empty' }),
    answering(body, 'text', 'A 429 has plain text.', { body: 'text' }),
    answering(body, 'html', 'A 429 has an HTML page.', { body: 'html' }),
    answering(body, 'other-json', 'A 429 has JSON that is no Error.', { body: 'other-json' }),
    answering('ban', 'banned-429', 'A client that does not wait is refused for longer.', { isBanning: true }),
    ['429-five-times', 'client-goes-on', 'The limit is met five times in a row.', { times: 5 }, open],
    ['429-with-a-long-retry-after', 'client-waits', 'Retry-After asks for more than so far.', { waitMs }, open],
  ];
  return rows.map((row) => ({ ...serviceAt(at, row), control: plainId(at) }));
}

/** All of them for a client of which nothing is known: they refuse the first request of its operation. */
export const usualRefusals: readonly LegalService[] = [
  ...plainRefusals(operationNames.map((operation) => ({ operation, nth: 1 }))),
  nothingRemains({ operation: 'listPets', nth: 1 }),
  ...formsOfRefusals({ operation: 'listPets', nth: 1 }, 0),
];
