/** One run of a client under a legal service: what it was served, how it ended, and which requests it sent. */

import { randomBytes } from 'node:crypto';
import {
  createTwin,
  type Handle,
  type NewPet,
  type StoreRequest,
  type StoreResponse,
  startServer,
} from '../../reference-server/twin/index.ts';
import type { GapChoices } from '../../spec/gaps.ts';
import { seededRandom } from '../../spec/random.ts';
import type { Exchange } from '../http/exchange.ts';
import { slowAnswerMs } from '../http/tolerances.ts';
import { knownCategory, type LegalService, reference } from './services.ts';

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

/** What all services have that a client runs under. */
export interface Surroundings {
  readonly gaps: Partial<GapChoices>;
  readonly animals: readonly NewPet[];
}

/** A request as it arrived, to be replayed; `at` is Unix milliseconds. */
interface ReceivedRequest {
  readonly request: StoreRequest;
  readonly at: number;
  /** Whether the reference answers it otherwise. */
  readonly isTelling: boolean;
}

export interface ClientRun extends ClientResult {
  readonly service: LegalService;
  readonly environment: ClientEnvironment;
  readonly received: readonly ReceivedRequest[];
  /** The requests to the base address as evidence, in the order in which they arrived. */
  readonly exchanges: readonly Exchange[];
  /** Those whose answers are not the usual ones. */
  readonly telling: readonly Exchange[];
  readonly durationMs: number;
}

/** Runs a client once under a legal service; rejects if the client cannot be run at all. */
export type RunClient = (service: LegalService, all: Surroundings, signal: AbortSignal) => Promise<ClientRun>;

/** The service as a function; it draws the same ids and orders each time, so that all runs of a client meet the same. */
function handleOf(service: LegalService, { gaps, animals }: Surroundings, key: string): Handle {
  const keys = { api: key, rateLimit: 'the-key-of-other-clients' };
  const { handle } = createTwin({
    keys: Object.values(keys).map((one) => ({ key: one, plan: 'business' })),
    gaps: { ...gaps, ...service.gaps },
    behaviour: service.behaviour ?? {},
    animals: service.animals ?? animals,
    random: seededRandom(1),
  });
  return service.wrap?.(handle, keys) ?? handle;
}

function textOf({ status, headers, body }: StoreResponse): string {
  return JSON.stringify([status, body, Object.entries(headers).sort()]);
}

/** More requests than this tell nothing new about what a client depends on. */
const mostReplayed = 300;

/** Whether a service answers the requests of a run unlike the reference: where it does not, the client cannot tell them apart. */
export function differs(
  service: LegalService,
  all: Surroundings,
  { environment: { key }, received }: ClientRun,
): boolean {
  const [one, usual] = [handleOf(service, all, key), handleOf(reference, all, key)];
  return received
    .slice(0, mostReplayed)
    .some(({ request, at }) => textOf(one(request, at)) !== textOf(usual(request, at)));
}

/** A browser asks by itself whether a page may send a request; the client under test has no part in that. */
export function isPreflight({ request }: Pick<Exchange, 'request'>): boolean {
  return request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
}

export interface RunOptions {
  /** The time by which services live, Unix milliseconds; the machine's if undefined. */
  readonly now?: () => number;
  /** Set if the client holds the answers of slow services back itself. */
  readonly answersAtOnce?: true;
}

/** Runs a client under services on free ports of 127.0.0.1, each with a new key that is valid nowhere else. */
export function runOverSockets(client: Client, { now = Date.now, answersAtOnce }: RunOptions = {}): RunClient {
  return async (service, surroundings, signal) => {
    const key = `client-${randomBytes(12).toString('hex')}`;
    const startedAt = now();
    const [handle, usual] = [service, reference].map((one) => handleOf(one, surroundings, key));
    const received: ReceivedRequest[] = [];
    const wrap = (): Handle => (request, at) => {
      const answer = handle!(request, at);
      received.push({ request, at, isTelling: textOf(answer) !== textOf(usual!(request, at)) });
      return answer;
    };
    const answerMs = service.isSlow ? slowAnswerMs : 0;
    // It lets pages of all origins read its answers: a page works with no service that forbids it.
    const server = await startServer({
      keys: [{ key, plan: 'business' }],
      faults: [{ id: service.id, breaks: [], wrap }],
      clock: now,
      // No service promises a health page, so a client that relies on one must be found.
      answersHealth: false,
      latencyMs: answersAtOnce ? 0 : answerMs,
    });
    const environment = { baseUrl: server.url, key, categoryId: knownCategory };
    try {
      const result = await client(environment, service.id, signal);
      const exchanges = server.requests
        .filter((exchange) => !isPreflight(exchange))
        // A request that is sent while an answer is held back counts as sent before it.
        .map((one) => ({ ...one, check: service.id, endedAt: one.endedAt + answerMs }));
      const telling = exchanges.filter(({ number }) => received[number - 1]?.isTelling);
      const durationMs = now() - startedAt;
      return { ...result, service, environment, received, exchanges, telling, durationMs };
    } finally {
      await server.close();
    }
  };
}
