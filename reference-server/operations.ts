/** The three operations of §4, for requests with a valid key and within their limit. */

import type { operations } from '../spec/described-operations.ts';
import { type Catalogue, isPetStatus, type NewPet, type Page, type PetStatus } from './catalogue.ts';
import type { Behaviour, Fallback } from './choices.ts';
import { isObject, type JsonValue, parseJson, readDecimal, readDigits } from './json.ts';
import {
  type Headers,
  maxBodyBytes,
  type Outcome,
  readHeader,
  readTarget,
  refuse,
  type StoreRequest,
  type Unread,
} from './messages.ts';

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
  /** The headers with which every answer of getPet announces its removal. */
  readonly deprecation: Headers;
}

/** A request to an operation: the segment of its path after the collection, and its query. */
interface Call {
  readonly request: StoreRequest;
  readonly segment: string;
  readonly query: string;
  /** Unix milliseconds. */
  readonly now: number;
}

type Described = (typeof operations)[keyof typeof operations];
/** Method and path of every operation that openapi.yaml describes: the table below lacks none, or it does not compile. */
type Route = { [Each in Described as `${Each['method']} ${Each['path']}`]: unknown };

const answers: { readonly [Each in keyof Route]: (call: Call, store: Store) => Outcome } = {
  'GET /pets': listPets,
  'POST /pets': createPet,
  'GET /pets/{petId}': getPet,
};

const unreadable: Readonly<Record<Unread['status'], string>> = {
  400: 'The request cannot be read as HTTP.',
  408: 'The request did not come to its end in time.',
  413: `The body is larger than ${maxBodyBytes} bytes.`,
  431: 'The headers are too large.',
};

/** The path of the interface that a decoded path matches. */
function findTemplate(path: string, collection: string): '/pets' | '/pets/{petId}' | undefined {
  if (path === collection) return '/pets';
  const segment = path.startsWith(`${collection}/`) ? path.slice(collection.length + 1) : '';
  return segment === '' || segment.includes('/') ? undefined : '/pets/{petId}';
}

/** The methods of a path. After the removal of getPet (§9) an animal has none left, so that nothing stands there. */
function methodsOf(template: string, now: number, store: Store): readonly string[] {
  const routes = Object.keys(answers).map((route) => route.split(' ') as [string, string]);
  const methods = routes.filter(([, path]) => path === template).map(([method]) => method);
  return template === '/pets/{petId}' && removalStatus(now, store) !== undefined
    ? methods.filter((method) => method !== 'GET')
    : methods;
}

/** Answers a request that its key and its limit let through; `now` is Unix milliseconds. */
export function operate(request: StoreRequest, now: number, store: Store): Outcome {
  const unread = request.body.length > maxBodyBytes ? 413 : request.unread?.status;
  if (unread !== undefined) return refuse(unread, unreadable[unread]);
  const [path, query] = readTarget(request.target);
  const template = findTemplate(path, store.collection);
  const route = `${request.method} ${template}`;
  if (Object.hasOwn(answers, route)) {
    const call = { request, segment: path.slice(store.collection.length + 1), query, now };
    return answers[route as keyof Route](call, store);
  }
  const allowed = template === undefined ? [] : methodsOf(template, now, store);
  if (allowed.length === 0 || store.behaviour['other-operations'] === 404) {
    return refuse(404, 'There is nothing at this address.');
  }
  return refuse(405, `This address takes ${allowed.join(', ')}.`, { Allow: allowed.join(', ') });
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
  const page = catalogue.list(filter.use, limit.use ?? 20, from);
  const outcome = { status: 200, body: page.json } as const;
  if (linkTo === undefined || page.end >= page.total) return { outcome, page };
  parameters.set('after', String(page.end));
  return { outcome: { ...outcome, headers: linkTo(`${collection}?${parameters}`) }, page };
}

/** The cache of pages holds so many answers, each of so many characters at most. */
const [mostPages, longestPage] = [256, 65_536];

/** §4.1. Writing a page of 100 takes as long as everything else in its answer, so a page is kept while it is current. */
function listPets({ query }: Call, store: Store): Outcome {
  const { pages, catalogue } = store;
  const kept = pages.get(query);
  if (kept?.page !== undefined && catalogue.isCurrent(kept.page)) return kept.outcome;
  const listing = list(query, store);
  if (listing.page === undefined || listing.page.json.length + query.length > longestPage) return listing.outcome;
  if (pages.size >= mostPages) pages.clear();
  pages.set(query, listing);
  return listing.outcome;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function decode(body: Uint8Array): string | undefined {
  try {
    return decoder.decode(body);
  } catch {
    return undefined;
  }
}

/** Either the animal that a body describes, or one sentence on what is wrong with the body. */
type Reading = { readonly pet: NewPet } | { readonly problem: string };

/** Reads the fields that a NewPet (§2) does not have. */
function readMore(pet: NewPet, fields: Readonly<Record<string, JsonValue>>, behaviour: Behaviour): Reading {
  const { name: _name, categoryId: _categoryId, status: _status, id, ...more } = fields;
  if (id !== undefined && !behaviour['client-sent-id'](id)) {
    return { problem: 'The field id is assigned by the store.' };
  }
  const kept = Object.keys(more).length === 0 ? {} : behaviour['extra-body-fields'](more);
  if (kept === undefined) return { problem: 'The body has fields that a NewPet does not have.' };
  return { pet: { ...pet, ...kept } };
}

/** Reads the bytes of a body as a NewPet (§2). */
function readNewPet(body: Uint8Array, behaviour: Behaviour): Reading {
  const text = decode(body);
  if (text === undefined) return { problem: 'The body is not UTF-8.' };
  const json = parseJson(text);
  if (json === undefined) return { problem: 'The body is not JSON, is nested too deep, or has too many values.' };
  if (!isObject(json)) return { problem: 'The body is not a JSON object.' };
  const { name, categoryId: number, status, ...more } = json;
  if (typeof name !== 'string') return { problem: 'The field name must be a string.' };
  if (!name.isWellFormed()) return { problem: 'The field name must be Unicode text.' };
  const decimal = readDecimal(number);
  if (decimal !== undefined && !behaviour['integer-written-as-decimal'](decimal)) {
    return { problem: 'The field categoryId must be written without a fraction or exponent.' };
  }
  const categoryId = typeof number === 'bigint' ? number : decimal;
  if (categoryId === undefined) return { problem: 'The field categoryId must be an integer of 64 bits.' };
  if (status !== undefined && !isPetStatus(status)) {
    return { problem: 'The field status must be available, pending or sold.' };
  }
  if (!behaviour['name-limits'](name)) return { problem: 'The field name is outside what this store accepts.' };
  if (!behaviour['known-categories'](categoryId)) return { problem: 'The field categoryId names no category.' };
  const pet = status === undefined ? { name, categoryId } : { name, categoryId, status };
  return Object.keys(more).length === 0 ? { pet } : readMore(pet, json, behaviour);
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
  const isJson = /^application\/json\s*(;|$)/i.test(readHeader(request, 'content-type').trim());
  const status = isJson ? undefined : behaviour['other-media-type'];
  if (status !== undefined) return refuse(status, 'The body must be sent as application/json.');
  const reading = readNewPet(request.body, behaviour);
  if ('problem' in reading) return refuse(400, reading.problem);
  if (names?.has(reading.pet.name)) return refuse(400, 'Another animal has this name.');
  const { id, json } = storePet(reading.pet, store);
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
  const { catalogue, behaviour, collection, deprecation } = store;
  const removed = removalStatus(now, store);
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
