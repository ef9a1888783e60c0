/** One run of a client under a legal service: what it was served, how it ended, and which requests it sent. */

import { randomBytes } from 'node:crypto';
import {
  type ApiKey,
  type Handle,
  type StoreRequest,
  type StoreResponse,
  startServer,
} from '../../reference-server/twin/index.ts';
import type { Exchange } from '../http/exchange.ts';
import { handleWith } from '../services/service.ts';
import { knownCategory, type LegalService } from './services.ts';

export interface ClientEnvironment {
  readonly baseUrl: string;
  readonly key: string;
  readonly categoryId: bigint;
}

export interface ClientResult {
  readonly isPassed: boolean;
  /** How the client ended, for example "exit code 1"; for a person, without the key. */
  readonly ending: string;
  /** The file with the output of the client, if it printed into one. */
  readonly output?: string;
  /** The last lines that it printed, without the key. */
  readonly printed?: readonly string[];
}

/**
 * Runs a client once. `name` is the id of the service, `signal` ends the run. Resolves when the run is over, and rejects if
 * the client cannot be run at all.
 */
export type Client = (environment: ClientEnvironment, name: string, signal: AbortSignal) => Promise<ClientResult>;

export interface ClientRun extends ClientResult {
  readonly service: LegalService;
  readonly environment: ClientEnvironment;
  /** The requests as they arrived, to be replayed; `at` is Unix milliseconds. */
  readonly received: readonly { readonly request: StoreRequest; readonly at: number }[];
  /** The requests to the base address as evidence, in the order in which they arrived. */
  readonly exchanges: readonly Exchange[];
  readonly durationMs: number;
}

/** Runs a client once under a legal service; rejects if the client cannot be run at all. */
export type RunClient = (service: LegalService, signal: AbortSignal) => Promise<ClientRun>;

/** The service for a client with a key. It draws the same ids and orders each time, so that all runs of a client meet the same. */
function handleForClient(service: LegalService, key: string): Handle {
  const keys = [key, 'the-key-of-other-clients'].map((one): ApiKey => ({ key: one, plan: 'business' }));
  return handleWith(keys, service, 1);
}

/** More requests than this tell nothing new about what a client depends on. */
const mostReplayed = 300;

/** The exchanges of a run that two services answer differently: where there are none, the client cannot tell them apart. */
export function tellingApart(run: ClientRun, service: LegalService, otherService: LegalService): readonly Exchange[] {
  const { environment, received, exchanges } = run;
  const handle = handleForClient(service, environment.key);
  const otherHandle = handleForClient(otherService, environment.key);
  const isTelling = received.slice(0, mostReplayed).map(({ request, at }) => {
    return comparable(handle(request, at)) !== comparable(otherHandle(request, at));
  });
  return exchanges.filter(({ number }) => isTelling[number - 1]);
}

/** Everything of an answer that a client may see. */
function comparable({ status, headers, body }: StoreResponse): string {
  return JSON.stringify([status, body, Object.entries(headers).sort()]);
}

/** A browser asks by itself whether a page may send a request; the client under test has no part in that. */
export function isPreflight({ request }: Pick<Exchange, 'request'>): boolean {
  return request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
}

/**
 * Runs a client under services on free ports of 127.0.0.1, each with a new key that is valid nowhere else. `now` is the time
 * by which services live, Unix milliseconds.
 */
export function runOverSockets(client: Client, now: () => number = Date.now): RunClient {
  return async (service, signal) => {
    const key = `client-${randomBytes(12).toString('hex')}`;
    const startedAt = now();
    const { id, latencyMs = 0 } = service;
    const handle = handleForClient(service, key);
    const received: { readonly request: StoreRequest; readonly at: number }[] = [];
    const wrap = (): Handle => (request, at) => {
      received.push({ request, at });
      return handle(request, at);
    };
    // It lets pages of all origins read its answers: a page works with no service that forbids it.
    const server = await startServer({
      keys: [{ key, plan: 'business' }],
      faults: [{ id, breaks: [], wrap }],
      clock: now,
      // No service promises a health page, so a client that relies on one must be found.
      answersHealth: false,
      latencyMs,
    });
    const environment = { baseUrl: server.url, key, categoryId: knownCategory };
    try {
      const result = await client(environment, id, signal);
      const exchanges = server.requests
        .filter((exchange) => !isPreflight(exchange))
        .map((one) => ({ ...one, check: id, endedAt: one.endedAt + latencyMs }));
      return { ...result, service, environment, received, exchanges, durationMs: now() - startedAt };
    } finally {
      await server.close();
    }
  };
}
