/** Rules about the animals of an answer: their ids, names, categories and statuses. */

import { isPetStatus } from '../../conformance/http/read-request.ts';
import { type Fields, fieldsOf, isFields, toText } from '../pact.ts';
import { providerStates } from '../states.ts';
import { type Claims, isCreation, isListing, isRead } from './claims.ts';
import type { Constraint, Path } from './matching-rules.ts';
import { acceptsAll, contradiction, open, type Rules, unreachable } from './rule.ts';

/** The animals in the recorded body, each with its path. */
function animalsIn(claims: Claims): readonly (readonly [Path, Fields])[] {
  const { status, body } = claims;
  if (status === 200 && isListing(claims) && Array.isArray(body)) {
    return body.flatMap((one: unknown, at) => (isFields(one) ? [[[at], one] as const] : []));
  }
  const isAnimal = (status === 200 && isRead(claims)) || (status === 201 && isCreation(claims));
  return isAnimal && isFields(body) ? [[[], body]] : [];
}

/** One recorded value of an animal, and the values that the pact allows there. */
interface Claimed {
  readonly field: string;
  readonly where: string;
  readonly value: unknown;
  readonly demand: Constraint;
}

function show(path: Path): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
}

/** A value of a wrong type is left to the comparison with openapi.yaml. */
function hasExpectedType(field: string, value: unknown): boolean {
  if (field === 'status') return isPetStatus(value);
  return typeof value === (field === 'name' ? 'string' : 'number');
}

function claimed(claims: Claims, ...fields: readonly string[]): readonly Claimed[] {
  return animalsIn(claims).flatMap(([path, animal]) =>
    fields
      .filter((field) => hasExpectedType(field, animal[field]))
      .map((field) => ({
        field,
        where: `response.body${show([...path, field])}`,
        value: animal[field],
        demand: claims.constraint([...path, field]),
      })),
  );
}

/** The status that the request or the state gives to every animal of the answer; undefined if neither does. */
function certainStatus(claims: Claims): unknown {
  if (isCreation(claims)) return fieldsOf(claims.sent)['status'];
  if (isListing(claims)) return claims.query.get('status')?.[0];
  return claims.interaction.states.findLast(({ name }) => name === providerStates.animalExists.name)?.params['status'];
}

/** Values that animals of legal providers have. */
const otherIds = [7, 4_000_000_000, -12];
const otherNames = ['cf-1a2b3c-07', 'A', 'b c'];
const otherCategories = [1, 42];

function isFixed({ field, demand }: Claimed): boolean {
  return !acceptsAll(demand, field === 'name' ? otherNames : otherCategories);
}

/** Whether a state of the interaction gives the animal this value. */
function isGiven(claims: Claims, { field, value }: Claimed): boolean {
  // The rules of a page hold for every animal, other clients' included, unless it only has to contain such an animal.
  if (isListing(claims) && !claims.constraint([]).isContained) return false;
  const given = claims.interaction.states.map(({ params }) => params[field]);
  return given.some((one) => one !== undefined && toText(one) === toText(value));
}

export const animalRules = {
  'animal-status-unsaid': open('status-omitted', (claims) =>
    isPetStatus(certainStatus(claims))
      ? []
      : claimed(claims, 'status')
          .slice(0, 1)
          .map(({ where }) => `${where} is claimed, but neither request nor state sets it; leave it out, or set it`),
  ),
  'animal-status-other': contradiction((claims) => {
    const certain = certainStatus(claims);
    return claimed(claims, 'status')
      .slice(0, 1)
      .filter(({ demand }) => isPetStatus(certain) && !demand.accepts(certain))
      .map(({ where, value }) => `${where} is ${value}, but every animal here is ${certain}`);
  }),
  // Only a request or a state can fix the values below.
  'animal-id-fixed': unreachable((claims) =>
    claimed(claims, 'id')
      .filter(({ demand }) => !acceptsAll(demand, otherIds))
      .map(
        ({ where, value }) =>
          `${where} is restricted to values like ${value}, but the service assigns ids; match the type`,
      ),
  ),
  'animal-value-other': contradiction((claims) => {
    if (!isCreation(claims)) return [];
    const sent = fieldsOf(claims.sent);
    return claimed(claims, 'name', 'categoryId')
      .filter(({ field }) => sent[field] !== undefined && !claims.injected.has(field))
      .filter(({ field, demand }) => !demand.accepts(sent[field]))
      .map(
        ({ where, field }) =>
          `${where} is not ${JSON.stringify(sent[field])}, but §4.2 returns the ${field} that was sent`,
      );
  }),
  'animal-value-injected': unreachable((claims) =>
    claimed(claims, 'name', 'categoryId')
      .filter((one) => isCreation(claims) && claims.injected.has(one.field) && isFixed(one))
      .map(({ where, field }) => `${where} is fixed, but a state injects the ${field} that is sent; match the type`),
  ),
  'animal-value-fixed': unreachable((claims) =>
    claimed(claims, 'name', 'categoryId')
      .filter((one) => !isCreation(claims) && isFixed(one) && !isGiven(claims, one))
      .map(({ where, value }) => {
        const example = JSON.stringify(value);
        return `${where} is restricted to values like ${example}; give it to the state "${providerStates.animalExists.name}", or match the type`;
      }),
  ),
} as const satisfies Rules;
