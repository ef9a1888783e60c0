/** Starts a twin of the service for tests: gap choices, faults, network conditions, a clock, and a journal. */

import { randomBytes } from 'node:crypto';
import { defined } from '../../spec/defined.ts';
import type { GapChoices } from '../../spec/gaps.ts';
import {
  type ApiKey,
  allowAnyOrigin,
  createPetStore,
  type Handle,
  listen,
  type NewPet,
  type StoreResponse,
} from '../index.ts';
import { basePathOf, faultKeys, keysForFaults, type ServerFault, withFaults } from './faults.ts';
import { createJournal, type ReceivedExchange } from './journal.ts';
import { createLog } from './log.ts';
import { drawDelay, type NetworkConditions, withNetworkErrors } from './network-conditions.ts';
import { createNextAnswers, type NextAnswer } from './next-answers.ts';

/** The behaviour and the contents of a server; every member that is missing is as in the reference server. */
export interface ServerOptions {
  /** The behaviour where the interface is silent; the reference choice by default. */
  readonly gaps?: Partial<GapChoices>;
  /** Wrong behaviour, on purpose. The faults of the kit are in petstore-conformance/faults. */
  readonly faults?: readonly ServerFault[];
  /** Latency and errors outside the interface. */
  readonly networkConditions?: NetworkConditions;
  /** Returns the time in Unix milliseconds; the clock of the machine by default. */
  readonly clock?: () => number;
  /** By default one key of the Business plan, made for this server. */
  readonly keys?: readonly ApiKey[];
  /** The length of the window that §8 calls a minute, in seconds; 60 by default. */
  readonly windowSeconds?: number;
  /** How many made-up animals the catalogue holds from the start; none by default. */
  readonly seedAnimals?: number;
  /** Animals that the catalogue holds from the start, after the made-up ones. */
  readonly animals?: readonly NewPet[];
  /** A free one by default. */
  readonly port?: number;
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /**
   * The origin whose pages may read the answers (CORS); `*` allows any. By default any where only this machine can reach
   * the host, unless `gaps` chooses for the gap `cors`.
   */
  readonly corsOrigin?: string;
  /** Whether `GET /health`, outside the base path, is answered; true if undefined. */
  readonly answersHealth?: boolean;
  /** Receives one line for each request, without keys and control characters; no log by default. */
  readonly log?: (line: string) => void;
  /** Returns numbers from 0 to 1 for ids, orders and network conditions; Math.random by default. */
  readonly random?: () => number;
}

/** A server for tests, which listens. */
export interface Server {
  /** The base address, which ends in the version segment. */
  readonly url: string;
  /** The first of its keys. */
  readonly key: string;
  /** The latest ten thousand requests, in the order in which they arrived. */
  readonly requests: readonly ReceivedExchange[];
  /** Answers the next requests in another way, after those that earlier calls ordered. */
  readonly answerNext: (answer: NextAnswer) => void;
  /** Goes back to the state at the start: animals, limits, ordered answers and requests. */
  readonly reset: () => void;
  /** Accepts no further connections, finishes open requests, and after a while ends what is not finished. */
  readonly close: () => Promise<void>;
}

/** A key for one run. With faults it is the first of the keys that faults know. */
export function makeKey(faults: readonly ServerFault[]): ApiKey {
  const key = faults.length > 0 ? faultKeys[0] : `dev-${randomBytes(18).toString('base64url')}`;
  return { key, plan: 'business' };
}

/** Whether only this machine can reach a host. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
}

const statuses = ['available', 'pending', 'sold'] as const;

/** Makes up animals of every status and of ten categories. */
export function* makeAnimals(count: number): Generator<NewPet> {
  for (let at = 0; at < count; at += 1) {
    const status = statuses[at % statuses.length]!;
    yield { name: `Animal ${at + 1}`, categoryId: BigInt((at % 10) + 1), status };
  }
}

/** Yields one animal at a time, so that a million of them are never in memory twice. */
function* stock({ seedAnimals = 0, animals = [] }: ServerOptions): Generator<NewPet> {
  yield* makeAnimals(seedAnimals);
  yield* animals;
}

