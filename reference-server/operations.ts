/** The three operations of §4, for requests with a valid key and within its limit. */

import type { StoreRequest, StoreResponse } from './answer.ts';
import { answer, isObject, parseJson, readHeader, readInt64, refuse } from './answer.ts';

const petStatuses = ['available', 'pending', 'sold'] as const;
/** Whether an animal is available (§2, §3). */
export type PetStatus = (typeof petStatuses)[number];

export const isPetStatus = (value: unknown): value is PetStatus => petStatuses.includes(value as PetStatus);
/** An animal to be added (§2). */
export type NewPet = { readonly name: string; readonly categoryId: bigint; readonly status?: PetStatus | undefined };

/** What §2, §4 and §9 leave open, and how this server decides it. `body` is that of createPet as it was sent. */
export const operationReference = {
  /** Answers what is not shown (§4.4); `methods` are those of its path, if any. */
  refuseOther(methods: string): StoreResponse {
    if (methods === '') return refuse(404, 'There is nothing at this address.');
    return refuse(405, `This address takes ${methods}.`, { Allow: methods });
  },
  /** The limit for a text that is none from 1 to 100. */
  readLimit: (_text: string): number | StoreResponse => refuse(400, 'The limit must be an integer from 1 to 100.'),
  /** The filter for a text that is no PetStatus; undefined lists all. */
  readFilter: (_text: string): string | undefined | StoreResponse =>
    refuse(400, 'The status must be available, pending or sold.'),
  /** Answers listPets with some of the animals that match, each of which is JSON; the oldest come first. */
  answerPage: (matching: readonly string[], limit: number, _query: URLSearchParams): StoreResponse =>
    answer(200, `[${matching.slice(0, limit).join()}]`),
  /** Refuses a body of createPet before it is read. */
  refuseBody(request: StoreRequest): StoreResponse | undefined {
    const isJson = /^application\/json\s*(;|$)/i.test(readHeader(request, 'content-type').trim());
    return isJson ? undefined : refuse(415, 'The body must be sent as application/json.');
  },
  /** What is wrong with a valid NewPet. */
  complaintOf: (_pet: NewPet, _body: object): string | undefined => undefined,
  /** The status of an animal that is created without one. */
  omittedStatus: (): PetStatus | undefined => 'available',
  /** Members of an animal beyond those of §2, as JSON. */
  furtherMembers: (_body: object): string => '',
  /** The id of a new animal, the `count`-th. */
  nextId: (count: number): bigint => BigInt(count),
  /** The status for a petId that is no int64. */
  noInt64: (): number => 404,
  /** The status of getPet after its removal; undefined where it still works. */
  removed: (): number | undefined => 410,
};
export type OperationBehaviour = Readonly<typeof operationReference>;

/** A larger body gets 413. */
export const mostBytes = 65_536;
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
      const shown = status === undefined ? '' : `,"status":"${status}"`;
      const more = further === '' ? '' : `,${further}`;
      const json = `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${shown}${more}}`;
      byId.set(id, json);
      byStatus.get(undefined)!.push(json);
      if (status !== undefined) byStatus.get(status)!.push(json);
      return json;
    },
  };
}

type Store = { readonly behaviour: OperationBehaviour; readonly catalogue: ReturnType<typeof createCatalogue> };

/** §4.1 */
function listPets(query: URLSearchParams, { behaviour, catalogue }: Store): StoreResponse {
  const [sent, filter] = [query.get('limit') ?? '20', query.get('status') ?? undefined];
  const limit = /^([1-9]\d?|100)$/.test(sent) ? Number(sent) : behaviour.readLimit(sent);
  if (typeof limit === 'object') return limit;
  const status = filter === undefined || isPetStatus(filter) ? filter : behaviour.readFilter(filter);
  return typeof status === 'object' ? status : behaviour.answerPage(catalogue.list(status), limit, query);
}

/** §4.2 */
function createPet(request: StoreRequest, { behaviour, catalogue }: Store): StoreResponse {
  // An empty body lacks its required fields, whatever its media type.
  if (request.body.length === 0) return refuse(400, 'The body is missing.');
  const refusal = behaviour.refuseBody(request);
  if (refusal !== undefined) return refusal;
  const body = parseJson(request.body);
  if (!isObject(body)) return refuse(400, 'The body is not a JSON object.');
  const { name, status } = body;
  if (typeof name !== 'string' || !name.isWellFormed()) return refuse(400, 'The field name must be a string.');
  const categoryId = readInt64(body['categoryId']);
  if (categoryId === undefined) return refuse(400, 'The field categoryId must be an integer of 64 bits.');
  if (status !== undefined && !isPetStatus(status))
    return refuse(400, 'The field status must be available, pending or sold.');
  const complaint = behaviour.complaintOf({ name, categoryId, status }, body);
  if (complaint !== undefined) return refuse(400, complaint);
  return answer(201, catalogue.add({ name, categoryId, status }, behaviour.furtherMembers(body)));
}

const headers = { Sunset: new Date(removal).toUTCString(), Link: '</v1/pets>; rel="successor-version"' };

/** §4.3; `removed` is the status after the removal. */
function getPet(petId: string, removed: number | undefined, { behaviour, catalogue }: Store): StoreResponse {
  if (removed !== undefined) return refuse(removed, 'This operation was removed; list animals at /v1/pets.', headers);
  const id = /^-?\d{1,19}$/.test(petId) ? BigInt(petId) : undefined;
  if (id === undefined || BigInt.asIntN(64, id) !== id)
    return refuse(behaviour.noInt64(), 'The petId is not an integer of 64 bits.', headers);
  const body = catalogue.find(id);
  return body === undefined ? refuse(404, 'No animal has this id.', headers) : answer(200, body, headers);
}

/** The decoded segments of a path; none where an escape is malformed. */
function segmentsOf(path: string): readonly string[] {
  const segments = path.split('/');
  try {
    return path.includes('%') ? segments.map(decodeURIComponent) : segments;
  } catch {
    return [];
  }
}

/** Answers a request; `now` is Unix milliseconds. */
export function operate(request: StoreRequest, now: number, store: Store): StoreResponse {
  const { method, target, body } = request;
  const { refuseOther, removed } = store.behaviour;
  if (body.length > mostBytes) return refuse(413, `The body is larger than ${mostBytes} bytes.`);
  // A target may be a whole URL (RFC 9112).
  const [, path = '', query = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)(?:\?(.*))?$/is.exec(target) ?? [];
  const [root, version, pets, petId, ...more] = segmentsOf(path);
  if (root !== '' || version !== 'v1' || pets !== 'pets' || petId === '' || more.length > 0) return refuseOther('');
  if (petId !== undefined) {
    const status = now < removal ? undefined : removed();
    if (method === 'GET') return getPet(petId, status, store);
    return refuseOther(status === undefined ? 'GET' : '');
  }
  // URLSearchParams would drop a second question mark.
  if (method === 'GET') return listPets(new URLSearchParams(`&${query}`), store);
  return method === 'POST' ? createPet(request, store) : refuseOther('GET, POST');
}
