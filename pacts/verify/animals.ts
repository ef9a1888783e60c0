/** Reaches the states about animals: creates animals, or finds existing ones. */

import type { Exchange } from '../../conformance/http/exchange.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue } from '../../conformance/http/json.ts';
import { isPetStatus } from '../../conformance/http/read-request.ts';
import { bodyOf, statusOf } from '../../conformance/http/read-response.ts';
import type { Session } from '../../conformance/run/session.ts';
import { createPet, drawUnknownId, getPet, listPets, plainCategory } from '../../conformance/sections/requests.ts';
import { defined } from '../../spec/defined.ts';
import { removalOfGetPet } from '../../spec/facts.ts';
import type { State } from '../pact.ts';
import { defaultCount, readCategory } from './parameters.ts';
import { injectable, NotVerifiable, type ReachedState, refusalOfKey, SkippedByUser } from './reached.ts';

type Parameters = State['params'];

function send(session: Session, { name, categoryId, status }: Parameters): Promise<Exchange> {
  const pet: JsonObject = {
    name: typeof name === 'string' ? name : session.newName(),
    categoryId: (categoryId === undefined ? undefined : readCategory(categoryId)) ?? plainCategory(session),
    ...(isPetStatus(status) ? { status } : {}),
  };
  return session.send(createPet(pet));
}

/** Finds an existing animal with the name of the state, for services whose names are unique. */
async function findAnimal(session: Session, { name, categoryId, status }: Parameters) {
  if (name === undefined) return undefined;
  const page = bodyOf(await session.send(listPets(`limit=100${status === undefined ? '' : `&status=${status}`}`)));
  return (Array.isArray(page) ? page : []).find(
    (animal) =>
      isJsonObject(animal) &&
      animal['name'] === name &&
      (categoryId === undefined || String(animal['categoryId']) === String(categoryId)),
  );
}

/** The values that a state injects from an animal; undefined if the JSON is not an animal. */
function valuesOf(animal: JsonValue | undefined): ReachedState['values'] | undefined {
  if (!isJsonObject(animal)) return undefined;
  const { id, name, categoryId } = animal;
  if (!isInt64(id)) return undefined;
  const category = isInt64(categoryId) ? injectable(categoryId) : undefined;
  return defined({ id: injectable(id), name: String(name), categoryId: category });
}

export async function createAnimal(session: Session, params: Parameters): Promise<ReachedState> {
  if (session.settings.isReadOnly) throw new SkippedByUser('the state needs an animal, and the run is read-only');
  let exchange = await send(session, params);
  // If names are unique, the name of a request that was repeated after a lost answer is taken.
  if (statusOf(exchange) === 400 && params['name'] === undefined) exchange = await send(session, params);
  const values = valuesOf(statusOf(exchange) === 201 ? bodyOf(exchange) : await findAnimal(session, params));
  if (values !== undefined) return { values };
  const hint = params['name'] === undefined ? '' : `, or the name ${JSON.stringify(params['name'])} is not accepted`;
  throw new NotVerifiable(
    `createPet answered ${statusOf(exchange) ?? 'nothing'}: the category may not be known, see --category-id${hint}`,
  );
}

export async function createAnimals(
  session: Session,
  { count = defaultCount, ...params }: Parameters,
): Promise<ReachedState> {
  for (let created = 0; created < Number(count); created += 1) await createAnimal(session, params);
  return { values: {} };
}

const triesForUnknownId = 3;

export async function findUnknownId(session: Session): Promise<ReachedState> {
  if (session.settings.today >= removalOfGetPet) throw new NotVerifiable('getPet is removed from 5 December 2030 on');
  for (let tries = 0; tries < triesForUnknownId; tries += 1) {
    const id = drawUnknownId(session);
    const exchange = await session.send(getPet(id));
    if (statusOf(exchange) === 404) return { values: { id: injectable(id) } };
    const refusal = refusalOfKey(exchange);
    if (refusal !== undefined) throw new NotVerifiable(refusal);
  }
  throw new NotVerifiable(`getPet answered 404 for none of ${triesForUnknownId} ids that no animal can have`);
}

/** A category for a consumer's body, where a string is not a category: 1 if the service lists only large ones. */
function categoryToInject(session: Session): string | number {
  const categoryId = injectable(plainCategory(session));
  return typeof categoryId === 'string' && session.settings.categoryIds.length === 0 ? 1 : categoryId;
}

/** The values to inject into the body of a new animal; sends no request. */
export function drawNewAnimal(session: Session): ReachedState {
  return { values: { name: session.newName(), categoryId: categoryToInject(session) } };
}
