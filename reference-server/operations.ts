/** The three operations of §4, for requests with a valid key and within its limit. */

import { isUtf8 } from 'node:buffer';
import { answer, isObject, parseJson, readInt64, refuse, type StoreRequest, type StoreResponse } from './answer.ts';

const petStatuses = ['available', 'pending', 'sold'] as const;
/** Whether an animal is available (§2, §3). */
export type PetStatus = (typeof petStatuses)[number];

export function isPetStatus(value: unknown): value is PetStatus {
  return petStatuses.includes(value as PetStatus);
}

/** An animal to be added (§2). */
export interface NewPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status?: PetStatus | undefined;
}

/** What §2, §4 and §9 leave open. */
export interface OperationBehaviour {
  /** Answers what is not shown (§4.4); `methods` are those of its path, if any. */
  readonly refuseOther: (methods: string) => StoreResponse;
  /** The limit for a text that is none from 1 to 100. */
  readonly readLimit: (text: string) => number | StoreResponse;
  /** The filter for a text that is no PetStatus; undefined lists all. */
  readonly readFilter: (text: string) => string | undefined | StoreResponse;
  /** Answers listPets with some of the animals that match, each of which is JSON; the oldest come first. */
  readonly answerPage: (matching: readonly string[], limit: number, query: URLSearchParams) => StoreResponse;
  /** Refuses a body of createPet before it is read. */
  readonly refuseBody: (request: StoreRequest) => StoreResponse | undefined;
  /** What is wrong with a valid NewPet; `body` is what was sent. */
  readonly complaintOf: (pet: NewPet, body: object) => string | undefined;
  /** The status of an animal that is created without one. */
  readonly omittedStatus: () => PetStatus | undefined;
  /** Members of an animal beyond those of §2, as JSON; `body` is what was sent. */
  readonly furtherMembers: (body: object) => string;
  /** The id of a new animal, the `count`-th. */
  readonly nextId: (count: number) => bigint;
  /** The status for a petId that is no int64. */
  readonly noInt64: () => number;
  /** The status of getPet after its removal (§9); undefined where it still works. */
  readonly removed: () => number | undefined;
}

/** A larger body gets 413. */
export const mostBytes = 65_536;
const collection = '/v1/pets';
/** getPet is to be removed on 5 December 2030 (§9). */
const removal = Date.UTC(2030, 11, 5);

/** The animals of a store, each as its JSON. None is ever changed or deleted. */
export function createCatalogue({ omittedStatus, nextId }: OperationBehaviour) {
  const byId = new Map<bigint, string>();
  const byStatus = new Map([undefined, ...petStatuses].map((status) => [status as string | undefined, [] as string[]]));
  return {
    find: (id: bigint): string | undefined => byId.get(id),
    /** The animals of a status, or all, the oldest first. */
    list: (status: string | undefined): readonly string[] => byStatus.get(status) ?? [],
    /** Adds an animal with further members of JSON; returns its JSON. */
    add({ name, categoryId, status = omittedStatus() }: NewPet, further: string): string {
      let id = nextId(byId.size + 1);
      while (byId.has(id)) id = BigInt.asIntN(64, id + 1n);
      const members = [`"id":${id}`, `"name":${JSON.stringify(name)}`, `"categoryId":${categoryId}`];
      if (status !== undefined) members.push(`"status":"${status}"`);
      if (further !== '') members.push(further);
      const json = `{${members.join()}}`;
      byId.set(id, json);
      byStatus.get(undefined)!.push(json);
      if (status !== undefined) byStatus.get(status)!.push(json);
      return json;
    },
  };
}

interface Store {
  readonly behaviour: OperationBehaviour;
  readonly catalogue: ReturnType<typeof createCatalogue>;
}

