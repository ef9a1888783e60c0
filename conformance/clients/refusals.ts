/** Legal services that refuse the first request of a client with a 429 (§8), in every legal form of a 429. */

import type { StoreResponse, Wrap } from '../../reference-server/twin/index.ts';
import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import type { OperationName } from '../../spec/operations.ts';
import {
  earlyTimerMs,
  longRetryAfterMs,
  secondMs,
  shortBanMs,
  shortRetryAfterMs,
  slowAnswerMs,
  underWayAtServiceMs,
} from '../http/tolerances.ts';
import { readCall } from '../services/wraps.ts';
import type { LegalService } from './services.ts';

interface Refusal {
  /** Set if Retry-After is an HTTP date. */
  readonly isDate?: true;
  /** An Error if undefined. */
  readonly body?: keyof typeof refusalBodies;
  /** How many times in a row; once if undefined. */
  readonly times?: number;
  /** Set if a client that does not wait is banned. */
  readonly isBanning?: true;
  /** One second if undefined. */
  readonly waitMs?: number;
  /** Set if the request is served, and its answer says that none remains. */
  readonly isAnnounced?: true;
  /** Set if a client may go on or give up. */
  readonly isOpen?: true;
}

const refusalBodies = {
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
  const [type, text] = refusalBodies[body];
  const wait = isDate ? new Date(until).toUTCString() : String(Math.ceil((until - now) / 1000));
  return { status: 429, headers: { 'Content-Type': type, 'Retry-After': wait, ...limitUntil(until) }, body: text };
}

/**
 * Refuses the first request of an operation, or of any if it is undefined, and all that come too soon after it: since others
 * use the limit too, even a client that has sent nothing yet may meet a 429.
 */
function refusingOperation(operation: OperationName | undefined, refusal: Refusal): Wrap {
  const { isDate, isBanning, isAnnounced, times = 1, waitMs = shortRetryAfterMs } = refusal;
  return (handle, keys) => {
    let refusals = 0;
    let refusedAt = 0;
    let until = 0;
    return (request, now) => {
      const { key, operation: asked } = readCall(request, now, keys);
      if (key !== 'api') return handle(request, now);
      if (now < until - earlyTimerMs) {
        if (isBanning && now > refusedAt + underWayAtServiceMs) until = now + shortBanMs;
        return refusalUntil(refusal, until, now);
      }
      const isMeant = operation === undefined || operation === asked;
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

/** The service that shows whether a client goes on after a 429 at all; if it does not, the others show nothing. */
export const plainRefusal = '429';

type Form = readonly [id: string, requirement: ClientRequirementId, meaning: string, Refusal];

/** The requirement that a client breaks if it reads the body of a 429. */
export const bodyRequirement = 'any-too-many-requests-body';
const refusalForms: readonly Form[] = [
  [plainRefusal, 'client-goes-on', 'The first request gets 429.', {}],
  // A client may ignore that no request remains: no sentence asks it to heed X-RateLimit-Remaining.
  [
    'nothing-remains',
    'client-goes-on',
    'After the first answer no request remains for a moment.',
    { isAnnounced: true, isOpen: true },
  ],
  ['429-five-times', 'client-backs-off', 'The limit is met five times in a row.', { times: 5, isOpen: true }],
  [
    '429-with-a-long-retry-after',
    'client-waits',
    'Retry-After asks for more than a client waits in any case.',
    { waitMs: longRetryAfterMs, isOpen: true },
  ],
  ['retry-after-form=http-date', 'any-retry-after-form', 'Retry-After is an HTTP date.', { isDate: true }],
  ['too-many-requests-body=empty', bodyRequirement, 'A 429 has no body.', { body: 'empty' }],
  ['too-many-requests-body=text', bodyRequirement, 'A 429 has plain text.', { body: 'text' }],
  ['too-many-requests-body=html', bodyRequirement, 'A 429 has an HTML page.', { body: 'html' }],
  ['too-many-requests-body=other-json', bodyRequirement, 'A 429 has JSON that is no Error.', { body: 'other-json' }],
  ['ban=banned-429', 'any-ban', 'A client that does not wait is refused for longer.', { isBanning: true }],
];

/** Services that refuse the first request of an operation, or of any if it is undefined, the plain refusal first. */
export function refusalsTo(operation?: OperationName): readonly LegalService[] {
  return refusalForms.map(([id, requirement, meaning, { isOpen, ...refusal }]) => {
    const [, answer] = id.split('=');
    const wrap = refusingOperation(operation, refusal);
    return defined({ id, requirement, meaning, answer, isOpen, latencyMs: slowAnswerMs, wrap });
  });
}
