/** §2 Resources and §3 States: judges the fields of animals, that values are kept, and ids. */

import type { FailureCode } from '../../../spec/failure-codes.ts';
import type { RequirementId } from '../../../spec/requirements.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue, showJson } from '../../http/json.ts';
import { memoize } from '../../http/memoize.ts';
import { readRequestJson, type SentPet } from '../../http/read-request.ts';
import { animalsOf, idsShownIn, pointerTo, statusOf } from '../../http/read-response.ts';
import { schemaProblems } from '../../http/schemas.ts';
import { type FailureFacts, type Finding, fails, holds, isFailing, type Judge } from '../../verdict/finding.ts';
import { type AnimalSight, createdByName, isGroundSteady, sightsIn } from '../../world/animals.ts';
import { type CreatedPet, idsOf, isAuthorized, isSameKey, type Page, type World } from '../../world/world.ts';
import { isDrawnId, isTakenOver } from '../requests.ts';

/** How many code points are shown before a difference. */
const shownBefore = 12;
/** How many code points are shown from a difference on. */
const shownAfter = 24;

function pointOf(character: string | undefined): string {
  if (character === undefined) return 'the end';
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

function excerpt(characters: readonly string[], at: number): string {
  const start = Math.max(0, at - shownBefore);
  const end = at + shownAfter;
  const shown = JSON.stringify(characters.slice(start, end).join(''));
  return `${start > 0 ? '…' : ''}${shown}${end < characters.length ? '…' : ''}`;
}

/** The facts of a field that came back different, with the first difference. */
function showDifference(
  field: string,
  where: string,
  expected: JsonValue | undefined,
  received: JsonValue | undefined,
): FailureFacts {
  if (typeof expected !== 'string' || typeof received !== 'string')
    return { expected: `${field} ${showJson(expected)} in ${where}`, received: showJson(received) };
  const wanted = [...expected];
  const came = [...received];
  const at = wanted.findIndex((character, index) => character !== came[index]);
  const first = at === -1 ? wanted.length : at;
  // A difference between visible ASCII characters can be seen without their code points.
  const isSeen = [wanted[first], came[first]].every((character) => /^[!-~]$/.test(character ?? ''));
  const place = isSeen ? '' : `: ${pointOf(wanted[first])} and ${pointOf(came[first])} at character ${first + 1}`;
  return { expected: `${field} ${excerpt(wanted, first)} in ${where}`, received: `${excerpt(came, first)}${place}` };
}

const requirementOfPetField = {
  id: 'pet-id',
  name: 'pet-name',
  categoryId: 'pet-category-id',
  status: 'pet-status',
} as const satisfies Readonly<Record<string, RequirementId>>;

/** The answer that shows an animal, in words. */
function placeOf({ operation }: Exchange): string {
  if (operation === 'createPet') return 'the 201';
  return operation === 'listPets' ? 'a page' : 'getPet';
}

type PetField = keyof typeof requirementOfPetField;

const schemaProblemsOf = memoize((animal: JsonObject) => schemaProblems('Pet', animal));

/** Returns how a field of an animal breaks the schema or the range of int64; undefined if it breaks neither. */
function problemWith(
  animal: JsonObject,
  field: PetField,
): { readonly code: FailureCode; readonly expected: string } | undefined {
  const value = animal[field];
  const problem = schemaProblemsOf(animal).find((one) => one.field === field);
  if (problem !== undefined)
    return { code: value === undefined ? `${field}-missing` : `${field}-wrong`, expected: problem.expected };
  if ((field !== 'id' && field !== 'categoryId') || isInt64(value)) return undefined;
  return { code: `${field}-not-int64`, expected: 'an integer from -2^63 to 2^63 - 1' };
}

/** Judges the fields of the animals in an answer, if it has any. */
const judgeFields = memoize((exchange: Exchange): readonly Finding[] => {
  const animals = animalsOf(exchange);
  if (animals.length === 0) return [];
  return (Object.keys(requirementOfPetField) as readonly PetField[]).map((field) => {
    const requirement = requirementOfPetField[field];
    const animal = animals.find((one) => problemWith(one, field) !== undefined);
    if (animal === undefined) return holds(requirement, exchange);
    const { code, expected } = problemWith(animal, field)!;
    const facts = { expected: `${field} in ${placeOf(exchange)}: ${expected}`, received: showJson(animal[field]) };
    return fails(requirement, code, { ...facts, pointer: pointerTo(exchange, animal, field) }, exchange);
  });
});

/** Compares a field of one returned animal with what the run had sent to create it. */
function compareField({ pet, animal, exchange }: AnimalSight, field: keyof SentPet): readonly Finding[] {
  const value = pet.sent?.[field];
  if (value === undefined) return [];
  const requirement = `${requirementOfPetField[field]}-kept` as const;
  const evidence = exchange === pet.exchange ? [exchange] : [pet.exchange, exchange];
  if (animal[field] === value) return [holds(requirement, ...evidence)];
  const facts = {
    ...showDifference(field, placeOf(exchange), value, animal[field]),
    pointer: pointerTo(exchange, animal, field),
    input: { name: field, value: showJson(value) },
  };
  return [fails(requirement, `${field}-changed`, facts, ...evidence)];
}

/** Name and category never change; `judgeFields` reports values of the wrong type. */
function compareLasting(sight: AnimalSight): readonly Finding[] {
  const { name, categoryId } = sight.animal;
  return [
    ...(typeof name === 'string' ? compareField(sight, 'name') : []),
    ...(typeof categoryId === 'bigint' || typeof categoryId === 'number' ? compareField(sight, 'categoryId') : []),
  ];
}

/** Sights of the animals of the run by id, apart from their creations; without ids that the service assigned twice. */
const sightsOf = memoize((world: World): ReadonlyMap<bigint, readonly AnimalSight[]> => {
  const assigned = Map.groupBy(world.created, ({ id }) => id);
  const sights = sightsIn(world).filter(({ pet, animal, exchange }) => {
    // If another animal of the run stands under this id, and its own id is not in the answer, §4.1 and §4.3 judge that.
    const named = createdByName(world).get(animal['name'] ?? null) ?? pet;
    return assigned.get(pet.id)?.length === 1 && idsShownIn(exchange).includes(named.id);
  });
  return Map.groupBy(sights, ({ pet }) => pet.id);
});

/** The first read of an animal that ended within the settle time since the creation began: its status can hardly have changed. */
function firstReadOf({ settings }: World, sights: readonly AnimalSight[]): AnimalSight | undefined {
  return sights.find(
    (first) =>
      happenedBefore(first.pet.exchange, first.exchange) &&
      first.exchange.endedAt - first.pet.exchange.startedAt <= settings.settleMs &&
      sights.every((other) => other === first || happenedBefore(first.exchange, other.exchange)),
  );
}

/** A later change of status is a transition, which §3 leaves open: only the 201 and the first read must show what was sent. */
function judgeKept(world: World): readonly Finding[] {
  const created = world.created.map((pet): AnimalSight => ({ pet, animal: pet.returned, exchange: pet.exchange }));
  return [
    ...created.flatMap((sight) => [...compareLasting(sight), ...compareField(sight, 'status')]),
    ...[...sightsOf(world).values()].flatMap((sights) => {
      const first = firstReadOf(world, sights);
      return [
        ...sights.flatMap((sight) => {
          if (!happenedBefore(sight.pet.exchange, sight.exchange)) return [];
          const findings = compareLasting(sight);
          const isMoved = findings.some(isFailing) && !isGroundSteady(world, sight.exchange, sight.pet);
          return isMoved ? [] : findings;
        }),
        ...(first === undefined ? [] : compareField(first, 'status')),
      ];
    }),
  ];
}

/** The ids that clients chose, if the service takes them over, which `pet-id-assigned` reports. */
function idsOfClients(world: World): ReadonlySet<bigint> {
  if (!judgeAssigned(world).some(isFailing)) return new Set();
  const taken = world.created.filter(({ exchange, id }) => idsSentIn(exchange).some((sent) => isTakenOver(sent, id)));
  return new Set(taken.map(({ id }) => id));
}

/** The name of the animal with an id in an answer. */
function nameShownFor(id: bigint, answer: Exchange): JsonValue | undefined {
  return animalsOf(answer).find((animal) => animal['id'] === id)?.['name'];
}

/**
 * An answer after a creation that shows that its id was another animal's before. Either that animal is still there, or the page
 * that showed it now has the new animal in its place, beside the same neighbours. Nothing may remove an animal in between
 * (§4.4), so a page that lacks neighbours as well leaves the question open. Undefined if no answer shows it.
 */
function showsOwner({ known, answered }: World, { id, exchange, returned }: CreatedPet): Exchange | undefined {
  const before = known.get(id)?.shownBy;
  if (before === undefined || !happenedBefore(before, exchange) || !isSameKey(before, exchange)) return undefined;
  const name = nameShownFor(id, before);
  if (name === returned['name']) return undefined;
  const neighbours = idsShownIn(before).filter((other) => other !== id);
  const isReplaced = (later: Exchange): boolean => {
    const shown = idsShownIn(later);
    return shown.includes(id) && neighbours.length > 0 && neighbours.every((other) => shown.includes(other));
  };
  return answered
    .filter((later) => happenedBefore(exchange, later) && isAuthorized(later) && isSameKey(later, exchange))
    .find((later) => nameShownFor(id, later) === name || isReplaced(later));
}

/** An id identifies one animal (§2): no page shows one twice. */
function judgeIdsOfPage(page: Page): readonly Finding[] {
  const { exchange, entries } = page;
  const ids = idsOf(page);
  const twice = ids.find((id, at) => ids.indexOf(id) < at);
  if (twice === undefined) return ids.length > 1 ? [holds('pet-id-unique', exchange)] : [];
  const last = entries.findLastIndex((entry) => isJsonObject(entry) && entry['id'] === twice);
  const facts = { expected: 'every id once in a page', received: `${twice} twice`, pointer: `/${last}/id` };
  return [fails('pet-id-unique', 'id-twice-in-page', facts, exchange)];
}

/** An id identifies one animal (§2): a new animal gets one that no animal has, of the run or of others. */
function judgeNewId(world: World, pet: CreatedPet, assigned: readonly CreatedPet[]): Finding {
  const { id, exchange } = pet;
  // Another key may have ids of its own.
  const holders = assigned.filter((other) => other.id === id && isSameKey(other.exchange, exchange));
  const first = holders[0] ?? pet;
  // A service that was reset may assign its ids again, once in a run.
  const isReset = holders.length === 2 && !isGroundSteady(world, exchange, first);
  if (first !== pet && !isReset) {
    const expected = 'an id of its own for each created animal';
    const facts = { expected, received: `${id} for two`, pointer: '/id' };
    return fails('pet-id-unique', 'id-assigned-twice', facts, first.exchange, exchange);
  }
  const other = showsOwner(world, pet);
  if (other === undefined) return holds('pet-id-unique', exchange);
  const facts = { expected: 'an id that no animal has', received: `${id}, which another animal had before` };
  return fails('pet-id-unique', 'id-in-use', facts, exchange, other);
}

function judgeUnique(world: World): readonly Finding[] {
  const ofClients = idsOfClients(world);
  const assigned = world.created.filter(({ id }) => !ofClients.has(id));
  return [...world.pages.flatMap(judgeIdsOfPage), ...assigned.map((pet) => judgeNewId(world, pet, assigned))];
}

/** The values of a creation that a service may take for an id: in any field but categoryId, also as digits. */
function idsSentIn(exchange: Exchange): readonly bigint[] {
  const reading = readRequestJson(exchange.request);
  if (!('value' in reading) || !isJsonObject(reading.value)) return [];
  const { categoryId: _category, ...rest } = reading.value;
  return Object.values(rest)
    .map((value) => (typeof value === 'string' && /^\d{1,19}$/.test(value) ? BigInt(value) : value))
    .filter(isInt64);
}

/** The service assigns the id (§2, §4.2): a new animal does not get one that the client sent. */
function judgeAssigned(world: World): readonly Finding[] {
  const creations = world.answered.filter(({ operation }) => operation === 'createPet').filter(isAuthorized);
  return creations.flatMap((exchange) => {
    // No animal has a drawn id by chance.
    const ids = idsSentIn(exchange).filter(isDrawnId);
    const status = statusOf(exchange) ?? 0;
    // The service may refuse a body with an id.
    if (ids.length === 0 || (status !== 201 && (status < 400 || status >= 500))) return [];
    const [id] = animalsOf(exchange).map((animal) => animal['id']);
    const sent = ids.find((one) => isTakenOver(one, id));
    if (sent === undefined) return [holds('pet-id-assigned', exchange)];
    const received =
      id === sent ? `${sent}, which the client had sent` : `${id}, rounded from the ${sent} that the client had sent`;
    const facts = { expected: 'an id that the service assigned', received, pointer: '/id' };
    return [fails('pet-id-assigned', 'id-of-the-client', facts, exchange)];
  });
}

export const resourceJudges: readonly Judge[] = [
  {
    id: 'animals-have-their-fields',
    verifies: ['pet-id', 'pet-name', 'pet-category-id', 'pet-status'],
    judge: (world) => world.answered.filter(isAuthorized).flatMap(judgeFields),
  },
  { id: 'animals-are-kept', verifies: ['pet-name-kept', 'pet-category-id-kept', 'pet-status-kept'], judge: judgeKept },
  { id: 'ids-are-unique', verifies: ['pet-id-unique'], judge: judgeUnique },
  { id: 'ids-are-assigned', verifies: ['pet-id-assigned'], judge: judgeAssigned },
];
