/** Faults of §2: fields of animals that are missing or wrong, values that are not kept, ids that are not unique. */

import { petStatuses } from '../../../spec/operations.ts';
import type { RequirementId } from '../../../spec/requirements.ts';
import type { JsonObject, JsonValue } from '../../http/json.ts';
import { isInt64, isJsonObject } from '../../http/json.ts';
import { textsMisread } from '../4.2-create-pet/json-text-faults.ts';
import {
  breaking,
  breakingEach,
  changeAnimals,
  changeCreated,
  changeCreation,
  changeJson,
  changeSentPet,
  changeServed,
  dropField,
  type Fault,
  type FaultDraft,
  mapField,
  nameOf,
  ordinary,
  ordinaryExcept,
  petOperations,
  rare,
  renameField,
  sentPet,
  type Wrap,
  withTarget,
} from '../fault.ts';
import { drawnResourceFaults } from './drawn-faults.ts';
import { errorFieldFaults } from './error-faults.ts';
import { exchangeFaults } from './exchange-faults.ts';
import { nameFaults } from './name-faults.ts';

const requirementOfField = {
  id: 'pet-id',
  name: 'pet-name',
  categoryId: 'pet-category-id',
  status: 'pet-status',
} as const satisfies Record<string, RequirementId>;

type Field = keyof typeof requirementOfField;

type DamageOf = (field: Field) => (animal: JsonObject) => JsonObject;

const setTo =
  (change: (value: JsonValue) => JsonValue): DamageOf =>
  (field) =>
    mapField(field, change);

/** Ways to damage fields of an animal, each with the fields. */
type Damages = Readonly<Record<string, readonly [fields: readonly Field[], damage: DamageOf]>>;

const damages: Damages = {
  missing: [['id', 'name', 'categoryId'], dropField],
  null: [['id', 'name', 'categoryId', 'status'], setTo(() => null)],
  misnamed: [['id', 'name', 'categoryId'], (field) => renameField(field, `pet_${field}`)],
  text: [['id', 'categoryId'], setTo((value) => (typeof value === 'string' ? value : String(value)))],
  number: [['status'], setTo(() => 7n)],
  unknown: [['status'], setTo(() => 'unavailable')],
  'upper-case': [['status'], setTo((value) => String(value).toUpperCase())],
};

const rareDamages: Damages = {
  number: [['name'], setTo(() => 7n)],
  fraction: [['id', 'categoryId'], setTo(() => 1.5)],
  'beyond-int64': [['id', 'categoryId'], setTo(() => 2n ** 63n)],
  'in-an-array': [['name', 'status'], setTo((value) => [value])],
};

