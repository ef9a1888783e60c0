/** The three operations of §4, for requests with a valid key and within their limit. */

import type { Catalogue } from './catalogue.ts';
import type { Behaviour } from './choices.ts';
import { isInt64 } from './json.ts';
import { isPetStatus, readNewPet } from './new-pet.ts';

/** What an operation answers: a body of JSON, or a refusal that becomes an Error. */
export type Outcome =
  | { readonly status: 200 | 201; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  | {
      readonly status: number;
      readonly code: string;
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>>;
    };

export interface Store {
  readonly catalogue: Catalogue;
  readonly behaviour: Behaviour;
  readonly random: () => number;
  readonly basePath: string;
}

/** getPet is to be removed on 5 December 2030 (§9). */
const removal = Date.UTC(2030, 11, 5);

function refusal(status: number, message: string): Outcome {
  const code = status === 404 ? 'not_found' : status === 410 ? 'gone' : 'invalid_request';
  return { status, code, message };
}

const known = new Set(['limit', 'status', 'after']);

function readLimit(text: string | null, behaviour: Behaviour): { use: number | undefined } | { refuse: number } {
  if (text === null) return { use: undefined };
  const limit = /^-?\d+$/.test(text) ? Number(text) : undefined;
  if (limit === undefined) return behaviour['limit-not-integer'](0) as { use: number | undefined } | { refuse: number };
  if (limit >= 1 && limit <= 100) return { use: limit };
  return behaviour['limit-out-of-range'](limit) as { use: number | undefined } | { refuse: number };
}

/** §4.1 */
export function listPets(query: string, { catalogue, behaviour, basePath }: Store): Outcome {
  const parameters = new URLSearchParams(query);
  if (behaviour['unknown-query-parameters'] && [...parameters.keys()].some((name) => !known.has(name))) {
    return refusal(400, 'The query has a parameter that listPets has not.');
  }
  const limit = readLimit(parameters.get('limit'), behaviour);
  if ('refuse' in limit) return refusal(limit.refuse, 'The limit must be an integer from 1 to 100.');
  const text = parameters.get('status');
  const filter = text === null || isPetStatus(text) ? { use: text ?? undefined } : behaviour['status-filter-unknown']();
  if ('refuse' in filter) return refusal(filter.refuse, 'The status must be available, pending or sold.');
  const size = limit.use ?? 20;
  const links = behaviour['later-pages'];
  const after = parameters.get('after') ?? '0';
  const from = links && /^\d{1,9}$/.test(after) ? Number(after) : 0;
  const { page, total } = catalogue.list(filter.use, size, from);
  const body = `[${page.map((pet) => pet.json).join(',')}]`;
  if (!links || from + page.length >= total) return { status: 200, body };
  parameters.set('after', String(from + page.length));
  return { status: 200, body, headers: { Link: `<${basePath}/pets?${parameters}>; rel="next"` } };
}

/** §4.2 */
export function createPet(body: Uint8Array, mediaType: string | undefined, store: Store): Outcome {
  const { catalogue, behaviour, random, basePath } = store;
  const refused = /^application\/json\s*(;|$)/i.test(mediaType ?? '') ? undefined : behaviour['other-media-type'];
  if (refused !== undefined) {
    return { status: refused, code: 'unsupported_media_type', message: 'The body must be application/json.' };
  }
  const reading = readNewPet(body, behaviour);
  if ('problem' in reading) return { status: 400, code: 'invalid_body', message: reading.problem };
  const { pet } = reading;
  if (behaviour['duplicate-names'] && catalogue.hasName(pet.name)) {
    return { status: 400, code: 'invalid_body', message: 'An animal has this name already.' };
  }
  const status = pet.status ?? behaviour['status-omitted'];
  let id = behaviour['id-form'](catalogue.size() + 1, random);
  while (catalogue.get(id) !== undefined) id = BigInt.asIntN(64, id + 1n);
  const stored = catalogue.add({ ...pet, ...(status === undefined ? {} : { status }) }, id);
  const headers = behaviour['location-header'] ? { Location: `${basePath}/pets/${id}` } : {};
  return { status: 201, body: stored.json, headers };
}

function readPetId(segment: string): bigint | undefined {
  const id = /^-?\d{1,19}$/.test(segment) ? BigInt(segment) : undefined;
  return isInt64(id) ? id : undefined;
}

/** §4.3, until its removal (§9) */
export function getPet(segment: string, now: number, { catalogue, behaviour, basePath }: Store): Outcome {
  const headers = behaviour['deprecation-headers']
    ? { Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT', Link: `<${basePath}/pets>; rel="successor-version"` }
    : {};
  const removed = now >= removal ? behaviour['after-removal'] : undefined;
  if (removed !== undefined) {
    return { ...refusal(removed, `This operation was removed; list animals by ${basePath}/pets.`), headers };
  }
  const id = readPetId(segment);
  if (id === undefined) {
    return { ...refusal(behaviour['pet-id-not-int64'], 'The petId is not an integer of 64 bits.'), headers };
  }
  const pet = catalogue.get(id);
  if (pet === undefined) return { ...refusal(404, 'No animal has this id.'), headers };
  return { status: 200, body: pet.json, headers };
}
