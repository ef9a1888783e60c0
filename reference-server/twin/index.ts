/**
 * The reference server for developers of clients: a twin of a service in tests, on a port or as a function.
 *
 * @module petstore-conformance/reference-server
 */

export type {
  Credential,
  CredentialKind,
  Exchange as ReceivedExchange,
  RecordedRequest,
  RecordedResponse,
} from '../../conformance/http/exchange.ts';
export type { GapChoices, OpenGapId, ReferenceAnswers } from '../../spec/gaps.ts';
export type { Operation, OperationName } from '../../spec/operations.ts';
export type {
  ApiKey,
  Behaviour,
  Handle,
  Limits,
  NewPet,
  PetStatus,
  Plan,
  StoreRequest,
  StoreResponse,
} from '../index.ts';
export { createTwin, type TwinOptions } from './gaps.ts';
export { type NextAnswer, type Server, type ServerOptions, startServer } from './server.ts';
export { BrokenConnection, type ServerFault, type ServerKeys, type Wrap } from './wraps.ts';
