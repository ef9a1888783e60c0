/** The three operations of §4, for requests with a valid key and within their limit. */

import { isUtf8 } from 'node:buffer';
import type { operations } from '../spec/operations.ts';
import { type Catalogue, isPetStatus, type NewPet, type Page, type PetStatus } from './catalogue.ts';
import type { Behaviour, Fallback } from './choices.ts';
import { isObject, parseJson, readDecimal, readDigits } from './json.ts';
import { type Outcome, readHeader, readTarget, refuse, refuseUnread, type StoreRequest } from './messages.ts';

export interface Store {
  readonly catalogue: Catalogue;
  /** The answers of listPets that may be sent again, by query. */
  readonly pages: Map<string, Listing>;
  /** The names in use; undefined where two animals may share one. */
  readonly names: Set<string> | undefined;
  readonly behaviour: Behaviour;
  readonly random: () => number;
  /** The path of the collection, such as /v1/pets. */
  readonly collection: string;
}

/** A request to an operation, with the segment of its path after the collection; `now` is Unix milliseconds. */
interface Call {
  readonly request: StoreRequest;
  readonly segment: string;
  readonly query: string;
  readonly now: number;
}

type Answer = (call: Call, store: Store) => Outcome;
type Described = (typeof operations)[keyof typeof operations];

/** An answer for each path and method that openapi.yaml describes: if one is missing, this does not compile. */
const answers: { [Path in Described['path']]: Record<Extract<Described, { path: Path }>['method'], Answer> } = {
  '/pets': { GET: listPets, POST: createPet },
  '/pets/{petId}': { GET: getPet },
};

/** The answers of a decoded path by method; none where the interface shows no such path. */
function findAnswers(path: string, { collection }: Store): Readonly<Record<string, Answer>> {
  if (path === collection) return answers['/pets'];
  const isInside = path.startsWith(`${collection}/`) && path.length > collection.length + 1;
  return isInside && !path.includes('/', collection.length + 1) ? answers['/pets/{petId}'] : {};
}

/** Answers a request that its key and its limit let through; `now` is Unix milliseconds. */
export function operate(request: StoreRequest, now: number, store: Store): Outcome {
  const refusal = refuseUnread(request);
  if (refusal !== undefined) return refusal;
  const [path, query] = readTarget(request.target);
  const byMethod = findAnswers(path, store);
  if (Object.hasOwn(byMethod, request.method)) {
    return byMethod[request.method]!({ request, segment: path.slice(store.collection.length + 1), query, now }, store);
  }
  const isShown = (method: string): boolean => byMethod[method] !== getPet || removalStatus(now, store) === undefined;
  const allowed = Object.keys(byMethod).filter(isShown).join(', ');
  if (allowed === '' || store.behaviour['other-operations'] === 404) {
    return refuse(404, 'There is nothing at this address.');
  }
  return refuse(405, `This address takes ${allowed}.`, { Allow: allowed });
}

function readLimit(text: string | null, behaviour: Behaviour): Fallback<number | undefined> {
  if (text === null) return { use: undefined };
  if (!/^-?\d+$/.test(text)) return behaviour['limit-not-integer']();
  const limit = Number(text);
  return limit >= 1 && limit <= 100 ? { use: limit } : behaviour['limit-out-of-range'](limit);
}

function readFilter(text: string | null, behaviour: Behaviour): Fallback<PetStatus | 'none' | undefined> {
  if (text === null) return { use: undefined };
  return isPetStatus(text) ? { use: text } : behaviour['status-filter-unknown']();
}

/** An answer of listPets, and its page where it has one. */
interface Listing {
  readonly outcome: Outcome;
  readonly page?: Page;
}

/** `after` counts the animals on earlier pages. Only a Link header names it (gap later-pages). */
function list(query: string, { catalogue, behaviour, collection }: Store): Listing {
  // The first question mark is gone already, and URLSearchParams would drop a second one.
  const parameters = new URLSearchParams(`&${query}`);
  const linkTo = behaviour['later-pages'];
  const known = linkTo === undefined ? ['limit', 'status'] : ['limit', 'status', 'after'];
  const isKnown = [...parameters.keys()].every((name) => known.includes(name));
  if (!isKnown && !behaviour['unknown-query-parameters']()) {
    return { outcome: refuse(400, 'The query has a parameter that listPets does not know.') };
  }
  const limit = readLimit(parameters.get('limit'), behaviour);
  if ('refuse' in limit) return { outcome: refuse(limit.refuse, 'The limit must be an integer from 1 to 100.') };
  const filter = readFilter(parameters.get('status'), behaviour);
  if ('refuse' in filter) return { outcome: refuse(filter.refuse, 'The status must be available, pending or sold.') };
  const after = parameters.get('after') ?? '';
  const from = linkTo !== undefined && /^\d{1,9}$/.test(after) ? Number(after) : 0;
  const page = catalogue.list(filter.use, Math.min(limit.use ?? 20, behaviour['page-cap']), from);
  const outcome = { status: 200, body: page.json } as const;
  if (linkTo === undefined || page.end >= page.total) return { outcome, page };
  parameters.set('after', String(page.end));
  return { outcome: { ...outcome, headers: linkTo(`${collection}?${parameters}`) }, page };
}

