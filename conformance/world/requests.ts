/** Builds the requests of the three operations. */

import type { SentCredential } from '../http/credentials.ts';
import type { Operation } from '../http/exchange.ts';
import { type JsonValue, writeJson } from '../http/json.ts';

/** A request to send. Without `credential` it carries the API key. */
export interface PlannedRequest {
  readonly operation: Operation;
  readonly method?: string;
  readonly target: string;
  readonly body?: string;
  readonly contentType?: string;
  /** Further headers, about which the interface says nothing. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly credential?: SentCredential;
}

function withCredential(request: PlannedRequest, credential: SentCredential | undefined): PlannedRequest {
  return credential === undefined ? request : { ...request, credential };
}

/** GET /pets with a raw query, for example `limit=1`. */
export function listPets(query = '', credential?: SentCredential): PlannedRequest {
  return withCredential({ operation: 'listPets', target: query === '' ? '/pets' : `/pets?${query}` }, credential);
}

/** POST /pets with a raw body. */
export function createPetFrom(
  body: string,
  credential?: SentCredential,
  contentType = 'application/json',
): PlannedRequest {
  return withCredential({ operation: 'createPet', method: 'POST', target: '/pets', body, contentType }, credential);
}

/** POST /pets with a value as its JSON body. */
export function createPet(pet: JsonValue, credential?: SentCredential): PlannedRequest {
  return createPetFrom(writeJson(pet), credential);
}

/** GET /pets/{petId} with a raw path segment. */
export function getPet(petId: bigint | string, credential?: SentCredential): PlannedRequest {
  return withCredential({ operation: 'getPet', target: `/pets/${petId}` }, credential);
}

/** Drawn ids lie far from zero and from both ends of int64, and share one remainder, by which they are recognised. */
const [drawnFrom, drawnStep, drawnRange] = [2n ** 61n, 8_191n, 2n ** 48n];

/** An int64 that almost certainly no animal has. */
export function drawUnknownId(random: () => number): bigint {
  return drawnFrom + BigInt(Math.floor(random() * Number(drawnRange))) * drawnStep;
}

export function isDrawnId(id: bigint): boolean {
  return id >= drawnFrom && id < drawnFrom + drawnRange * drawnStep && (id - drawnFrom) % drawnStep === 0n;
}

export const listing: PlannedRequest = listPets();

/** §4.2 requires a refusal, so a service that has createPet answers without creating anything. */
export const emptyCreation: PlannedRequest = createPetFrom('{}');

/** Gets an id that hardly any animal has. */
export const unknownAnimal: PlannedRequest = getPet(2305843009213693951n);
