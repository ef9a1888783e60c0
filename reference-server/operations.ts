/** Two of the three operations of §4, for requests with a valid key and within their limit; the third is in list-pets.ts. */

import { type Headers, type Outcome, refuse } from './answer.ts';
import type { Behaviour } from './behaviour.ts';
import type { Catalogue } from './catalogue.ts';
import { readDigits } from './json.ts';
import type { ListPets } from './list-pets.ts';
import { readNewPet } from './new-pet.ts';
import type { NewPet } from './pet.ts';

export interface Store {
  readonly catalogue: Catalogue;
  readonly listPets: ListPets;
  /** The names in use, where another animal cannot have them. */
  readonly names: Set<string> | undefined;
  readonly behaviour: Behaviour;
  readonly random: () => number;
  /** The path of the collection, such as /v1/pets. */
  readonly collection: string;
  /** What every answer of getPet says of its removal. */
  readonly deprecation: Headers;
}

/** getPet is to be removed on 5 December 2030 (§9). */
const removal = Date.UTC(2030, 11, 5);

/** Stores an animal under a new id; gives both its id and its JSON. */
export function storePet(pet: NewPet, { catalogue, names, behaviour, random }: Store): { id: bigint; json: string } {
  const status = pet.status ?? behaviour['status-omitted'];
  let id = behaviour['id-form'](catalogue.size() + 1, random);
  while (catalogue.get(id) !== undefined) id = BigInt.asIntN(64, id + 1n);
  names?.add(pet.name);
  const stored = status === pet.status || status === undefined ? pet : { ...pet, status };
  return { id, json: catalogue.add(stored, id) };
}

/** §4.2 */
export function createPet(body: Uint8Array, mediaType: string, store: Store): Outcome {
  const { names, behaviour, collection } = store;
  // A body that is not there lacks its required fields, whatever it is said to be.
  if (body.length === 0) return refuse(400, 'The body is missing.');
  const status = /^application\/json\s*(;|$)/i.test(mediaType) ? undefined : behaviour['other-media-type'];
  if (status !== undefined) return refuse(status, 'The body must be sent as application/json.');
  const reading = readNewPet(body, behaviour);
  if ('problem' in reading) return refuse(400, reading.problem);
  if (names?.has(reading.pet.name)) return refuse(400, 'An animal has this name already.');
  const { id, json } = storePet(reading.pet, store);
  return { status: 201, body: json, headers: behaviour['location-header'](`${collection}/${id}`) };
}

/** What answers getPet since its removal (§9); undefined where it still works. `now` is Unix milliseconds. */
export function readRemoval(now: number, { behaviour }: Store): 404 | 410 | undefined {
  return now >= removal ? behaviour['after-removal'] : undefined;
}

/** §4.3, for the decoded segment of its path, until its removal */
export function getPet(segment: string, now: number, store: Store): Outcome {
  const { catalogue, behaviour, collection, deprecation } = store;
  const removed = readRemoval(now, store);
  if (removed !== undefined) {
    return refuse(removed, `This operation was removed; list animals at ${collection}.`, deprecation);
  }
  const id = readDigits(segment);
  if (id === undefined) {
    return refuse(behaviour['pet-id-not-int64'], 'The petId is not an integer of 64 bits.', deprecation);
  }
  const body = catalogue.get(id);
  if (body === undefined) return refuse(404, 'No animal has this id.', deprecation);
  return { status: 200, body, headers: deprecation };
}
