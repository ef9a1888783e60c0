/** Writes the requests of the three operations. */

import type { SentCredential } from '../engine/credentials.ts';
import { type JsonObject, type JsonValue, writeJson } from '../engine/json.ts';
import type { PlannedRequest } from '../engine/session.ts';

function withCredential(request: PlannedRequest, credential: SentCredential | undefined): PlannedRequest {
  return credential === undefined ? request : { ...request, credential };
}

/** GET /pets with a query as it stands, for example `limit=1`. */
export function listPets(query = '', credential?: SentCredential): PlannedRequest {
  return withCredential({ operation: 'listPets', target: query === '' ? '/pets' : `/pets?${query}` }, credential);
}

/** POST /pets with a body as it stands. */
export function createPetFrom(
  body: string,
  credential?: SentCredential,
  contentType = 'application/json',
): PlannedRequest {
  return withCredential({ operation: 'createPet', method: 'POST', target: '/pets', body, contentType }, credential);
}

/** POST /pets with a value as its JSON body. */
export function createPet(pet: JsonObject | JsonValue, credential?: SentCredential): PlannedRequest {
  return createPetFrom(writeJson(pet), credential);
}

/** GET /pets/{petId} with a path segment as it stands. */
export function getPet(petId: bigint | string, credential?: SentCredential): PlannedRequest {
  return withCredential({ operation: 'getPet', target: `/pets/${petId}` }, credential);
}
