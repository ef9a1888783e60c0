/** Variations in which a client meets the rate limit (§8): at several requests, and in every legal form. */

import type { StoreRequest, StoreResponse } from '../../../reference-server/index.ts';
import { type Operation, type OperationName, operations } from '../../../spec/operations.ts';
import {
  earlyTimerMs,
  longestVariantWaitMs,
  secondMs,
  shortestVariantWaitMs,
  underWayAtServiceMs,
  variantBanMs,
  variantRetryAfterMs,
} from '../../http/tolerances.ts';
import { withLimitHeaders } from '../../sections/8-limits/limiters.ts';
import { readCall, type Wrap } from '../../sections/fault.ts';
import type { ClientHabits, UsualRequest, Variation, VariationContext } from '../service-variant.ts';

interface Refusal {
  /** The first request that is refused; none if undefined. */
  readonly at: (habits: ClientHabits) => UsualRequest | undefined;
  readonly isDate?: true;
  /** An Error if undefined. */
  readonly body?: keyof typeof bodies;
  /** Set if the headers show the limit of the day, not of the minute. */
  readonly isOfDay?: true;
  /** How many times in a row; once if undefined. */
  readonly times?: number;
  /** Set if a client that does not wait is banned. */
  readonly isBanning?: true;
  /** Set if the answer before the refusal says that no request remains. */
  readonly isAnnounced?: true;
  /** One second if undefined. */
  readonly waitMs?: (habits: ClientHabits) => number;
}

const bodies = {
  error: [
    'application/json',
    '{"code":"too_many_requests","message":"Wait as long as Retry-After says.","status":429}',
  ],
  empty: ['application/json', ''],
  text: ['text/plain', 'Slow down, please.'],
  html: ['text/html', '<!doctype html><title>429</title><h1>Too many requests</h1>'],
} as const;

function refuse({ isDate, body = 'error', isOfDay }: Refusal, until: number, now: number): StoreResponse {
  const [type, text] = bodies[body];
  const retryAfter = isDate ? new Date(until).toUTCString() : String(Math.ceil((until - now) / 1000));
  const answer = { status: 429, headers: { 'Content-Type': type, 'Retry-After': retryAfter }, body: text };
  return withLimitHeaders(answer, { limit: isOfDay ? 100_000 : 1_000, remaining: 0, resetsAt: until });
}

/** Refuses whatever the client has sent before: other clients use up the same limit. */
function meets(refusal: Refusal, context: VariationContext): Wrap {
  const { isDate, isAnnounced, isBanning, times = 1, waitMs = () => variantRetryAfterMs } = refusal;
  const at = refusal.at(context);
  const asked = waitMs(context);
  return (handle, keys) => {
    const seen = new Map<Operation, number>();
    let [isMet, refusals, refusedAt, until] = [false, 0, 0, 0];
    const isWaiting = (now: number): boolean => now < until - earlyTimerMs;

    function startWait(now: number): void {
      refusedAt = now;
      // Dates and resets are whole seconds, so the wait ends with one.
      until = isDate || isAnnounced ? Math.ceil((now + asked) / secondMs) * secondMs : now + asked;
    }

    function isRefused(now: number): boolean {
      if (isWaiting(now)) {
        if (isBanning && now > refusedAt + underWayAtServiceMs) until = now + variantBanMs;
        return true;
      }
      if (isAnnounced || !isMet || refusals === times) return false;
      refusals += 1;
      startWait(now);
      return true;
    }

    return (request: StoreRequest, now) => {
      const { operation, isAuthorized } = readCall(request, now, keys);
      if (!isAuthorized) return handle(request, now);
      const nth = (seen.get(operation) ?? 0) + 1;
      seen.set(operation, nth);
      const isFirstMeeting = !isMet && operation === at?.operation && nth === at.nth;
      isMet ||= isFirstMeeting;
      if (isRefused(now)) return refuse(refusal, until, now);
      const answer = handle(request, now);
      if (!isAnnounced || !isFirstMeeting) return answer;
      startWait(now);
      return withLimitHeaders(answer, { limit: 1_000, remaining: 0, resetsAt: until });
    };
  };
}

type Rest = Pick<Variation, 'requirement'> & Partial<Pick<Variation, 'isOutcomeOpen' | 'control' | 'answer'>>;

