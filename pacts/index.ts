/**
 * Ready-made interactions with the Pet Store Service Interface, for consumers. Each one starts a mock server that answers
 * as the interface says, and writes a pact of version 4.
 *
 * @module petstore-conformance/pacts
 */

import { type Expectation, expectations } from './expectations.ts';
import { type ConsumerOptions, createRecorder, type Interaction } from './mock-service.ts';

export type { ListQuery, NewPet, PetStatus } from './expectations.ts';
export type { ConsumerOptions, Interaction, MockService } from './mock-service.ts';

type Expectations = typeof expectations;

/** The interactions that a consumer may have with the service, each with its provider state and its matchers. */
export type PetStorePact = {
  readonly [Name in keyof Expectations]: (...asked: Parameters<Expectations[Name]>) => Interaction;
};

/**
 * Starts a pact between a consumer and the service. Interactions run one after the other, even when called concurrently.
 * Throws a TypeError for a consumer name that cannot be a file name, and for an interaction that the interface does not have.
 */
export function petStorePact(options: ConsumerOptions): PetStorePact {
  const record = createRecorder(options);
  const all: Readonly<Record<string, (...asked: never[]) => Expectation>> = expectations;
  const interactions = Object.entries(all).map(([name, expect]) => [
    name,
    (...asked: never[]) => record(expect(...asked)),
  ]);
  return Object.fromEntries(interactions) as PetStorePact;
}
