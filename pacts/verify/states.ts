/**
 * Brings a target into provider states, using only operations of the interface, so that it works with any target. A lasting
 * state is reached once a run, since no operation removes or changes an animal.
 */

import { noKey, rateLimitKey, type SentCredential } from '../../conformance/http/credentials.ts';
import type { Exchange } from '../../conformance/http/exchange.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue, readJson } from '../../conformance/http/json.ts';
import { isPetStatus } from '../../conformance/http/read-request.ts';
import { bodyOf, statusOf } from '../../conformance/http/read-response.ts';
import type { Session } from '../../conformance/run/session.ts';
import { findCredential } from '../../conformance/sections/5-authentication/credentials.ts';
import { createPet, drawUnknownId, getPet, listPets, plainCategory } from '../../conformance/sections/requests.ts';
import { defined } from '../../spec/defined.ts';
import { removalOfGetPet } from '../../spec/facts.ts';
import { type State, toText } from '../pact.ts';
import { isProviderState, type ProviderStateName, providerStates } from '../states.ts';

export interface Reached {
  /** The injected values, by the names of `injects`. */
  readonly values: Readonly<Record<string, string | number>>;
  /** The credential of the request; the API key if undefined. */
  readonly credential?: SentCredential;
  /** How many animals the state has brought. */
  readonly animals?: number;
}

/** An interaction cannot be verified; the message is for a person. */
export class NotVerifiable extends Error {}

/** A key that no target knows, whatever the key of the run. */
export function neverIssued(key: string): SentCredential {
  return findCredential('never-issued', { api: key })!;
}

/** The reason to excuse an answer that refuses the key of the run: which operations a key allows is open. */
export function refusalOfKey(exchange: Exchange): string | undefined {
  const status = statusOf(exchange);
  if (status !== 401 && status !== 403) return undefined;
  return `the key of the run was answered with ${status}: its scope may not allow this`;
}

/** A category, given as a number or as its digits. */
function readCategory(value: unknown): bigint | undefined {
  const reading = readJson(toText(value));
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
  return (Array.isArray(page) ? page : []).find(
    (animal) =>
      isJsonObject(animal) &&
      animal['name'] === name &&
      (categoryId === undefined || String(animal['categoryId']) === String(categoryId)),
  );
}

/** The values that a state injects from an animal; undefined if the JSON is not an animal. */
function valuesOf(animal: JsonValue | undefined): Reached['values'] | undefined {
  if (!isJsonObject(animal) || !isInt64(animal['id'])) return undefined;
  const { id, name, categoryId } = animal;
  const category = isInt64(categoryId) ? injectable(categoryId) : undefined;
  return defined({ id: injectable(id), name: String(name), categoryId: category });
}

async function createAnimal(session: Session, { name, categoryId, status }: Parameters): Promise<Reached> {
  const create = (): Promise<Exchange> => {
    const pet: JsonObject = {
      name: typeof name === 'string' ? name : session.newName(),
      categoryId: readCategory(categoryId) ?? plainCategory(session),
      ...(isPetStatus(status) ? { status } : {}),
    };
    return session.send(createPet(pet));
  };
  let exchange = await create();
  // If names are unique, the name of a request that was repeated after a lost answer is taken.
  if (statusOf(exchange) === 400 && name === undefined) exchange = await create();
  const isCreated = statusOf(exchange) === 201;
  const values = valuesOf(isCreated ? bodyOf(exchange) : await findAnimal(session, { name, categoryId, status }));
  if (values !== undefined) return { values, animals: 1 };
  const hint = name === undefined ? '' : `, or the name ${JSON.stringify(name)} is not accepted`;
  throw new NotVerifiable(
    `createPet answered ${statusOf(exchange) ?? 'nothing'}: the category may not be known, see --category-id${hint}`,
  );
}

async function createAnimals(session: Session, { count = 2, ...params }: Parameters): Promise<Reached> {
  for (let created = 0; created < Number(count); created += 1) await createAnimal(session, params);
  return { values: {}, animals: Number(count) };
}

const triesForUnknownId = 3;

async function findUnknownId(session: Session): Promise<Reached> {
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

/** The values to inject into the body of a new animal, where text is no category: 1 if the service lists only large ones. */
function drawNewAnimal(session: Session): Reached {
  const categoryId = injectable(plainCategory(session));
  const isUnnamed = typeof categoryId === 'string' && session.settings.categoryIds.length === 0;
  return { values: { name: session.newName(), categoryId: isUnnamed ? 1 : categoryId } };
}

type Reach = (session: Session, params: Parameters) => Reached | Promise<Reached>;

const reachers: Readonly<Record<ProviderStateName, Reach>> = {
  [providerStates.animalExists.name]: createAnimal,
  [providerStates.animalsExist.name]: createAnimals,
  [providerStates.animalCanBeCreated.name]: drawNewAnimal,
  [providerStates.noAnimalHasId.name]: findUnknownId,
  [providerStates.keyMissing.name]: () => ({ values: {}, credential: noKey }),
  [providerStates.keyInvalid.name]: ({ keys }) => ({ values: {}, credential: neverIssued(keys.api) }),
  // The limit is exceeded only when the request is sent, so that no other state comes in between.
  [providerStates.limitExceeded.name]: ({ keys }) => ({ values: {}, credential: rateLimitKey(keys.rateLimit!) }),
};

/** Reaches one state; rejects with NotVerifiable, BudgetSpent or RunStopped. */
async function reach(session: Session, { name, params }: State): Promise<Reached> {
  if (!isProviderState(name)) {
    const known = Object.values(providerStates).map((state) => `"${state.name}"`);
    throw new NotVerifiable(`no operation reaches the state "${name}"; known are ${known.join(', ')}`);
  }
  for (const [parameter, [isRight, otherwise]] of Object.entries(checks)) {
    const value = params[parameter];
    if (value === undefined || isRight(value)) continue;
    throw new NotVerifiable(`${parameter} ${JSON.stringify(value)} ${otherwise}`);
  }
  return await reachers[name](session, params);
}

/** Whether a state creates animals; the interface does not say how soon they appear. */
export function createsAnimals({ name }: State): boolean {
  return name === providerStates.animalExists.name || name === providerStates.animalsExist.name;
}

/** A state of the target, and the numbers of the exchanges that reached it. */
export interface Entered extends Reached {
  readonly exchanges: readonly number[];
}

export function createStates(session: Session) {
  const lasting = new Map<string, Entered>();
  return {
    /** Reaches a state unless that is done already; `others` are the states that the same interaction has entered before. */
    async enter(state: State, others: readonly State[] = []): Promise<Entered> {
      const keyOf = ({ name, params }: State): string => JSON.stringify([name, params]);
      // An interaction that names the same state twice wants two animals.
      const key = `${others.filter((one) => keyOf(one) === keyOf(state)).length} ${keyOf(state)}`;
      const known = lasting.get(key);
      if (known !== undefined) return known;
      const before = session.exchanges.length;
      const reached = await reach(session, state);
      const entered = { ...reached, exchanges: session.exchanges.slice(before).map(({ number }) => number) };
      if (createsAnimals(state) || state.name === providerStates.noAnimalHasId.name) lasting.set(key, entered);
      return entered;
    },
  };
}

export type States = ReturnType<typeof createStates>;
