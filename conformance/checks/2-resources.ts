/** §2 Resources and §3 states: the shape of animals, and that they come back as they were accepted. */

import type { RequirementId } from '../../spec/requirements.ts';
import { type Check, type Finding, fails, holds, type Invariant } from '../engine/check.ts';
import { type Exchange, happenedBefore } from '../engine/exchange.ts';
import type { CreatedPet, History } from '../engine/history.ts';
import { idsOf, isAuthorized } from '../engine/history.ts';
import { isInt64, type JsonObject, type JsonValue, showJson } from '../engine/json.ts';
import { animalsOf } from '../engine/read-response.ts';
import { schemaProblems } from '../engine/schemas.ts';

const requirementOfField: Readonly<Record<string, RequirementId>> = {
  id: 'pet-id',
  name: 'pet-name',
  categoryId: 'pet-category-id',
  status: 'pet-status',
};

/** Judges the animals of one answer by the schema, and their integers by every digit. */
function judgeShapes(exchange: Exchange): readonly Finding[] {
  const animals = animalsOf(exchange);
  if (animals.length === 0 || !isAuthorized(exchange)) return [];
  const problems = animals.flatMap(shapeProblems);
  return Object.values(requirementOfField).map((requirement) => {
    const found = problems.find((problem) => problem.requirement === requirement);
    return found === undefined ? holds(requirement, exchange) : fails(requirement, found.code, found.message, exchange);
  });
}

interface ShapeProblem {
  readonly requirement: RequirementId;
  readonly code: string;
  readonly message: string;
}

function shapeProblems(animal: JsonObject): readonly ShapeProblem[] {
  const bySchema = schemaProblems('Pet', animal).flatMap(({ field, expected }) => {
    const requirement = requirementOfField[field];
    if (requirement === undefined) return [];
    const code = animal[field] === undefined ? `${field}-missing` : `${field}-wrong`;
    return [{ requirement, code, message: `expected ${field}: ${expected}, received ${showJson(animal[field])}` }];
  });
  const byDigits = (['id', 'categoryId'] as const).flatMap((field) => {
    const value = animal[field];
    if ((typeof value !== 'number' && typeof value !== 'bigint') || isInt64(value)) return [];
    const message = `expected ${field}: an integer from -2^63 to 2^63 - 1, received ${showJson(value)}`;
    return [{ requirement: requirementOfField[field]!, code: `${field}-not-int64`, message }];
  });
  return [...bySchema, ...byDigits];
}

const animalsHaveTheirFields: Invariant = {
  kind: 'invariant',
  id: 'animals-have-their-fields',
  verifies: ['pet-id', 'pet-name', 'pet-category-id', 'pet-status'],
  title: 'Every animal in every answer has its fields, each of its type',
  judge: (history) => history.answered.flatMap(judgeShapes),
};

const nameOf: Readonly<Record<string, string>> = { createPet: 'the 201', listPets: 'a page', getPet: 'getPet' };

/** Compares one returned animal with what the run had sent to create it. */
function compare(pet: CreatedPet, animal: JsonObject, exchange: Exchange): readonly Finding[] {
  const { sent } = pet;
  if (sent === undefined) return [];
  const evidence = exchange === pet.exchange ? [exchange] : [pet.exchange, exchange];
  const where = nameOf[exchange.operation] ?? 'an answer';
  const kept = (requirement: RequirementId, field: 'name' | 'categoryId' | 'status'): Finding => {
    if (animal[field] === sent[field]) return holds(requirement, ...evidence);
    const message = `expected ${field} ${showJson(sent[field])} in ${where}, received ${showJson(animal[field])}`;
    return fails(requirement, `${field}-changed`, message, ...evidence);
  };
  const findings: Finding[] = [];
  // A value of the wrong type is already told by the shape.
  if (typeof animal['name'] === 'string') {
    findings.push(kept('pet-name-kept', 'name'));
  }
  if (typeof animal['categoryId'] === 'bigint' || typeof animal['categoryId'] === 'number') {
    findings.push(kept('pet-category-id-kept', 'categoryId'));
  }
  if (sent.status !== undefined) {
    findings.push(kept('pet-status-kept', 'status'));
  }
  return findings;
}

