/** Starts a twin of the service for tests: answers to gaps, faults, latency, a clock, orders for next answers, a journal, a log. */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from '../../conformance/http/exchange.ts';
import { defined } from '../../spec/defined.ts';
import { type ApiKey, type Behaviour, type Handle, listen, type StoreRequest, type StoreResponse } from '../index.ts';
import { createTwin, type TwinOptions, twinChecks } from './gaps.ts';
import { createJournal } from './journal.ts';
import {
  checkOptions,
  type OptionCheck,
  takesFault,
  takesFaults,
  takesFunction,
  takesSwitch,
  takesText,
  takesWholeNumber,
} from './options.ts';
import { allowOrigin, BrokenConnection, keysFor, type ServerFault, type Wrap } from './wraps.ts';

/** The behaviour and the contents of a server; every member that is missing is as in the reference server. */
export interface ServerOptions extends TwinOptions {
  /** Wrong behaviour, on purpose. The faults of the kit are in petstore-conformance/faults. */
  readonly faults?: readonly ServerFault[];
  /** How long each answer is held back, in milliseconds, as by a slow network. */
  readonly latencyMs?: number;
  /** Returns the time in Unix milliseconds; the clock of the machine by default. */
  readonly clock?: () => number;
  /** A free one by default. */
  readonly port?: number;
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** The origin whose pages may read the answers (CORS); `*` allows any. By default any where only this machine can reach the host. */
  readonly corsOrigin?: string;
  /** Whether `GET /health`, outside the base path, is answered; true if undefined. */
  readonly answersHealth?: boolean;
  /** Receives one line for each request, without keys and control characters; no log by default. */
  readonly log?: (line: string) => void;
}

/** How the next request is answered. CORS preflight requests are left out. */
export interface NextAnswer {
  /** How long the answer is held back, in milliseconds. */
  readonly delayMs?: number;
  /** Refuses a request with a valid key with 429 and this Retry-After. It is not carried out. */
  readonly retryAfterSeconds?: number;
  /** A fault, of those in petstore-conformance/faults for example. */
  readonly fault?: ServerFault;
}

/** A server for tests, which listens. */
export interface Server {
  /** The base address, which ends in the version segment. */
  readonly url: string;
  /** The first of its keys. */
  readonly key: string;
  /** The latest ten thousand requests since the start or a reset, in the order in which they arrived. */
  readonly requests: readonly Exchange[];
  /** Answers the next request in another way, after those that earlier calls ordered; throws a RangeError for another order. */
  readonly answerNext: (answer: NextAnswer) => void;
  /** Goes back to the state at the start: animals, limits, ordered answers and requests. */
  readonly reset: () => void;
  /** Accepts no further connections, finishes open requests, and after a while ends what is not finished. */
  readonly close: () => Promise<void>;
}

const usualHost = '127.0.0.1';
const isLoopback = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;
/** The largest number of an order: a day of milliseconds. */
const most = 86_400_000;
const healthy = { status: 200, headers: { 'Content-Type': 'application/json' }, body: '{"status":"ok"}' };

const serverChecks = {
  ...twinChecks,
  faults: takesFaults,
  latencyMs: takesWholeNumber(most),
  clock: takesFunction,
  port: takesWholeNumber(65_535),
  host: takesText,
  corsOrigin: takesText,
  answersHealth: takesSwitch,
  log: takesFunction,
} as const satisfies Record<keyof ServerOptions, OptionCheck>;

const orderChecks = {
  delayMs: takesWholeNumber(most),
  retryAfterSeconds: takesWholeNumber(most),
  fault: takesFault,
} as const satisfies Record<keyof NextAnswer, OptionCheck>;

/** The options of a server that decide its answers. */
interface ServedOptions extends ServerOptions {
  readonly keys: readonly ApiKey[];
  readonly wraps: readonly Wrap[];
}

/** The origin whose pages may read the answers; undefined if there is none. */
function allowedOrigin({ corsOrigin, gaps = {}, host = usualHost }: ServerOptions): string | undefined {
  if (corsOrigin !== undefined) return corsOrigin;
  if (gaps.cors === undefined) return isLoopback.test(host) ? '*' : undefined;
  return gaps.cors === 'any-origin' ? '*' : undefined;
}

