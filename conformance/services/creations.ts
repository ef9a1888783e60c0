/** Services that accept few names, categories or bodies: a run sends plainer ones, or names the option that helps. */

import { isPetStatus, type StoreResponse } from '../../reference-server/index.ts';
import { isInt64, isJsonObject, type JsonValue, readJson, writeJson } from '../http/json.ts';
import { type Service, servicesOf } from './service.ts';
import {
  answerError,
  type Call,
  changeAnimals,
  layers,
  quotaOf,
  refuseBodies,
  requestHeader,
  type Wrap,
  withBody,
} from './wraps.ts';

interface Sent {
  readonly name: string;
  readonly categoryId: bigint;
}

/** The message of a refusal, or undefined to accept; `count` is the number of animals accepted before. */
type Refuse = (sent: Sent, count: number) => string | undefined;

/** Refuses valid animals before they are stored. */
export function refusing(status: number, refuse: Refuse): Wrap {
  return (handle) => {
    let count = 0;
    return (request, now) => {
      const reading = readJson(new TextDecoder().decode(request.body));
      const json = 'value' in reading ? reading.value : null;
      const { name, categoryId, status: state = 'sold' } = isJsonObject(json) ? json : {};
      const isValid = typeof name === 'string' && isInt64(categoryId) && isPetStatus(state);
      const why = request.method === 'POST' && isValid ? refuse({ name, categoryId }, count) : undefined;
      // The answer to an empty object has the headers that a refusal needs.
      const answer = handle(why === undefined ? request : withBody(request, '{}'), now);
      if (answer.status === 201) count += 1;
      if (why === undefined || answer.status !== 400) return answer;
      return { ...answer, status, body: writeJson({ code: 'refused', message: why, status: BigInt(status) }) };
    };
  };
}

export function names(status: number, pattern: RegExp, why = 'The name has characters that are not allowed.'): Wrap {
  return refusing(status, ({ name }) => (pattern.test(name) ? undefined : why));
}

export function uniqueNames(status: number): Wrap {
  return (handle, keys) => {
    const taken = new Set<string>();
    return refusing(status, ({ name }) => {
      const isTaken = taken.has(name);
      taken.add(name);
      return isTaken ? 'There is such an animal.' : undefined;
    })(handle, keys);
  };
}

export function categories(status: number, ...known: readonly bigint[]): Wrap {
  return refusing(status, ({ categoryId }) => (known.includes(categoryId) ? undefined : 'There is no such category.'));
}

export function roomFor(most: number, status = 409): Wrap {
  return refusing(status, (_sent, count) => (count < most ? undefined : 'The store is full.'));
}

/** Refuses chunked bodies, since it requires Content-Length (RFC 9110, 15.5.12). */
function refusesChunked(status: number): Wrap {
  return refuseBodies(({ request }) => requestHeader(request, 'transfer-encoding') !== undefined, status);
}

const firstFive = [1n, 2n, 3n, 4n, 5n] as const;
const letters = /^[A-Za-z ]+$/;

/** Changes the status of each animal to pending two seconds after its creation. */
const pendingSoon: Wrap = (handle, keys) => {
  const createdAt = new Map<JsonValue | undefined, number>();
  return (request, now) => {
    const change = changeAnimals((animal) => {
      if (request.method === 'POST') createdAt.set(animal['id'], now);
      const isOld = now - (createdAt.get(animal['id']) ?? now) >= 2_000;
      return isOld ? { ...animal, status: 'pending' } : animal;
    });
    const isFiltered = request.target.includes('status=');
    return (isFiltered ? handle : change(handle, keys))(request, now);
  };
};

/** Whether a refused body has fields that a NewPet does not have. */
const hasMoreFields = ({ operation, isAuthorized }: Call, { status, body }: StoreResponse): boolean =>
  operation === 'createPet' && isAuthorized && status === 400 && body.includes('fields that a NewPet');

const is422 = 'refused-422';
/** If nothing can be created, the run quotes the target and names the option that helps. */
const without = (reason: RegExp) => ({ exitCode: 3, reason }) as const;

export const creationServices: readonly Service[] = servicesOf({
  'names-of-word-characters-else-422': [names(422, /^[\w-]+$/), { 'name-limits': is422 }],
  'names-up-to-12-else-400': [names(400, /^.{1,12}$/su), { 'name-limits': 'refused-400' }],
  'names-of-letters-else-409': [names(409, letters), { 'name-limits': 'refused-409' }],
  'names-once-else-409': [uniqueNames(409), { 'duplicate-names': 'refused-409' }],
  'names-once-else-422': [uniqueNames(422), { 'duplicate-names': is422 }],
  'five-categories-else-404': [categories(404, ...firstFive), { 'known-categories': 'refused-404' }],
  'five-categories-else-422': [categories(422, ...firstFive), { 'known-categories': is422 }],
  'five-categories-and-letters-else-422': [
    layers(names(422, letters), categories(422, ...firstFive)),
    { 'known-categories': is422, 'name-limits': is422 },
  ],
  'names-by-a-template': [
    names(422, /^Pet [a-z]{5,12}$/),
    { 'name-limits': is422 },
    { settings: { nameTemplate: 'Pet {n}' } },
  ],
  'one-name-for-all': [names(400, /^Rex$/), { 'name-limits': 'refused-400' }, { settings: { nameTemplate: 'Rex' } }],
  'categories-by-option': [
    categories(409, 71n),
    { 'known-categories': 'refused-409' },
    { settings: { categoryIds: [70n, 71n] } },
  ],
  shared: [undefined, {}, { settings: { isDisposable: false } }],
  'names-of-three': [names(422, /^\w{3}$/), {}, without(/422 "The name has .*--name TEMPLATE/)],
  'categories-from-900': [categories(404, 900n), {}, without(/404 "There is no such category\.".*--category-id/)],
  'no-room': [roomFor(0), {}, without(/409 "The store is full\."/)],
  'key-that-only-reads': [names(403, /^$/, 'This key may not create animals.'), {}, without(/403 .*--read-only/)],
  'room-for-4': [roomFor(4)],
  // §4.2 and §7 ask for 400 to an invalid body. One that nobody has read cannot be called invalid, whatever is answered.
  'quota-of-25-creations': [quotaOf(25, 403)],
  'chunked-bodies-400': [refusesChunked(400), { 'chunked-bodies': 'refused-400' }],
  'chunked-bodies-413': [refusesChunked(413), { 'chunked-bodies': 'refused-413' }],
  'more-fields-422': [
    answerError(422, hasMoreFields),
    { 'extra-body-fields': is422 },
    { gaps: { 'extra-body-fields': 'refused-400' } },
  ],
  'pending-after-two-seconds': [pendingSoon, { 'status-omitted': ['available', 'pending'] }, { latencyMs: 350 }],
});
