/** Decides which responses the interface documents: only those have a prescribed media type and schema. */

import { operations } from '../../spec/operations.ts';
import type { Exchange } from './exchange.ts';
import { isJsonMediaType, isJsonObject } from './json.ts';
import { decodeEscapes, readPetId } from './read-request.ts';
import { bodyOf, statusOf } from './read-response.ts';
import { schemaProblems } from './schemas.ts';

/** Bytes. §8 shows no limit on bodies, so a service or its gateway may refuse a larger one with any 4xx, or break off. */
const largestBody = 512;

/** Whether the body of a request is larger than every service must accept. */
export function hasLargeBody({ request: { body = '' } }: Pick<Exchange, 'request'>): boolean {
  return Buffer.byteLength(body) > largestBody;
}

/** No firewall looks for an attack in these characters, and no proxy fails to decode them. */
const plainBody = /^[\w\s{}[\]":,.+-]*$/;
const plainTarget = /^[\w/?=&.,-]{0,120}$/;

/**
 * Whether a firewall or a proxy may refuse a request for its content alone, before the operation sees it: for its size, its
 * characters, its encodings or its headers, about which the interface says nothing.
 */
export function hasUnusualContent({ request, credential }: Pick<Exchange, 'request' | 'credential'>): boolean {
  const { target, headers, body = '' } = request;
  if (hasLargeBody({ request }) || !plainBody.test(body) || !plainTarget.test(target)) return true;
  if (headers['transfer-encoding'] !== undefined) return true;
  const isOtherType = body !== '' && !isJsonMediaType(headers['content-type']);
  return isOtherType || credential.isUnusual === true;
}

/** Whether the interface shows how a request is answered. It shows no other paths and methods, and no escapes in a petId. */
export function isShown(exchange: Pick<Exchange, 'operation' | 'request'>): boolean {
  const [path = '', query = ''] = exchange.request.target.split('?');
  const isEscaped = path.includes('%') || decodeEscapes(query) === undefined;
  return exchange.operation !== 'other' && !isEscaped;
}

/** Whether §4 lists the status of a response for its operation. */
export function isDocumented(exchange: Exchange): boolean {
  const status = statusOf(exchange);
  const statuses: readonly number[] = exchange.operation === 'other' ? [] : operations[exchange.operation].statuses;
  if (status === undefined || !statuses.includes(status)) return false;
  if (status >= 400 && hasLargeBody(exchange)) return false;
  // With a query, or with a petId that is no int64, a router may not have matched the request to getPet and answered 404
  // itself.
  const isPlain = typeof readPetId(exchange) === 'bigint' && !exchange.request.target.includes('?');
  return !(exchange.operation === 'getPet' && status === 404 && !isPlain);
}

/** Whether the body is an Error whose `status` is the HTTP status, for any status. */
export function isError(exchange: Exchange): boolean {
  const body = bodyOf(exchange);
  if (!isJsonObject(body) || schemaProblems('Error', body).length > 0) return false;
  return body['status'] === BigInt(statusOf(exchange) ?? 0);
}