/** The most answers that are kept, and the most characters of each. */
const [mostPages, longestPage] = [256, 65_536];

/** §4.1. Writing a page of 100 takes as long as everything else in its answer, so a page is kept while it is current. */
function listPets({ query }: Call, store: Store): Outcome {
  const { pages } = store;
  const kept = pages.get(query);
  if (kept?.page?.isCurrent()) return kept.outcome;
  const listing = list(query, store);
  if (listing.page === undefined || listing.page.json.length + query.length > longestPage) return listing.outcome;
  if (pages.size >= mostPages) pages.clear();
  pages.set(query, listing);
  return listing.outcome;
}

/** Reads the body of createPet as a NewPet (§2), or says in one sentence what is wrong with it. */
function readNewPet(body: Uint8Array, behaviour: Behaviour): NewPet | string {
  if (!isUtf8(body)) return 'The body is not UTF-8.';
  const json = parseJson(new TextDecoder().decode(body));
  if (json === undefined) return 'The body is not JSON, is nested too deep, or has too many values.';
  if (!isObject(json)) return 'The body is not a JSON object.';
  const { name, categoryId: number, status, id, ...more } = json;
  if (typeof name !== 'string') return 'The field name must be a string.';
  if (!name.isWellFormed()) return 'The field name must be Unicode text.';
  const decimal = readDecimal(number);
  if (decimal !== undefined && !behaviour['integer-written-as-decimal'](decimal)) {
    return 'The field categoryId must be written without a fraction or exponent.';
  }
  const categoryId = typeof number === 'bigint' ? number : decimal;
  if (categoryId === undefined) return 'The field categoryId must be an integer of 64 bits.';
  if (status !== undefined && !isPetStatus(status)) return 'The field status must be available, pending or sold.';
  if (!behaviour['name-limits'](name)) return 'The field name is outside what this store accepts.';
  if (!behaviour['known-categories'](categoryId)) return 'The field categoryId names no category.';
  if (id !== undefined && !behaviour['client-sent-id'](id)) return 'The field id is assigned by the store.';
  const pet = status === undefined ? { name, categoryId } : { name, categoryId, status };
  const kept = Object.keys(more).length === 0 ? {} : behaviour['extra-body-fields'](more);
  return kept === undefined ? 'The body has fields that a NewPet does not have.' : { ...pet, ...kept };
}

/** Stores an animal under a new id; returns both its id and its JSON. */
export function storePet(pet: NewPet, { catalogue, names, behaviour, random }: Store): { id: bigint; json: string } {
  const status = pet.status ?? behaviour['status-omitted'];
  let id = behaviour['id-form'](catalogue.size() + 1, random);
  while (catalogue.get(id) !== undefined) id = BigInt.asIntN(64, id + 1n);
  names?.add(pet.name);
  const stored = status === pet.status || status === undefined ? pet : { ...pet, status };
  return { id, json: catalogue.add(stored, id) };
}

/** §4.2 */
function createPet({ request }: Call, store: Store): Outcome {
  const { names, behaviour, collection } = store;
  // An empty body lacks its required fields, whatever its media type.
  if (request.body.length === 0) return refuse(400, 'The body is missing.');
  const unsized = readHeader(request, 'transfer-encoding') === '' ? undefined : behaviour['chunked-bodies'];
  if (unsized !== undefined) return refuse(unsized, 'The body must be sent with its Content-Length.');
  const isJson = /^application\/json\s*(;|$)/i.test(readHeader(request, 'content-type').trim());
  const status = isJson ? undefined : behaviour['other-media-type'];
  if (status !== undefined) return refuse(status, 'The body must be sent as application/json.');
  const pet = readNewPet(request.body, behaviour);
  if (typeof pet === 'string') return refuse(400, pet);
  if (names?.has(pet.name)) return refuse(400, 'Another animal has this name.');
  const { id, json } = storePet(pet, store);
  return { status: 201, body: json, headers: behaviour['location-header'](`${collection}/${id}`) };
}

/** getPet is to be removed on 5 December 2030 (§9). */
const removal = Date.UTC(2030, 11, 5);

/** The status with which getPet answers after its removal (§9); undefined while it works. `now` is Unix milliseconds. */
function removalStatus(now: number, { behaviour }: Store): 404 | 410 | undefined {
  return now >= removal ? behaviour['after-removal'] : undefined;
}

/** §4.3 */
function getPet({ segment, now }: Call, store: Store): Outcome {
  const { catalogue, behaviour, collection } = store;
  const headers = behaviour['deprecation-headers'](collection);
  const removed = removalStatus(now, store);
  if (removed !== undefined)
    return refuse(removed, `This operation was removed; list animals at ${collection}.`, headers);
  const id = readDigits(segment);
  if (id === undefined)
    return refuse(behaviour['pet-id-not-int64'], 'The petId is not an integer of 64 bits.', headers);
  const body = catalogue.get(id);
  return body === undefined ? refuse(404, 'No animal has this id.', headers) : { status: 200, body, headers };
}