function refusing(id: string, meaning: string, refusal: Refusal, rest: Rest): Variation {
  return { id, meaning, isSlow: true, wrap: (context) => meets(refusal, context), ...rest };
}

const plain = { requirement: 'client-goes-on' } as const;

const late = 11;
const operationNames = Object.keys(operations) as OperationName[];

/** A plain 429 to each operation: clients may repeat one and not another. */
export const plainLimits: readonly Variation[] = operationNames.map((operation) => {
  const at: Refusal['at'] = ({ usual }) => usual.find((request) => request.operation === operation);
  return refusing(`429 to ${operation}`, `The first ${operation} is refused with 429.`, { at }, plain);
});

function plainLimitOf(request: UsualRequest | undefined): Variation | undefined {
  return plainLimits.find(({ id }) => id === `429 to ${request?.operation}`);
}

/** The first request of an operation is refused by a plain limit already. */
function lateLimit(id: string, meaning: string, find: Refusal['at']): Variation {
  const at: Refusal['at'] = (habits) => {
    const request = find(habits);
    return request?.nth === 1 ? undefined : request;
  };
  return refusing(id, meaning, { at }, { ...plain, control: (habits) => plainLimitOf(at(habits)) });
}

/** A plain 429 later in the run: a client that repeats the same operation earlier must do so here, too. */
export const lateLimits: readonly Variation[] = [
  lateLimit('429 late', 'The eleventh request is refused with 429.', ({ usual }) => usual[late - 1]),
  lateLimit('429 last', 'The last usual request is refused with 429.', ({ usual }) => usual.at(-1)),
];

const repeated: Refusal['at'] = (habits) => habits.repeated;

/** A form is blamed only if the client goes on after a plain 429 to the same request. */
function formOf(
  requirement: Variation['requirement'],
  id: string,
  meaning: string,
  form: Omit<Refusal, 'at'>,
): Variation {
  return refusing(
    id,
    meaning,
    { at: repeated, ...form },
    { requirement, control: (habits) => plainLimitOf(repeated(habits)) },
  );
}

/** Forms of a 429, all to a request that the client is known to repeat after a plain one. */
export const limitForms: readonly Variation[] = [
  formOf('client-goes-on', '429 of a day', 'The limit that is exceeded is that of the day.', { isOfDay: true }),
  formOf('any-retry-after-form', 'retry-after-form: http-date', 'Retry-After is an HTTP date.', { isDate: true }),
  formOf('any-too-many-requests-body', 'too-many-requests-body: empty', 'A 429 has no body.', { body: 'empty' }),
  formOf('any-too-many-requests-body', 'too-many-requests-body: text', 'A 429 has plain text.', { body: 'text' }),
  formOf('any-too-many-requests-body', 'too-many-requests-body: html', 'A 429 has an HTML page.', { body: 'html' }),
  formOf('any-ban', 'ban: banned-429', 'A client that does not wait is refused for longer.', { isBanning: true }),
];

/** Longer than any pause that the client has made so far: a fixed pause is not a reaction to Retry-After. */
function longerThanPauses({ longestPauseMs }: ClientHabits): number {
  const longer = Math.ceil(longestPauseMs / secondMs + 2) * secondMs;
  return Math.min(longestVariantWaitMs, Math.max(shortestVariantWaitMs, longer));
}

/** Variations in which only the requests of a client are judged: it may give up. */
export const limitsOfPatience: readonly Variation[] = [
  refusing(
    '429 five times',
    'The limit is met five times in a row.',
    { at: repeated, times: 5 },
    { ...plain, isOutcomeOpen: true },
  ),
  refusing(
    '429 with a long Retry-After',
    'Retry-After asks for more than the client has waited so far.',
    { at: repeated, waitMs: longerThanPauses },
    { requirement: 'client-waits', isOutcomeOpen: true },
  ),
];

/** No 429 comes, but the headers of the first answer announce one. */
export const nothingRemains: Variation = refusing(
  'nothing remains',
  'After the first answer no request remains for a second.',
  { at: ({ usual }) => usual[0], isAnnounced: true },
  { requirement: 'client-remaining', isOutcomeOpen: true },
);

export const limitVariations: readonly Variation[] = [
  ...plainLimits,
  ...lateLimits,
  nothingRemains,
  ...limitForms,
  ...limitsOfPatience,
];
