/** Brings a target into a provider state by operations of the interface only, so that it works with any base address. */

import { plainCategory } from '../../conformance/checks/4.2-bodies.ts';
import { exhaust } from '../../conformance/checks/8-limit-probe.ts';
import { createPet, getPet, listPets } from '../../conformance/checks/requests.ts';
import { drawUnknownId } from '../../conformance/checks/seen.ts';
import { BudgetSpent } from '../../conformance/engine/budget.ts';
import { noKey, rateLimitKey, refusedCredentials, type SentCredential } from '../../conformance/engine/credentials.ts';
import type { Exchange } from '../../conformance/engine/exchange.ts';
import { isInt64, isJsonObject, type JsonObject } from '../../conformance/engine/json.ts';
import { isPetStatus } from '../../conformance/engine/read-request.ts';
import { bodyOf, statusOf } from '../../conformance/engine/read-response.ts';
import type { PlannedRequest, Session } from '../../conformance/engine/session.ts';
import { removalOfGetPet } from '../../conformance/engine/settings.ts';
import { defaultCount, problemWith, readCategory } from '../lint/parameters.ts';
import type { State } from '../pact.ts';
import { isProviderState, type ProviderStateName, providerStates } from '../states.ts';

/** The target cannot be brought into a state; the reason is for a person. */
export class NotReachable extends Error {
  /** Whether it is for something that the user did not give, or did not want. */
  readonly isForUser: boolean;

  constructor(message: string, isForUser = false) {
    super(message);
    this.isForUser = isForUser;
  }
}

/** What a state gives to the request that follows. */
export interface Reached {
  /** By the names of `injects` in the vocabulary. */
  readonly values: Readonly<Record<string, string | number>>;
  /** What the request is sent with; the API key when undefined. */
  readonly credential?: SentCredential;
}

