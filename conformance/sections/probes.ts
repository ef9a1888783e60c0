/** What a run may send: the rows of the table of values as requests, each with its rank. The budget takes the lowest. */

import fc from 'fast-check';
import { type PetStatus, petStatuses } from '../../spec/operations.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { credentialFor, type Keys, type SentCredential } from '../http/credentials.ts';
import type { Exchange } from '../http/exchange.ts';
import { isInt64, type JsonObject, writeJson } from '../http/json.ts';
import { animalsOf, idsShownIn, pageOf, statusOf } from '../http/read-response.ts';
import type { Settings } from '../verdict/settings.ts';
import { createPet, createPetFrom, drawUnknownId, getPet, listPets, type PlannedRequest } from '../world/requests.ts';
import { isRemoved } from '../world/world.ts';
import { unknownOrigin } from './1-service/observers.ts';
import { lowerCaseBearer, refusedCredentials } from './5-authentication/credentials.ts';
import {
  bytesBeyondUtf8,
  categories,
  drawn,
  firstWrongQueries,
  limits,
  maySend,
  names,
  openQueries,
  unknownIds,
  writings,
  wrongBodies,
  wrongIds,
  wrongLimits,
  wrongStatuses,
} from './values.ts';

/** What probes need to know of the run so far. */
export interface Scene {
  readonly settings: Settings;
  readonly keys: Keys;
  readonly exchanges: readonly Exchange[];
  readonly random: () => number;
  readonly newName: () => string;
  /** The animals of the run, in order, and how often each was shown since. */
  readonly created: { readonly id: bigint; readonly body: string | undefined; shown: number }[];
  /** Every id that an answer has shown. */
  readonly ids: Set<bigint>;
  /** The animal that was read last: a cache may still have it. */
  lastRead: bigint | undefined;
  readonly plainCategory: () => bigint;
  /** Whether a category far from zero was accepted. */
  takesAnyCategory: boolean;
}

export interface Probe {
  readonly id: string;
  readonly rank: number;
  readonly covers: readonly RequirementId[];
  /** The request for the run so far; undefined where it does not have yet what the probe needs. */
  readonly request: (scene: Scene) => PlannedRequest | undefined;
  /** Probes to send in its place, now that this was the answer. */
  readonly instead?: (exchange: Exchange, scene: Scene) => readonly Probe[];
}

/** Adds what an exchange shows. */
export function learn(scene: Scene, exchange: Exchange): void {
  if (exchange.credential.kind === 'rate-limit') return;
  const isCreation = exchange.operation === 'createPet';
  if (exchange.operation === 'getPet' && statusOf(exchange) === 200) scene.lastRead = idsShownIn(exchange)[0];
  for (const animal of animalsOf(exchange)) {
    const { id, categoryId } = animal;
    if (!isInt64(id)) continue;
    const known = scene.ids.has(id) ? scene.created.find((one) => one.id === id) : undefined;
    if (known !== undefined && !isCreation) known.shown += 1;
    if (isCreation && known === undefined && exchange.credential.kind === 'valid') {
      scene.created.push({ id, body: exchange.request.body, shown: 0 });
      if (isInt64(categoryId) && (categoryId > 2n ** 42n || categoryId < -(2n ** 42n))) scene.takesAnyCategory = true;
    }
    scene.ids.add(id);
  }
}

const tagged = (template: string, scene: Scene): string => template.replace('TAG', scene.newName());

function petOf(scene: Scene, status?: PetStatus): JsonObject {
  const pet = { name: scene.newName(), categoryId: scene.plainCategory() };
  return status === undefined ? pet : { ...pet, status };
}

export const plainCreation = (scene: Scene, status?: PetStatus): PlannedRequest => createPet(petOf(scene, status));

interface Facets {
  readonly name?: string;
  readonly category?: bigint;
  readonly status: PetStatus | undefined;
  readonly writing: (pet: JsonObject) => string;
}

