/**
 * The reference server for developers of clients: the core, and everything that makes it a twin of a service in tests.
 *
 * @module petstore-conformance/reference-server
 */

export type { Exchange as ReceivedExchange } from '../../conformance/http/exchange.ts';
export {
  type ApiKey,
  type Behaviour,
  createPetStore,
  type Handle,
  isPetStatus,
  type Limits,
  type Listening,
  type ListenOptions,
  listen,
  type NewPet,
  type PetStatus,
  type PetStoreOptions,
  type Plan,
  reference,
  type StoreRequest,
  type StoreResponse,
  type Window,
} from '../index.ts';
export { createTwin, drawGaps, gapChoices, type TwinOptions } from './gaps.ts';
export type { NextAnswer } from './orders.ts';
export { type Server, type ServerOptions, startServer } from './server.ts';
export { BrokenConnection, type Keys, type ServerFault, type Wrap } from './wraps.ts';
