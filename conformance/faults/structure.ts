/** Faults of the store itself: animals that are not stored, ids that are not unique, reads of another animal, other addresses. */

import { isPetStatus } from '../../reference-server/index.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue, writeJson } from '../http/json.ts';
import { isRead, lagging, namesakesReplace } from '../services/pages.ts';
import {
  type Call,
  changeAnimals,
  changeCreated,
  changeCreation,
  changeRequest,
  mapField,
  nameOf,
  sentBody,
  sentJson,
  sentPet,
  type Wrap,
  withBody,
  withTarget,
} from '../services/wraps.ts';
import { each, type Fault, ordinary, rare } from './fault.ts';

/** Takes the id that a client sends as the id of the animal, in every answer. */
const clientIds =
  (isTaken: (id: bigint) => boolean): Wrap =>
  (handle, keys) => {
    const taken = new Map<JsonValue, bigint>();
    const given = changeAnimals(mapField('id', (id) => taken.get(id) ?? id));
    return (request, now) => {
      const sent = /"id":\s*(\d+)/.exec(sentBody({ request }))?.[1];
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

/** Answers a creation with the animal, or its id, of the first that is alike. */
const sharing =
  (likenessOf: (pet: JsonObject, call: Call) => string | number, shared: 'animal' | 'id'): Wrap =>
  (handle, keys) => {
    const firsts = new Map<string | number, JsonObject>();
    return changeCreated((pet, call) => {
      const likeness = likenessOf(pet, call);
      const first = firsts.get(likeness) ?? pet;
      firsts.set(likeness, first);
      return shared === 'animal' ? first : { ...pet, id: first['id'] ?? null };
    })(handle, keys);
  };

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
  ...ordinary(['get-answer', 'list-complete', 'list-limit-default', 'get-until-removal'], {
    'creation-not-stored': storesNothing,
  }),
  ...ordinary(['pet-id-unique', 'create-answer'], { 'creation-stored-twice': storesTwice }),
  ...ordinary('pet-id-unique', {
    'id-always-one': changeAnimals(mapField('id', () => 1n)),
    // The id is derived from the time.
    'id-shared-by-a-moment': sharing((_pet, { now }) => Math.floor(now / 7), 'id'),
    'id-shared-by-namesakes': sharing(nameOf, 'animal'),
    'id-of-the-client-replaces-its-animal': replacesClientId,
  }),
  ...ordinary(['list-complete', 'get-answer'], { 'namesake-replaces-the-one-before': namesakesReplace }),
  ...ordinary('pet-id-assigned', { 'id-of-the-client': clientIds(() => true) }),
  ...ordinary('get-not-found', { 'read-cuts-id-to-32-bits': readAs((id) => BigInt.asIntN(32, id)) }),
  ...ordinary(['get-answer', 'get-not-found', 'get-until-removal'], { 'read-one-off': readAs((id) => id + 1n) }),
  ...ordinary(['get-answer', 'get-not-found'], { 'read-finds-the-first-animal-always': readAs(() => 1n) }),
  ...ordinary(['get-answer', 'get-until-removal'], { 'read-lags-ten-minutes': lagging(600_000, isRead) }),
  ...ordinary('get-id-not-int64', {
    'read-takes-the-digits-in-front': readSegmentAs((segment) => /^\d+/.exec(segment)?.[0] ?? segment),
    ...each('pet-id-*', carelessIds, readSegmentAs),
  }),
  ...Object.entries(basePaths).flatMap(([id, basePath]) =>
    ordinary('version-base-address', { [`base-address-${id}`]: movedTo(basePath) }, { basePath }),
  ),
  ...rare('pet-id-assigned', { 'id-of-the-client-beyond-32-bits': clientIds((id) => id > 2n ** 32n) }),
  ...rare('get-answer', { 'read-remembers-what-was-unknown': remembersUnknown }),
  ...rare('list-complete', { 'page-empty-after-a-404': emptiesAfterUnknown }),
  ...rare('get-not-found', { 'read-ignores-the-sign': readAs((id) => (id < 0n ? -id : id)) }),
  ...rare('get-id-not-int64', each('pet-id-*', rarelyCarelessIds, readSegmentAs)),
];
