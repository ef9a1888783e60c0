/** The reference server. A request passes socket.ts, its key and limit (limit.ts), operations.ts, and answer.ts. */

import { refuse, type StoreRequest, type StoreResponse } from './answer.ts';
import { type ApiKey, type Count, createLimits, limitReference } from './limit.ts';
import { createOperations, type NewPet, operationReference } from './operations.ts';

export { codeOf, type Handle, readHeader, refuse, type StoreRequest, type StoreResponse } from './answer.ts';
export { type ApiKey, type Limits, type Plan, plans, type Window } from './limit.ts';
export { isPetStatus, type NewPet, type PetStatus, readNewPet } from './operations.ts';
export { type Listening, type ListenOptions, listen } from './socket.ts';

export const reference = { ...limitReference, ...operationReference };
/** What the interface leaves open, as functions; a service that decides otherwise replaces some of them. */
export type Behaviour = Readonly<typeof reference>;

/** The contents and the behaviour of a store: by default it is empty, has no valid key, and behaves as the reference. */
export interface PetStoreOptions {
  readonly keys?: readonly ApiKey[];
  readonly animals?: Iterable<NewPet>;
  readonly behaviour?: Behaviour;
}

/** Creates a store. Its handle never throws, and never answers 5xx. */
export function createPetStore({ keys = [], animals = [], behaviour = reference }: PetStoreOptions = {}) {
  const count = createLimits(keys, behaviour);
  const operate = createOperations(behaviour, animals);

  function respond(request: StoreRequest, now: number, { hasKey, waitSeconds: wait }: Count): StoreResponse {
    // A request that could not be read may carry a key that nobody can know.
    if (request.unread !== undefined) return refuse(request.unread, 'The request cannot be read.');
    if (!hasKey) return refuse(401, 'The API key is missing or invalid.', { 'WWW-Authenticate': 'Bearer' });
    if (wait === undefined) return operate(request, now);
    return refuse(429, `The rate limit is exceeded; wait ${wait} seconds.`, { 'Retry-After': String(wait) });
  }
  function handle(request: StoreRequest, now: number): StoreResponse {
    const reading = count(request, now);
    const response = respond(request, now, reading);
    response.headers['X-RateLimit-Limit'] = String(reading.limit);
    response.headers['X-RateLimit-Remaining'] = String(reading.remaining);
    response.headers['X-RateLimit-Reset'] = String(Math.ceil(reading.endsAt / 1000));
    return response;
  }
  return { handle };
}
