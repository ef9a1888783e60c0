/** Faults of the store itself: animals that are not stored, ids that are not unique, reads of another animal, other addresses. */

import { isInt64, type JsonObject, type JsonValue } from '../http/json.ts';
import { cache, changePage, lagging, onCreation, showOnly } from '../services/pages.ts';
import {
  changes,
  isCreated,
  isListing,
  isListingOrRead,
  isRead,
  mapField,
  type Wrap,
  withBody,
  withKey,
} from '../services/wraps.ts';
import { eachRow, type FaultTable } from './fault.ts';

const nameOfPet = ({ name }: JsonObject): string => (typeof name === 'string' ? name : '');

/** Answers a creation with the first animal of its name. */
const firstNamesake: Wrap = (handle, keys) => {
  const firsts = new Map<string, JsonObject>();
  return changes.created((pet) => {
    const first = firsts.get(nameOfPet(pet)) ?? pet;
    firsts.set(nameOfPet(pet), first);
    return first;
  })(handle, keys);
};

/** The newest animal of a name takes the place of the one before. */
const namesakesReplace: Wrap = (handle, keys) => {
  const newest = new Map<string, JsonValue | undefined>();
  const noted = onCreation((pet) => newest.set(nameOfPet(pet), pet['id']))(handle, keys);
  return showOnly((pet) => (newest.get(nameOfPet(pet)) ?? pet['id']) === pet['id'])(noted, keys);
};

/** A listing takes animals out of the store: splice for slice, or the result of a filter in place of the store. */
const takesOut =
  (isTaken: (status: JsonValue | undefined, filter: string | null) => boolean): Wrap =>
  (handle, keys) => {
    const stored = [] as JsonObject[];
    const gone = new Set<JsonValue | undefined>();
    const noted = onCreation((pet) => void stored.push(pet))(handle, keys);
    const taking = changes.answer((_page, { query }) => {
      for (const { id, status } of stored) if (isTaken(status, query.get('status'))) gone.add(id);
      return undefined;
    }, isListing);
    return taking(showOnly(({ id }) => !gone.has(id))(noted, keys), keys);
  };

const storesTwice: Wrap = changes.answer((first, { request }, send) => {
  return { ...send(request), body: first.body, headers: first.headers };
}, isCreated);

/** The fifth animal of the run takes the id of an animal that another client had before, and its place. */
const takesIdOfOthers: Wrap = (handle, keys) => {
  let created = 0;
  let taking: JsonValue | undefined;
  const noted = onCreation(({ id }) => {
    created += 1;
    if (created === 5) taking = id;
  })(withOthers(handle, keys), keys);
  const others = changePage((page) => page.filter(({ id }) => id !== 1n || taking === undefined))(noted, keys);
  return changes.animals((pet) => (pet['id'] === taking ? { ...pet, id: 1n } : pet))(others, keys);
};

/** Another client creates two animals before the first request. */
const withOthers: Wrap = (handle, keys) => {
  let hasOthers = false;
  return (request, now) => {
    const headers = [['content-type', 'application/json']] as const;
    const creation = { ...request, method: 'POST', target: '/v1/pets', headers };
    const body = '{"name":"of another client","categoryId":1}';
    for (let count = 0; count < 2 && !hasOthers; count += 1) handle(withKey(withBody(creation, body), keys.api), now);
    hasOthers = true;
    return handle(request, now);
  };
};

const isId = (segment: string): boolean => /^-?\d+$/.test(segment);
/** Reads the animal of another petId. */
export const readSegmentAs = (change: (segment: string) => string): Wrap =>
  changes.request((request, call) => {
    const segment = request.target.slice('/v1/pets/'.length);
    return isRead(call) && call.isAuthorized ? { ...request, target: `/v1/pets/${change(segment)}` } : request;
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

/** Reads from a cache, which keeps numbers as doubles; the first read of an animal comes from the store. */
const roundedFromCache: Wrap = (handle, keys) => {
  const cached = new Set<string>();
  return changes.answer(
    (answer, { request: { target } }) => {
      if (cached.has(target)) return { ...answer, body: JSON.stringify(JSON.parse(answer.body)) };
      cached.add(target);
      return undefined;
    },
    (call, { status }) => isRead(call) && status === 200,
  )(handle, keys);
};

/** Puts the service at another base path. */
const movedTo = (basePath: string) => ({
  basePath,
  wrap: changes.request((request) => {
    const isInside = request.target.startsWith(`${basePath}/`);
    return { ...request, target: isInside ? `/v1${request.target.slice(basePath.length)}` : '/nowhere' };
  }),
});
const basePaths = { 'without-a-version': '', 'of-another-version': '/v2', 'with-more-behind-its-version': '/v1/store' };

/** Answers a creation with the id that the client sent. */
const takesId = (isTaken: (id: bigint) => boolean, write = (id: bigint): bigint => id): Wrap =>
  changes.created((pet, { pet: { id } }) => (isInt64(id) && isTaken(id) ? { ...pet, id: write(id) } : undefined));
/** As JavaScript prints a number: with the digits that tell a double from its neighbours, and zeros behind them. */
const printedAsDouble = (id: bigint): bigint => BigInt(String(Number(id)));

export const structureFaults: FaultTable = {
  'get-answer': {
    'creation-not-stored': lagging(Number.POSITIVE_INFINITY, isListingOrRead),
    'read-one-off': readAs((id) => id + 1n),
    'read-finds-the-first-animal-always': readAs(() => 1n),
    'read-lags-ten-minutes': lagging(600_000, isRead),
    'listing-takes-its-animals-out': takesOut((_status, filter) => filter === null),
    'filter-takes-other-animals-out': takesOut((status, filter) => filter !== null && status !== filter),
    'read-remembers-what-was-unknown': cache(Number.POSITIVE_INFINITY, { keeps: 404, only: 'getPet' }),
  },
  'pet-id-unique': {
    'id-always-one': changes.animals(mapField('id', () => 1n)),
    // The id is derived from the time, and two creations share a moment.
    'id-shared-by-a-moment': changes.created(mapField('id', (id) => BigInt(Number(id)) & ~1n)),
    'id-shared-by-namesakes': firstNamesake,
    'id-of-an-animal-of-others': takesIdOfOthers,
    'id-of-the-client-replaces-its-animal': takesId((id) => id < 2n ** 32n),
  },
  'create-answer': { 'creation-stored-twice': storesTwice },
  'list-complete': { 'namesake-replaces-the-one-before': namesakesReplace },
  'pet-category-id-kept': { 'category-of-a-second-read-rounded': { wrap: roundedFromCache, within: 300 } },
  'pet-id-assigned': {
    'id-of-the-client': takesId(() => true),
    'id-of-the-client-as-a-double': takesId(() => true, printedAsDouble),
  },
  'get-not-found': { 'read-cuts-id-to-32-bits': readAs((id) => BigInt.asIntN(32, id)) },
  'get-id-not-int64': {
    'read-takes-the-digits-in-front': readSegmentAs((segment) => /^\d+/.exec(segment)?.[0] ?? segment),
    ...eachRow('pet-id-*', carelessIds, readSegmentAs),
  },
  'version-base-address': eachRow('base-address-*', basePaths, movedTo),
};
