/**
 * The public surface of the reference server.
 *
 * @module petstore-conformance/reference-server
 */

export type { StoreResponse } from './answer.ts';
export { BrokenOff } from './broken-off.ts';
export { gapChoices, surprise } from './choices.ts';
export { keysOfFaults, type ServerFault } from './faults.ts';
export { type JsonValue, parseJson, stringifyJson } from './json.ts';
export type { ApiKey, Plan } from './keys.ts';
export { type Listening, type ListenOptions, listen } from './listen.ts';
export { isPetStatus, type NewPet, type PetStatus } from './pet.ts';
export { createPetStore, type Handle, type PetStore, type PetStoreOptions } from './pet-store.ts';
export type { ReceivedCredential, ReceivedExchange } from './received.ts';
export type { StoreRequest, Unread } from './request.ts';
export { type Server, type ServerOptions, startServer } from './start-server.ts';
export type { Timeouts } from './timeouts.ts';
export type { Latency, Weather } from './weather.ts';
