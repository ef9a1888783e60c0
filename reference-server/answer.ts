/** Answers: what a request has come to, as a status, headers and a body. */

import type { Behaviour } from './behaviour.ts';
import type { Verdict } from './rate-limit.ts';

/** An answer as it goes out. */
export interface StoreResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export type Headers = Readonly<Record<string, string>>;

/** What a request has come to: a body of JSON, or a refusal that becomes an Error. */
export type Outcome =
  | { readonly status: 200 | 201; readonly body: string; readonly headers?: Headers }
  | { readonly status: number; readonly message: string; readonly headers?: Headers };

const codes: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  410: 'gone',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  429: 'too_many_requests',
  431: 'headers_too_large',
};

export function refuse(status: number, message: string, headers?: Headers): Outcome {
  return { status, message, ...(headers === undefined ? {} : { headers }) };
}

/** An answer with the headers that every answer has (§8). */
export function writeAnswer(
  outcome: Outcome,
  { limit, remaining, reset }: Verdict,
  behaviour: Behaviour,
): StoreResponse {
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(reset),
  };
  Object.assign(headers, outcome.headers);
  const { status } = outcome;
  if ('body' in outcome) return { status, headers, body: outcome.body };
  const code = behaviour['error-codes'](codes[status] ?? 'invalid_request', status);
  const error = { code, message: outcome.message, status, ...behaviour['extra-response-fields'] };
  return { status, headers, body: JSON.stringify(error) };
}

/** A 429; `until` and `now` are Unix milliseconds. */
export function writeTooMany(until: number, now: number, verdict: Verdict, behaviour: Behaviour): StoreResponse {
  const headers = { 'Retry-After': behaviour['retry-after-form'](until, now) };
  const outcome = refuse(429, 'The rate limit is exceeded; wait as long as Retry-After says.', headers);
  const answer = writeAnswer(outcome, verdict, behaviour);
  const body = behaviour['too-many-requests-body'];
  if (body === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'Content-Type': 'text/plain' }, body };
}
