/** §2 Resources and §3 States: judges the fields of animals, that values are kept, and ids. */

import type { FailureCode } from '../../../spec/failure-codes.ts';
import type { RequirementId } from '../../../spec/requirements.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue, showJson } from '../../http/json.ts';
import { memoize } from '../../http/memoize.ts';
import { queryOf, readNewPet, readRequestJson } from '../../http/read-request.ts';
import { animalsOf, pointerTo, statusOf } from '../../http/read-response.ts';
import { schemaProblems } from '../../http/schemas.ts';
import type { Invariant } from '../../verdict/check.ts';
import { type Finding, fails, holds, isFailing } from '../../verdict/finding.ts';
import type { CreatedPet, History } from '../../verdict/history.ts';
import { idsOf, isAuthorized, isSameKey } from '../../verdict/history.ts';
import { createdByName, isGroundSteady } from '../../world/ground.ts';
import { isDrawnId } from '../requests.ts';
import { requirementOfPetField } from '../stated-fields.ts';
import { showDifference } from './differing-texts.ts';

function isPetField(field: string): field is keyof typeof requirementOfPetField {
  return Object.hasOwn(requirementOfPetField, field);
}

/** The animals of invalid bodies: §4.2 reports that they were accepted, and a wrong field of theirs follows from that. */
const invalidAnimals = memoize(
  ({ created }: History): ReadonlySet<unknown> =>
    new Set(created.filter(({ exchange }) => readNewPet(exchange).kind === 'invalid').map(({ id }) => id)),
);

function judgeFields(history: History, exchange: Exchange): readonly Finding[] {
  if (!isAuthorized(exchange)) return [];
  const findings = judgeShapes(exchange);
  const invalid = invalidAnimals(history);
  if (invalid.size === 0 || !findings.some(isFailing)) return findings;
  return judgeAnimals(
    exchange,
    animalsOf(exchange).filter(({ id }) => !invalid.has(id)),
  );
}

const places: Readonly<Record<string, string>> = { createPet: 'the 201', listPets: 'a page', getPet: 'getPet' };

/** The answer that shows an animal, in words. */
function whereShown({ operation }: Exchange): string {
  return places[operation] ?? 'an answer';
}

const judgeShapes = memoize((exchange: Exchange) => judgeAnimals(exchange, animalsOf(exchange)));

/** Judges animals of one answer by the schema, and their int64 fields by every digit. */
function judgeAnimals(exchange: Exchange, animals: readonly JsonObject[]): readonly Finding[] {
  if (animals.length === 0) return [];
  const problems = animals.flatMap(problemsOfAnimal);
  return Object.values(requirementOfPetField).map((requirement) => {
    const found = problems.find((problem) => problem.requirement === requirement);
    if (found === undefined) return holds(requirement, exchange);
    const { animal, field, code, expected, received } = found;
    const facts = { expected: `${field} in ${whereShown(exchange)}: ${expected}`, received };
    return fails(requirement, code, { ...facts, pointer: pointerTo(exchange, animal, field) }, exchange);
  });
}

/** Equal bodies share their animals (http/record.ts). */
const problemsOfAnimal = memoize(shapeProblems);

interface ShapeProblem {
  readonly animal: JsonObject;
  readonly requirement: RequirementId;
  readonly field: string;
  readonly code: FailureCode;
  readonly expected: string;
  readonly received: string;
}

function shapeProblems(animal: JsonObject): readonly ShapeProblem[] {
  const bySchema = schemaProblems('Pet', animal).flatMap(({ field, expected }) => {
    if (!isPetField(field)) return [];
    const code = animal[field] === undefined ? (`${field}-missing` as const) : (`${field}-wrong` as const);
    const requirement = requirementOfPetField[field];
    return [{ requirement, animal, field, code, expected, received: showJson(animal[field]) }];
  });
  const byDigits = (['id', 'categoryId'] as const).flatMap((field) => {
    const value = animal[field];
    if ((typeof value !== 'number' && typeof value !== 'bigint') || isInt64(value)) return [];
    const requirement = requirementOfPetField[field];
    const expected = 'an integer from -2^63 to 2^63 - 1';
    return [{ requirement, animal, field, code: `${field}-not-int64` as const, expected, received: showJson(value) }];
  });
  return [...bySchema, ...byDigits];
}

const requirementOfKept = {
  name: 'pet-name-kept',
  categoryId: 'pet-category-id-kept',
  status: 'pet-status-kept',
} as const satisfies Readonly<Record<string, RequirementId>>;

/** Compares a field of one returned animal with what the run had sent to create it. */
function compare(
  { sent, exchange: creation }: CreatedPet,
  animal: JsonObject,
  exchange: Exchange,
  field: 'name' | 'categoryId' | 'status',
): readonly Finding[] {
  const value = sent?.[field];
  if (value === undefined) return [];
  const requirement = requirementOfKept[field];
  const evidence = exchange === creation ? [exchange] : [creation, exchange];
  if (animal[field] === value) return [holds(requirement, ...evidence)];
  const facts = {
    ...showDifference(field, whereShown(exchange), value, animal[field]),
    pointer: pointerTo(exchange, animal, field),
    input: { name: field, value: showJson(value) },
  };
  return [fails(requirement, `${field}-changed`, facts, ...evidence)];
}

