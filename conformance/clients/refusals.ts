/** Legal services whose limit is exceeded (§8), at the first request of an operation, in every legal form. */

import { readHeader } from '../../reference-server/index.ts';
import type { StoreResponse, Wrap } from '../../reference-server/twin/index.ts';
import type { AnswerId, OpenGapId } from '../../spec/gaps.ts';
import { type OperationName, operationOf, operations } from '../../spec/operations.ts';
import {
  earlyTimerMs,
  secondMs,
  underWayAtServiceMs,
  variantBanMs,
  variantLongWaitMs,
  variantRetryAfterMs,
} from '../http/tolerances.ts';
import type { LegalService } from './services.ts';

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

/**
 * Refuses the first request of an operation, or of any if it is undefined, and what comes too soon after it, whatever the
 * client has sent before: others use the limit too.
 */
function refusing(operation: OperationName | undefined, refusal: Refusal): Wrap {
  const { isDate, isBanning, isAnnounced, times = 1, waitMs = variantRetryAfterMs } = refusal;
  return (handle, { api }) => {
    let [refusals, refusedAt, until] = [0, 0, 0];
    return (request, now) => {
      if (readHeader(request, 'authorization') !== `Bearer ${api}`) return handle(request, now);
      if (now < until - earlyTimerMs) {
        if (isBanning && now > refusedAt + underWayAtServiceMs) until = now + variantBanMs;
        return refusalUntil(refusal, until, now);
      }
      const path = request.target.split('?')[0]!.slice('/v1'.length);
      const isMeant = operation === undefined || operationOf(request.method, path) === operation;
      if (!isMeant || refusals === times) return handle(request, now);
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

function refusalRow(
  id: string,
  meaning: string,
  operation: OperationName | undefined,
  refusal: Refusal,
  rest: Partial<LegalService> = {},
): LegalService {
  const wrap = refusing(operation, refusal);
  return { id, requirement: 'client-goes-on', meaning, isSlow: true, wrap, ...rest };
}

/** A plain 429 to each operation: a client may repeat one and not another. */
const plainRefusals = (Object.keys(operations) as OperationName[]).map((name) =>
  refusalRow(`429-to-${name}`, `The first ${name} gets 429.`, name, {}, { refuses: name }),
);

/** What a client does where none remains is only observed: no sentence asks it to heed Remaining. */
const nothingRemains = refusalRow(
  'nothing-remains',
  'After the first answer no request remains for a moment.',
  undefined,
  { isAnnounced: true },
  { isOpen: true },
);

export const firstRefusals: readonly LegalService[] = [...plainRefusals, nothingRemains];

/** Forms of a 429 to the first request of an operation, after which the client passes a plain one. */
export function formsOfRefusals(operation?: OperationName): readonly LegalService[] {
  const answering = (gap: OpenGapId, answer: AnswerId, meaning: string, refusal: Refusal): LegalService =>
    refusalRow(`${gap}=${answer}`, meaning, operation, refusal, { requirement: `any-${gap}`, answer });
  const body = 'too-many-requests-body';
  const long = 'Retry-After asks for more than a client waits in any case.';
  const ofWaiting = { requirement: 'client-waits', isOpen: true } as const;
  return [
    answering('retry-after-form', 'http-date', 'Retry-After is an HTTP date.', { isDate: true }),
    answering(body, 'empty', 'A 429 has no body.', { body: 'empty' }),
    answering(body, 'text', 'A 429 has plain text.', { body: 'text' }),
    answering(body, 'html', 'A 429 has an HTML page.', { body: 'html' }),
    answering(body, 'other-json', 'A 429 has JSON that is no Error.', { body: 'other-json' }),
    answering('ban', 'banned-429', 'A client that does not wait is refused for longer.', { isBanning: true }),
    refusalRow('429-five-times', 'The limit is met five times in a row.', operation, { times: 5 }, { isOpen: true }),
    refusalRow('429-with-a-long-retry-after', long, operation, { waitMs: variantLongWaitMs }, ofWaiting),
  ];
}

/** All of them for a client of which nothing is known. */
export const usualRefusals: readonly LegalService[] = [...firstRefusals, ...formsOfRefusals()];
