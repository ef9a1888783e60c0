/** The three operations of §4, for requests with a valid key and within its limit. */

import type { Handle, StoreRequest, StoreResponse } from './answer.ts';
import { answer, parseFields, readHeader, readInt64, refuse } from './answer.ts';

const petStatuses = ['available', 'pending', 'sold'] as const;
/** Whether an animal is available (§2, §3). */
export type PetStatus = (typeof petStatuses)[number];
const noStatus = 'The status must be available, pending or sold.';
export const listLimit = { least: 1, most: 100, usual: 20 };
const noLimit = `The limit must be an integer from ${listLimit.least} to ${listLimit.most}.`;
export const isPetStatus = (value: unknown): value is PetStatus => petStatuses.includes(value as PetStatus);

/** An animal to be added (§2). */
export type NewPet = { readonly name: string; readonly categoryId: bigint; readonly status?: PetStatus | undefined };

/** The NewPet with the fields of a body, or what is wrong with them. */
export function readNewPet(body: Readonly<Record<string, unknown>>): NewPet | string {
  const [name, categoryId, status] = [body['name'], readInt64(body['categoryId']), body['status']];
  if (typeof name !== 'string' || !name.isWellFormed()) return 'The field name must be a string.';
  if (categoryId === undefined) return 'The field categoryId must be an integer of 64 bits.';
  return status === undefined || isPetStatus(status) ? { name, categoryId, status } : noStatus;
}

/** What §2, §4 and §9 leave open, and how this server decides it. `body` is that of createPet as it was sent. */
export const operationReference = {
  /** Answers what is not shown (§4.4); `methods` are those of its path, if any. */
  refuseOther: (methods: string): StoreResponse =>
    methods === '' ? refuse(404, 'Nothing is here.') : refuse(405, `Methods: ${methods}.`, { Allow: methods }),
  limitOutOfRange: (_text: string): number | StoreResponse => refuse(400, noLimit),
  limitNotInteger: (_text: string): number | StoreResponse => refuse(400, noLimit),
  /** The filter for a text that is no PetStatus; undefined lists all. */
  readFilter: (_text: string): string | undefined | StoreResponse => refuse(400, noStatus),
  /** Answers listPets with some of the animals that match, each of which is JSON; the oldest come first. */
  answerPage: (matching: readonly string[], limit: number, _query: URLSearchParams): StoreResponse =>
    answer(200, `[${matching.slice(0, limit).join()}]`),
  /** Refuses a body of createPet before it is read. */
  refuseBody: (_request: StoreRequest): StoreResponse | undefined => undefined,
  /** Refuses a body that is not sent as application/json. */
  refuseMediaType: (): StoreResponse | undefined => refuse(415, 'The body must be sent as application/json.'),
  /** Refuses a valid NewPet. */
  refusePet: (_pet: NewPet, _body: object): StoreResponse | undefined => undefined,
  /** The status of an animal that is created without one. */
  omittedStatus: (): PetStatus | undefined => 'available',
  /** Fields of an animal beyond those of §2. */
  furtherFields: (_body: object): object | undefined => undefined,
  /** The id of a new animal, the `count`-th. */
  nextId: (count: number): bigint => BigInt(count),
  /** The status for a petId that is no int64. */
  noInt64: (): number => 404,
  /** The status of getPet after its removal; undefined where it still works. */
  removed: (): number | undefined => 410,
};

/** A larger body gets 413. */
export const mostBytes = 65_536;
/** getPet is to be removed on 5 December 2030 (§9). */
export const removal = Date.UTC(2030, 11, 5);
const sunset = { Sunset: new Date(removal).toUTCString(), Link: '</v1/pets>; rel="successor-version"' };