/** A creation carries a value of each column. A refused one says nothing of any of them: each is sent again alone. */
function creation(id: string, rank: number, facets: Facets): Probe {
  const { name, category, status, writing } = facets;
  return {
    id,
    rank,
    covers: ['create-answer', 'pet-name-kept', 'pet-category-id-kept', 'pet-status-kept'],
    request: (scene) => {
      const text = name === undefined ? undefined : tagged(name, scene);
      const isSent = text !== undefined && maySend(scene.settings);
      const pet = {
        name: isSent ? text : scene.newName(),
        categoryId: category ?? scene.plainCategory(),
        ...(status && { status }),
      };
      return createPetFrom(writing(pet));
    },
    instead: (exchange) => {
      const refusal = statusOf(exchange) ?? 0;
      if (refusal < 400 || refusal >= 500 || (name === undefined && category === undefined)) return [];
      if (name === undefined || category === undefined) return [];
      return [
        creation(`${id} name`, rank + 10, { name, status, writing }),
        creation(`${id} category`, rank + 20, { category, status, writing }),
      ];
    },
  };
}

/** The columns that a creation has a value of, in turn; one without any is ordinary but for its status and its writing. */
const columns = [['name'], ['category'], [], ['name', 'category']] as const;
const statuses = [undefined, ...petStatuses];

function creations(count: number): Probe[] {
  let [name, category, plain] = [0, 0, 0];
  return Array.from({ length: count }, (_nothing, at) => {
    const own: readonly string[] = columns[at % columns.length]!;
    return creation(`create ${at}`, at < 8 ? 2 + at * 7 : 60 + (at - 8) * 1.7, {
      ...(own.includes('name') && { name: names[name++ % names.length]! }),
      ...(own.includes('category') && { category: categories[category++ % categories.length]! }),
      status: statuses[own.length === 0 ? plain++ % statuses.length : (at + (at >> 2)) % statuses.length],
      writing: writings[(at * 5) % writings.length]!,
    });
  });
}

