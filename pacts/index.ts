/**
 * Ready-made interactions with the Pet Store Service Interface, for consumers. Each one starts a mock server that answers
 * as the interface says, and writes a pact of version 4.
 *
 * @module petstore-conformance/pacts
 */

import { expectations, type ListQuery, type NewPet } from './expectations.ts';
import { type ConsumerOptions, createRecorder, type Interaction } from './mock-service.ts';

export type { ListQuery, NewPet, PetStatus } from './expectations.ts';
export type { ConsumerOptions, Interaction, MockService } from './mock-service.ts';

/** The interactions that a consumer may have with the service, each with its provider state and its matchers. */
export interface PetStorePact {
  /** Lists the animals that match. */
  readonly listPets: (query?: ListQuery) => Interaction;
  /** Adds an animal. */
  readonly createPet: (pet: NewPet) => Interaction;
  /** Sends a body that §4.2 refuses, to show how the consumer handles 400. */
  readonly createPetRefused: (body: unknown) => Interaction;
  /** Gets an animal that exists. The mock server knows it by `id`; a provider injects its own id. */
  readonly getPet: (id?: number) => Interaction;
  /** Gets an id that no animal has; the answer is 404. */
  readonly getUnknownPet: (id?: number) => Interaction;
  /** Lists without a key; the answer is 401. */
  readonly withoutKey: (query?: ListQuery) => Interaction;
  /** Lists with a key that was never issued; the answer is 401. */
  readonly withInvalidKey: (query?: ListQuery) => Interaction;
  /** Lists beyond the rate limit; the answer is 429. */
  readonly rateLimitExceeded: (query?: ListQuery) => Interaction;
}

/**
 * Starts a pact between a consumer and the service. Interactions run one after the other, even when called concurrently.
 * Throws a TypeError for a consumer name that cannot be a file name, and for an interaction that the interface does not have.
 */
export function petStorePact(options: ConsumerOptions): PetStorePact {
  const record = createRecorder(options);
  return {
    listPets: (query) => record(expectations.listPets(query)),
    createPet: (pet) => record(expectations.createPet(pet)),
    createPetRefused: (body) => record(expectations.createPetRefused(body)),
    getPet: (id) => record(expectations.getPet(id)),
    getUnknownPet: (id) => record(expectations.getUnknownPet(id)),
    withoutKey: (query) => record(expectations.withoutKey(query)),
    withInvalidKey: (query) => record(expectations.withInvalidKey(query)),
    rateLimitExceeded: (query) => record(expectations.rateLimitExceeded(query)),
  };
}