/** The choices of a server, with the default for pages of other origins. */
function choose({ gaps = {}, host = '127.0.0.1', corsOrigin }: ServerOptions): Partial<GapChoices> {
  if (corsOrigin !== undefined) return { ...gaps, cors: 'any-origin' };
  return isLoopback(host) ? { cors: 'any-origin', ...gaps } : gaps;
}

/** Allows one origin in the place of any. */
function allowOnly(origin: string, handle: Handle): Handle {
  return (request, now) => {
    const answer = handle(request, now);
    return { ...answer, headers: { ...answer.headers, 'Access-Control-Allow-Origin': origin, Vary: 'Origin' } };
  };
}

function createHandle(options: ServerOptions, keys: readonly ApiKey[]): Handle {
  const { corsOrigin = '*', faults = [], networkConditions = {}, windowSeconds, random = Math.random } = options;
  const { handle } = createPetStore(
    defined({
      keys: faults.length === 0 ? keys : keysForFaults(keys),
      gaps: choose(options),
      random,
      windowSeconds,
      animals: stock(options),
      basePath: basePathOf(faults),
    }),
  );
  // Faults may answer in the place of the store, and a page has to read these answers, too.
  const isFaulty = faults.length > 0;
  const faulty = isFaulty ? withFaults(handle, faults, keys) : handle;
  const readable = isFaulty && choose(options).cors === 'any-origin' ? allowAnyOrigin(faulty) : faulty;
  const allowing = corsOrigin === '*' ? readable : allowOnly(corsOrigin, readable);
  const { errorRate = 0 } = networkConditions;
  return errorRate === 0 ? allowing : withNetworkErrors(allowing, errorRate, random);
}

const healthy: StoreResponse = {
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body: '{"status":"ok"}',
};

/** Starts a server whose handle `observe` wraps: with a journal, with a log, or as it is. */
async function start(
  options: ServerOptions,
  keys: readonly ApiKey[],
  observe: (handle: Handle) => Handle,
): Promise<Omit<Server, 'requests'>> {
  const {
    faults = [],
    networkConditions = {},
    clock,
    random = Math.random,
    port = 0,
    host,
    answersHealth = true,
  } = options;
  const basePath = basePathOf(faults);
  let store = createHandle(options, keys);
  const next = createNextAnswers((request, now) => store(request, now), keys, basePath);
  const handle = observe(next.handle);
  const { latency } = networkConditions;
  const delayMs = (): number => next.delayMs() + (latency === undefined ? 0 : drawDelay(latency, random));
  // The health of the server is outside the interface: without a key, a limit, a journal and a log.
  const withHealth: Handle = (request, now) =>
    request.target === '/health' && request.method === 'GET' ? healthy : handle(request, now);
  const { url, close } = await listen(
    answersHealth ? withHealth : handle,
    defined({ port, host, now: clock, delayMs }),
  );
  return {
    url: `${url}${basePath}`,
    key: keys[0]?.key ?? '',
    close,
    answerNext: next.add,
    reset() {
      next.clear();
      store = createHandle(options, keys);
    },
  };
}

function textsOf(keys: readonly ApiKey[]): readonly string[] {
  return keys.map(({ key }) => key);
}

/** Wraps a handle so that it logs each request, where a log is wanted. */
function logTo({ log, faults = [] }: ServerOptions, keys: readonly ApiKey[]): (handle: Handle) => Handle {
  return log === undefined ? (handle) => handle : createLog(textsOf(keys), basePathOf(faults), log);
}

/** Starts a server without a journal, which costs as much as everything else in a request. */
export async function startWithoutJournal(options: ServerOptions): Promise<Omit<Server, 'requests'>> {
  const { faults = [], keys = [makeKey(faults)] } = options;
  return start(options, keys, logTo(options, keys));
}

/** Starts a server; throws a RangeError for options that it cannot work with, rejects where the port is not available. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { faults = [], keys = [makeKey(faults)] } = options;
  const journal = createJournal(textsOf(keys), basePathOf(faults));
  const log = logTo(options, keys);
  const server = await start(options, keys, (handle) => log(journal.record(handle)));
  return {
    ...server,
    requests: journal.received,
    reset() {
      server.reset();
      journal.clear();
    },
  };
}
