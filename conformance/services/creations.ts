/** Variants that accept few names and categories: a run sends plainer ones, or names the option that helps. */

import { isPetStatus } from '../../reference-server/index.ts';
import type { AnswerId } from '../../spec/gaps.ts';
import { isInt64, isJsonObject, type JsonValue, readJson, writeJson } from '../http/json.ts';
import { largeBudget } from '../verdict/settings.ts';
import type { Observed, Variant } from './service.ts';
import {
  answerError,
  changeAnimals,
  changeRequest,
  quotaOf,
  refuseBodies,
  requestHeader,
  sentPet,
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
const lettersOnly = /^[A-Za-z ]+$/;

/** The observed answer for refusals of one kind, by their status. */
const refusals = {
  400: 'refused-400',
  404: 'refused-otherwise',
  409: 'refused-409',
  422: 'refused-422',
} as const;

const ofNames: readonly Variant[] = ([400, 404, 409, 422] as const).flatMap((status): readonly Variant[] => {
  const ofCategories = { 'known-categories': status === 404 ? 'refused-404' : refusals[status] } as const;
  const limits = (inWords: AnswerId<'name-limits'>): Observed => ({
    'name-limits': status === 400 ? inWords : refusals[status],
  });
  return [
    {
      id: `names-of-word-characters-else-${status}`,
      wrap: names(status, /^[\w-]+$/),
      observes: limits('some-characters'),
    },
    { id: `names-up-to-12-else-${status}`, wrap: names(status, /^.{1,12}$/su), observes: limits('other-length') },
    { id: `names-up-to-20-else-${status}`, wrap: names(status, /^.{1,20}$/su), observes: limits('other-length') },
    { id: `names-of-letters-else-${status}`, wrap: names(status, lettersOnly), observes: limits('some-characters') },
    { id: `names-once-else-${status}`, wrap: uniqueNames(status), observes: { 'duplicate-names': refusals[status] } },
    { id: `five-categories-else-${status}`, wrap: categories(status, ...firstFive), observes: ofCategories },
    {
      id: `five-categories-and-letters-else-${status}`,
      wrap: (handle, keys) => names(status, lettersOnly)(categories(status, ...firstFive)(handle, keys), keys),
      observes: { ...ofCategories, ...limits('some-characters') },
    },
  ];
});

const withOptions: readonly Variant[] = [
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
    observes: { 'name-limits': 'some-characters' },
  },
  {
    id: 'categories-by-option',
    wrap: categories(409, 70n, 71n),
    settings: { categoryIds: [70n, 71n] },
    observes: { 'known-categories': 'refused-409' },
  },
  {
    id: 'first-category-by-option-is-gone',
    wrap: categories(409, 71n),
    settings: { categoryIds: [70n, 71n] },
    observes: { 'known-categories': 'refused-409' },
  },
  { id: 'shared', settings: { isDisposable: false } },
];

/** If nothing can be created, the run quotes the target and names the option that helps. */
const withoutAnimals: readonly Variant[] = [
  { id: 'names-of-three', wrap: names(422, /^\w{3}$/), reason: /422 "The name has .*--name TEMPLATE/ },
  {
    id: 'categories-from-900',
    wrap: categories(404, 900n),
    reason: /404 "There is no such category\.".*--category-id/,
  },
  {
    id: 'nothing-is-taken',
    wrap: names(409, /^$/, 'No.'),
    reason: /409 "No\.": .*--category-id, or .*--name TEMPLATE/,
  },
  { id: 'no-room', wrap: roomFor(0), reason: /409 "The store is full\."/ },
  {
    id: 'key-that-only-reads',
    wrap: names(403, /^$/, 'This key may not create animals.'),
    reason: /403 .*--read-only/,
  },
].map((variant) => ({ ...variant, exitCode: 3 }));

/** What a run observes by the status with which a chunked body is refused. */
const chunkedAnswers = {
  400: 'refused-400',
  404: 'refused-otherwise',
  411: 'refused-411',
  413: 'refused-413',
  422: 'refused-otherwise',
} as const;

/** Detects UTF-16 by its zero bytes or its byte order mark, as JSON allowed until RFC 8259. */
const readsUtf16: Wrap = changeRequest((request) => {
  const [first, second] = request.body;
  const order = first === 0 || first === 0xfe ? 'utf-16be' : second === 0 || second === 0xfe ? 'utf-16le' : undefined;
  return order === undefined ? request : withBody(request, new TextDecoder(order).decode(request.body));
});

/** Changes the status of each animal to sold once it has been read. */
const soldWhenRead: Wrap = (handle, keys) => {
  const read = new Set<JsonValue | undefined>();
  return (request, now) => {
    const before = new Set(read);
    const change = changeAnimals((animal) => {
      if (request.method === 'GET') read.add(animal['id']);
      return before.has(animal['id']) ? { ...animal, status: 'sold' } : animal;
    });
    const isFiltered = request.target.includes('status=');
    return (isFiltered ? handle : change(handle, keys))(request, now);
  };
};

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

const others: readonly Variant[] = [
  ...[1, 4, 10, 25].map((most): Variant => ({ id: `room-for-${most}`, wrap: roomFor(most) })),
  // A service that refuses everything after the first 400 may look the same: the first invalid body comes about then.
  { id: 'room-for-4-else-400', wrap: roomFor(4, 400) },
  // §4.2 and §7 ask for 400 to an invalid body. One that nobody has read cannot be called invalid, whatever is answered.
  ...[5, 25].map((most): Variant => ({ id: `quota-of-${most}-creations`, wrap: quotaOf(most, 403) })),
  ...([[5], [30, largeBudget]] as const).map(
    ([most, settings = {}]): Variant => ({
      id: `quota-of-${most}-creations-after-a-look-at-the-name`,
      wrap: quotaOf(most, 403, (call) => typeof sentPet(call)['name'] === 'string'),
      settings,
    }),
  ),
  {
    id: 'quota-of-2-creations',
    wrap: quotaOf(2, 403),
    exitCode: 3,
    reason: /create-required-fields could not be judged/,
  },
  {
    id: 'quota-of-30-creations-with-eight-at-a-time',
    wrap: quotaOf(30, 409),
    latencyMs: 40,
    settings: { concurrency: 8 },
  },
  ...([400, 404, 411, 413, 422] as const).map(
    (status): Variant => ({
      id: `chunked-bodies-${status}`,
      wrap: refusesChunked(status),
      observes: { 'chunked-bodies': chunkedAnswers[status] },
    }),
  ),
  {
    id: 'more-fields-422',
    wrap: answerError(422, ({ operation, isAuthorized }, { status, body }) => {
      return operation === 'createPet' && isAuthorized && status === 400 && body.includes('fields that a NewPet');
    }),
    gaps: { 'extra-body-fields': 'refused-400' },
    observes: { 'extra-body-fields': 'refused-422' },
  },
  { id: 'sold-when-read', wrap: soldWhenRead },
  {
    id: 'pending-after-two-seconds',
    wrap: pendingSoon,
    latencyMs: 350,
    observes: { 'status-omitted': ['pending', 'available'] },
  },
  { id: 'reads-utf-16', wrap: readsUtf16 },
];

export const creationVariants: readonly Variant[] = [...ofNames, ...withOptions, ...withoutAnimals, ...others];