/** The operations on a catalogue. No animal is changed or deleted. Each is one flat JSON text: pages are faster so. */
export function createOperations(behaviour: typeof operationReference, animals: Iterable<NewPet>): Handle {
  const byId = new Map<bigint, string>();
  const byStatus = new Map([undefined, ...petStatuses].map((status) => [status as string | undefined, [] as string[]]));

  function add({ name, categoryId, status = behaviour.omittedStatus() }: NewPet, body: object): string {
    let id = behaviour.nextId(byId.size + 1);
    while (byId.has(id)) id = BigInt.asIntN(64, id + 1n);
    const own = `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}`;
    const more = JSON.stringify({ status, ...behaviour.furtherFields(body) }).slice(1);
    const json = [own, more].join(more === '}' ? '' : ',');
    byId.set(id, json);
    for (const list of new Set([undefined, status])) byStatus.get(list)!.push(json);
    return json;
  }
  for (const animal of animals) add(animal, animal);

  /** §4.1 */
  function listPets(query: URLSearchParams): StoreResponse {
    const [sent, filter] = [query.get('limit') ?? String(listLimit.usual), query.get('status') ?? undefined];
    const readOther = /^-?\d+$/.test(sent) ? behaviour.limitOutOfRange : behaviour.limitNotInteger;
    const limit = /^[1-9]\d*$/.test(sent) && Number(sent) <= listLimit.most ? Number(sent) : readOther(sent);
    if (typeof limit === 'object') return limit;
    const status = filter === undefined || isPetStatus(filter) ? filter : behaviour.readFilter(filter);
    return typeof status === 'object' ? status : behaviour.answerPage(byStatus.get(status) ?? [], limit, query);
  }

  /** §4.2 */
  function createPet(request: StoreRequest): StoreResponse {
    const isJson = /^application\/json\s*(;|$)/i.test(readHeader(request, 'content-type').trim());
    const refusal = behaviour.refuseBody(request) ?? (isJson ? undefined : behaviour.refuseMediaType());
    // An empty body lacks its required fields, whatever its media type.
    if (refusal !== undefined && request.body.length > 0) return refusal;
    const body = parseFields(request.body);
    const pet = readNewPet(body);
    if (typeof pet === 'string') return refuse(400, pet);
    return behaviour.refusePet(pet, body) ?? answer(201, add(pet, body));
  }

  /** §4.3; `removed` is the status after the removal. */
  function getPet(petId: string, removed: number | undefined): StoreResponse {
    if (removed !== undefined) return refuse(removed, 'This operation was removed; list animals at /v1/pets.', sunset);
    const id = /^-?\d{1,19}$/.test(petId) ? BigInt(petId) : undefined;
    if (id === undefined || BigInt.asIntN(64, id) !== id)
      return refuse(behaviour.noInt64(), 'The petId is not an integer of 64 bits.', sunset);
    const body = byId.get(id);
    return body === undefined ? refuse(404, 'No animal has this id.', sunset) : answer(200, body, sunset);
  }

  return (request, now) => {
    const { method, target, body } = request;
    if (body.length > mostBytes) return refuse(413, `The body is larger than ${mostBytes} bytes.`);
    // A target may be a whole URL (RFC 9112).
    const [, path = '', query = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)(?:\?(.*))?$/is.exec(target) ?? [];
    // An escaped letter, digit or hyphen is the character itself (RFC 3986).
    const plain = path.replace(/%(2d|3\d|[46][1-9a-f]|[57][\da])/gi, decodeURIComponent);
    const [, pets, petId] = /^\/v1\/(pets)(?:\/([^/]+))?$/.exec(plain) ?? [];
    if (pets === undefined) return behaviour.refuseOther('');
    const gone = now < removal ? undefined : behaviour.removed();
    if (petId !== undefined) return method === 'GET' ? getPet(petId, gone) : behaviour.refuseOther(gone ? '' : 'GET');
    // URLSearchParams would drop a second question mark.
    if (method === 'GET') return listPets(new URLSearchParams(`&${query}`));
    return method === 'POST' ? createPet(request) : behaviour.refuseOther('GET, POST');
  };
}
