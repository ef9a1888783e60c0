/** Builds the requests of the three operations, and what goes into them, from the answers so far. */

import type { PetStatus } from '../../spec/facts.ts';
import type { SentCredential } from '../engine/credentials.ts';
import type { Exchange } from '../engine/exchange.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue, writeJson } from '../engine/json.ts';
import { animalsOf, pageOf, statusOf } from '../engine/read-response.ts';
import type { PlannedRequest, Session } from '../engine/session.ts';

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

/** Whether a number of JavaScript holds an integer, as consumers of a pact need it. */
function isPlainNumber(value: bigint): boolean {
  return Number.isSafeInteger(Number(value));
}

/** A category that the target knows, as far as can be told: one named by the user, one of a listed animal, else 1. */
export function plainCategory(session: Session): bigint {
  // The first page was there before the run added anything.
  const [first] = session.exchanges;
  const listed = first === undefined ? [] : (pageOf(first) ?? []);
  const categories = listed.flatMap((animal) => (isJsonObject(animal) ? [animal['categoryId']] : []));
  const known = categories.filter(isInt64);
  return session.settings.categoryIds[0] ?? known.find(isPlainNumber) ?? known[0] ?? 1n;
}

/** A plain valid body with a name of its own. */
export function plainPet(session: Session, status?: PetStatus): JsonObject {
  const pet = { name: session.newName(), categoryId: plainCategory(session) };
  return status === undefined ? pet : { ...pet, status };
}

/** An int64 that no animal has but by an odd chance: far from zero and from both ends. */
export function drawUnknownId(session: Session): bigint {
  return 2n ** 61n + BigInt(Math.floor(session.random() * 2 ** 48)) * 8_191n;
}

/** The ids of the animals that an answer to listPets or createPet shows. */
export function idsIn(exchange: Exchange): readonly bigint[] {
  if (exchange.operation === 'getPet') return [];
  return animalsOf(exchange).flatMap(({ id }) => (isInt64(id) ? [id] : []));
}

/** The ids of animals that the session knows so far, or that the user names: those it created first. */
export function knownIds(session: Session): readonly bigint[] {
  const [created, others] = [true, false].map((isOurs) =>
    session.exchanges.filter((exchange) => (statusOf(exchange) === 201) === isOurs).flatMap(idsIn),
  );
  return [...new Set([...(created ?? []), ...session.settings.petIds, ...(others ?? [])])];
}
