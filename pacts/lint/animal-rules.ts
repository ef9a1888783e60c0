/** Which animals an answer is claimed to have: their ids, names, categories and statuses. */

import { isPetStatus } from '../../conformance/http/read-request.ts';
import { type Fields, isFields } from '../pact.ts';
import { providerStates } from '../states.ts';
import { type Claims, isCreation, isListing, isRead } from './claims.ts';
import type { Demand, Path } from './matching-rules.ts';
import { acceptsAll, type Rule } from './rule.ts';

/** The animals that the body of an answer claims, each with its place. */
function animalsIn(claims: Claims): readonly (readonly [Path, Fields])[] {
  const { status, body } = claims;
  if (status === 200 && isListing(claims) && Array.isArray(body)) {
    return body.flatMap((one: unknown, at) => (isFields(one) ? [[[at], one] as const] : []));
  }
  const isAnimal = (status === 200 && isRead(claims)) || (status === 201 && isCreation(claims));
  return isAnimal && isFields(body) ? [[[], body]] : [];
}

/** One value of an animal, and what the pact demands of it. */
interface Claimed {
  readonly field: string;
  readonly where: string;
  readonly value: unknown;
  readonly demand: Demand;
}

function show(path: Path): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
}

/** A value of another type is compared with openapi.yaml. */
function isOfItsType(field: string, value: unknown): boolean {
  if (field === 'status') return isPetStatus(value);
  return typeof value === (field === 'name' ? 'string' : 'number');
}

function claimed(claims: Claims, ...fields: readonly string[]): readonly Claimed[] {
  return animalsIn(claims).flatMap(([path, animal]) =>
    fields
      .filter((field) => isOfItsType(field, animal[field]))
      .map((field) => ({
        field,
        where: `response.body${show([...path, field])}`,
        value: animal[field],
        demand: claims.demand([...path, field]),
      })),
  );
}

/** The status that every animal of an answer is sure to have; undefined where nothing says so. */
function certainStatus(claims: Claims): unknown {
  if (isCreation(claims)) return isFields(claims.sent) ? claims.sent['status'] : undefined;
  if (isListing(claims)) return claims.query.get('status')?.[0];
  return claims.interaction.states.findLast(({ name }) => name === providerStates.animalExists.name)?.params['status'];
}

/** Values that an animal has at one provider or another. */
const otherIds = [7, 4_000_000_000, -12];
const otherNames = ['cf-1a2b3c-07', 'A', 'b c'];
const otherCategories = [1, 42];

function isFixed({ field, demand }: Claimed): boolean {
  return !acceptsAll(demand, field === 'name' ? otherNames : otherCategories);
}

/** Whether the states of an interaction say of a value what it is. */
function isGiven(claims: Claims, { field, value }: Claimed): boolean {
  // Of a page every animal is meant, of which others are there, unless it only has to hold one such.
  if (isListing(claims) && !claims.demand([]).isContained) return false;
  const given = claims.interaction.states.map(({ params }) => params[field]);
  return given.some((one) => one !== undefined && String(one) === String(value));
}

const statusRules = [
  {
    code: 'animal-status-unsaid',
    kind: 'open',
    gap: 'status-omitted',
    find: (claims) =>
      isPetStatus(certainStatus(claims))
        ? []
        : claimed(claims, 'status')
            .slice(0, 1)
            .map(({ where }) => `${where} is claimed, and nothing says which one; leave it out, or name one`),
  },
  {
    code: 'animal-status-other',
    kind: 'contradiction',
    find: (claims) => {
      const certain = certainStatus(claims);
      return claimed(claims, 'status')
        .slice(0, 1)
        .filter(({ demand }) => isPetStatus(certain) && !demand.accepts(certain))
        .map(({ where, value }) => `${where} is ${value}, and every animal here is ${certain}`);
    },
  },
] as const satisfies readonly Rule[];

/** Of values that only the state or the request can have said before. */
const valueRules = [
  {
    code: 'animal-id-fixed',
    kind: 'unreachable',
    find: (claims) =>
      claimed(claims, 'id')
        .filter(({ demand }) => !acceptsAll(demand, otherIds))
        .map(({ where, value }) => `${where} has to be like ${value}, and the service assigns ids; match its type`),
  },
  {
    code: 'animal-value-other',
    kind: 'contradiction',
    find: (claims) => {
      if (!isCreation(claims)) return [];
      const sent = isFields(claims.sent) ? claims.sent : {};
      return claimed(claims, 'name', 'categoryId')
        .filter(({ field }) => sent[field] !== undefined && !claims.injected.has(field))
        .filter(({ field, demand }) => !demand.accepts(sent[field]))
        .map(
          ({ where, field }) =>
            `${where} is not ${JSON.stringify(sent[field])}, and §4.2 returns the ${field} that was sent`,
        );
    },
  },
  {
    code: 'animal-value-injected',
    kind: 'unreachable',
    find: (claims) =>
      claimed(claims, 'name', 'categoryId')
        .filter((one) => isCreation(claims) && claims.injected.has(one.field) && isFixed(one))
        .map(({ where, field }) => `${where} is fixed, and a state injects the ${field} that is sent`),
  },
  {
    code: 'animal-value-fixed',
    kind: 'unreachable',
    find: (claims) =>
      claimed(claims, 'name', 'categoryId')
        .filter((one) => !isCreation(claims) && isFixed(one) && !isGiven(claims, one))
        .map(({ where, value }) => {
          const example = JSON.stringify(value);
          return `${where} has to be like ${example}; give it to the state of one animal, or match its type`;
        }),
  },
] as const satisfies readonly Rule[];

export const animalRules = [...statusRules, ...valueRules] as const;
