/**
 * Brings a target into provider states, using only operations of the interface, so that it works with any target. A lasting
 * state is reached once a run, since no operation removes or changes an animal.
 */

import { noKey, rateLimitKey, type SentCredential } from '../../conformance/http/credentials.ts';
import type { Exchange } from '../../conformance/http/exchange.ts';
import { isInt64, isJsonObject, rawJson } from '../../conformance/http/json.ts';
import { bodyOf, statusOf } from '../../conformance/http/read-response.ts';
import type { Session } from '../../conformance/run/session.ts';
import { findCredential } from '../../conformance/sections/5-authentication/credentials.ts';
import {
  createPet,
  drawUnknownId,
  getPet,
  likelyCategories,
  plainCategory,
} from '../../conformance/sections/requests.ts';
import { removalDayInWords, removalOfGetPet } from '../../spec/facts.ts';
import type { State } from '../pact.ts';
import { providerStates } from '../states.ts';
import { createsAnimals, NotVerifiable, type Reached } from './attempt.ts';

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

/** A state creates no more animals than this, since they stay in a shared environment. */
const mostAnimals = 20;

/** A number if JavaScript holds it exactly, otherwise a string. */
function injectable(value: bigint): string | number {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

type Parameters = State['params'];

/** Creates an animal with the fields of a state. They are not checked here, since the target refuses invalid ones. */
async function createAnimal(session: Session, { name, categoryId, status }: Parameters): Promise<Reached> {
  const own = { name: name ?? session.newName(), categoryId: categoryId ?? plainCategory(session), status };
  // A large category is given as its digits, since a number would lose some.
  const isInteger = typeof own.categoryId === 'bigint' || /^-?\d{1,19}$/.test(String(own.categoryId));
  const text = JSON.stringify({ ...own, categoryId: isInteger ? rawJson(String(own.categoryId)) : own.categoryId });
  const exchange = await session.send({ ...createPet({}), body: text });
  const animal = statusOf(exchange) === 201 ? bodyOf(exchange) : undefined;
  if (isJsonObject(animal) && isInt64(animal['id']) && isInt64(animal['categoryId'])) {
    const { id, name: given, categoryId: category } = animal;
    return { values: { id: injectable(id), name: String(given), categoryId: injectable(category) }, animals: 1 };
  }
  const hint = name === undefined ? '' : `, or the name ${JSON.stringify(name)} is not accepted`;
  throw new NotVerifiable(
    `createPet answered ${statusOf(exchange) ?? 'nothing'}: the category may not be known, see --category-id${hint}`,
  );
}

async function createAnimals(session: Session, { count = 2, ...params }: Parameters): Promise<Reached> {
  if (!Number.isInteger(count) || Number(count) < 1 || Number(count) > mostAnimals) {
    throw new NotVerifiable(`count ${JSON.stringify(count)} is not from 1 to ${mostAnimals}`);
  }
  for (let created = 0; created < Number(count); created += 1) await createAnimal(session, params);
  return { values: {}, animals: Number(count) };
}

async function findUnknownId(session: Session): Promise<Reached> {
  if (session.settings.today >= removalOfGetPet)
    throw new NotVerifiable(`getPet is removed from ${removalDayInWords} on`);
  const id = drawUnknownId(session);
  const exchange = await session.send(getPet(id));
  if (statusOf(exchange) === 404) return { values: { id: injectable(id) }, animals: 0 };
  const answered = `getPet answered ${statusOf(exchange) ?? 'nothing'} for an id that no animal can have`;
  throw new NotVerifiable(refusalOfKey(exchange) ?? answered);
}

/** The values to inject into the body of a new animal, where text is no category. */
function drawNewAnimal(session: Session): Reached {
  const categoryId = likelyCategories(session).map(Number).find(Number.isSafeInteger)!;
  return { values: { name: session.newName(), categoryId }, animals: 0 };
}

/** A state that asks for nothing but a credential. */
function withCredential(credential: SentCredential): Reached {
  return { values: {}, credential, animals: 0 };
}

const reachers: Readonly<Record<string, (session: Session, params: Parameters) => Reached | Promise<Reached>>> = {
  [providerStates.animalExists]: createAnimal,
  [providerStates.animalsExist]: createAnimals,
  [providerStates.animalCanBeCreated]: drawNewAnimal,
  [providerStates.noAnimalHasId]: findUnknownId,
  [providerStates.keyMissing]: () => withCredential(noKey),
  [providerStates.keyInvalid]: (session) => withCredential(neverIssued(session)),
  // The limit is exceeded only when the request is sent, so that no other state comes in between.
  [providerStates.limitExceeded]: ({ keys }) => withCredential(rateLimitKey(keys.rateLimit!)),
};

/** Returns a function that reaches a state once. It rejects with NotVerifiable, and with the errors of a session. */
export function createStates() {
  const lasting = new Map<string, Reached>();
  return async (session: Session, { name, params }: State): Promise<Reached> => {
    const key = JSON.stringify([name, params]);
    const before = lasting.get(key);
    if (before !== undefined) return before;
    const reach = Object.hasOwn(reachers, name) ? reachers[name] : undefined;
    const known = Object.keys(reachers).join('", "');
    if (reach === undefined) throw new NotVerifiable(`no operation reaches the state "${name}"; known are "${known}"`);
    const reached = await reach(session, params);
    if (createsAnimals(name) || name === providerStates.noAnimalHasId) lasting.set(key, reached);
    return reached;
  };
}