function fieldFaults(kinds: Damages): readonly FaultDraft[] {
  return Object.entries(kinds).flatMap(([id, [fields, damage]]) =>
    fields.flatMap((field) => [
      ...breaking(requirementOfField[field], { [`${field}-${id}`]: changeAnimals(damage(field)) }),
      ...breakingEach(requirementOfField[field], `${field}-${id}-on-*`, petOperations, (place) =>
        changeAnimals(damage(field), place),
      ),
    ]),
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

function categoryFaults(changes: IntegerChanges): readonly FaultDraft[] {
  return Object.entries(changes).flatMap(([id, change]): readonly FaultDraft[] => [
    ...breaking(['pet-category-id-kept', 'create-answer'], {
      [`category-stored-${id}`]: changeSentPet(onCategory(change)),
    }),
    ...breakingEach(['pet-category-id-kept', 'pet-category-id'], `category-${id}-on-*`, petOperations, (place) =>
      changeAnimals(onCategory(change), place),
    ),
  ]);
}

const textBeyondDouble = breaking('pet-category-id', {
  'categoryId-text-beyond-2-53': changeAnimals(
    onCategory((value) => (value > 2n ** 53n || value < -(2n ** 53n) ? String(value) : value)),
  ),
});

function onStatus(change: (status: JsonValue) => JsonValue | undefined): (animal: JsonObject) => JsonObject {
  return (animal) => {
    const { status, ...rest } = animal;
    if (status === undefined) return animal;
    const changed = change(status);
    return changed === undefined ? rest : { ...rest, status: changed };
  };
}

const statusFaults: readonly FaultDraft[] = petStatuses.flatMap((status): readonly FaultDraft[] => {
  const other = status === 'sold' ? 'pending' : 'sold';
  const change = onStatus((value) => (value === status ? other : value));
  return [
    ...breaking('pet-status-kept', {
      [`status-${status}-stored-as-${other}`]: changeSentPet(change),
      [`status-${status}-dropped-on-getPet`]: changeAnimals(
        onStatus((value) => (value === status ? undefined : value)),
        'getPet',
      ),
    }),
    ...breakingEach(
      ['pet-status-kept', 'list-status-filter'],
      `status-${status}-as-${other}-on-*`,
      petOperations,
      (place) => changeAnimals(change, place),
    ),
  ];
});

/** Creates every animal with the same status, whichever the client sends. */
const statusIgnored = breaking('pet-status-kept', {
  'status-of-the-client-ignored': changeSentPet(onStatus(() => 'available')),
});

/** Takes the id that a client sends as the id of the animal, in every answer. */
function clientIds(isTaken: (id: bigint) => boolean): Wrap {
  return (handle) => {
    const taken = new Map<JsonValue, bigint>();
    const given = changeAnimals((animal) => ({
      ...animal,
      id: taken.get(animal['id'] ?? null) ?? animal['id'] ?? null,
    }));
    return (request, now) => {
      const sent = /"id":\s*(\d+)/.exec(new TextDecoder().decode(request.body))?.[1];
      const asked = [...taken].find(([, id]) => request.target.endsWith(`/pets/${id}`));
      const own = asked === undefined ? request : withTarget(request, `/v1/pets/${asked[0]}`);
      return given((inner, at) => {
        const answer = handle(inner, at);
        const id = answer.status === 201 ? /"id":\s*(-?\d+)/.exec(answer.body)?.[1] : undefined;
        if (id !== undefined && sent !== undefined && isTaken(BigInt(sent))) taken.set(BigInt(id), BigInt(sent));
        return answer;
      })(own, now);
    };
  };
}

/** Gives every `every`-th created animal the id of the one before it. */
function repeatIds(every: number): Wrap {
  return (handle) => {
    let created = 0;
    let previous: JsonValue = null;
    return changeCreated((pet) => {
      created += 1;
      const repeated = created % every === 0 ? { ...pet, id: previous } : undefined;
      previous = pet['id'] ?? null;
      return repeated;
    })(handle);
  };
}

/** Treats two animals of one name as one: creating the second returns the first. */
const namesakesAreOne: Wrap = (handle) => {
  const byName = new Map<string, JsonObject>();
  return changeCreated((pet) => {
    const first = byName.get(nameOf(pet)) ?? pet;
    byName.set(nameOf(pet), first);
    return first;
  })(handle);
};

/** Derives the id from the time: animals of the same few milliseconds share it. */
const idsFromTime: Wrap = (handle) => {
  const byMoment = new Map<number, JsonValue>();
  return changeCreated((pet, { now }) => {
    const moment = Math.floor(now / 7);
    const id = byMoment.get(moment) ?? pet['id'] ?? null;
    byMoment.set(moment, id);
    return { ...pet, id };
  })(handle);
};

const idFaults: readonly FaultDraft[] = [
  ...breaking('pet-id-unique', {
    'id-of-the-client-replaces-its-animal': changeCreation((answer, call) => {
      const { id } = sentPet(call);
      return isInt64(id) && id < 2n ** 32n
        ? { ...answer, body: answer.body.replace(/"id":\s*-?\d+/, `"id":${id}`) }
        : undefined;
    }),
    'id-shared-by-a-moment': idsFromTime,
    'id-of-the-previous-animal': repeatIds(2),
    'id-of-the-previous-animal-once': repeatIds(3),
    'id-always-one': changeAnimals(mapField('id', () => 1n)),
    'id-shared-by-namesakes': namesakesAreOne,
    'id-twice-in-a-page': changeJson((json, _call, { status }) =>
      status === 200 && Array.isArray(json) && json.length > 1 && json.length < 100
        ? [...json.slice(1), json[1]!]
        : undefined,
    ),
  }),
  ...breaking(['pet-id-unique', 'create-answer'], {
    'creation-stored-twice': (handle) => (request, now) => {
      const first = handle(request, now);
      if (request.method !== 'POST' || first.status !== 201) return first;
      return { ...handle(request, now), body: first.body, headers: first.headers };
    },
  }),
  ...breaking(['pet-status-kept', 'pet-id-unique'], {
    'id-always-one-and-status-always-available': changeAnimals(
      (animal) => ({ ...animal, id: 1n, status: 'available' }),
      'createPet',
    ),
  }),
  ...breaking('pet-id-assigned', {
    'id-of-the-client': clientIds(() => true),
    'id-of-the-client-beyond-32-bits': clientIds((id) => id > 2n ** 32n),
  }),
];

/** Animals that lack required fields in some answers only. */
const bareAnimals: readonly FaultDraft[] = [
  ...breaking(['pet-id', 'pet-name'], {
    'creation-answers-wrapped': changeCreation((answer) => ({ ...answer, body: `{"data":${answer.body}}` })),
  }),
  ...breakingEach(['pet-id', 'pet-name'], 'read-empties-*', petStatuses, (status) =>
    changeServed('getPet', (answer) =>
      answer.body.includes(`"status":"${status}"`) ? { ...answer, body: '{}' } : undefined,
    ),
  ),
  ...breaking('pet-name', {
    'page-twenty-first-without-name': changeJson((json, { operation }) =>
      operation === 'listPets' && Array.isArray(json)
        ? json.map((entry, at) => (at === 20 && isJsonObject(entry) ? { ...entry, name: null } : entry))
        : undefined,
    ),
  }),
];

export const resourceFaults: readonly Fault[] = [
  ...ordinary(...fieldFaults(damages), ...categoryFaults(integerChanges), ...statusIgnored),
  ...ordinaryExcept(
    [
      'id-of-the-client-beyond-32-bits',
      'id-of-the-previous-animal',
      'id-of-the-previous-animal-once',
      'id-always-one-and-status-always-available',
      'id-twice-in-a-page',
    ],
    ...idFaults,
  ),
  ...rare(...fieldFaults(rareDamages), ...categoryFaults(rareIntegerChanges), ...statusFaults),
  ...rare(...textsMisread, ...textBeyondDouble, ...bareAnimals, ...exchangeFaults),
  ...nameFaults,
  ...errorFieldFaults,
  ...drawnResourceFaults,
];
