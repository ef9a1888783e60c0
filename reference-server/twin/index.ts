/**
 * The reference server for developers of clients: a twin of a service in tests, on a port or as a function.
 *
 * @module petstore-conformance/reference-server
 */

export type { Exchange as ReceivedExchange } from '../../conformance/http/exchange.ts';
export type { ApiKey, Behaviour, Handle, Limits, NewPet, PetStatus, StoreRequest, StoreResponse } from '../index.ts';
export { createTwin, type TwinOptions } from './gaps.ts';
export { type NextAnswer, type Server, type ServerOptions, startServer } from './server.ts';
export { BrokenConnection, type ServerFault, type ServerKeys as Keys, type Wrap } from './wraps.ts';
