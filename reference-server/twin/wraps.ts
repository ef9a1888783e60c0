/** Wraps around a handle: faults, changed answers, pages of other origins (CORS), broken connections. */

import { type ApiKey, type Handle, readHeader, type StoreRequest, type StoreResponse } from '../index.ts';

/** The first two keys of a server; a key is empty where there is none. A run exhausts the second one. */
export interface ServerKeys {
  readonly api: string;
  readonly rateLimit: string;
}

/** The keys of a server as wraps take them. */
export function keysFor([api, rateLimit]: readonly ApiKey[]): ServerKeys {
  return { api: api?.key ?? '', rateLimit: rateLimit?.key ?? '' };
}

/** Changes the behaviour of a server with some keys. State lives in the closure: each wrapped server has its own. */
export type Wrap = (handle: Handle, keys: ServerKeys) => Handle;

/** One wrong behaviour, as a wrapper around a handle. The faults of the kit are in petstore-conformance/faults. */
export interface ServerFault {
  readonly id: string;
  /** The requirements that it breaks. */
  readonly breaks: readonly string[];
  readonly wrap: Wrap;
  /** The base path of a service with this fault; /v1 by default. */
  readonly basePath?: string;
}

/** Thrown by a handle instead of returning an answer: the server then resets the connection. */
export class BrokenConnection extends Error {}

/** Changes answers; `undefined` leaves one as it is. */
export function changing(change: (answer: StoreResponse, request: StoreRequest) => StoreResponse | undefined): Wrap {
  return (handle) => (request, now) => {
    const answer = handle(request, now);
    return change(answer, request) ?? answer;
  };
}

export function withHeaders(answer: StoreResponse, headers: Readonly<Record<string, string>>): StoreResponse {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

const answerPreflight = {
  'Access-Control-Allow-Methods': 'GET, POST',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, *',
  'Access-Control-Max-Age': '600',
};
const exposed = 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Link, Location';

/**
 * Lets pages of an origin, or of any (*), read the answers: a browser names the page's origin in each request that it sends for
 * one. A preflight carries no key, so that no limit refuses it.
 */
export function allowOrigin(origin: string): Wrap {
  const allowed = { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed, Vary: 'Origin' };
  return changing((answer, request) => {
    if (readHeader(request, 'origin') === '') return undefined;
    const isPreflight = request.method === 'OPTIONS' && readHeader(request, 'access-control-request-method') !== '';
    return isPreflight
      ? { ...withHeaders(answer, { ...allowed, ...answerPreflight }), status: 200, body: '' }
      : withHeaders(answer, allowed);
  });
}