/** A body with a mark by which an animal made of it would be known: its name, or else a category of its own. */
function wrongBody(template: string, scene: Scene, at = 0): PlannedRequest {
  const mark = 2n ** 40n + BigInt(Math.floor(scene.random() * 2 ** 40));
  const category = scene.takesAnyCategory && !template.includes('"name":N') ? mark : scene.plainCategory();
  const body = template
    .replaceAll('N1', () => scene.newName())
    .replaceAll(/\bN\b(?!")/g, () => writeJson(scene.newName()))
    .replaceAll(/\bC\b(?!")/g, String(category))
    .replaceAll(/(?<![A-Za-z])P(?![A-Za-z]{2})/g, String(scene.plainCategory()));
  return createPetFrom(body, undefined, at % 8 === 7 ? 'application/json; charset=utf-8' : 'application/json');
}

const rows = <Value>(
  values: readonly Value[],
  prefix: string,
  [base, step]: readonly [number, number],
  covers: RequirementId,
  request: (value: Value, scene: Scene, at: number) => PlannedRequest | undefined,
): Probe[] =>
  values.map((value, at) => ({
    id: `${prefix} ${at}`,
    rank: base + step * at,
    covers: [covers],
    request: (scene) => request(value, scene, at),
  }));

const list = (limit?: string, status?: string): PlannedRequest =>
  listPets(
    [
      ...(limit === undefined ? [] : [`limit=${encodeURIComponent(limit)}`]),
      ...(status === undefined ? [] : [`status=${encodeURIComponent(status)}`]),
    ].join('&'),
  );

/** The id of an animal to read; none from the removal of getPet on. */
function someId(scene: Scene, at: number): bigint | undefined {
  const { created, ids } = scene;
  return created[(at * 7) % Math.max(1, created.length)]?.id ?? [...ids][0];
}

const read = (scene: Scene, id: bigint | string | undefined): PlannedRequest | undefined =>
  id === undefined || isRemoved(scene) ? undefined : getPet(id);

/** What a key is missing from, or wrong in: each operation, plain and wrong in itself, since the key comes first. */
const behindAKey = {
  list: () => listPets(),
  'list one': () => list('1'),
  'list nothing': () => listPets('limit=0&status=unknown&sort=name'),
  'list sold': () => list('5', 'sold'),
  create: (scene) => plainCreation(scene),
  'create wrong': (scene) => wrongBody('{"name":N}', scene),
  'create broken': (scene) => wrongBody('{"name":7,"status":"gone"', scene),
  'create form': (_scene) => createPetFrom('name=Rex', undefined, 'application/x-www-form-urlencoded'),
  get: (scene, at) => read(scene, scene.lastRead ?? someId(scene, at)),
  'get unknown': (scene) => read(scene, drawUnknownId(scene.random)),
  'get abc': (scene) => read(scene, 'abc'),
} as const satisfies Readonly<Record<string, (scene: Scene, at: number) => PlannedRequest | undefined>>;

type Behind = keyof typeof behindAKey;

function as(request: PlannedRequest | undefined, credential: SentCredential | undefined): PlannedRequest | undefined {
  return request === undefined || credential === undefined ? undefined : { ...request, credential };
}

/** The likeliest mistakes, each credential with the request that shows most. */
const firstRefusals: readonly (readonly [credential: string, behind: Behind])[] = [
  ['last-character-changed', 'list nothing'],
  ['none', 'list'],
  ['elsewhere', 'create'],
  ['none', 'get'],
  ['same-length', 'create'],
  ['basic-user-and-password', 'get unknown'],
  ['one-character-more', 'create broken'],
  ['last-character-missing', 'get'],
  ['without-scheme', 'list nothing'],
  ['none', 'create'],
  ['scheme-token', 'create form'],
  ['bearer-without-key', 'list one'],
  ['elsewhere-with-bearer', 'get abc'],
  ['empty-header', 'create'],
  ['word-null', 'get'],
  ['none', 'list sold'],
  ['never-issued', 'get unknown'],
  ['none', 'create wrong'],
  ['never-issued', 'list'],
  ['none', 'get abc'],
  ['never-issued', 'create'],
  ['none', 'list one'],
];

/** Each credential with another request in every round. */
const rounds: readonly (readonly Behind[])[] = [
  ['list', 'create', 'get', 'create', 'list', 'get', 'list sold'],
  ['get', 'list', 'create', 'list', 'get', 'create', 'create wrong'],
  ['create', 'get', 'list', 'get', 'create', 'list', 'list one'],
];

function keyProbes(keys: Keys): Probe[] {
  const all = refusedCredentials(keys);
  const probe = (credential: SentCredential, behind: Behind, rank: number, at: number): Probe => ({
    id: `key ${credential.shown.id} ${behind}`,
    rank,
    covers: ['auth-bearer-header'],
    request: (scene) => {
      const sent = credentialFor(credential, scene.settings);
      return as(behindAKey[sent.fields === undefined ? behind : 'create'](scene, at), sent);
    },
  });
  const first = firstRefusals.flatMap(([id, behind], at) => {
    const credential = all.find(({ shown }) => shown.id === id);
    return credential === undefined ? [] : [probe(credential, behind, 1 + at * 4, at)];
  });
  const later = rounds.flatMap((round, turn) =>
    all.map((credential, at) => probe(credential, round[at % round.length]!, 62 + 170 * turn + at * 3.4, at)),
  );
  return [...first, ...later];
}

const queries: readonly (readonly [limit?: string | undefined, status?: string])[] = [
  ['2', 'sold'],
  ['1', 'available'],
  ['1'],
  [undefined, 'pending'],
  ['100', 'sold'],
  ['100'],
  [undefined, 'sold'],
  ['2', 'pending'],
  [],
  ['20'],
  ['100', 'pending'],
  ['100', 'available'],
  ['3', 'sold'],
  [undefined, 'available'],
  ['20', 'available'],
  ['20', 'sold'],
  ['20', 'pending'],
];

const repeats = <Value>(value: Value, count: number): Value[] => Array.from({ length: count }, () => value);

/** Every row. */
export function probesFor(keys: Keys, { isReadOnly }: Settings): readonly Probe[] {
  const all = [
    ...creations(140),
    ...rows(queries, 'list', [9, 14], 'list-answer', ([limit, status]) => list(limit, status)),
    ...rows(limits, 'limit', [61, 5], 'list-limit', (limit, scene, at) =>
      Number(limit) < scene.ids.size
        ? list(limit, at % 3 === 2 ? petStatuses[at % 9 === 2 ? 0 : at % 9 === 5 ? 1 : 2] : undefined)
        : undefined,
    ),
    ...rows(repeats('100', 16), 'whole list', [62, 11], 'list-complete', (limit, _scene, at) =>
      list(limit, at % 2 === 0 ? undefined : petStatuses[(at >> 1) % 3]),
    ),
    ...rows(repeats(undefined, 6), 'default list', [66, 18], 'list-limit-default', (limit, _scene, at) =>
      list(at % 2 === 0 ? limit : '20'),
    ),
    ...rows(firstWrongQueries, 'wrong query', [10, 7], 'list-limit-refused', (query) => listPets(query)),
    ...rows(wrongLimits, 'wrong limit', [60, 4], 'list-limit-refused', (limit) => list(limit)),
    ...rows(
      ['101', '0', '1000', '-1'],
      'wrong limit beside a status',
      [120, 30],
      'list-limit-refused',
      (limit, _scene, at) => list(limit, petStatuses[at % 3]),
    ),
    ...rows(wrongStatuses, 'wrong status', [63, 7], 'list-status-refused', (status) => list(undefined, status)),
    ...rows(openQueries, 'open query', [61, 22], 'errors-listed', (query) => listPets(query)),
    ...rows(wrongBodies, 'wrong body', [2, 1.55], 'create-invalid-values', (body, scene, at) =>
      wrongBody(body, scene, at),
    ),
    ...rows(bytesBeyondUtf8, 'not utf-8', [150, 40], 'create-body-utf8', (body, scene) => wrongBody(body, scene)),
    ...rows(['', '"'], 'own id', [16, 110], 'pet-id-assigned', (quote, scene) => {
      const pet = writeJson(petOf(scene)).slice(1);
      return createPetFrom(`{"id":${quote}${drawUnknownId(scene.random)}${quote},${pet}`);
    }),
    ...rows(['', '"'], "another's id", [75, 150], 'pet-id-assigned', (quote, scene) => {
      const id = someId(scene, 1);
      return id === undefined
        ? undefined
        : createPetFrom(`{"id":${quote}${id}${quote},${writeJson(petOf(scene, 'sold')).slice(1)}`);
    }),
    ...rows(
      [
        '{"colour":"brown","keeper":null,"isTame":true,',
        '{"shelter":{"name":"Ann","id":1,"tags":[[]]},"toys":["a",null],',
      ],
      'unknown field',
      [70, 130],
      'create-answer',
      (start, scene) => createPetFrom(`${start}${writeJson(petOf(scene, 'pending')).slice(1)}`),
    ),
    ...rows(['1.0', '1e0'], 'integer written otherwise', [82, 60], 'errors-listed', (category, scene) =>
      createPetFrom(`{"name":${writeJson(scene.newName())},"categoryId":${category}}`),
    ),
    ...rows(
      ['text/plain', 'application/x-www-form-urlencoded'],
      'other media type',
      [88, 40],
      'errors-listed',
      (contentType, scene) => createPetFrom(writeJson(petOf(scene)), undefined, contentType),
    ),
    ...rows(repeats('again', 3), 'same body again', [80, 90], 'pet-id-unique', (_one, { created }) => {
      const last = created.at(-1)?.body;
      return last === undefined ? undefined : createPetFrom(last);
    }),
    ...rows(repeats('newest', 30), 'get newest', [6, 30], 'get-answer', (_one, scene) =>
      read(scene, scene.created.at(-1)?.id),
    ),
    ...rows(repeats('unread', 40), 'get unread', [48, 9], 'get-answer', (_one, scene, at) => {
      const unread = scene.created.filter(({ shown }) => shown === 0);
      return read(scene, unread[(at * 5) % Math.max(1, unread.length)]?.id ?? someId(scene, at));
    }),
    ...rows(repeats('oldest', 4), 'get oldest', [60, 60], 'get-answer', (_one, scene) =>
      read(scene, scene.created[0]?.id),
    ),
    ...rows(repeats('next', 3), 'get the next id', [65, 90], 'get-not-found', (_one, scene) => {
      const last = scene.created.at(-1)?.id;
      return read(scene, last === undefined || scene.ids.has(last + 1n) || !isInt64(last + 1n) ? undefined : last + 1n);
    }),
    {
      id: 'unknown id',
      rank: 8,
      covers: ['get-not-found'],
      request: (scene) => read(scene, drawUnknownId(scene.random)),
    } satisfies Probe,
    ...rows(unknownIds, 'unknown id', [27, 13], 'get-not-found', (make, scene, at) => {
      const id = make(someId(scene, at) ?? 7n);
      return scene.ids.has(id) || !isInt64(id) ? undefined : read(scene, id);
    }),
    ...rows(wrongIds, 'wrong id', [11, 14], 'get-id-not-int64', (make, scene, at) =>
      read(scene, make(someId(scene, at) ?? 7n)),
    ),
    ...keyProbes(keys),
    ...gapProbes(keys),
  ];
  return isReadOnly ? all.filter((probe) => !isWriting(probe)) : all;
}

const isWriting = ({ id }: Probe): boolean =>
  /^(create|wrong body|not utf-8|own id|another's id|unknown field|integer written|other media|same body|chunked|key .* create)/.test(
    id,
  );

/** A path that no service has. */
export const unknownPath = '/no-such-path';

/** Requests on which the interface is silent, so that observers have something to read. */
function gapProbes(keys: Keys): Probe[] {
  const gap = (id: string, rank: number, request: Probe['request']): Probe => ({
    id,
    rank,
    covers: ['errors-listed'],
    request,
  });
  return [
    gap('lower-case bearer', 74, () => listPets('limit=1', lowerCaseBearer(keys.api))),
    gap('unknown path', 78, () => ({
      operation: 'other',
      target: unknownPath,
      headers: { origin: unknownOrigin },
    })),
    gap('unknown method', 86, (scene) =>
      scene.settings.isReadOnly
        ? undefined
        : { operation: 'other', method: 'POST', target: `/pets/${drawUnknownId(scene.random)}` },
    ),
    gap('chunked body', 90, (scene) => ({ ...plainCreation(scene), headers: { 'transfer-encoding': 'chunked' } })),
    gap('removed read', 94, (scene) =>
      isRemoved(scene) && scene.created[0] !== undefined ? getPet(scene.created[0].id) : undefined,
    ),
  ];
}

/** The store beyond a hundred animals: what only a full page shows. */
const fullQueries: readonly (readonly [limit?: string | undefined, status?: string])[] = [
  ['100'],
  [],
  ['99'],
  ['0'],
  ['-1'],
  ['101'],
  ['1000'],
  ['abc'],
  [''],
  ['20'],
  [undefined, 'unknown'],
  ['100', 'sold'],
  ['9999999999'],
  ['1.5'],
  [undefined, 'sold'],
  ['100', 'available'],
  ['100', 'pending'],
  ['50'],
  ['64'],
  ['30', 'available'],
];

export const fullStoreProbes: readonly Probe[] = fullQueries.map(([limit, status], at) => ({
  id: `full ${at}`,
  rank: at,
  covers: ['list-limit'],
  request: () => list(limit, status),
}));

/** Endless: what fast-check draws and crosses, one command after another over the animals of the run. */
export function drawnProbe(seed: number, at: number): Probe {
  const one = <Value>(arbitrary: fc.Arbitrary<Value>): Value =>
    fc.sample(arbitrary, { seed: seed * 65_537 + at, numRuns: 1 })[0]!;
  const pick = one(fc.integer({ min: 0, max: 11 }));
  if (pick < 3) {
    return creation(`drawn ${at}`, 0, {
      ...(pick > 0 && { name: one(drawn.name) }),
      ...(pick !== 1 && { category: one(drawn.category) }),
      status: one(drawn.status),
      writing: one(drawn.writing),
    });
  }
  const request = (scene: Scene): PlannedRequest | undefined => {
    const anywhere = one(fc.integer({ min: 0, max: 10_000 }));
    if (pick < 6) return list(one(drawn.limit), one(drawn.status));
    if (pick < 8) return scene.settings.isReadOnly ? undefined : wrongBody(one(drawn.wrongBody), scene);
    if (pick === 8)
      return as(
        Object.values(behindAKey)[anywhere % 11]!(scene, at),
        refusedCredentials(scene.keys)
          .map((credential) => credentialFor(credential, scene.settings))
          .filter(({ fields }) => fields === undefined)[anywhere % 60],
      );
    if (pick === 9) return read(scene, one(fc.constantFrom(...wrongIds))(someId(scene, at) ?? 7n));
    if (pick === 10) return read(scene, scene.created.at(-1)?.id);
    return read(scene, someId(scene, anywhere)) ?? list();
  };
  return { id: `drawn ${at}`, rank: 0, covers: ['errors-listed'], request };
}

/** Categories that the target may know, the likeliest first: those the user names, those of listed animals, and 1. */
export function likelyCategories({
  exchanges: [first],
  settings,
}: Pick<Scene, 'exchanges' | 'settings'>): readonly bigint[] {
  // The first exchange of a run lists the catalogue before the run adds to it.
  const listed =
    first === undefined ? [] : animalsOf(first).flatMap(({ categoryId }) => (isInt64(categoryId) ? [categoryId] : []));
  const exact = listed.filter((id) => Number.isSafeInteger(Number(id)));
  return [...new Set([...settings.categoryIds, ...exact, ...listed, 1n])];
}

export { idsShownIn, pageOf };
