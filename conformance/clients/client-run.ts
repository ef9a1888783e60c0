/** A client under test, and one run of it under a legal service: how it ended, and which requests it sent. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Exchange } from '../http/exchange.ts';
import { slowAnswerMs } from '../http/tolerances.ts';
import type { SentRequests } from './requests.ts';
import { differing, type RecordedRequest, type Served, type Surroundings, serve } from './serve.ts';
import type { LegalService } from './services.ts';

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

export interface ClientRun extends ClientResult, SentRequests {
  readonly service: LegalService;
  readonly surroundings: Surroundings;
  readonly baseUrl: string;
  readonly key: string;
  readonly recorded: readonly RecordedRequest[];
  /** The exchanges whose answers are not the usual ones. */
  readonly telling: () => readonly Exchange[];
  readonly durationMs: number;
}

/** Runs a client once under a legal service; rejects if the client cannot be run at all. */
export type RunClient = (service: LegalService, all: Surroundings, signal: AbortSignal) => Promise<ClientRun>;

/** Headers of a connection or a library; whoever sends a request again has other ones. */
const connectionHeaders: ReadonlySet<string> = new Set(
  'host connection keep-alive content-length accept-encoding accept-language sec-fetch-mode'.split(' '),
);

/** A browser asks by itself whether a page may send a request; the client under test has no part in that. */
export function isPreflight({ request }: Pick<Exchange, 'request'>): boolean {
  return request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
}

/** Counts the time that an answer is held back, so that a request sent in the meantime counts as sent before the answer. */
function asAnswered(exchange: Exchange, { id, isSlow }: LegalService): Exchange {
  const headers = Object.entries(exchange.request.headers).filter(([name]) => !connectionHeaders.has(name));
  return {
    ...exchange,
    check: id,
    request: { ...exchange.request, headers: Object.fromEntries(headers) },
    endedAt: exchange.endedAt + (isSlow ? slowAnswerMs : 0),
  };
}

export function describeRun(
  service: LegalService,
  surroundings: Surroundings,
  { environment: { baseUrl, key }, recorded, received }: Served,
  result: ClientResult,
  measured: { readonly durationMs: number; readonly latenessMs: number },
): ClientRun {
  const seen = received()
    .filter(({ exchange }) => !isPreflight(exchange))
    .map((one) => ({ ...one, exchange: asAnswered(one.exchange, service) }));
  return {
    ...result,
    ...measured,
    service,
    surroundings,
    baseUrl,
    key,
    recorded,
    exchanges: seen.map(({ exchange }) => exchange),
    telling: () => {
      const isTelling = differing(service, surroundings, key, recorded);
      return seen.flatMap(({ exchange, at }) => (isTelling[at] ? [exchange] : []));
    },
    isAnotherDay: service.startsAt !== undefined,
  };
}

/** How often lateness is measured, milliseconds. */
const tickMs = 20;
const nanosecondsPerMs = 1_000_000;

export function runOverSockets(client: Client): RunClient {
  return async (service, surroundings, signal) => {
    const served = await serve(service, surroundings);
    // How late timers fire on this machine: on a busy one, requests arrive and clients wake up as late as that.
    const delay = monitorEventLoopDelay({ resolution: tickMs });
    delay.enable();
    const startedAt = performance.now();
    try {
      const result = await client(served.environment, service.id, signal);
      const durationMs = Math.round(performance.now() - startedAt);
      const latenessMs = Math.max(0, Math.round(delay.max / nanosecondsPerMs) - tickMs);
      return describeRun(service, surroundings, served, result, { durationMs, latenessMs });
    } finally {
      delay.disable();
      await served.close();
    }
  };
}
