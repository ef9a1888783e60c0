/** Worlds in which a client meets the rate limit (§8), in every form that is legal; all of them let it go on soon. */

import type { Handle, StoreRequest, StoreResponse } from '../../../reference-server/index.ts';
import { earlyTimerMs, underWayAtServiceMs, variantBanMs, variantRetryAfterMs } from '../../http/tolerances.ts';
import { readCall, withHeader } from '../../sections/fault.ts';
import type { Variation, VariationContext } from '../service-variant.ts';

interface Refusal {
  /** Which request is the first to be refused, from 1; the last where a client sends fewer. */
  readonly at: number;
  readonly isDate?: true;
  /** An Error where nothing is said. */
  readonly body?: keyof typeof bodies;
  /** Requests a minute or a day that the headers speak of; those of the minute where nothing is said. */
  readonly isOfDay?: true;
  /** How many times in a row; once where nothing is said. */
  readonly times?: number;
  /** Set where a client that does not wait is banned. */
  readonly isBanning?: true;
  /** Set where the headers of the answer before say that nothing is left. */
  readonly isAnnounced?: true;
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

function limited(answer: StoreResponse, limit: number, remaining: number, until: number): StoreResponse {
  const told = { Limit: limit, Remaining: remaining, Reset: Math.ceil(until / 1000) };
  return Object.entries(told).reduce(
    (changed, [name, value]) => withHeader(changed, `X-RateLimit-${name}`, String(value)),
    answer,
  );
}

function refuse({ isDate, body = 'error', isOfDay }: Refusal, until: number, now: number): StoreResponse {
  const [type, text] = bodies[body];
  const retryAfter = isDate ? new Date(until).toUTCString() : String(Math.ceil((until - now) / 1000));
  const answer = { status: 429, headers: { 'Content-Type': type, 'Retry-After': retryAfter }, body: text };
  return limited(answer, isOfDay ? 100_000 : 1_000, 0, until);
}

/** A date and a reset have no fractions of a second: the wait ends with one that is whole. */
function endOfWait({ isDate, isAnnounced }: Refusal, now: number): number {
  return isDate || isAnnounced ? Math.ceil((now + variantRetryAfterMs) / 1000) * 1000 : now + variantRetryAfterMs;
}

/** A limit that others use up as well: it is met whatever the client has sent. */
function meets(refusal: Refusal, { usualRequests }: VariationContext): (handle: Handle) => Handle {
  const at = Math.min(refusal.at, Math.max(1, usualRequests));
  return (handle) => {
    let [seen, refusals, refusedAt, until] = [0, 0, 0, 0];
    const isWaiting = (now: number): boolean => now < until - earlyTimerMs;

    /** Until when a request is refused that comes now; undefined where it is served. */
    function refusedUntil(now: number): number | undefined {
      if (isWaiting(now)) {
        if (refusal.isBanning && now > refusedAt + underWayAtServiceMs) until = now + variantBanMs;
        return until;
      }
      if (refusal.isAnnounced || seen < at || refusals === (refusal.times ?? 1)) return undefined;
      refusals += 1;
      refusedAt = now;
      until = endOfWait(refusal, now);
      return until;
    }

    return (request: StoreRequest, now) => {
      if (!readCall(request, now).isAuthorized) return handle(request, now);
      seen += 1;
      const end = refusedUntil(now);
      if (end !== undefined) return refuse(refusal, end, now);
      const answer = handle(request, now);
      if (!refusal.isAnnounced || seen !== at) return answer;
      until = endOfWait(refusal, now);
      return limited(answer, 1_000, 0, until);
    };
  };
}

function turnOf(
  id: string,
  meaning: string,
  refusal: Refusal,
  rest: Pick<Variation, 'requirement' | 'isOutcomeOpen'>,
): Variation {
  return { id, meaning, isSlow: true, wrap: (surroundings) => meets(refusal, surroundings), ...rest };
}

const goesOn = { requirement: 'client-goes-on' } as const;

/** The limit met in the plainest way: whoever does not go on after it cannot be asked about its forms. */
export const plainLimit: Variation = turnOf(
  '429 with Retry-After in seconds',
  'The second request is refused for its number, and served a second later.',
  { at: 2 },
  goesOn,
);

const body = { requirement: 'any-too-many-requests-body' } as const;

/** Each of its forms. */
export const limitVariations: readonly Variation[] = [
  turnOf('429 to the first request', 'Others have used up the limit before.', { at: 1 }, goesOn),
  turnOf('429 of a day', 'The limit that is exceeded is that of the day.', { at: 3, isOfDay: true }, goesOn),
  turnOf(
    'retry-after-form: http-date',
    'Retry-After is an HTTP date.',
    { at: 2, isDate: true },
    {
      requirement: 'any-retry-after-form',
    },
  ),
  turnOf('too-many-requests-body: empty', 'A 429 has no body.', { at: 2, body: 'empty' }, body),
  turnOf('too-many-requests-body: text', 'A 429 has a body of plain text.', { at: 3, body: 'text' }, body),
  turnOf('too-many-requests-body: html', 'A 429 has a page of HTML.', { at: 1, body: 'html' }, body),
  turnOf(
    'ban: banned-429',
    'Who does not wait is refused for longer.',
    { at: 2, isBanning: true },
    {
      requirement: 'any-ban',
    },
  ),
  turnOf(
    '429 three times',
    'The limit is met three times in a row.',
    { at: 1, times: 3 },
    {
      ...goesOn,
      isOutcomeOpen: true,
    },
  ),
  turnOf(
    'nothing remains',
    'After the first answer nothing remains for a second.',
    { at: 1, isAnnounced: true },
    {
      requirement: 'client-remaining',
      isOutcomeOpen: true,
    },
  ),
];
