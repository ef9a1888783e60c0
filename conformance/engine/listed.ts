/** Which answers the interface lists, and so describes: only these are held to a media type and a shape. */

import type { Exchange } from './exchange.ts';
import { isInt64, isJsonObject } from './json.ts';
import { readPetId } from './read-request.ts';
import { bodyOf, plainBodyOf, statusOf } from './read-response.ts';
import { schemaProblems } from './schemas.ts';

const listed = {
  listPets: [200, 401],
  createPet: [201, 400, 401],
  getPet: [200, 401, 404],
  other: [],
} as const satisfies Record<Exchange['operation'], readonly number[]>;

/** Whether §4 lists the status of an answer for its operation. */
export function isListed(exchange: Exchange): boolean {
  const status = statusOf(exchange);
  const statuses: readonly number[] = listed[exchange.operation];
  if (status === undefined || !statuses.includes(status)) return false;
  // Where the path holds no int64 the request may never have reached getPet, so its 404 may be anybody's.
  return !(exchange.operation === 'getPet' && status === 404 && !isInt64AskedFor(exchange));
}

function isInt64AskedFor(exchange: Exchange): boolean {
  const id = readPetId(exchange);
  return typeof id === 'bigint' && isInt64(id);
}

/** Whether an answer is an error of §7 with a body that the interface describes. */
export function isListedError(exchange: Exchange): boolean {
  return isListed(exchange) && (statusOf(exchange) ?? 0) >= 400;
}

/** Whether the body of an answer is an Error that names its HTTP status, whatever the interface lists. */
export function isError(exchange: Exchange): boolean {
  const body = bodyOf(exchange);
  if (!isJsonObject(body) || schemaProblems('Error', plainBodyOf(exchange)).length > 0) return false;
  return body['status'] === BigInt(statusOf(exchange) ?? 0);
}