function wrapsOf(options: ServerOptions): readonly Wrap[] {
  const wraps = (options.faults ?? []).map(({ wrap }) => wrap);
  const origin = allowedOrigin(options);
  // Faults answer in the place of the store, and a page has to read these answers, too.
  return origin === undefined ? wraps : [...wraps, allowOrigin(origin)];
}

function createHandle(
  { keys, animals, random, gaps, behaviour, wraps }: ServedOptions,
  changes: Partial<Behaviour> = {},
): Handle {
  const { handle } = createTwin(defined({ keys, animals, random, gaps, behaviour: { ...behaviour, ...changes } }));
  return wraps.reduce((inner, wrap) => wrap(inner, keysFor(keys)), handle);
}

/** The behaviour while no request is left to any key. */
function refusingFor(seconds: number): Partial<Behaviour> {
  return { createWindow: (limit) => (now) => ({ limit, remaining: 0, endsAt: now + seconds * 1000 }) };
}

/** The service as an order has it. */
function orderedHandle(served: ServedOptions, usual: Handle, { retryAfterSeconds, fault }: NextAnswer): Handle {
  const handle = retryAfterSeconds === undefined ? usual : createHandle(served, refusingFor(retryAfterSeconds));
  return fault === undefined ? handle : fault.wrap(handle, keysFor(served.keys));
}

/** Whether an answer carries an order out: without a valid key a request gets its 401 first (§5), and the next one the 429. */
function isCarriedOut({ retryAfterSeconds }: NextAnswer, answer: StoreResponse | undefined): boolean {
  return retryAfterSeconds === undefined || answer?.status !== 401;
}

/** The answer to a request; undefined where the connection breaks. */
function answerTo(request: StoreRequest, now: number, handle: Handle): StoreResponse | undefined {
  try {
    return handle(request, now);
  } catch (error) {
    if (error instanceof BrokenConnection) return undefined;
    throw error;
  }
}

/** The line of the log for a request. */
function logLine({ request }: Exchange, answer: StoreResponse | undefined, now: number): string {
  const line = `${request.method || '(unreadable)'} ${request.target}`.slice(0, 200).replace(/[^ -~]/g, '?');
  return `${new Date(now).toISOString()} ${answer?.status ?? 'reset'} ${line}`;
}

/** Starts a server; rejects with a RangeError for options that it cannot work with, and where the port is not available. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  checkOptions(options, serverChecks);
  const { faults = [], host = usualHost, port = 0, latencyMs = 0, answersHealth = true, log } = options;
  const { keys = [{ key: `dev-${randomBytes(18).toString('base64url')}`, plan: 'business' }] } = options;
  const served: ServedOptions = { ...options, keys, wraps: wrapsOf(options) };
  const basePath = faults.find((fault) => fault.basePath !== undefined)?.basePath ?? '/v1';
  const texts = keys.map(({ key }) => key);

  function begin() {
    return { handle: createHandle(served), journal: createJournal(texts, basePath), orders: [] as NextAnswer[] };
  }
  let state = begin();

  const { url, close } = await listen(
    (request, now) => {
      if (answersHealth && request.target === '/health' && request.method === 'GET') return healthy;
      const order = request.method === 'OPTIONS' ? undefined : state.orders[0];
      const handle = order === undefined ? state.handle : orderedHandle(served, state.handle, order);
      const answer = answerTo(request, now, handle);
      if (order !== undefined && isCarriedOut(order, answer)) state.orders.shift();
      state.journal.add(request, answer, now);
      if (log !== undefined) log(logLine(state.journal.latest(), answer, now));
      const delayMs = latencyMs + (order?.delayMs ?? 0);
      return delayMs === 0 ? answer : sleep(delayMs, answer);
    },
    { port, host, ...defined({ now: options.clock }) },
  );
  return {
    url: `${url}${basePath}`,
    key: texts[0] ?? '',
    get requests() {
      return state.journal.received();
    },
    answerNext(answer) {
      checkOptions(answer, orderChecks);
      state.orders.push(answer);
    },
    reset() {
      state = begin();
    },
    close,
  };
}
