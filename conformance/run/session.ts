/** The session of a run: sends requests at the pace of the target, and records every exchange. */

import { defined } from '../../spec/defined.ts';
import type { Keys } from '../http/credentials.ts';
import type { Exchange } from '../http/exchange.ts';
import { isGatewayError, readRetryAfter } from '../http/read-response.ts';
import { createRecorder } from '../http/record.ts';
import { type Redact, redactor } from '../http/redact.ts';
import { secretsInHeaders } from '../http/secret-names.ts';
import type { Transport } from '../http/transport.ts';
import type { Settings } from '../verdict/settings.ts';
import { type Budget, BudgetSpent } from './budget.ts';
import { createNamer, type Namer } from './names.ts';
import { type Clock, createPace, type Pace } from './pace.ts';
import { clientOf, type PlannedRequest, type Prepared, prepare } from './planned-request.ts';
import { seededRandom } from './random.ts';
import { createSender, type Sender } from './sender.ts';
import { createSlots, runConcurrently, type Slots } from './work-through.ts';

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
  readonly forCheck: (check: string) => Session;
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

/** Takes the keys, and the secrets of gateways, out of a text. */
function redactorFor({ api, rateLimit }: Keys, { headers }: Settings): Redact {
  return redactor([api, ...(rateLimit === undefined ? [] : [rateLimit]), ...secretsInHeaders(headers)]);
}

/** A lost connection and what a gateway says of a service may be over when it is asked again. */
function isWorthAsking(exchange: Exchange): boolean {
  const { response, failure } = exchange;
  return response === undefined ? failure?.code !== 'too-large' : isGatewayError(exchange);
}

const unansweredBeforeStop = 3;

/** What all that is sent in a session has in common. */
interface Shared {
  readonly options: SessionOptions;
  readonly exchanges: Exchange[];
  readonly redact: Redact;
  readonly pace: Pace;
  readonly namer: Namer;
  readonly random: () => number;
  readonly transmit: Sender;
  readonly places: Slots;
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

  const send = (planned: PlannedRequest): Promise<Exchange> => places.occupy(() => sendUntilServed(planned));

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
    forCheck: (name) => sessionOf(shared, name),
    send,
    async sendOnce(planned) {
      const prepared = prepare(planned, keys, settings);
      pace.admitAtOnce(prepared.creation);
      return transmit(prepared, check);
    },
    doAll: (tasks) => runConcurrently(tasks, settings.concurrency),
    sendAll: (requests) =>
      runConcurrently(
        requests.map((request) => () => send(request)),
        settings.concurrency,
      ),
    sendTogether: (requests) =>
      runConcurrently(
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
  const transmit = createSender({
    ...options,
    recorder: createRecorder(defined({ redact, longest: options.longestBody })),
    redact,
    onExchange(exchange) {
      exchanges.push(exchange);
      options.onExchange?.(exchange);
    },
  });
  const shared: Shared = {
    options,
    exchanges,
    redact,
    pace: createPace(options),
    namer: createNamer(options.runTag, settings.nameTemplate),
    random: seededRandom(settings.seed),
    transmit,
    places: createSlots(settings.concurrency),
    unanswered: 0,
  };
  return sessionOf(shared, '');
}
