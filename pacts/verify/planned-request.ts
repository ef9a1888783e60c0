/** Turns a consumer's request into the planned request that goes to the target. */

import type { IncomingHttpHeaders } from 'node:http';
import type { SentCredential } from '../../conformance/http/credentials.ts';
import { isSecretName } from '../../conformance/http/secret-names.ts';
import type { PlannedRequest } from '../../conformance/run/planned-request.ts';
import { defined } from '../../spec/defined.ts';
import { type Operation, operationOf } from '../../spec/operations.ts';
import { withoutBase } from '../pact.ts';
import { NotVerifiable } from './reached.ts';

/** A request as Pact's verifier replays it for a consumer. */
export interface ConsumerRequest {
  readonly method: string;
  /** Path and query, with or without the path of a base address. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The values of the run that replace the consumer's. */
export interface Provided {
  readonly baseUrl: string;
  readonly credential: SentCredential;
  /** The id that the provider state gave. */
  readonly id: string | number | undefined;
}

/** Headers about a connection, and headers that the session sets itself. */
const notForwarded =
  /^(host|connection|keep-alive|transfer-encoding|content-length|content-type|accept-encoding|te|upgrade|expect|proxy-.*|user-agent)$/;

/** Headers that may change the answer to one that the interface does not describe; the kit does not judge it. */
const altersAnswer = /^(if-.*|range|prefer|accept-charset|accept-language|x-http-method.*)$/;

/** The consumer's further headers, without secrets, which do not belong to this target. */
function forwardedHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const forwarded = Object.entries(headers).filter(([name]) => !notForwarded.test(name) && !isSecretName(name));
  return Object.fromEntries(forwarded.map(([name, value]) => [name, String(value)]));
}

/** The operation of a request. Of requests that the interface does not show, only reads are sent. */
function operationAskedFor(method: string, target: string, headers: IncomingHttpHeaders): Operation {
  const { accept = '*/*' } = headers;
  const path = target.split('?')[0] ?? '';
  const operation = operationOf(method, path);
  const isCreation = operation === 'createPet';
  if (!isCreation && method !== 'GET' && method !== 'HEAD') {
    throw new NotVerifiable(`the interface shows no ${method} ${path}, so it is not sent`);
  }
  // The interface does not say what answers another media type.
  if (!/\*\/\*|application\/(\*|json)/i.test(accept)) {
    if (isCreation)
      throw new NotVerifiable(`the interface does not say what answers a creation that accepts ${accept}`);
    return 'other';
  }
  const isAltered = !isCreation && Object.keys(headers).some((name) => altersAnswer.test(name));
  return isAltered ? 'other' : operation;
}

/** The path below the base address; consumers may have recorded a base address, which ends in v1 (§1). */
function belowBase(target: string, baseUrl: string): string {
  const base = new URL(baseUrl).pathname.replace(/\/$/, '');
  return base !== '' && target.startsWith(`${base}/`) ? target.slice(base.length) : withoutBase(target);
}

/** Plans a consumer's request; throws NotVerifiable for one that must not be sent. */
export function planRequest(consumer: ConsumerRequest, { baseUrl, credential, id }: Provided): PlannedRequest {
  const { method, headers, body } = consumer;
  const recorded = belowBase(consumer.target, baseUrl);
  // The id of the state, since version 2 has no injected values.
  const target = id === undefined ? recorded : recorded.replace(/^\/pets\/-?\d+(?=$|\?)/, `/pets/${id}`);
  // Every body of the interface is JSON, so a pact need not name the media type.
  const contentType = headers['content-type'] ?? (body === '' ? undefined : 'application/json');
  return defined({
    operation: operationAskedFor(method, target, headers),
    method,
    target,
    body: body === '' ? undefined : body,
    contentType,
    headers: forwardedHeaders(headers),
    credential,
  });
}
