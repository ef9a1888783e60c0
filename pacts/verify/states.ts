/**
 * Brings a target into provider states, using only operations of the interface, so that it works with any target. A lasting
 * state is reached once a run, since no operation removes or changes an animal.
 */

import { noKey, rateLimitKey } from '../../conformance/http/credentials.ts';
import type { Exchange } from '../../conformance/http/exchange.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue, readJson } from '../../conformance/http/json.ts';
import { isPetStatus } from '../../conformance/http/read-request.ts';
import { bodyOf, statusOf } from '../../conformance/http/read-response.ts';
import type { Session } from '../../conformance/run/session.ts';
import { findCredential } from '../../conformance/sections/5-authentication/credentials.ts';
import {
  createPet,
  drawUnknownId,
  getPet,
  likelyCategories,
  listPets,
  plainCategory,
} from '../../conformance/sections/requests.ts';
import { defined } from '../../spec/defined.ts';
import { removalOfGetPet } from '../../spec/facts.ts';
import type { State } from '../pact.ts';
import { providerStates } from '../states.ts';
import { type Attempt, createsAnimals, NotVerifiable } from './attempt.ts';

/** What a state brings. */
export type Reached = Partial<Pick<Attempt, 'values' | 'credential' | 'animals'>>;

/** A key that no target knows, whatever the key of the run. */
export function neverIssued({ keys }: Session) {
  return findCredential('never-issued', { api: keys.api })!;
}

/** The reason to excuse an answer that refuses the key of the run: which operations a key allows is open. */
export function refusalOfKey(exchange: Exchange): string | undefined {
  const status = statusOf(exchange);
  if (status !== 401 && status !== 403) return undefined;
  return `the key of the run was answered with ${status}: its scope may not allow this`;
}

/** A category, given as a number or as its digits. */
function readCategory(value: unknown): bigint | undefined {
  const reading = readJson(typeof value === 'string' ? value : JSON.stringify(value ?? null));
  return 'value' in reading && isInt64(reading.value) ? reading.value : undefined;
}

/** A state creates no more animals than this, since they stay in a shared environment. */
const mostAnimals = 20;

/** Parameter → whether a value is one that a provider can reach, and what to say otherwise. */
const checks: Readonly<Record<string, readonly [isRight: (value: unknown) => boolean, otherwise: string]>> = {
  name: [(value) => typeof value === 'string', 'is not a string'],
  status: [isPetStatus, 'is not available, pending or sold'],
  categoryId: [(value) => readCategory(value) !== undefined, 'is not an int64'],
  count: [
    (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= mostAnimals,
    `is not from 1 to ${mostAnimals}`,
  ],
};

/** A number if JavaScript holds it exactly, otherwise a string. */
function injectable(value: bigint): string | number {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

type Parameters = State['params'];

/** Finds an existing animal with the name of the state, for services whose names are unique. */
async function findAnimal(session: Session, { name, categoryId, status }: Parameters) {
  if (name === undefined) return undefined;
  const page = bodyOf(await session.send(listPets(`limit=100${status === undefined ? '' : `&status=${status}`}`)));
  const category = readCategory(categoryId);
  return (Array.isArray(page) ? page : []).find(
    (one: JsonValue) =>
      isJsonObject(one) && one['name'] === name && (category === undefined || one['categoryId'] === category),
  );
}

async function createAnimal(session: Session, params: Parameters): Promise<Reached> {
  const { name, categoryId, status } = params;
  const pet: JsonObject = {
    name: typeof name === 'string' ? name : session.newName(),
    categoryId: readCategory(categoryId) ?? plainCategory(session),
    ...(isPetStatus(status) ? { status } : {}),
  };
  const exchange = await session.send(createPet(pet));
  const animal = statusOf(exchange) === 201 ? bodyOf(exchange) : await findAnimal(session, params);
  if (isJsonObject(animal) && isInt64(animal['id'])) {
    const { id, name: given, categoryId: category } = animal;
    const categoryInjected = isInt64(category) ? injectable(category) : undefined;
    const values = defined({ id: injectable(id), name: String(given), categoryId: categoryInjected });
    return { values, animals: 1 };
  }
  const hint = name === undefined ? '' : `, or the name ${JSON.stringify(name)} is not accepted`;
  throw new NotVerifiable(
    `createPet answered ${statusOf(exchange) ?? 'nothing'}: the category may not be known, see --category-id${hint}`,
  );
}

async function createAnimals(session: Session, { count = 2, ...params }: Parameters): Promise<Reached> {
  for (let created = 0; created < Number(count); created += 1) await createAnimal(session, params);
  return { animals: Number(count) };
}

async function findUnknownId(session: Session): Promise<Reached> {
  if (session.settings.today >= removalOfGetPet) throw new NotVerifiable('getPet is removed from 5 December 2030 on');
  const id = drawUnknownId(session);
  const exchange = await session.send(getPet(id));
  if (statusOf(exchange) === 404) return { values: { id: injectable(id) } };
  const answered = `getPet answered ${statusOf(exchange) ?? 'nothing'} for an id that no animal can have`;
  throw new NotVerifiable(refusalOfKey(exchange) ?? answered);
}

/** The values to inject into the body of a new animal, where text is no category. */
function drawNewAnimal(session: Session): Reached {
  const category = likelyCategories(session).map(Number).find(Number.isSafeInteger)!;
  return { values: { name: session.newName(), categoryId: category } };
}

const reachers: Readonly<Record<string, (session: Session, params: Parameters) => Reached | Promise<Reached>>> = {
  [providerStates.animalExists.name]: createAnimal,
  [providerStates.animalsExist.name]: createAnimals,
  [providerStates.animalCanBeCreated.name]: drawNewAnimal,
  [providerStates.noAnimalHasId.name]: findUnknownId,
  [providerStates.keyMissing.name]: () => ({ credential: noKey }),
  [providerStates.keyInvalid.name]: (session) => ({ credential: neverIssued(session) }),
  // The limit is exceeded only when the request is sent, so that no other state comes in between.
  [providerStates.limitExceeded.name]: ({ keys }) => ({ credential: rateLimitKey(keys.rateLimit!) }),
};

/** Returns a function that reaches a state, unless that is done already. It rejects with NotVerifiable, or as a session. */
export function createStates() {
  const lasting = new Map<string, Reached>();
  return async (session: Session, { name, params }: State): Promise<Reached> => {
    const key = JSON.stringify([name, params]);
    const before = lasting.get(key);
    if (before !== undefined) return before;
    const reach = Object.hasOwn(reachers, name) ? reachers[name] : undefined;
    if (reach === undefined) {
      const known = Object.keys(reachers).map((one) => `"${one}"`);
      throw new NotVerifiable(`no operation reaches the state "${name}"; known are ${known.join(', ')}`);
    }
    for (const [parameter, [isRight, otherwise]] of Object.entries(checks)) {
      const value = params[parameter];
      if (value === undefined || isRight(value)) continue;
      throw new NotVerifiable(`${parameter} ${JSON.stringify(value)} ${otherwise}`);
    }
    const reached = await reach(session, params);
    if (createsAnimals(name) || name === providerStates.noAnimalHasId.name) lasting.set(key, reached);
    return reached;
  };
}
