/** A request, its answer, and the function between them. A socket adapts itself to these; tests call the function. */

import { STATUS_CODES } from 'node:http';
import type { Behaviour } from './choices.ts';
import type { RateLimitReading } from './rate-limit.ts';

/** Why a request could not be read to its end: it is not HTTP (400), took too long (408), or is too large (413, 431). */
export type Unread = 400 | 408 | 413 | 431;

/** A request as it arrived. */
export interface StoreRequest {
  /** Empty where not even the head of the request could be read. */
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** The address of the client. Requests without a valid key are counted by it. */
  readonly address: string;
  /** Set where the request is refused, whatever it asks for. */
  readonly unread?: Unread;
}

/** An answer as it is sent. */
export interface StoreResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/**
 * Answers a request at a time, in Unix milliseconds. The handle of a store never throws and never answers 5xx; a handle
 * that wraps it may throw a BrokenConnection.
 */
export type Handle = (request: StoreRequest, now: number) => StoreResponse;

/** Thrown by a handle instead of returning an answer: the server then resets the connection. */
export class BrokenConnection extends Error {}

/** Returns the answer, or undefined where the handle breaks the connection. */
export function answerUnlessBroken(answer: () => StoreResponse): StoreResponse | undefined {
  try {
    return answer();
  } catch (error) {
    if (error instanceof BrokenConnection) return undefined;
    throw error;
  }
}

/** A larger body gets 413; the server stops reading it. */
export const maxBodyBytes = 1024 * 1024;

/** The value of a header; empty where it is missing, or sent twice: two servers may read two different ones. */
export function readHeader({ headers }: StoreRequest, name: string): string {
  let found: string | undefined;
  for (const [sent, value] of headers) {
    if (sent.length !== name.length || sent.toLowerCase() !== name) continue;
    if (found !== undefined) return '';
    found = value;
  }
  return found ?? '';
}

/** Decodes a path. A segment with a malformed escape or an escaped slash stays as it is, so that it names nothing. */
function decodePath(path: string): string {
  const decoded = path.split('/').map((segment) => {
    try {
      return decodeURIComponent(segment);
    } catch {
      return segment;
    }
  });
  return decoded.some((segment) => segment.includes('/')) ? path : decoded.join('/');
}

/** The decoded path and the raw query of a target, which may be a whole URL (RFC 9112, absolute-form). */
export function readTarget(target: string): readonly [path: string, query: string] {
  const [place = '', ...queries] = target.split('?');
  const path = place.startsWith('/') ? place : place.replace(/^https?:\/\/[^/]*/i, '');
  return [path.includes('%') ? decodePath(path) : path, queries.join('?')];
}

export type Headers = Readonly<Record<string, string>>;

/** The result of a request: a body of JSON, or a refusal that becomes an Error. */
export type Outcome =
  | { readonly status: 200 | 201; readonly body: string; readonly headers?: Headers }
  | { readonly status: number; readonly message: string; readonly headers?: Headers };

export function refuse(status: number, message: string, headers: Headers = {}): Outcome {
  return { status, message, headers };
}

const unreadable: Readonly<Record<Unread, string>> = {
  400: 'The request cannot be read as HTTP.',
  408: 'The request did not come to its end in time.',
  413: `The body is larger than ${maxBodyBytes} bytes.`,
  431: 'The headers are too large.',
};

/** The refusal of a request that was not read to its end; undefined for a whole request. */
export function refuseUnread({ body, unread }: StoreRequest): Outcome | undefined {
  const status = body.length > maxBodyBytes ? 413 : unread;
  return status && refuse(status, unreadable[status]);
}

/** The words of a status as a code, such as not_found. */
export function codeOf(status: number): string {
  if (status === 400 || status === 422) return 'invalid_request';
  return (STATUS_CODES[status] ?? 'refused').toLowerCase().replaceAll(/\W/g, '_');
}

/** Adds the rate-limit headers that every answer carries (§8), and writes a refusal as an Error (§7). */
export function writeAnswer(outcome: Outcome, reading: RateLimitReading, behaviour: Behaviour): StoreResponse {
  const { status } = outcome;
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'X-RateLimit-Limit': String(reading.limit),
    'X-RateLimit-Remaining': String(reading.remaining),
    'X-RateLimit-Reset': String(reading.reset),
  };
  Object.assign(headers, outcome.headers);
  if ('body' in outcome) return { status, headers, body: outcome.body };
  const plain = status === 429 ? behaviour['too-many-requests-body'] : undefined;
  if (plain !== undefined) return { status, headers: { ...headers, 'Content-Type': 'text/plain' }, body: plain };
  const code = behaviour['error-codes'](codeOf(status), status);
  const error = { code, message: outcome.message, status, ...behaviour['extra-response-fields'] };
  return { status, headers, body: JSON.stringify(error) };
}

const preflight = {
  'Access-Control-Allow-Methods': 'GET, POST',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, *',
  'Access-Control-Max-Age': '600',
};
const exposed = 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Link, Location';

/** Lets pages of any origin read the answers (gap cors). A preflight carries no key, so that no limit refuses it. */
export function allowAnyOrigin(handle: Handle): Handle {
  return (request, now) => {
    const answer = handle(request, now);
    const allowed = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': exposed };
    const isPreflight = request.method === 'OPTIONS' && readHeader(request, 'access-control-request-method') !== '';
    if (!isPreflight) return { ...answer, headers: { ...answer.headers, ...allowed } };
    const limits = Object.entries(answer.headers).filter(([name]) => name.startsWith('X-RateLimit-'));
    return { status: 204, headers: { ...Object.fromEntries(limits), ...allowed, ...preflight }, body: '' };
  };
}
