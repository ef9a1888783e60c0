/**
 * The reference server: a store as a function of a request, a time and a behaviour. A request passes socket.ts, its key and
 * its limit (limit.ts), its operation (operations.ts) and its answer (answer.ts).
 */

import { type Handle, readHeader, refuse, type StoreRequest, type StoreResponse } from './answer.ts';
import { type ApiKey, createLimits, type LimitBehaviour, limitReference, type Reading } from './limit.ts';
import { createCatalogue, type NewPet, type OperationBehaviour, operate, operationReference } from './operations.ts';

export type { Handle, StoreRequest, StoreResponse } from './answer.ts';
export { answer, codeOf, parseJson, readHeader, readInt64, refuse } from './answer.ts';
export { type ApiKey, type Limits, type Plan, plans, type Reading, type Window } from './limit.ts';
export { isPetStatus, type NewPet, type PetStatus } from './operations.ts';
export { type Listening, type ListenOptions, listen } from './socket.ts';

/** What the interface leaves open, as functions; a service that decides otherwise replaces some of them. */
export interface Behaviour extends LimitBehaviour, OperationBehaviour {}
export const reference: Behaviour = { ...limitReference, ...operationReference };

/** The contents and the behaviour of a store: by default it is empty, has no valid key, and behaves as the reference. */
export interface PetStoreOptions {
  readonly keys?: readonly ApiKey[];
  readonly animals?: Iterable<NewPet>;
  readonly behaviour?: Behaviour;
}

/** Creates a store. Its handle never throws, and never answers 5xx. */
export function createPetStore(options: PetStoreOptions = {}): { readonly handle: Handle } {
  const { keys = [], animals = [], behaviour = reference } = options;
  const limits = createLimits(keys, behaviour);
  const catalogue = createCatalogue(behaviour);
  for (const animal of animals) catalogue.add(animal, behaviour.furtherMembers({}));

  /** `reading` is that of the key; undefined without a valid one. */
  function respond(request: StoreRequest, now: number, reading: Reading | undefined): StoreResponse {
    // A request that could not be read may carry a key that nobody can know.
    if (request.unread !== undefined) return refuse(request.unread, 'The request cannot be read.');
    if (reading === undefined)
      return refuse(401, 'The API key is missing or invalid.', { 'WWW-Authenticate': 'Bearer' });
    if (reading.waitMs === undefined) return operate(request, now, { behaviour, catalogue });
    const seconds = String(Math.ceil(reading.waitMs / 1000));
    return refuse(429, `The rate limit is exceeded; wait ${seconds} seconds.`, { 'Retry-After': seconds });
  }

  return {
    handle(request, now) {
      const reading = limits.countKey(behaviour.readToken(readHeader(request, 'authorization')), now);
      const response = respond(request, now, reading);
      const { limit, remaining, endsAt } = reading ?? limits.countAddress(request.address, now);
      response.headers['X-RateLimit-Limit'] = String(limit);
      response.headers['X-RateLimit-Remaining'] = String(remaining);
      response.headers['X-RateLimit-Reset'] = String(Math.ceil(endsAt / 1000));
      return response;
    },
  };
}
