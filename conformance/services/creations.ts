/** Services that accept few names, categories or bodies: a run sends plainer ones, or names the option that helps. */

import { isPetStatus } from '../../reference-server/index.ts';
import { isInt64, isJsonObject, type JsonValue, readJson, writeJson } from '../http/json.ts';
import type { Service } from './service.ts';
import {
  answerError,
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
export function refusesChunked(status: number): Wrap {
  return refuseBodies(({ request }) => requestHeader(request, 'transfer-encoding') !== undefined, status);
}

const firstFive = [1n, 2n, 3n, 4n, 5n] as const;
const letters = /^[A-Za-z ]+$/;

/** Names and categories that few services accept: the status of the refusal, what refuses, and what is observed. */
const ofNames: readonly Service[] = [
  { id: 'names-of-word-characters-else-422', wrap: names(422, /^[\w-]+$/), observes: { 'name-limits': 'refused-422' } },
  { id: 'names-up-to-12-else-400', wrap: names(400, /^.{1,12}$/su), observes: { 'name-limits': 'other-length' } },
  { id: 'names-of-letters-else-409', wrap: names(409, letters), observes: { 'name-limits': 'refused-409' } },
  ...([409, 422] as const).map((status) => ({
    id: `names-once-else-${status}`,
    wrap: uniqueNames(status),
    observes: { 'duplicate-names': `refused-${status}` } as const,
  })),
  ...([404, 422] as const).map((status) => ({
    id: `five-categories-else-${status}`,
    wrap: categories(status, ...firstFive),
    observes: { 'known-categories': `refused-${status}` } as const,
  })),
  {
    id: 'five-categories-and-letters-else-422',
    wrap: layers(names(422, letters), categories(422, ...firstFive)),
    observes: { 'known-categories': 'refused-422', 'name-limits': 'refused-422' },
  },
  {
    id: 'names-by-a-template',
    wrap: names(422, /^Pet [a-z]{5,12}$/),
    settings: { nameTemplate: 'Pet {n}' },
    observes: { 'name-limits': 'refused-422' },
  },
  {
    id: 'one-name-for-all',
    wrap: names(400, /^Rex$/),
    settings: { nameTemplate: 'Rex' },
    observes: { 'name-limits': null },
  },
  {
    id: 'categories-by-option',
    wrap: categories(409, 71n),
    settings: { categoryIds: [70n, 71n] },
    observes: { 'known-categories': 'refused-409' },
  },
  { id: 'shared', settings: { isDisposable: false } },
];

/** If nothing can be created, the run quotes the target and names the option that helps. */
const withoutAnimals: readonly Service[] = Object.entries({
  'names-of-three': [names(422, /^\w{3}$/), /422 "The name has .*--name TEMPLATE/],
  'categories-from-900': [categories(404, 900n), /404 "There is no such category\.".*--category-id/],
  'no-room': [roomFor(0), /409 "The store is full\."/],
  'key-that-only-reads': [names(403, /^$/, 'This key may not create animals.'), /403 .*--read-only/],
} as const).map(([id, [wrap, reason]]) => ({ id, wrap, reason, exitCode: 3 }));

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

const ofBodies: readonly Service[] = [
  { id: 'room-for-4', wrap: roomFor(4) },
  // §4.2 and §7 ask for 400 to an invalid body. One that nobody has read cannot be called invalid, whatever is answered.
  { id: 'quota-of-25-creations', wrap: quotaOf(25, 403) },
  ...([400, 413] as const).map((status) => ({
    id: `chunked-bodies-${status}`,
    wrap: refusesChunked(status),
    observes: { 'chunked-bodies': `refused-${status}` } as const,
  })),
  {
    id: 'more-fields-422',
    wrap: answerError(422, ({ operation, isAuthorized }, { status, body }) => {
      return operation === 'createPet' && isAuthorized && status === 400 && body.includes('fields that a NewPet');
    }),
    gaps: { 'extra-body-fields': 'refused-400' },
    observes: { 'extra-body-fields': 'refused-422' },
  },
  {
    id: 'pending-after-two-seconds',
    wrap: pendingSoon,
    latencyMs: 350,
    observes: { 'status-omitted': ['available', 'pending'] },
  },
];

export const creationServices: readonly Service[] = [...ofNames, ...withoutAnimals, ...ofBodies];
