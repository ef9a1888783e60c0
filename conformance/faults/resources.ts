/** Faults of §2: fields of animals that are missing or wrong, values that are not kept, ids that are not unique. */

import { petStatuses } from '../../spec/operations.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue } from '../http/json.ts';
import { requirementOfPetField } from '../sections/stated-fields.ts';
import { exchanging } from '../services/page-changes.ts';
import {
  type Call,
  changeAnimals,
  changeCreated,
  changeCreation,
  changeJson,
  changeSentPet,
  type Damages,
  dropField,
  mapField,
  nameOf,
  petOperations,
  renameField,
  sentPet,
  setTo,
  type Wrap,
  withTarget,
} from '../services/wraps.ts';
import { drawnResourceFaults } from './drawn-resources.ts';
import { errorFieldFaults } from './error-fields.ts';
import { type Fault, ordinary, ordinaryEach, rare, rareEach } from './fault.ts';
import { textFaults } from './json-texts.ts';
import { nameFaults } from './names.ts';

type Field = keyof typeof requirementOfPetField;

const damages: Damages<Field> = {
  missing: [['id', 'name', 'categoryId'], dropField],
  null: [['id', 'name', 'categoryId', 'status'], setTo(() => null)],
  misnamed: [['id', 'name', 'categoryId'], (field) => renameField(field, `pet_${field}`)],
  text: [['id', 'categoryId'], setTo((value) => (typeof value === 'string' ? value : String(value)))],
  number: [['status'], setTo(() => 7n)],
  unknown: [['status'], setTo(() => 'unavailable')],
  'upper-case': [['status'], setTo((value) => String(value).toUpperCase())],
};

const rareDamages: Damages<Field> = {
  number: [['name'], setTo(() => 7n)],
  fraction: [['id', 'categoryId'], setTo(() => 1.5)],
  'beyond-int64': [['id', 'categoryId'], setTo(() => 2n ** 63n)],
  'in-an-array': [['name', 'status'], setTo((value) => [value])],
};

/** The faults of one likelihood: a damaged field in all answers, and in those of each operation. */
function fieldFaults(faultsOfEach: typeof rareEach, kinds: Damages<Field>): readonly Fault[] {
  return Object.entries(kinds).flatMap(([id, [fields, damage]]) =>
    fields.flatMap((field) => {
      const places = { '': undefined, ...Object.fromEntries(petOperations.map((place) => [`-on-${place}`, place])) };
      return faultsOfEach(requirementOfPetField[field], `${field}-${id}*`, places, (place) =>
        changeAnimals(damage(field), place),
      );
    }),
  );
}

function clamp(value: bigint): bigint {
  const most = 2n ** 53n - 1n;
  return value > most ? most : value < -most ? -most : value;
}

type IntegerChanges = Readonly<Record<string, (value: bigint) => JsonValue>>;

/** Mistakes that code makes with 64-bit integers. */
const integerChanges: IntegerChanges = {
  // Beyond the range of a double it would be infinite, and is left as it is.
  'rounded-to-double': (value) => (Number.isFinite(Number(value)) ? BigInt(Number(value)) : value),
  'cut-to-32-bits': (value) => BigInt.asIntN(32, value),
  'cut-to-53-bits': clamp,
};

const rareIntegerChanges: IntegerChanges = {
  'as-exponent': (value) => (value > 2n ** 53n ? Number(value.toString().slice(0, 2)) * 10 ** 17 : value),
  positive: (value) => (value < 0n ? -value - (value === -(2n ** 63n) ? 1n : 0n) : value),
  unsigned: (value) => BigInt.asUintN(63, value),
  'off-by-one-beyond-2-53': (value) => (value > 2n ** 53n && value < 2n ** 62n ? value - 1n : value),
};

function onCategory(change: (value: bigint) => JsonValue): (animal: JsonObject) => JsonObject {
  return mapField('categoryId', (value) => (typeof value === 'bigint' ? change(value) : value));
}

function categoryFaults(faultsOfEach: typeof rareEach, changes: IntegerChanges): readonly Fault[] {
  return [
    ...faultsOfEach(['pet-category-id-kept', 'create-answer'], 'category-stored-*', changes, (change) =>
      changeSentPet(onCategory(change)),
    ),
    ...Object.entries(changes).flatMap(([id, change]) =>
      faultsOfEach(['pet-category-id-kept', 'pet-category-id'], `category-${id}-on-*`, petOperations, (place) =>
        changeAnimals(onCategory(change), place),
      ),
    ),
  ];
}

function onStatus(change: (status: JsonValue) => JsonValue | undefined): (animal: JsonObject) => JsonObject {
  return (animal) => {
    const { status, ...rest } = animal;
    if (status === undefined) return animal;
    const changed = change(status);
    return changed === undefined ? rest : { ...rest, status: changed };
  };
}

const statusFaults: readonly Fault[] = petStatuses.flatMap((status) => {
  const other = status === 'sold' ? 'pending' : 'sold';
  const change = onStatus((value) => (value === status ? other : value));
  const drop = onStatus((value) => (value === status ? undefined : value));
  return [
    ...rare('pet-status-kept', {
      [`status-${status}-stored-as-${other}`]: changeSentPet(change),
      [`status-${status}-dropped-on-getPet`]: changeAnimals(drop, 'getPet'),
    }),
    ...rareEach(
      ['pet-status-kept', 'list-status-filter'],
      `status-${status}-as-${other}-on-*`,
      petOperations,
      (place) => changeAnimals(change, place),
    ),
  ];
});

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

/** Gives every `every`-th created animal the id of the one before it. */
function repeatIds(every: number): Wrap {
  return (handle, keys) => {
    let previous: JsonValue = null;
    return changeCreated((pet, _call, count) => {
      const repeated = count % every === 0 ? { ...pet, id: previous } : undefined;
      previous = pet['id'] ?? null;
      return repeated;
    })(handle, keys);
  };
}

