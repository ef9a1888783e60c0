/** §2 Resources and §3 States: judges the fields of animals, that values are kept, and ids. */

import type { FailureCode } from '../../../spec/failure-codes.ts';
import type { RequirementId } from '../../../spec/requirements.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue, showJson } from '../../http/json.ts';
import { memoize } from '../../http/memoize.ts';
import { queryOf, readNewPet, readRequestJson } from '../../http/read-request.ts';
import { animalsOf, pointerTo, statusOf } from '../../http/read-response.ts';
import { schemaProblems } from '../../http/schemas.ts';
import { type Finding, fails, holds, isFailing } from '../../verdict/finding.ts';
import { isDrawnId } from '../../world/requests.ts';
import type { CreatedPet, World } from '../../world/world.ts';
import { isAuthorized } from '../../world/world.ts';
import type { Judge } from '../judge.ts';
import { requirementOfPetField } from '../stated-fields.ts';
import { showDifference } from './differing-texts.ts';

function isPetField(field: string): field is keyof typeof requirementOfPetField {
  return Object.hasOwn(requirementOfPetField, field);
}

/** The animals of invalid bodies: §4.2 reports that they were accepted, and a wrong field of theirs follows from that. */
const invalidAnimals = memoize(
  ({ created }: World): ReadonlySet<unknown> =>
    new Set(created.filter(({ exchange }) => readNewPet(exchange).kind === 'invalid').map(({ id }) => id)),
);

