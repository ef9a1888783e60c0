/** Legal services whose limit is exceeded (§8), at requests that the client is known to send, in every legal form. */

import { readHeader } from '../../reference-server/index.ts';
import type { StoreResponse, Wrap } from '../../reference-server/twin/index.ts';
import type { AnswerId, OpenGapId } from '../../spec/gaps.ts';
import { type Operation, type OperationName, operationOf, operations } from '../../spec/operations.ts';
import type { Exchange } from '../http/exchange.ts';
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

/** Requests with a key, each as the first, second, … of its operation. */
export function momentsOf(exchanges: readonly Exchange[]): readonly Moment[] {
  const counts = new Map<Operation, number>();
  return exchanges
    .filter(({ credential }) => credential.kind === 'valid')
    .map(({ operation }) => {
      const nth = (counts.get(operation) ?? 0) + 1;
      counts.set(operation, nth);
      return { operation, nth };
    });
}

interface Refusal {
  readonly isDate?: true;
  /** An Error if undefined. */
  readonly body?: keyof typeof bodies;
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

function limitUntil(until: number): StoreResponse['headers'] {
  const reset = String(Math.ceil(until / 1000));
  return { 'X-RateLimit-Limit': '1000', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': reset };
}

function refusalUntil({ isDate, body = 'error' }: Refusal, until: number, now: number): StoreResponse {
  const [type, text] = bodies[body];
  const wait = isDate ? new Date(until).toUTCString() : String(Math.ceil((until - now) / 1000));
  return { status: 429, headers: { 'Content-Type': type, 'Retry-After': wait, ...limitUntil(until) }, body: text };
}

/** Refuses one request and what comes too soon after it, whatever the client has sent before: others use the limit too. */
function refusing(at: Moment, refusal: Refusal): Wrap {
  const { isDate, isBanning, isAnnounced, times = 1, waitMs = variantRetryAfterMs } = refusal;
  return (handle, { api }) => {
    let [seen, refusals, refusedAt, until] = [0, 0, 0, 0];
    return (request, now) => {
      if (readHeader(request, 'authorization') !== `Bearer ${api}`) return handle(request, now);
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
      if (!isAnnounced) return refusalUntil(refusal, until, now);
      const answer = handle(request, now);
      return { ...answer, headers: { ...answer.headers, ...limitUntil(until) } };
    };
  };
}

function serviceAt(at: Moment, id: string, meaning: string, refusal: Refusal, rest: Partial<LegalService> = {}) {
  const wrap = refusing(at, refusal);
  return { id, requirement: 'client-goes-on', meaning, isSlow: true, wrap, ...rest } satisfies LegalService;
}

const plainId = ({ operation }: Moment): string => `429-to-${operation}`;
const operationNames = Object.keys(operations) as OperationName[];

/**
 * A plain 429 to each operation that the client uses, and to the last of its requests: a client may repeat one and not
 * another. What it does where none remains is only observed: no sentence asks a client to heed Remaining.
 */
export function plainRefusals(usual: readonly Moment[]): readonly LegalService[] {
  const firsts = operationNames.flatMap((operation) => usual.find((one) => one.operation === operation) ?? []);
  const later = usual.slice(-1).filter(({ nth }) => nth > 1);
  const none = 'After the first answer no request remains for a moment.';
  return [
    ...firsts.map((at) => serviceAt(at, plainId(at), `The first ${at.operation} gets 429.`, {})),
    ...later.map((at) =>
      serviceAt(at, '429-last', 'The last of the usual requests gets 429.', {}, { control: plainId(at) }),
    ),
    ...usual.slice(0, 1).map((at) => serviceAt(at, 'nothing-remains', none, { isAnnounced: true }, { isOpen: true })),
  ];
}

/** Forms of a 429 to a request after which the client passes a plain one. */
export function formsOfRefusals(at: Moment, longestPauseMs: number): readonly LegalService[] {
  const answer = (gap: OpenGapId, id: AnswerId, meaning: string, refusal: Refusal): LegalService =>
    serviceAt(at, `${gap}=${id}`, meaning, refusal, { requirement: `any-${gap}`, answer: { gap, id } });
  const body = 'too-many-requests-body';
  // Longer than any pause that the client has made so far: a fixed pause is not a reaction to Retry-After.
  const longer = Math.ceil(longestPauseMs / secondMs + 2) * secondMs;
  const waitMs = Math.min(longestVariantWaitMs, Math.max(shortestVariantWaitMs, longer));
  return [
    answer('retry-after-form', 'http-date', 'Retry-After is an HTTP date.', { isDate: true }),
    answer(body, 'empty', 'A 429 has no body.', { body: 'empty' }),
    answer(body, 'text', 'A 429 has plain text.', { body: 'text' }),
    answer(body, 'html', 'A 429 has an HTML page.', { body: 'html' }),
    answer(body, 'other-json', 'A 429 has JSON that is no Error.', { body: 'other-json' }),
    answer('ban', 'banned-429', 'A client that does not wait is refused for longer.', { isBanning: true }),
    serviceAt(at, '429-five-times', 'The limit is met five times in a row.', { times: 5 }, { isOpen: true }),
    serviceAt(
      at,
      '429-with-a-long-retry-after',
      'Retry-After asks for more than so far.',
      { waitMs },
      { requirement: 'client-waits', isOpen: true },
    ),
  ];
}

/** All of them for a client of which nothing is known: they refuse the first request of its operation. */
export const usualRefusals: readonly LegalService[] = [
  ...plainRefusals(operationNames.map((operation) => ({ operation, nth: 1 }))),
  ...formsOfRefusals({ operation: 'listPets', nth: 1 }, 0),
];
