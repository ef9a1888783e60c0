/** The store as a function of a request and a time: key, limit, operation, answer. */

import type { GapChoices } from '../spec/gaps.ts';
import { refuse, type StoreResponse, writeAnswer, writeTooMany } from './answer.ts';
import type { Behaviour } from './behaviour.ts';
import { createCatalogue } from './catalogue.ts';
import { readBehaviour } from './choices.ts';
import { createClients } from './clients.ts';
import type { ApiKey } from './keys.ts';
import { createListPets } from './list-pets.ts';
import { type Store, storePet } from './operations.ts';
import type { NewPet } from './pet.ts';
import type { StoreRequest } from './request.ts';
import { operate } from './routes.ts';

/** Answers a request at a time, Unix milliseconds. That of a store never throws and never answers 5xx; one around it may break off. */
export type Handle = (request: StoreRequest, now: number) => StoreResponse;

/** A store with its animals, keys and limits, without a socket. */
export interface PetStore {
  readonly handle: Handle;
}

/** What a store holds, and what it does. */
export interface PetStoreOptions {
  /** None is accepted where none is given. */
  readonly keys?: readonly ApiKey[];
  /** What the server does where the interface is silent; the reference choice where nothing is said. */
  readonly gaps?: Partial<GapChoices>;
  /** From 0 to 1; draws random ids and orders. Math.random where none is given. */
  readonly random?: () => number;
  /** The length of the window that §8 calls a minute; 60 where none is given. */
  readonly windowSeconds?: number;
  /** What the catalogue holds from the start. */
  readonly animals?: Iterable<NewPet>;
  /** /v1 where none is given. */
  readonly basePath?: string;
}

function openStore(
  { random = Math.random, basePath = '/v1', animals = [] }: PetStoreOptions,
  behaviour: Behaviour,
): Store {
  const catalogue = createCatalogue(behaviour['list-order'], random, behaviour['extra-response-fields']);
  const collection = `${basePath}/pets`;
  const deprecation = behaviour['deprecation-headers'](collection);
  const names = behaviour['duplicate-names']();
  const listPets = createListPets(catalogue, behaviour, collection);
  const store = { catalogue, listPets, names, behaviour, random, collection, deprecation };
  for (const animal of animals) storePet(animal, store);
  return store;
}

/** Creates a store; throws a RangeError for gaps, answers, keys or numbers that it cannot work with. */
export function createPetStore(options: PetStoreOptions = {}): PetStore {
  const { keys = [], gaps = {}, windowSeconds = 60 } = options;
  if (!(windowSeconds > 0)) throw new RangeError('windowSeconds must be a number above 0.');
  const behaviour = readBehaviour(gaps);
  const clients = createClients(keys, windowSeconds * 1000, behaviour);
  const store = openStore(options, behaviour);
  const unauthorized = refuse(401, 'The API key is missing or invalid.', behaviour['www-authenticate']);
  return {
    handle(request, now) {
      const verdict = clients.countKey(request, now);
      if (verdict === undefined) {
        // A request without a readable head may have a key, which nobody will know: only its address can be counted.
        const outcome = request.unread?.part === 'head' ? operate(request, now, store) : unauthorized;
        return writeAnswer(outcome, clients.countAddress(request.address, now), behaviour);
      }
      if (verdict.until !== undefined) return writeTooMany(verdict.until, now, verdict, behaviour);
      return writeAnswer(operate(request, now, store), verdict, behaviour);
    },
  };
}
