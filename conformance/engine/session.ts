/** The session of a run: sends requests at the pace of the target, and records every exchange. */

import { type Budget, BudgetSpent, type Creation } from './budget.ts';
import type { Client } from './course.ts';
import { type Keys, type SentCredential, splitObject, validKey } from './evidence/credentials.ts';
import type { Exchange, Operation, RecordedRequest } from './evidence/exchange.ts';
import { readNewPet } from './evidence/read-request.ts';
import { isOfGateway, readRetryAfter } from './evidence/read-response.ts';
import { createRecorder, type Recorder } from './evidence/record.ts';
import { isSecretHeader, type Redact, redactor, withoutEcho } from './evidence/redact.ts';
import { createNamer, type Namer } from './names.ts';
import { type Clock, createPace, type Pace } from './pace.ts';
import type { Settings } from './settings.ts';
import { type Transport, TransportError } from './transport.ts';
import { createPlaces, type Places, workThrough } from './work-through.ts';

/** A request to send. Without `credential` it carries the API key. */
export interface PlannedRequest {
  readonly operation: Operation;
  readonly method?: string;
  readonly target: string;
  readonly body?: string;
  readonly contentType?: string;
  /** What a client sends beside; the interface has nothing to say on it. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly credential?: SentCredential;
}

export interface SessionOptions {
  readonly settings: Settings;
  readonly keys: Keys;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly budget: Budget;
  /** Six characters that tell this run's animals from those of others. */
  readonly runTag: string;
  /** Longer bodies are cut in the evidence, UTF-16 units. */
  readonly longestBody?: number;
  readonly signal?: AbortSignal;
  /** A request was answered, or stayed without an answer. */
  readonly onExchange?: (exchange: Exchange) => void;
  /** The run waits so many milliseconds before it sends again. */
  readonly onWait?: (ms: number, why: string) => void;
}

export interface Session extends Namer {
  readonly settings: Settings;
  readonly keys: Keys;
  readonly budget: Budget;
  readonly clock: Clock;
  readonly exchanges: readonly Exchange[];
  /** The next random number from 0 to 1, by the seed. */
  readonly random: () => number;
  /** Takes every form of the keys out of a text. */
  readonly redact: Redact;
  /** Names the check that the next exchanges belong to. */
  readonly enter: (check: string) => void;
  /** The same session for what belongs to a check of its own, sent side by side with what others send. */
  readonly beside: (check: string) => Session;
  /** Sends, waits where the rate limit wants it, and asks once more after a 429 or a broken connection. */
  readonly send: (request: PlannedRequest) => Promise<Exchange>;
  /** Sends once, without waiting and without asking again. */
  readonly sendOnce: (request: PlannedRequest) => Promise<Exchange>;
  /** Carries out several, as many at a time as the settings allow; resolves in their order, when none is under way any more. */
  readonly doAll: <Result>(tasks: readonly (() => Promise<Result>)[]) => Promise<readonly Result[]>;
  /** Sends several, as many at a time as the settings allow. */
  readonly sendAll: (requests: readonly PlannedRequest[]) => Promise<readonly Exchange[]>;
  /** Sends several at once, whatever the settings allow otherwise, as far as the rate limit does. */
  readonly sendTogether: Session['sendAll'];
  /** Waits, if it is not longer than the settings allow, else ends the run. */
  readonly wait: Pace['wait'];
}

/** A small seeded generator (mulberry32): same seed, same requests. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Takes the keys, and the secrets of gateways, out of a text. */
function redactorFor({ api, rateLimit }: Keys, { headers }: Settings): Redact {
  const ofGateways = Object.entries(headers).flatMap(([name, value]) => (isSecretHeader(name) ? [value] : []));
  return redactor([api, ...(rateLimit === undefined ? [] : [rateLimit]), ...ofGateways]);
}

/** Whether a request may create an animal on a target that keeps the interface. */
function creationOf(operation: Operation, { kind }: SentCredential['shown'], request: RecordedRequest): Creation {
  const isAccepted = kind === 'valid' || kind === 'lenient' || kind === 'rate-limit';
  const isValid = operation === 'createPet' && isAccepted && readNewPet({ request }).kind !== 'invalid';
  return isValid ? 'may-create' : 'creates-nothing';
}

/** Whom a target counts a request for. */
function clientOf({ shown: { kind } }: SentCredential): Client {
  return kind === 'valid' || kind === 'lenient' ? 'key' : kind === 'rate-limit' ? 'rate-limit-key' : 'without-key';
}

/** A body with the fields in which a credential carries the key. */
function withFields(body: string, { fields }: SentCredential): string {
  const parts = fields === undefined ? undefined : splitObject(body);
  return parts === undefined ? body : parts.join(fields);
}

/** A request with all that goes out with it, and how it is recorded. */
interface Prepared {
  readonly planned: PlannedRequest;
  readonly credential: SentCredential;
  readonly request: RecordedRequest;
  readonly creation: Creation;
}

function prepare(planned: PlannedRequest, keys: Keys, settings: Settings): Prepared {
  const { operation, method = 'GET', target, body, contentType, headers, credential = validKey(keys.api) } = planned;
  const request: RecordedRequest = {
    method,
    target,
    headers: { ...headers, ...settings.headers, ...(contentType === undefined ? {} : { 'content-type': contentType }) },
    ...(body === undefined ? {} : { body }),
  };
  return { planned, credential, request, creation: creationOf(operation, credential.shown, request) };
}

/** Counts from 1. */
function createCounter(): { readonly next: () => number } {
  let count = 0;
  return {
    next() {
      count += 1;
      return count;
    },
  };
}

