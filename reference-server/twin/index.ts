/**
 * The reference server for developers of clients: the core, and everything that makes it a twin of a service in tests.
 *
 * @module petstore-conformance/reference-server
 */

export {
  type ApiKey,
  BrokenConnection,
  createPetStore,
  gapChoices,
  type Handle,
  isPetStatus,
  type JsonValue,
  type Listening,
  type ListenOptions,
  listen,
  type NewPet,
  type PetStatus,
  type PetStore,
  type PetStoreOptions,
  type Plan,
  parseJson,
  type StoreRequest,
  type StoreResponse,
  stringifyJson,
  type Timeouts,
  type Unread,
} from '../index.ts';
export { faultKeys, type ServerFault } from './faults.ts';
export { surprise } from './gap-choices.ts';
export type { ReceivedCredential, ReceivedExchange } from './journal.ts';
export type { Latency, NetworkConditions } from './network-conditions.ts';
export type { NextAnswer } from './next-answers.ts';
export { type Server, type ServerOptions, startServer } from './start-server.ts';
