/** Faults of the store itself: animals that are not stored, ids that are not unique, reads of another animal, other addresses. */

import { isPetStatus } from '../../reference-server/index.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue, writeJson } from '../http/json.ts';
import { isRead, lagging, namesakesReplace } from '../services/visibility.ts';
import {
  type Call,
  changeAnimals,
  changeCreated,
  changeCreation,
  changeRequest,
  dropField,
  mapField,
  nameOf,
  sentJson,
  sentPet,
  type Wrap,
  withBody,
  withTarget,
} from '../services/wraps.ts';
import { each, type Fault, ordinary, rare } from './fault.ts';

/** Takes the id that a client sends as the id of the animal, in every answer. */
function clientIds(isTaken: (id: bigint) => boolean, pattern = /"id":\s*(\d+)/): Wrap {
  return (handle, keys) => {
    const taken = new Map<JsonValue, bigint>();
    const given = changeAnimals((animal) => ({
      ...animal,
      id: taken.get(animal['id'] ?? null) ?? animal['id'] ?? null,
    }));
    return (request, now) => {
      const headers = request.headers.map(([name, value]) => `${name.toLowerCase()}: ${value}\n`).join('');
      const sent = pattern.exec(headers + new TextDecoder().decode(request.body))?.[1];
      const asked = [...taken].find(([, id]) => request.target.endsWith(`/pets/${id}`));
      const own = asked === undefined ? request : withTarget(request, `/v1/pets/${asked[0]}`);
      return given((inner, at) => {
        const answer = handle(inner, at);
        const id = answer.status === 201 ? /"id":\s*(-?\d+)/.exec(answer.body)?.[1] : undefined;
        if (id !== undefined && sent !== undefined && isTaken(BigInt(sent))) taken.set(BigInt(id), BigInt(sent));
        return answer;
      }, keys)(own, now);
    };
  };
}

/** Answers a creation with the animal, or its id, of the first that is alike. */
function sharing(
  likenessOf: (pet: JsonObject, call: Call, count: number) => string | number,
  shared: 'animal' | 'id',
): Wrap {
  return (handle, keys) => {
    const firsts = new Map<string | number, JsonObject>();
    return changeCreated((pet, call, count) => {
      const likeness = likenessOf(pet, call, count);
      const first = firsts.get(likeness) ?? pet;
      firsts.set(likeness, first);
      return shared === 'animal' ? first : { ...pet, id: first['id'] ?? null };
    })(handle, keys);
  };
}

const storesTwice: Wrap = (handle) => (request, now) => {
  const first = handle(request, now);
  if (request.method !== 'POST' || first.status !== 201) return first;
  return { ...handle(request, now), body: first.body, headers: first.headers };
};

const storesNothing: Wrap = (handle) => {
  let created = 0n;
  return (request, now) => {
    const isCreation = request.method === 'POST' && request.target === '/v1/pets';
    // An empty body has the server check everything but the animal, so that it stores none.
    const answer = isCreation ? handle(withBody(request, ''), now) : handle(request, now);
    const pet = isCreation && answer.status === 400 ? sentJson({ request }) : undefined;
    if (!isJsonObject(pet) || typeof pet['name'] !== 'string' || !isInt64(pet['categoryId'])) return answer;
    if (pet['status'] !== undefined && !isPetStatus(pet['status'])) return answer;
    created += 1n;
    return { ...answer, status: 201, body: writeJson({ ...pet, id: created }) };
  };
};

const isId = (segment: string): boolean => /^-?\d+$/.test(segment);
/** Reads another path segment than the requested one; with a valid key only. */
const readSegmentAs = (change: (segment: string) => string): Wrap =>
  changeRequest((request, { operation, isAuthorized }) => {
    const segment = request.target.slice('/v1/pets/'.length);
    return operation === 'getPet' && isAuthorized ? withTarget(request, `/v1/pets/${change(segment)}`) : request;
  });
/** Reads another id. */
const readAs = (change: (id: bigint) => bigint): Wrap =>
  readSegmentAs((segment) => (isId(segment) ? String(change(BigInt(segment))) : segment));

/** How a careless reader of a petId finds an int64 in another text. */
const carelessIds: Readonly<Record<string, (segment: string) => string>> = {
  'of-other-characters-as-1': (segment) => (isId(segment) ? segment : '1'),
  'beyond-int64-as-1': (segment) => (isId(segment) && !isInt64(BigInt(segment)) ? '1' : segment),
  'without-what-follows-the-digits': (segment) => /^-?\d+/.exec(segment)?.[0] ?? segment,
  'without-what-is-no-digit': (segment) => segment.replace(/[^\d-]/g, '') || segment,
  'without-a-fraction': (segment) => segment.replace(/\..*$/, ''),
  'wrapped-at-64-bits': (segment) => (/^\d+$/.test(segment) ? String(BigInt.asIntN(64, BigInt(segment))) : segment),
};
const rarelyCarelessIds: typeof carelessIds = {
  'without-stars-behind': (segment) => segment.replace(/\*+$/, ''),
  'without-what-follows-an-ampersand': (segment) => segment.split('&')[0]!,
  'without-an-escaped-fragment': (segment) => segment.split('%23')[0]!,
};