/** §4.1 */
function listPets(query: URLSearchParams, { behaviour, catalogue }: Store): StoreResponse {
  const [sent, filter] = [query.get('limit') ?? '20', query.get('status') ?? undefined];
  const limit = /^([1-9]\d?|100)$/.test(sent) ? Number(sent) : behaviour.readLimit(sent);
  if (typeof limit === 'object') return limit;
  const status = filter === undefined || isPetStatus(filter) ? filter : behaviour.readFilter(filter);
  if (typeof status === 'object') return status;
  return behaviour.answerPage(catalogue.list(status), limit, query);
}

/** §4.2 */
function createPet(request: StoreRequest, { behaviour, catalogue }: Store): StoreResponse {
  // An empty body lacks its required fields, whatever its media type.
  if (request.body.length === 0) return refuse(400, 'The body is missing.');
  const refusal = behaviour.refuseBody(request);
  if (refusal !== undefined) return refusal;
  const body = isUtf8(request.body) ? parseJson(new TextDecoder().decode(request.body)) : undefined;
  if (!isObject(body)) return refuse(400, 'The body is not a JSON object.');
  const { name, categoryId: number, status } = body;
  if (typeof name !== 'string' || !name.isWellFormed()) return refuse(400, 'The field name must be a string.');
  const categoryId = readInt64(number);
  if (categoryId === undefined) return refuse(400, 'The field categoryId must be an integer of 64 bits.');
  if (status !== undefined && !isPetStatus(status))
    return refuse(400, 'The field status must be available, pending or sold.');
  const pet = { name, categoryId, status };
  const complaint = behaviour.complaintOf(pet, body);
  if (complaint !== undefined) return refuse(400, complaint);
  return answer(201, catalogue.add(pet, behaviour.furtherMembers(body)));
}

/** The status of getPet after its removal (§9); undefined while it works. */
function removalStatus(now: number, behaviour: OperationBehaviour): number | undefined {
  return now < removal ? undefined : behaviour.removed();
}

/** §4.3 */
function getPet(petId: string, now: number, { behaviour, catalogue }: Store): StoreResponse {
  const headers = { Sunset: new Date(removal).toUTCString(), Link: `<${collection}>; rel="successor-version"` };
  const removed = removalStatus(now, behaviour);
  if (removed !== undefined)
    return refuse(removed, `This operation was removed; list animals at ${collection}.`, headers);
  const id = /^-?\d{1,19}$/.test(petId) ? BigInt(petId) : 2n ** 63n;
  if (BigInt.asIntN(64, id) !== id)
    return refuse(behaviour.noInt64(), 'The petId is not an integer of 64 bits.', headers);
  const body = catalogue.find(id);
  return body === undefined ? refuse(404, 'No animal has this id.', headers) : answer(200, body, headers);
}

/** The path and the query of a target, which may be a whole URL (RFC 9112); a malformed escape stays as it is. */
function readTarget(target: string): readonly [segments: readonly string[], query: string] {
  const [, path = '', query = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)(?:\?(.*))?$/is.exec(target) ?? [];
  try {
    return [path.split('/').map(decodeURIComponent), query];
  } catch {
    return [[], query];
  }
}

/** Answers a request; `now` is Unix milliseconds. */
export function operate(request: StoreRequest, now: number, store: Store): StoreResponse {
  if (request.body.length > mostBytes) return refuse(413, `The body is larger than ${mostBytes} bytes.`);
  const { method } = request;
  const [[root, version, pets, petId, ...more], query] = readTarget(request.target);
  const isShown = root === '' && version === 'v1' && pets === 'pets' && petId !== '' && more.length === 0;
  if (!isShown) return store.behaviour.refuseOther('');
  if (petId !== undefined && method === 'GET') return getPet(petId, now, store);
  if (petId !== undefined)
    return store.behaviour.refuseOther(removalStatus(now, store.behaviour) === undefined ? 'GET' : '');
  // URLSearchParams would drop a second question mark.
  if (method === 'GET') return listPets(new URLSearchParams(`&${query}`), store);
  return method === 'POST' ? createPet(request, store) : store.behaviour.refuseOther('GET, POST');
}
