/**
 * The reference server: the store as a function of a request and a time, and every public name of the core.
 *
 * A request passes listen (the socket), connections (reading), messages, then here: keys and rate-limit, operations,
 * catalogue. The choices decide wherever the interface is silent. Nothing here imports twin/.
 */

import type { GapChoices } from '../spec/gaps.ts';
import { createCatalogue, type NewPet } from './catalogue.ts';
import { readBehaviour } from './choices.ts';
import { type ApiKey, createClients } from './keys.ts';
import {
  allowAnyOrigin,
  type Handle,
  type Outcome,
  refuse,
  type StoreRequest,
  type StoreResponse,
  writeAnswer,
} from './messages.ts';
import { operate, storePet } from './operations.ts';
import type { RateLimitReading } from './rate-limit.ts';

export { isPetStatus, type NewPet, type PetStatus } from './catalogue.ts';
export { gapChoices } from './choices.ts';
export { type JsonValue, parseJson, stringifyJson } from './json.ts';
export type { ApiKey } from './keys.ts';
export { type Listening, type ListenOptions, listen, type Timeouts } from './listen.ts';
export {
  allowAnyOrigin,
  BrokenConnection,
  codeOf,
  type Handle,
  readHeader,
  type StoreRequest,
  type StoreResponse,
  type Unread,
} from './messages.ts';
export type { Plan } from './rate-limit.ts';

/** A store with its animals, keys and limits, without a socket. */
export interface PetStore {
  readonly handle: Handle;
}

/** The contents and the behaviour of a store. */
export interface PetStoreOptions {
  /** The keys that are valid; none by default. */
  readonly keys?: readonly ApiKey[];
  /** The behaviour where the interface is silent; the reference choice by default. */
  readonly gaps?: Partial<GapChoices>;
  /** Returns numbers from 0 to 1 for random ids and orders; Math.random by default. */
  readonly random?: () => number;
  /** The length of the window that §8 calls a minute; 60 by default. */
  readonly windowSeconds?: number;
  /** The animals of the catalogue at the start. */
  readonly animals?: Iterable<NewPet>;
  /** /v1 by default. */
  readonly basePath?: string;
}

/** Creates a store; throws a RangeError for gaps, answers, keys or numbers that it cannot work with. */
export function createPetStore(options: PetStoreOptions = {}): PetStore {
  const { keys = [], gaps = {}, random = Math.random, windowSeconds = 60, animals = [], basePath = '/v1' } = options;
  if (!(windowSeconds > 0)) throw new RangeError('windowSeconds must be a number above 0.');
  const behaviour = readBehaviour(gaps);
  const clients = createClients(keys, windowSeconds * 1000, behaviour);
  const catalogue = createCatalogue(behaviour['list-order'], random, behaviour['extra-response-fields']);
  const names = behaviour['duplicate-names']();
  const store = { catalogue, pages: new Map(), names, behaviour, random, collection: `${basePath}/pets` };
  for (const animal of animals) storePet(animal, store);
  const unauthorized = refuse(401, 'The API key is missing or invalid.', behaviour['www-authenticate']);

  /** `reading` is that of the key; undefined without a valid one. */
  function answer(request: StoreRequest, reading: RateLimitReading | undefined, now: number): Outcome {
    // A request without a readable head may carry a key that nobody can know.
    if (reading === undefined && request.method !== '') return unauthorized;
    if (reading?.until === undefined) return operate(request, now, store);
    const headers = { 'Retry-After': behaviour['retry-after-form'](reading.until, now) };
    return refuse(429, 'The rate limit is exceeded; wait as long as Retry-After says.', headers);
  }

  function handle(request: StoreRequest, now: number): StoreResponse {
    const reading = clients.countKey(request, now);
    const outcome = answer(request, reading, now);
    return writeAnswer(outcome, reading ?? clients.countAddress(request.address, now), behaviour);
  }

  return { handle: behaviour.cors ? allowAnyOrigin(handle) : handle };
}