/** Name and category never change; `judgeShapes` reports values of the wrong type. */
function compareLasting(pet: CreatedPet, animal: JsonObject, exchange: Exchange): readonly Finding[] {
  const isNumber = typeof animal['categoryId'] === 'bigint' || typeof animal['categoryId'] === 'number';
  return [
    ...(typeof animal['name'] === 'string' ? compare(pet, animal, exchange, 'name') : []),
    ...(isNumber ? compare(pet, animal, exchange, 'categoryId') : []),
  ];
}

type Read = readonly [CreatedPet, JsonObject, Exchange];

/**
 * The animals of the run in later answers, each with its creation; none whose id was assigned twice. An answer that shows
 * another animal of the run under an id is judged by §4.1 and §4.3.
 */
const readsOfCreated = memoize((history: History): readonly Read[] => {
  const assigned = Map.groupBy(history.created, (pet) => pet.id);
  return history.answered.filter(isAuthorized).flatMap((exchange) =>
    animalsOf(exchange).flatMap((animal): Read[] => {
      const { id, name = null } = animal;
      const [pet, ...others] = isInt64(id) ? (assigned.get(id) ?? []) : [];
      const isRead =
        pet !== undefined &&
        others.length === 0 &&
        happenedBefore(pet.exchange, exchange) &&
        isSameKey(pet.exchange, exchange);
      const isOther = (createdByName(history).get(name) ?? pet) !== pet;
      return isRead && !isOther && exchange.operation !== 'createPet' ? [[pet, animal, exchange]] : [];
    }),
  );
});

/** The first read of each animal, if it ended within the settle time since the creation began: its status can hardly have changed. */
function firstReadsOf(history: History): ReadonlyMap<CreatedPet, readonly [JsonObject, Exchange]> {
  const first = new Map<CreatedPet, readonly [JsonObject, Exchange]>();
  for (const [pet, animal, exchange] of readsOfCreated(history)) {
    const [shown, earlier] = first.get(pet) ?? [];
    // Of concurrent reads, one that shows what was sent may have been the first.
    const isFirstShown = earlier === undefined || happenedBefore(exchange, earlier);
    const isConcurrent = earlier !== undefined && !happenedBefore(earlier, exchange);
    const isAsSent = animal['status'] === pet.sent?.status && shown?.['status'] !== pet.sent?.status;
    if (isFirstShown || (isConcurrent && isAsSent)) first.set(pet, [animal, exchange]);
  }
  const isSoon = ([pet, [, exchange]]: readonly [CreatedPet, readonly [JsonObject, Exchange]]): boolean =>
    exchange.endedAt - pet.exchange.startedAt <= history.settings.settleMs;
  // A page that was under way with the creation may have shown the animal before its first read.
  const isFirst = ([pet]: readonly [CreatedPet, unknown]): boolean =>
    !history.pages.some(
      (page) =>
        page.exchange.answered > pet.exchange.sent &&
        !happenedBefore(pet.exchange, page.exchange) &&
        idsOf(page).includes(pet.id),
    );
  return new Map([...first].filter((read) => isSoon(read) && isFirst(read)));
}

/** A later change of status is a transition, which §3 leaves open: only the 201 and the first read must show what was sent. */
function judgeKept(history: History): readonly Finding[] {
  return [
    ...history.created.flatMap((pet) => [
      ...compareLasting(pet, pet.returned, pet.exchange),
      ...compare(pet, pet.returned, pet.exchange, 'status'),
    ]),
    ...readsOfCreated(history).flatMap(([pet, animal, exchange]) => {
      const findings = compareLasting(pet, animal, exchange);
      return findings.some(isFailing) && !isGroundSteady(history, exchange, pet) ? [] : findings;
    }),
    ...[...firstReadsOf(history)].flatMap(([pet, read]) => compare(pet, ...read, 'status')),
  ];
}

function firstRepeated(ids: readonly bigint[]): bigint | undefined {
  const earlier = new Set<bigint>();
  return ids.find((id) => earlier.size === earlier.add(id).size);
}

/** The ids that clients chose, if the service takes over even drawn ids, which `pet-id-assigned` reports. */
function idsOfClients(history: History): ReadonlySet<bigint> {
  const isTakenOver = judgeAssigned(history).some(isFailing);
  const chosen = history.created.filter(({ exchange, id }) => idsSentIn(exchange).includes(id));
  return new Set(isTakenOver ? chosen.map(({ id }) => id) : []);
}

/** The name of the animal with an id in an answer. */
function nameShownFor(id: bigint, answer: Exchange): JsonValue | undefined {
  return animalsOf(answer).find((animal) => animal['id'] === id)?.['name'];
}

/** The answer that showed another animal with the id of a created one before; undefined if there is none. */
function earlierOwner({ known }: History, { id, exchange, returned }: CreatedPet): Exchange | undefined {
  const shownBy = known.get(id)?.shownBy;
  const isEarlier = shownBy !== undefined && happenedBefore(shownBy, exchange) && isSameKey(shownBy, exchange);
  return isEarlier && nameShownFor(id, shownBy) !== returned['name'] ? shownBy : undefined;
}

