/** Builds the requests of the three operations, with values that the target has accepted or shown so far. */

import { type PetStatus, pageLimit } from '../../spec/operations.ts';
import type { Exchange } from '../http/exchange.ts';
import { isInt64, type JsonObject, type JsonValue, writeJson } from '../http/json.ts';
import { memoize } from '../http/memoize.ts';
import { animalsOf } from '../http/read-response.ts';
import type { PlannedRequest } from '../run/planned-request.ts';
import type { Session } from '../run/session.ts';
import { type CreatedPet, readWorld, type World } from '../world/world.ts';
import { attemptsIn, learnedIn } from './4.2-create-pet/attempts.ts';

/** GET /pets with a raw query, for example `limit=1`. */
export function listPets(query = ''): PlannedRequest {
  return { operation: 'listPets', target: query === '' ? '/pets' : `/pets?${query}` };
}

/** The query of the largest page. */
export const largestPage = `limit=${pageLimit.most}`;

/** A listing with one of the allowed limits, in turn: a cache may answer equal requests, and keep their headers. */
export function listPetsInTurn(count: number): PlannedRequest {
  return listPets(`limit=${pageLimit.least + (count % pageLimit.most)}`);
}

/** POST /pets with a raw body. */
export function createPetFrom(body: string, contentType = 'application/json'): PlannedRequest {
  return { operation: 'createPet', method: 'POST', target: '/pets', body, contentType };
}

/** POST /pets with a value as its JSON body. */
export function createPet(pet: JsonValue): PlannedRequest {
  return createPetFrom(writeJson(pet));
}

/** GET /pets/{petId} with a raw path segment. */
export function getPet(petId: bigint | string): PlannedRequest {
  return { operation: 'getPet', target: `/pets/${petId}` };
}

/** The categories of the animals in a page: those that every JSON parser reads exactly, then the others. */
const categoriesIn = memoize((page: Exchange): readonly bigint[] => {
  const known = animalsOf(page).flatMap(({ categoryId }) => (isInt64(categoryId) ? [categoryId] : []));
  const { safe = [], others = [] } = Object.groupBy(known, (id) =>
    Number.isSafeInteger(Number(id)) ? 'safe' : 'others',
  );
  return [...safe, ...others];
});

/** Categories that the target may know, the likeliest first: those the user names, those of listed animals, and 1. */
export function likelyCategories({ exchanges: [first], settings }: Session): readonly bigint[] {
  // The first exchange of a run lists the catalogue before the run adds to it.
  return [...new Set([...settings.categoryIds, ...(first === undefined ? [] : categoriesIn(first)), 1n])];
}

/** The likeliest category that the target has accepted so far, or else the likeliest that it has not refused. */
export function plainCategory(session: Session): bigint {
  const likely = likelyCategories(session);
  const { categories } = learnedIn(session);
  const refused = attemptsIn(session).map(({ categoryId }) => categoryId);
  return likely.find((id) => categories.has(id)) ?? likely.find((id) => !refused.includes(id)) ?? likely[0]!;
}

export function plainPet(session: Session, status?: PetStatus): JsonObject {
  const pet = { name: session.newName(), categoryId: plainCategory(session) };
  return status === undefined ? pet : { ...pet, status };
}

/** Drawn ids lie far from zero and from both ends of int64. */
const drawnFrom = 2n ** 61n;
const drawnRange = 2n ** 48n;
/** The distance between drawn ids, by which they are recognised. */
const drawnStep = 8_191n;

/** An int64 that almost certainly no animal has. */
export function drawUnknownId({ random }: Pick<Session, 'random'>): bigint {
  return drawnFrom + BigInt(Math.floor(random() * Number(drawnRange))) * drawnStep;
}

export function isDrawnId(id: bigint): boolean {
  return id >= drawnFrom && id < drawnFrom + drawnRange * drawnStep && (id - drawnFrom) % drawnStep === 0n;
}

/** Whether an id is the one that a client sent, also if it went through a double, which rounds it beyond 2^53. */
export function isTakenOver(sent: bigint, id: JsonValue | undefined): boolean {
  return isInt64(id) && Number(id) === Number(sent);
}

/** What the run knows so far. */
export const worldOf = ({ exchanges, settings }: Session): World => readWorld(exchanges, settings);

/** The ids of the animals that the run has created, in order. Requests that may change an animal ask for one of these. */
export function createdIds(session: Session): readonly bigint[] {
  return [...new Set(worldOf(session).created.map(({ id }) => id))];
}

/** The ids that the session knows: of the animals it created, then all other listed ones. */
export function knownIds(session: Session): readonly bigint[] {
  return [...new Set([...createdIds(session), ...worldOf(session).known.keys()])];
}

/** The animal of the run with the longest name, which holds the most characters that services change. */
export function hardestOf(session: Session): bigint | undefined {
  const lengthOf = ({ sent }: CreatedPet): number => sent?.name.length ?? 0;
  return worldOf(session).created.toSorted((one, other) => lengthOf(other) - lengthOf(one))[0]?.id;
}
