/** What of a consumer's request goes to the target, and how: all of it is in the planned request, which is recorded. */

import type { IncomingHttpHeaders } from 'node:http';
import { type Operation, operationOf } from '../../spec/operations.ts';
import { withoutBase } from '../pact.ts';
import { isSecretName, type PlannedRequest, type SentCredential } from './kit.ts';
import { NotReachable } from './reached.ts';

/** A request as the verifier sends it for a consumer. */
export interface ConsumerRequest {
  readonly method: string;
  /** Path and query, with the path of a base address or without. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What the target and its provider state put in place of what the consumer has. */
export interface Provided {
  readonly baseUrl: string;
  readonly credential: SentCredential;
  /** The id that the state gave. */
  readonly id: string | number | undefined;
}

/** Headers that are of one connection, or that the session sets itself. */
const notForwarded =
  /^(host|connection|keep-alive|transfer-encoding|content-length|content-type|accept-encoding|te|upgrade|expect|proxy-.*|user-agent)$/;

/** Headers that ask for another answer than the interface describes: what comes is the consumer's matter alone. */
const asksOtherwise = /^(if-.*|range|prefer|accept-charset|accept-language|x-http-method.*)$/;

/** What a consumer sends beside what the interface names, without its secrets: they are none of this target. */
function forwardedHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const forwarded = Object.entries(headers).filter(([name]) => !notForwarded.test(name) && !isSecretName(name));
  return Object.fromEntries(forwarded.map(([name, value]) => [name, String(value)]));
}

/** The operation that a request asks for. What the interface does not show is read at most. */
function operationAskedFor(method: string, target: string, headers: IncomingHttpHeaders): Operation {
  const { accept = '*/*' } = headers;
  const path = target.split('?')[0] ?? '';
  const operation = operationOf(method, path);
  const isCreation = operation === 'createPet';
  if (!isCreation && method !== 'GET' && method !== 'HEAD') {
    throw new NotReachable(`the interface shows no ${method} ${path}, so it is not sent`);
  }
  // What another media type is answered with is not said.
  if (!/\*\/\*|application\/(\*|json)/i.test(accept)) {
    if (isCreation) throw new NotReachable(`the interface does not say what answers a creation that accepts ${accept}`);
    return 'other';
  }
  const isAltered = !isCreation && Object.keys(headers).some((name) => asksOtherwise.test(name));
  return isAltered ? 'other' : operation;
}

/** The path below the base address; consumers may have recorded that of the base address, which ends in v1 (§1). */
function belowBase(target: string, baseUrl: string): string {
  const base = new URL(baseUrl).pathname.replace(/\/$/, '');
  return base !== '' && target.startsWith(`${base}/`) ? target.slice(base.length) : withoutBase(target);
}

/** Pacts of version 2 cannot have values injected: an id that stands in the path is that of the state. */
function withInjectedId(target: string, id: Provided['id']): string {
  return id === undefined ? target : target.replace(/^\/pets\/-?\d+(?=$|\?)/, `/pets/${id}`);
}

/** Plans a consumer's request; throws NotReachable for one that the interface does not show. */
export function planRequest(consumer: ConsumerRequest, { baseUrl, credential, id }: Provided): PlannedRequest {
  const { method, headers, body } = consumer;
  const target = withInjectedId(belowBase(consumer.target, baseUrl), id);
  // A pact with a JSON body need not say so: the interface has no other.
  const contentType = headers['content-type'] ?? (body === '' ? undefined : 'application/json');
  return {
    operation: operationAskedFor(method, target, headers),
    method,
    target,
    ...(body === '' ? {} : { body }),
    ...(contentType === undefined ? {} : { contentType }),
    headers: forwardedHeaders(headers),
    credential,
  };
}