/** Puts the service at another base path. */
const movedTo = (basePath: string): Wrap =>
  changeRequest((request) => {
    const isInside = request.target.startsWith(`${basePath}/`);
    return withTarget(request, isInside ? `/v1${request.target.slice(basePath.length)}` : '/nowhere');
  });
const basePaths = { 'without-a-version': '', 'of-another-version': '/v2', 'with-more-behind-its-version': '/v1/store' };

const replacesClientId = changeCreation((answer, call) => {
  const { id } = sentPet(call);
  const isTaken = isInt64(id) && id < 2n ** 32n;
  return isTaken ? { ...answer, body: answer.body.replace(/"id":\s*-?\d+/, `"id":${id}`) } : undefined;
});

/** Finds no animal whose id it once did not find. */
const remembersUnknown: Wrap = (handle) => {
  const unknown = new Set<string>();
  return (request, now) => {
    const answer = handle(unknown.has(request.target) ? withTarget(request, '/v1/pets/0') : request, now);
    if (request.method === 'GET' && answer.status === 404) unknown.add(request.target);
    return answer;
  };
};

/** The page that comes next after a 404 is empty. */
const emptiesAfterUnknown: Wrap = (handle) => {
  let isAfter = false;
  return (request, now) => {
    const answer = handle(request, now);
    const isEmptied = isAfter && answer.status === 200 && answer.body.startsWith('[');
    isAfter = !isEmptied && (isAfter || answer.status === 404);
    return isEmptied ? { ...answer, body: '[]' } : answer;
  };
};

export const structureFaults: readonly Fault[] = [
  ...ordinary({
    'creation-not-stored': [['get-answer', 'list-complete', 'list-limit-default', 'get-until-removal'], storesNothing],
    'creation-stored-twice': [['pet-id-unique', 'create-answer'], storesTwice],
    'id-always-one': ['pet-id-unique', changeAnimals(mapField('id', () => 1n))],
    // The id is derived from the time.
    'id-shared-by-a-moment': ['pet-id-unique', sharing((_pet, { now }) => Math.floor(now / 7), 'id')],
    'id-shared-by-namesakes': ['pet-id-unique', sharing(nameOf, 'animal')],
    'namesake-replaces-the-one-before': [['list-complete', 'get-answer'], namesakesReplace],
    'id-of-the-client-replaces-its-animal': ['pet-id-unique', replacesClientId],
    'id-of-the-client': ['pet-id-assigned', clientIds(() => true)],
    'read-cuts-id-to-32-bits': ['get-not-found', readAs((id) => BigInt.asIntN(32, id))],
    'read-one-off': [['get-answer', 'get-not-found', 'get-until-removal'], readAs((id) => id + 1n)],
    'read-finds-the-first-animal-always': [['get-answer', 'get-not-found'], readAs(() => 1n)],
    'read-lags-ten-minutes': [['get-answer', 'get-until-removal'], lagging(600_000, isRead)],
    'read-takes-the-digits-in-front': [
      'get-id-not-int64',
      readSegmentAs((segment) => /^\d+/.exec(segment)?.[0] ?? segment),
    ],
    ...each('get-id-not-int64', 'pet-id-*', carelessIds, readSegmentAs),
  }),
  ...Object.entries(basePaths).flatMap(([id, basePath]) =>
    ordinary({ [`base-address-${id}`]: ['version-base-address', movedTo(basePath)] }, { basePath }),
  ),
  ...rare({
    'id-of-the-previous-animal': ['pet-id-unique', sharing((_pet, _call, count) => Math.ceil(count / 2), 'id')],
    'id-of-the-client-beyond-32-bits': ['pet-id-assigned', clientIds((id) => id > 2n ** 32n)],
    'id-of-the-client-in-idempotency-key': ['pet-id-assigned', clientIds(() => true, /^idempotency-key: (\d+)$/m)],
    'hundred-first-animal-without-a-category': [
      ['pet-category-id', 'pet-category-id-kept'],
      changeCreated((pet, _call, count) => (count > 100 ? dropField('categoryId')(pet) : undefined)),
    ],
    'read-remembers-what-was-unknown': ['get-answer', remembersUnknown],
    'page-empty-after-a-404': ['list-complete', emptiesAfterUnknown],
    'read-ignores-the-sign': ['get-not-found', readAs((id) => (id < 0n ? -id : id))],
    ...each('get-id-not-int64', 'pet-id-*', rarelyCarelessIds, readSegmentAs),
  }),
];