/** The created animals that got an id in use, each with an answer after its creation that shows the other animal with it. */
function idsInUse(history: History, assigned: readonly CreatedPet[]): ReadonlyMap<CreatedPet, Exchange> {
  return new Map(
    assigned.flatMap((pet) => {
      const before = earlierOwner(history, pet);
      if (before === undefined) return [];
      const name = nameShownFor(pet.id, before);
      const since = history.answered.find(
        (later) => happenedBefore(pet.exchange, later) && isAuthorized(later) && nameShownFor(pet.id, later) === name,
      );
      return since === undefined ? [] : [[pet, since] as const];
    }),
  );
}

function judgeUnique(history: History): readonly Finding[] {
  const ofClients = idsOfClients(history);
  const withinPages = history.pages.flatMap((page) => {
    const { exchange } = page;
    const ids = idsOf(page).filter((id) => !ofClients.has(id));
    const twice = firstRepeated(ids);
    if (twice !== undefined) {
      const last = page.entries.findLastIndex((entry) => isJsonObject(entry) && entry['id'] === twice);
      const facts = { expected: 'every id once in a page', received: `${twice} twice`, pointer: `/${last}/id` };
      return [fails('pet-id-unique', 'id-twice-in-page', facts, exchange)];
    }
    return ids.length > 1 ? [holds('pet-id-unique', exchange)] : [];
  });
  const assigned = history.created.filter(({ id }) => !ofClients.has(id));
  const inUse = idsInUse(history, assigned);
  const created = assigned.map((pet) => {
    // Another key may have ids of its own.
    const first = assigned.find((other) => other.id === pet.id && isSameKey(other.exchange, pet.exchange))!;
    // After a reset ids may start anew.
    if (first !== pet && isGroundSteady(history, pet.exchange, first)) {
      const facts = {
        expected: 'an id of its own for each created animal',
        received: `${pet.id} for two`,
        pointer: '/id',
      };
      return fails('pet-id-unique', 'id-assigned-twice', facts, first.exchange, pet.exchange);
    }
    const other = inUse.get(pet);
    if (other !== undefined) {
      const facts = { expected: 'an id that no animal has', received: `${pet.id}, which another animal had before` };
      return fails('pet-id-unique', 'id-in-use', facts, pet.exchange, other);
    }
    return holds('pet-id-unique', pet.exchange);
  });
  return [...withinPages, ...created];
}

/** The values of a creation that a service may take for an id: in any field but categoryId, the query and headers, also as digits. */
function idsSentIn(exchange: Exchange): readonly bigint[] {
  const reading = readRequestJson(exchange.request);
  if (!('value' in reading) || !isJsonObject(reading.value)) return [];
  const { categoryId: _category, ...rest } = reading.value;
  const values = [...Object.values(rest), ...queryOf(exchange).values(), ...Object.values(exchange.request.headers)];
  const numbers = values.map((value) =>
    typeof value === 'string' && /^\d{1,19}$/.test(value) ? BigInt(value) : value,
  );
  return numbers.filter(isInt64);
}

function judgeAssigned(history: History): readonly Finding[] {
  const creations = history.answered.filter(({ operation }) => operation === 'createPet').filter(isAuthorized);
  return creations.flatMap((exchange) => {
    // No animal has a drawn id by chance.
    const ids = idsSentIn(exchange).filter(isDrawnId);
    const status = statusOf(exchange) ?? 0;
    if (ids.length === 0 || (status !== 201 && (status < 400 || status >= 500))) return [];
    // The service may refuse a body with an id.
    const sent = ids.find((id) => animalsOf(exchange).some((animal) => animal['id'] === id));
    if (sent === undefined) return [holds('pet-id-assigned', exchange)];
    const facts = {
      expected: 'an id that the service assigned',
      received: `${sent}, which the client had sent`,
      pointer: '/id',
    };
    return [fails('pet-id-assigned', 'id-of-the-client', facts, exchange)];
  });
}

export const resourceInvariants: readonly Invariant[] = [
  {
    id: 'animals-have-their-fields',
    verifies: ['pet-id', 'pet-name', 'pet-category-id', 'pet-status'],
    title: 'Every animal in every answer has its fields, each of its type',
    judge: (history) => history.answered.flatMap((exchange) => judgeFields(history, exchange)),
  },
  {
    id: 'animals-are-kept',
    verifies: ['pet-name-kept', 'pet-category-id-kept', 'pet-status-kept'],
    title: 'Accepted values are returned exactly, in the 201, by getPet and in pages',
    judge: judgeKept,
  },
  {
    id: 'ids-are-unique',
    verifies: ['pet-id-unique'],
    title: 'No two animals share an id',
    judge: judgeUnique,
  },
  {
    id: 'ids-are-assigned',
    verifies: ['pet-id-assigned'],
    title: 'An id that a client sends does not become the id of the animal',
    judge: judgeAssigned,
  },
];
