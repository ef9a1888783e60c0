/** Has animals exist: creates them, or finds one that is there. */

import { defaultCount, readCategory } from '../lint/parameters.ts';
import type { State } from '../pact.ts';
import {
  bodyOf,
  createPet,
  drawUnknownId,
  type Exchange,
  getPet,
  isInt64,
  isJsonObject,
  isPetStatus,
  type JsonObject,
  type JsonValue,
  listPets,
  plainCategory,
  removalOfGetPet,
  type Session,
  statusOf,
} from './kit.ts';
import { injectable, NotReachable, NotWanted, type Reached, refusalOfKey } from './reached.ts';

type Parameters = State['params'];

function send(session: Session, { name, categoryId, status }: Parameters): Promise<Exchange> {
  const pet: JsonObject = {
    name: typeof name === 'string' ? name : session.newName(),
    categoryId: (categoryId === undefined ? undefined : readCategory(categoryId)) ?? plainCategory(session),
    ...(isPetStatus(status) ? { status } : {}),
  };
  return session.send(createPet(pet));
}

/** An animal that is there already, where names have to be unique and the state wants one that is taken. */
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

/** What an animal of an answer gives; undefined where it is none. */
function valuesOf(animal: JsonValue | undefined): Reached['values'] | undefined {
  if (!isJsonObject(animal)) return undefined;
  const { id, name, categoryId } = animal;
  if (!isInt64(id)) return undefined;
  return {
    id: injectable(id),
    name: String(name),
    ...(isInt64(categoryId) ? { categoryId: injectable(categoryId) } : {}),
  };
}

export async function createAnimal(session: Session, params: Parameters): Promise<Reached> {
  const { isReadOnly, petIds } = session.settings;
  const [named] = petIds;
  if (isReadOnly && named !== undefined && Object.keys(params).length === 0) {
    return { values: { id: injectable(named) } };
  }
  if (isReadOnly) throw new NotWanted('the run is read-only: name an animal with --pet-id');
  let exchange = await send(session, params);
  // Names may have to be unique, and one that was sent again for a lost answer is taken.
  if (statusOf(exchange) === 400 && params['name'] === undefined) exchange = await send(session, params);
  const values = valuesOf(statusOf(exchange) === 201 ? bodyOf(exchange) : await findAnimal(session, params));
  if (values !== undefined) return { values };
  const hint = params['name'] === undefined ? '' : `, or the name ${JSON.stringify(params['name'])} is not accepted`;
  throw new NotReachable(
    `createPet answered ${statusOf(exchange) ?? 'nothing'}: the category is not known, see --category-id${hint}`,
  );
}

export async function createAnimals(
  session: Session,
  { count = defaultCount, ...params }: Parameters,
): Promise<Reached> {
  for (let created = 0; created < Number(count); created += 1) await createAnimal(session, params);
  return { values: {} };
}

const triesForUnknownId = 3;

export async function findUnknownId(session: Session): Promise<Reached> {
  if (session.settings.today >= removalOfGetPet) throw new NotReachable('getPet is removed from 5 December 2030 on');
  for (let tries = 0; tries < triesForUnknownId; tries += 1) {
    const id = drawUnknownId(session);
    const exchange = await session.send(getPet(id));
    if (statusOf(exchange) === 404) return { values: { id: injectable(id) } };
    const refusal = refusalOfKey(exchange);
    if (refusal !== undefined) throw new NotReachable(refusal);
  }
  throw new NotReachable(`getPet answered 404 to none of ${triesForUnknownId} ids that nobody can have`);
}

/** A category for the body of a consumer, in which text is no category: where only large ones are listed, 1. */
function categoryToInject(session: Session): string | number {
  const categoryId = injectable(plainCategory(session));
  return typeof categoryId === 'string' && session.settings.categoryIds.length === 0 ? 1 : categoryId;
}

/** What the body of a new animal may be made of; nothing is sent. */
export function drawNewAnimal(session: Session): Promise<Reached> {
  return Promise.resolve({ values: { name: session.newName(), categoryId: categoryToInject(session) } });
}