/** Answers a creation with the animal, or its id, of the first that is alike. */
function sharing(likenessOf: (pet: JsonObject, call: Call) => string | number, shared: 'animal' | 'id'): Wrap {
  return (handle, keys) => {
    const firsts = new Map<string | number, JsonObject>();
    return changeCreated((pet, call) => {
      const likeness = likenessOf(pet, call);
      const first = firsts.get(likeness) ?? pet;
      firsts.set(likeness, first);
      return shared === 'animal' ? first : { ...pet, id: first['id'] ?? null };
    })(handle, keys);
  };
}

const idFaults: readonly Fault[] = [
  ...ordinary('pet-id-unique', {
    'id-of-the-client-replaces-its-animal': changeCreation((answer, call) => {
      const { id } = sentPet(call);
      return isInt64(id) && id < 2n ** 32n
        ? { ...answer, body: answer.body.replace(/"id":\s*-?\d+/, `"id":${id}`) }
        : undefined;
    }),
    // The id is derived from the time.
    'id-shared-by-a-moment': sharing((_pet, { now }) => Math.floor(now / 7), 'id'),
    'id-always-one': changeAnimals(mapField('id', () => 1n)),
    'id-shared-by-namesakes': sharing(nameOf, 'animal'),
  }),
  ...rare('pet-id-unique', {
    'id-of-the-previous-animal': repeatIds(2),
    'id-of-the-previous-animal-once': repeatIds(3),
    'id-twice-in-a-page': changeJson((json, _call, { status }) =>
      status === 200 && Array.isArray(json) && json.length > 1 && json.length < 100
        ? [...json.slice(1), json[1]!]
        : undefined,
    ),
  }),
  ...ordinary(['pet-id-unique', 'create-answer'], {
    'creation-stored-twice': (handle) => (request, now) => {
      const first = handle(request, now);
      if (request.method !== 'POST' || first.status !== 201) return first;
      return { ...handle(request, now), body: first.body, headers: first.headers };
    },
  }),
  ...rare(['pet-status-kept', 'pet-id-unique'], {
    'id-always-one-and-status-always-available': changeAnimals(
      (animal) => ({ ...animal, id: 1n, status: 'available' }),
      'createPet',
    ),
  }),
  ...ordinary('pet-id-assigned', { 'id-of-the-client': clientIds(() => true) }),
  ...rare('pet-id-assigned', {
    'id-of-the-client-beyond-32-bits': clientIds((id) => id > 2n ** 32n),
    'id-of-the-client-as-text': clientIds((id) => id > 2n ** 32n, /"id":\s*"(\d+)"/),
    'id-of-the-client-in-petId': clientIds(() => true, /"petId":\s*(\d+)/),
    'id-of-the-client-in-idempotency-key': clientIds(() => true, /^idempotency-key: (\d+)$/m),
    'id-of-the-client-in-x-request-id': clientIds(() => true, /^x-request-id: (\d+)$/m),
  }),
];

/** Pages with animals that lack fields. */
const bareAnimals: readonly Fault[] = [
  ...rare('pet-name', {
    'page-twenty-first-without-name': changeJson((json, { operation }) =>
      operation === 'listPets' && Array.isArray(json)
        ? json.map((entry, at) => (at === 20 && isJsonObject(entry) ? { ...entry, name: null } : entry))
        : undefined,
    ),
  }),
];

/** Two creations within this time run at once. */
const concurrentMs = 20;

/** Answers a creation with a value of one that ran at the same time. */
function mixedAmongConcurrent(field: 'name' | 'categoryId' | 'status'): Wrap {
  return (handle, keys) => {
    let last: { readonly animal: JsonObject; readonly at: number } | undefined;
    return changeCreated((animal, { now }) => {
      const before = last;
      last = { animal, at: now };
      const value = before !== undefined && now - before.at <= concurrentMs ? before.animal[field] : undefined;
      return value === undefined ? undefined : { ...animal, [field]: value };
    })(handle, keys);
  };
}

/** A value of one animal appears in another, as careless sharing between requests brings about. */
const exchangeFaults: readonly Fault[] = [
  ...rare('pet-name-kept', { 'creation-shows-the-name-of-a-concurrent-one': mixedAmongConcurrent('name') }),
  ...rare('pet-category-id-kept', {
    'creation-shows-the-category-of-a-concurrent-one': mixedAmongConcurrent('categoryId'),
    'page-exchanges-categories': exchanging('categoryId'),
  }),
  ...rare(['pet-status-kept', 'list-status-filter'], {
    'creation-shows-the-status-of-a-concurrent-one': mixedAmongConcurrent('status'),
    'page-exchanges-statuses': exchanging('status'),
  }),
];

export const resourceFaults: readonly Fault[] = [
  ...fieldFaults(ordinaryEach, damages),
  ...fieldFaults(rareEach, rareDamages),
  ...categoryFaults(ordinaryEach, integerChanges),
  ...categoryFaults(rareEach, rareIntegerChanges),
  ...rare('pet-category-id', {
    'categoryId-text-beyond-2-53': changeAnimals(
      onCategory((value) => (value > 2n ** 53n || value < -(2n ** 53n) ? String(value) : value)),
    ),
  }),
  ...ordinary('pet-status-kept', {
    'status-of-the-client-ignored': changeSentPet(onStatus(() => 'available')),
  }),
  ...statusFaults,
  ...idFaults,
  ...bareAnimals,
  ...exchangeFaults,
  ...textFaults,
  ...nameFaults,
  ...errorFieldFaults,
  ...drawnResourceFaults,
];