/** A number as far as JavaScript holds it, text beyond. */
function injectable(value: bigint): string | number {
  return BigInt(Number(value)) === value && Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

export function neverIssued(key: string): SentCredential {
  return refusedCredentials(key).find(({ shown }) => shown.kind === 'invalid')!;
}

async function createAnimal(session: Session, params: State['params']): Promise<Reached> {
  const { name, categoryId, status } = params;
  const [known] = session.settings.petIds;
  if (session.settings.isReadOnly && known !== undefined && Object.keys(params).length === 0) {
    return { values: { id: injectable(known) } };
  }
  if (session.settings.isReadOnly) throw new NotReachable('the run is read-only: name an animal with --pet-id', true);
  const create = (): Promise<Exchange> => {
    const pet: JsonObject = {
      name: typeof name === 'string' ? name : session.newName(),
      categoryId: (categoryId === undefined ? undefined : readCategory(categoryId)) ?? plainCategory(session),
      ...(isPetStatus(status) ? { status } : {}),
    };
    return session.send(createPet(pet));
  };
  let exchange = await create();
  // Names may have to be unique, and one that was sent again for a lost answer is taken.
  if (statusOf(exchange) === 400 && name === undefined) exchange = await create();
  const animal = statusOf(exchange) === 201 ? bodyOf(exchange) : await findAnimal(session, params);
  const id = isJsonObject(animal) ? animal['id'] : undefined;
  if (!isJsonObject(animal) || !isInt64(id)) {
    const hint = name === undefined ? '' : `, or the name ${JSON.stringify(name)} is not accepted`;
    throw new NotReachable(
      `createPet answered ${statusOf(exchange) ?? 'nothing'}: the category is not known, see --category-id${hint}`,
    );
  }
  const category = animal['categoryId'];
  return {
    values: {
      id: injectable(id),
      name: String(animal['name']),
      ...(isInt64(category) ? { categoryId: injectable(category) } : {}),
    },
  };
}

/** An animal that is there already, where names have to be unique and the state wants one that is taken. */
async function findAnimal(session: Session, { name, categoryId, status }: State['params']) {
  if (name === undefined) return undefined;
  const page = bodyOf(await session.send(listPets(`limit=100${status === undefined ? '' : `&status=${status}`}`)));
  return (Array.isArray(page) ? page : []).find(
    (animal) =>
      isJsonObject(animal) &&
      animal['name'] === name &&
      (categoryId === undefined || String(animal['categoryId']) === String(categoryId)),
  );
}

async function createAnimals(session: Session, { count = defaultCount, ...params }: State['params']): Promise<Reached> {
  for (let created = 0; created < Number(count); created += 1) await createAnimal(session, params);
  return { values: {} };
}

const triesForUnknownId = 3;

async function findUnknownId(session: Session): Promise<Reached> {
  if (session.settings.today >= removalOfGetPet) throw new NotReachable('getPet is removed from 5 December 2030 on');
  for (let tries = 0; tries < triesForUnknownId; tries += 1) {
    const id = drawUnknownId(session);
    if (statusOf(await session.send(getPet(id))) === 404) return { values: { id: injectable(id) } };
  }
  throw new NotReachable(`getPet answered 404 to none of ${triesForUnknownId} ids that nobody can have`);
}

/** Uses the key up that may be; resolves with the refusal. */
async function refusal(session: Session): Promise<Exchange> {
  const refused = await exhaust(session, session.keys.rateLimit!);
  if (refused !== undefined) return refused;
  throw new NotReachable(session.notes.get('rate-exceeded') ?? 'the key was served beyond its limit');
}

/** The excess itself comes with the request, so that no other state comes between. */
async function exceedLimit({ keys }: Session): Promise<Reached> {
  if (keys.rateLimit === undefined) {
    throw new NotReachable('it takes a key that may be exhausted: --rate-limit-key-env', true);
  }
  return { values: {}, credential: rateLimitKey(keys.rateLimit) };
}

const triesForExcess = 3;

/** Sends a request with the key that is used up; a window that ends just then has the key used up once more. */
export async function exceedWith(session: Session, request: PlannedRequest): Promise<Exchange> {
  const resetOf = ({ response }: Exchange): string | undefined => response?.headers['x-ratelimit-reset'];
  for (let tries = 0; tries < triesForExcess; tries += 1) {
    const before = await refusal(session);
    const exchange = await session.sendOnce(request);
    if (statusOf(exchange) === 429 || resetOf(exchange) === resetOf(before)) return exchange;
  }
  throw new NotReachable('each time that the limit was exceeded, it had been reset before the request was there');
}

/** A category for the body of a consumer, in which text is no category: where only large ones are listed, 1. */
function categoryToInject(session: Session): string | number {
  const categoryId = injectable(plainCategory(session));
  return typeof categoryId === 'string' && session.settings.categoryIds.length === 0 ? 1 : categoryId;
}

const ways: Readonly<Record<ProviderStateName, (session: Session, params: State['params']) => Promise<Reached>>> = {
  [providerStates.animalExists.name]: createAnimal,
  [providerStates.animalsExist.name]: createAnimals,
  [providerStates.animalCanBeCreated.name]: (session) =>
    Promise.resolve({ values: { name: session.newName(), categoryId: categoryToInject(session) } }),
  [providerStates.noAnimalHasId.name]: findUnknownId,
  [providerStates.keyMissing.name]: () => Promise.resolve({ values: {}, credential: noKey }),
  [providerStates.keyInvalid.name]: (session) =>
    Promise.resolve({ values: {}, credential: neverIssued(session.keys.api) }),
  [providerStates.limitExceeded.name]: exceedLimit,
};

/** Reaches one state; rejects with NotReachable, or with RunStopped where the run has ended. */
export async function reach(session: Session, { name, params }: State): Promise<Reached> {
  const problem = problemWith({ name, params });
  if (problem !== undefined || !isProviderState(name)) throw new NotReachable(problem ?? '');
  try {
    return await ways[name](session, params);
  } catch (error) {
    if (error instanceof BudgetSpent) throw new NotReachable(`${error.message}; raise it`);
    throw error;
  }
}
