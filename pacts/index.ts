/**
 * For consumers: ready-made interactions with the Pet Store Service Interface. Each gives a mock server that answers
 * as the interface says, and writes what was asked into a pact of version 4.
 *
 * @module petstore-conformance/pacts
 */

import {
  expectAnimal,
  expectCreation,
  expectExceededLimit,
  expectInvalidKey,
  expectMissingKey,
  expectNoAnimal,
  expectPage,
  expectRefusedCreation,
  type ListQuery,
  type NewPet,
} from './expectations.ts';
import { type ConsumerOptions, createRecorder, type Interaction } from './mock-service.ts';

export type { ListQuery, NewPet, PetStatus } from './expectations.ts';
export type { ConsumerOptions, Interaction, MockService } from './mock-service.ts';

/** The interactions that a consumer may have with the service, each with its provider state and its matchers. */
export interface PetStorePact {
  /** A page of animals that match. */
  readonly listPets: (query?: ListQuery) => Interaction;
  /** An animal is added. */
  readonly createPet: (pet: NewPet) => Interaction;
  /** A body that §4.2 refuses: the consumer's code shows how it deals with 400. */
  readonly createPetRefused: (body: unknown) => Interaction;
  /** An animal that exists; `id` is the one that the mock server knows, a provider injects its own. */
  readonly getPet: (id?: number) => Interaction;
  /** No animal has this id, and 404 answers. */
  readonly getUnknownPet: (id?: number) => Interaction;
  /** A listing without a key, which 401 answers. */
  readonly withoutKey: (query?: ListQuery) => Interaction;
  /** A listing with a key that was never issued, which 401 answers. */
  readonly withInvalidKey: (query?: ListQuery) => Interaction;
  /** A listing beyond the limit, which 429 answers. */
  readonly rateLimitExceeded: (query?: ListQuery) => Interaction;
}

/**
 * Starts a pact between a consumer and the service. Interactions are tested one after the other, however they are
 * called. Throws a TypeError for a name that is none of a file, and for an interaction that the interface does not have.
 */
export function petStorePact(options: ConsumerOptions): PetStorePact {
  const interaction = createRecorder(options);
  return {
    listPets: (query = {}) => interaction(expectPage(query)),
    createPet: (pet) => interaction(expectCreation(pet)),
    createPetRefused: (body) => interaction(expectRefusedCreation(body)),
    getPet: (id = 7) => interaction(expectAnimal(id)),
    getUnknownPet: (id = 404) => interaction(expectNoAnimal(id)),
    withoutKey: (query = {}) => interaction(expectMissingKey(query)),
    withInvalidKey: (query = {}) => interaction(expectInvalidKey(query)),
    rateLimitExceeded: (query = {}) => interaction(expectExceededLimit(query)),
  };
}