/** A lost connection and what a gateway says of a service may be over when it is asked again. */
function isWorthAsking(exchange: Exchange): boolean {
  const { response, failure } = exchange;
  return response === undefined ? failure?.code !== 'too-large' : isOfGateway(exchange);
}

const unansweredBeforeStop = 3;

/** What sends a prepared request, and records what came. */
function createSender(options: SessionOptions, recorder: Recorder, redact: Redact, exchanges: Exchange[]) {
  const { settings, transport, clock, budget } = options;
  const [numbers, events] = [createCounter(), createCounter()];

  async function attempt({ credential, request }: Prepared): Promise<Pick<Exchange, 'response' | 'failure'>> {
    const glue = request.target.includes('?') ? '&' : '?';
    const query = credential.query === undefined ? '' : `${glue}${credential.query}`;
    try {
      const incoming = await transport({
        method: request.method,
        url: settings.baseUrl + request.target + query,
        headers: { ...request.headers, ...credential.headers },
        ...(request.body === undefined ? {} : { body: withFields(request.body, credential) }),
      });
      return { response: recorder.recordResponse(withoutEcho(incoming, credential.secret)) };
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      return { failure: { code: error.code, message: redact(error.message) } };
    }
  }

  return async (prepared: Prepared, check: string, repeats?: number): Promise<Exchange> => {
    const [number, sent] = [numbers.next(), events.next()];
    const startedAt = clock.now();
    const outcome = await attempt(prepared);
    const { operation } = prepared.planned;
    const exchange: Exchange = Object.freeze({
      number,
      check,
      operation,
      ...(repeats === undefined ? {} : { repeats }),
      credential: prepared.credential.shown,
      request: recorder.recordRequest(prepared.request),
      ...outcome,
      startedAt,
      endedAt: clock.now(),
      sent,
      answered: events.next(),
    });
    const isUnexpected = prepared.creation === 'creates-nothing' && operation === 'createPet';
    if (isUnexpected && outcome.response?.status === 201) budget.noteCreation();
    exchanges.push(exchange);
    options.onExchange?.(exchange);
    return exchange;
  };
}

/** What all that is sent in a session has in common. */
interface Shared {
  readonly options: SessionOptions;
  readonly exchanges: Exchange[];
  readonly redact: Redact;
  readonly pace: Pace;
  readonly namer: Namer;
  readonly random: () => number;
  readonly transmit: ReturnType<typeof createSender>;
  readonly places: Places;
  /** Requests in a row that had no answer. */
  unanswered: number;
}

/** A session that records under a check of its own. */
function sessionOf(shared: Shared, firstCheck: string): Session {
  const { exchanges, redact, pace, transmit, places } = shared;
  const { settings, keys, clock, budget } = shared.options;
  let check = firstCheck;

  async function sendPaced(prepared: Prepared, repeats?: number): Promise<Exchange> {
    const sender = check;
    const ticket = await pace.admit(clientOf(prepared.credential), prepared.creation);
    let exchange: Exchange | undefined;
    try {
      exchange = await transmit(prepared, sender, repeats);
      return exchange;
    } finally {
      ticket.settle(exchange);
    }
  }

  /** Asks once more what had no answer, or a gateway's; where the budget has nothing left for that, it stays so. */
  async function sendTwice(prepared: Prepared): Promise<Exchange> {
    const first = await sendPaced(prepared);
    if (!isWorthAsking(first)) return first;
    const waitMs = first.response && readRetryAfter(first.response, first.endedAt);
    if (waitMs !== undefined) await pace.wait(Math.min(waitMs, settings.settleMs), 'a gateway asks to come back');
    try {
      return await sendPaced(prepared, first.number);
    } catch (error) {
      if (error instanceof BudgetSpent) return first;
      throw error;
    }
  }

  async function sendUntilServed(planned: PlannedRequest): Promise<Exchange> {
    const prepared = prepare(planned, keys, settings);
    for (;;) {
      const exchange = await sendTwice(prepared);
      shared.unanswered = exchange.response === undefined ? shared.unanswered + 1 : 0;
      if (shared.unanswered >= unansweredBeforeStop) pace.stop('The target has stopped answering.');
      if (exchange.response?.status !== 429) return exchange;
    }
  }

  const send = (planned: PlannedRequest): Promise<Exchange> => places.inOne(() => sendUntilServed(planned));

  return {
    settings,
    keys,
    budget,
    clock,
    exchanges,
    random: shared.random,
    redact,
    ...shared.namer,
    enter(name) {
      check = name;
    },
    beside: (name) => sessionOf(shared, name),
    send,
    async sendOnce(planned) {
      const prepared = prepare(planned, keys, settings);
      pace.admitAtOnce(prepared.creation);
      return transmit(prepared, check);
    },
    doAll: (tasks) => workThrough(tasks, settings.concurrency),
    sendAll: (requests) =>
      workThrough(
        requests.map((request) => () => send(request)),
        settings.concurrency,
      ),
    sendTogether: (requests) =>
      workThrough(
        requests.map((request) => () => sendUntilServed(request)),
        requests.length,
      ),
    wait: pace.wait,
  };
}

export function createSession(options: SessionOptions): Session {
  const { settings, keys } = options;
  const exchanges: Exchange[] = [];
  const redact = redactorFor(keys, settings);
  const transmit = createSender(options, createRecorder(redact, options.longestBody), redact, exchanges);
  const shared: Shared = {
    options,
    exchanges,
    redact,
    pace: createPace(options),
    namer: createNamer(options.runTag, settings.nameTemplate),
    random: seededRandom(settings.seed),
    transmit,
    places: createPlaces(settings.concurrency),
    unanswered: 0,
  };
  return sessionOf(shared, '');
}
