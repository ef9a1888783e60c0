/** Which answers the interface documents: only these are held to a media type and a shape. */

import { documentedStatuses } from '../../spec/operations.ts';
import type { Exchange } from './exchange.ts';
import { isInt64, isJsonObject } from './json.ts';
import { readPetId } from './read-request.ts';
import { bodyOf, statusOf } from './read-response.ts';
import { schemaProblems } from './schemas.ts';

/** Beyond this a body may be too large for a service, or for what stands before it: its limits are not shown (§8). */
const largestBody = 4_096;

/** Whether the body of a request is larger than any service has to take, bytes in UTF-8. */
export function hasLargeBody({ request: { body = '' } }: Pick<Exchange, 'request'>): boolean {
  return body.length > largestBody || Buffer.byteLength(body) > largestBody;
}

/** Whether §4 lists the status of an answer for its operation. */
export function isDocumented(exchange: Exchange): boolean {
  const status = statusOf(exchange);
  const statuses: readonly number[] = exchange.operation === 'other' ? [] : documentedStatuses[exchange.operation];
  if (status === undefined || !statuses.includes(status)) return false;
  if (status >= 400 && hasLargeBody(exchange)) return false;
  // Where the path holds no int64 the request may never have reached getPet, so its 404 may be anybody's.
  return !(exchange.operation === 'getPet' && status === 404 && !isInt64AskedFor(exchange));
}

function isInt64AskedFor(exchange: Exchange): boolean {
  const id = readPetId(exchange);
  return typeof id === 'bigint' && isInt64(id);
}

/** Whether an answer is an error of §7 with a body that the interface describes. */
export function isDocumentedError(exchange: Exchange): boolean {
  return isDocumented(exchange) && (statusOf(exchange) ?? 0) >= 400;
}

/** Whether the body of an answer is an Error that names its HTTP status, whatever the interface lists. */
export function isError(exchange: Exchange): boolean {
  const body = bodyOf(exchange);
  if (!isJsonObject(body) || schemaProblems('Error', body).length > 0) return false;
  return body['status'] === BigInt(statusOf(exchange) ?? 0);
}