function judgeFields(world: World, exchange: Exchange): readonly Finding[] {
  if (!isAuthorized(exchange)) return [];
  const findings = judgeShapes(exchange);
  const invalid = invalidAnimals(world);
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
  readonly requirement: RequirementId;
  readonly animal: JsonObject;
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

/** The last answer, by its event number, that shows an animal of the run under its id and its name. */
const lastRecognised = memoize((world: World): ReadonlyMap<CreatedPet, number> => {
  const last = new Map<CreatedPet, number>();
  for (const exchange of world.answered) {
    if (exchange.operation === 'createPet' || !isAuthorized(exchange)) continue;
    for (const { id, name } of animalsOf(exchange)) {
      const pet = isInt64(id) ? world.createdById.get(id) : undefined;
      if (pet !== undefined && pet.returned['name'] === name)
        last.set(pet, Math.max(last.get(pet) ?? 0, exchange.sent));
    }
  }
  return last;
});

/**
 * Whether the ground stayed from one exchange to another: an older animal is still shown as it was. Without that, the
 * service may have lost its animals, and assigned their ids again.
 */
export function isGroundSteady(world: World, from: Exchange, to: Exchange): boolean {
  for (const [pet, sent] of lastRecognised(world))
    if (pet.exchange !== from && sent >= to.sent && happenedBefore(pet.exchange, from)) return true;
  return false;
}

/** The animals of the run in later answers, each with its creation; none whose id was assigned twice. */
const readsOfCreated = memoize((world: World): readonly Read[] => {
  const assigned = Map.groupBy(world.created, (pet) => pet.id);
  return world.answered.filter(isAuthorized).flatMap((exchange) => {
    if (exchange.operation === 'createPet') return [];
    return animalsOf(exchange).flatMap((animal): Read[] => {
      const { id } = animal;
      const [pet, ...others] = isInt64(id) ? (assigned.get(id) ?? []) : [];
      const isRead = pet !== undefined && others.length === 0 && happenedBefore(pet.exchange, exchange);
      return isRead ? [[pet, animal, exchange]] : [];
    });
  });
});

/** The first read of each animal, if it ended within the settle time since the creation began: its status can hardly have changed. */
function firstReadsOf(world: World): ReadonlyMap<CreatedPet, readonly [JsonObject, Exchange]> {
  const first = new Map<CreatedPet, readonly [JsonObject, Exchange]>();
  const shown = new Set<CreatedPet>();
  const inOrder = readsOfCreated(world).toSorted(([, , one], [, , other]) => one.sent - other.sent);
  for (const [pet, animal, exchange] of inOrder) {
    if (shown.has(pet)) continue;
    shown.add(pet);
    const isSoon = exchange.endedAt - pet.exchange.startedAt <= world.settings.settleMs;
    // Of requests under way at the same time, any may have been the first.
    const isAlone = exchange.answered === exchange.sent + 1 && pet.exchange.answered === pet.exchange.sent + 1;
    if (isSoon && isAlone) first.set(pet, [animal, exchange]);
  }
  return first;
}

/** So many changed animals that were read at once are no coincidence with animals that others removed. */
const fewestChanged = 2;

/** A later change of status is a transition, which §3 leaves open: only the 201 and the first read must show what was sent. */
function judgeKept(world: World): readonly Finding[] {
  const reads = readsOfCreated(world).map((read) => ({ read, findings: compareLasting(...read) }));
  const changed = reads.filter(({ findings }) => findings.some(isFailing));
  const soon = changed.filter(
    ({ read: [pet, , exchange] }) => exchange.startedAt - pet.exchange.endedAt <= world.settings.settleMs,
  );
  const isCertain = new Set(soon.map(({ read: [pet] }) => pet)).size >= fewestChanged;
  return [
    ...world.created.flatMap((pet) => [
      ...compareLasting(pet, pet.returned, pet.exchange),
      ...compare(pet, pet.returned, pet.exchange, 'status'),
    ]),
    ...reads.flatMap(({ read: [pet, , exchange], findings }) =>
      findings.some(isFailing) && !isCertain && !isGroundSteady(world, pet.exchange, exchange) ? [] : findings,
    ),
    ...[...firstReadsOf(world)].flatMap(([pet, read]) => compare(pet, ...read, 'status')),
  ];
}

function firstRepeated(ids: readonly bigint[]): bigint | undefined {
  const earlier = new Set<bigint>();
  return ids.find((id) => earlier.size === earlier.add(id).size);
}

/** The ids that clients chose, if the service takes over even drawn ids, which `pet-id-assigned` reports. */
function idsOfClients(world: World): ReadonlySet<bigint> {
  const isTakenOver = judgeAssigned(world).some(isFailing);
  const chosen = world.created.filter(({ exchange, id }) => idsSentIn(exchange).includes(id));
  return new Set(isTakenOver ? chosen.map(({ id }) => id) : []);
}

/** The name of the animal with an id in an answer. */
function _nameShownFor(id: bigint, answer: Exchange): JsonValue | undefined {
  return animalsOf(answer).find((animal) => animal['id'] === id)?.['name'];
}

/** An id that more animals than these got is no coincidence with ids that became free. */
const mostFreed = 2;

/** An answer that shows that the id of a new animal was another animal's: that one is still there. */
function idsInUse(world: World, assigned: readonly CreatedPet[]): ReadonlyMap<CreatedPet, Exchange> {
  const taken = assigned.flatMap((pet) => {
    const { shownBy, name } = world.known.get(pet.id) ?? {};
    const isOther = shownBy !== undefined && happenedBefore(shownBy, pet.exchange) && name !== pet.returned['name'];
    return isOther ? [{ pet, name }] : [];
  });
  return new Map(
    taken.flatMap(({ pet, name }): [CreatedPet, Exchange][] => {
      const since = world.answered.find(
        (later) =>
          happenedBefore(pet.exchange, later) &&
          isAuthorized(later) &&
          animalsOf(later).some((animal) => animal['id'] === pet.id && animal['name'] === name),
      );
      return since === undefined ? [] : [[pet, since]];
    }),
  );
}

/** Whether an id was certainly assigned twice: an older animal is still there, or it was assigned again and again. */
function isAssignedTwice(world: World, first: CreatedPet, pet: CreatedPet): boolean {
  const alike = world.created.filter(({ id }) => id === pet.id);
  return alike.length > mostFreed || isGroundSteady(world, first.exchange, pet.exchange);
}

function judgeUnique(world: World): readonly Finding[] {
  const ofClients = idsOfClients(world);
  const withinPages = world.pages.flatMap((page) => {
    const { exchange } = page;
    const ids = page.entries.flatMap((entry) =>
      isJsonObject(entry) && isInt64(entry['id']) && !ofClients.has(entry['id']) ? [entry['id']] : [],
    );
    const twice = firstRepeated(ids);
    if (twice !== undefined) {
      const last = page.entries.findLastIndex((entry) => isJsonObject(entry) && entry['id'] === twice);
      const facts = { expected: 'every id once in a page', received: `${twice} twice`, pointer: `/${last}/id` };
      return [fails('pet-id-unique', 'id-twice-in-page', facts, exchange)];
    }
    return ids.length > 1 ? [holds('pet-id-unique', exchange)] : [];
  });
  const assigned = world.created.filter(({ id }) => !ofClients.has(id));
  const inUse = idsInUse(world, assigned);
  const created = assigned.flatMap((pet) => {
    const first = world.createdById.get(pet.id)!;
    if (first !== pet) {
      if (!isAssignedTwice(world, first, pet)) return [];
      const facts = {
        expected: `an id of its own for each created animal`,
        received: `${pet.id} for two`,
        pointer: '/id',
      };
      return fails('pet-id-unique', 'id-assigned-twice', facts, first.exchange, pet.exchange);
    }
    const other = inUse.get(pet);
    if (other !== undefined) {
      const facts = { expected: `an id that no animal has`, received: `${pet.id}, which another animal had before` };
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

function judgeAssigned(world: World): readonly Finding[] {
  const creations = world.answered.filter(({ operation }) => operation === 'createPet').filter(isAuthorized);
  return creations.flatMap((exchange) => {
    // No animal has a drawn id by chance.
    const ids = idsSentIn(exchange).filter(isDrawnId);
    const status = statusOf(exchange) ?? 0;
    if (ids.length === 0 || (status !== 201 && (status < 400 || status >= 500))) return [];
    // The service may refuse a body with an id.
    const sent = ids.find((id) => animalsOf(exchange).some((animal) => animal['id'] === id));
    if (sent === undefined) return [holds('pet-id-assigned', exchange)];
    const facts = {
      expected: `an id that the service assigned`,
      received: `${sent}, which the client had sent`,
      pointer: '/id',
    };
    return [fails('pet-id-assigned', 'id-of-the-client', facts, exchange)];
  });
}

export const resourceJudges: readonly Judge[] = [
  {
    id: 'animals-have-their-fields',
    verifies: ['pet-id', 'pet-name', 'pet-category-id', 'pet-status'],
    title: 'Every animal in every answer has its fields, each of its type',
    scope: 'record',
    judge: (world) => world.answered.flatMap((exchange) => judgeFields(world, exchange)),
  },
  {
    id: 'animals-are-kept',
    verifies: ['pet-name-kept', 'pet-category-id-kept', 'pet-status-kept'],
    title: 'Accepted values are returned exactly, in the 201, by getPet and in pages',
    scope: 'key',
    judge: judgeKept,
  },
  {
    id: 'ids-are-unique',
    verifies: ['pet-id-unique'],
    title: 'No two animals share an id',
    scope: 'key',
    judge: judgeUnique,
  },
  {
    id: 'ids-are-assigned',
    verifies: ['pet-id-assigned'],
    title: 'An id that a client sends does not become the id of the animal',
    scope: 'record',
    judge: judgeAssigned,
  },
];
