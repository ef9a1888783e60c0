/** The three operations of §4, for requests with a valid key and within their limit. */

import { type Headers, type Outcome, refuse } from './answer.ts';
import type { Behaviour, Instead } from './behaviour.ts';
import type { Catalogue } from './catalogue.ts';
import { readDigits } from './json.ts';
import { readNewPet } from './new-pet.ts';
import { isPetStatus, type NewPet, type PetStatus } from './pet.ts';

export interface Store {
  readonly catalogue: Catalogue;
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

function readLimit(text: string | null, behaviour: Behaviour): Instead<number | undefined> {
  if (text === null) return { use: undefined };
  if (!/^-?\d+$/.test(text)) return behaviour['limit-not-integer']();
  const limit = Number(text);
  return limit >= 1 && limit <= 100 ? { use: limit } : behaviour['limit-out-of-range'](limit);
}

function readFilter(text: string | null, behaviour: Behaviour): Instead<PetStatus | 'none' | undefined> {
  if (text === null) return { use: undefined };
  return isPetStatus(text) ? { use: text } : behaviour['status-filter-unknown']();
}

/** §4.1. `after` counts the animals that earlier pages have shown; only a Link header names it (gap later-pages). */
export function listPets(query: string, { catalogue, behaviour, collection }: Store): Outcome {
  // A question mark in front would be taken for the one before the query, which is gone.
  const parameters = new URLSearchParams(`&${query}`);
  const linkTo = behaviour['later-pages'];
  const known = linkTo === undefined ? ['limit', 'status'] : ['limit', 'status', 'after'];
  if (!behaviour['unknown-query-parameters']() && ![...parameters.keys()].every((name) => known.includes(name))) {
    return refuse(400, 'The query has a parameter that listPets has not.');
  }
  const limit = readLimit(parameters.get('limit'), behaviour);
  if ('refuse' in limit) return refuse(limit.refuse, 'The limit must be an integer from 1 to 100.');
  const filter = readFilter(parameters.get('status'), behaviour);
  if ('refuse' in filter) return refuse(filter.refuse, 'The status must be available, pending or sold.');
  const after = parameters.get('after') ?? '';
  const from = linkTo !== undefined && /^\d{1,9}$/.test(after) ? Number(after) : 0;
  const { json: body, length, total } = catalogue.list(filter.use, limit.use ?? 20, from);
  const next = from + length;
  if (linkTo === undefined || next >= total) return { status: 200, body };
  parameters.set('after', String(next));
  return { status: 200, body, headers: linkTo(`${collection}?${parameters}`) };
}

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