/** Every animal that came back after the run had created it, with what was sent; none whose id was assigned twice. */
function readsOfCreated(history: History): readonly (readonly [CreatedPet, JsonObject, Exchange])[] {
  const assigned = Map.groupBy(history.created, (pet) => pet.id);
  return history.answered.filter(isAuthorized).flatMap((exchange) =>
    animalsOf(exchange).flatMap((animal): (readonly [CreatedPet, JsonObject, Exchange])[] => {
      const { id } = animal;
      const [pet, ...others] = isInt64(id) ? (assigned.get(id) ?? []) : [];
      const isRead = pet !== undefined && others.length === 0 && happenedBefore(pet.exchange, exchange);
      return isRead && exchange.operation !== 'createPet' ? [[pet, animal, exchange]] : [];
    }),
  );
}

function judgeKept(history: History): readonly Finding[] {
  const atOnce = history.created.flatMap((pet) => compare(pet, pet.returned, pet.exchange));
  const later = readsOfCreated(history).flatMap(([pet, animal, exchange]) => compare(pet, animal, exchange));
  return [...atOnce, ...later];
}

/**
 * Which status an animal gets that was created without one is open, and so is whether its 201 tells it already; but
 * what was told once stays, and all reads agree.
 */
function judgeOmitted(history: History): readonly Finding[] {
  const told = new Map<CreatedPet, readonly [JsonValue | undefined, Exchange]>();
  return readsOfCreated(history).flatMap(([pet, animal, exchange]) => {
    if (pet.sent === undefined || pet.sent.status !== undefined) return [];
    const atOnce = pet.returned['status'];
    const [status, first] =
      told.get(pet) ?? (atOnce === undefined ? [animal['status'], exchange] : [atOnce, pet.exchange]);
    told.set(pet, [status, first]);
    if (animal['status'] === status) return [holds('pet-status-omitted', pet.exchange, exchange)];
    const where = nameOf[exchange.operation] ?? 'an answer';
    const message = `expected status ${showJson(status)} as before in ${where}, received ${showJson(animal['status'])}`;
    return [fails('pet-status-omitted', 'status-changed', message, first, exchange)];
  });
}

const omittedStatusStays: Invariant = {
  kind: 'invariant',
  id: 'omitted-status-stays',
  verifies: ['pet-status-omitted'],
  title: 'The status of an animal that was created without one is the same on every read',
  judge: judgeOmitted,
};

const animalsAreKept: Invariant = {
  kind: 'invariant',
  id: 'animals-are-kept',
  verifies: ['pet-name-kept', 'pet-category-id-kept', 'pet-status-kept'],
  title: 'What was accepted comes back exactly, at once, from getPet and in pages',
  judge: judgeKept,
};

/** The first id that came before. */
function firstTwice(ids: readonly bigint[]): bigint | undefined {
  const earlier = new Set<bigint>();
  return ids.find((id) => earlier.size === earlier.add(id).size);
}

function judgeUnique(history: History): readonly Finding[] {
  const withinPages = history.pages.flatMap((page) => {
    const { exchange } = page;
    const ids = idsOf(page);
    const twice = firstTwice(ids);
    if (twice !== undefined) {
      const message = `expected every id once in a page, received ${twice} twice`;
      return [fails('pet-id-unique', 'id-twice-in-page', message, exchange)];
    }
    return ids.length > 1 ? [holds('pet-id-unique', exchange)] : [];
  });
  const created = history.created.map((pet) => {
    const first = history.createdById.get(pet.id)!;
    const known = history.known.get(pet.id);
    if (first !== pet) {
      const message = `expected an id of its own for each created animal, received ${pet.id} for two`;
      return fails('pet-id-unique', 'id-assigned-twice', message, first.exchange, pet.exchange);
    }
    if (known !== undefined && known.since < pet.exchange.sent) {
      const message = `expected an id that no animal has, received ${pet.id}, which a page had shown before`;
      return fails('pet-id-unique', 'id-in-use', message, pet.exchange);
    }
    return holds('pet-id-unique', pet.exchange);
  });
  return [...withinPages, ...created];
}

const idsAreUnique: Invariant = {
  kind: 'invariant',
  id: 'ids-are-unique',
  verifies: ['pet-id-unique'],
  title: 'No two animals share an id',
  judge: judgeUnique,
};

export const resourceChecks: readonly Check[] = [
  animalsHaveTheirFields,
  animalsAreKept,
  omittedStatusStays,
  idsAreUnique,
];
