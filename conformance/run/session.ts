/** The session of a run: sends requests at the pace of the target, and records every exchange. */

import { defined } from '../../spec/defined.ts';
import { seededRandom } from '../../spec/random.ts';
import { createSlots } from '../http/concurrency.ts';
import type { Keys } from '../http/credentials.ts';
import type { Exchange } from '../http/exchange.ts';
import { createRecorder } from '../http/record.ts';
import { type Redact, redactor } from '../http/redact.ts';
import { secretsInHeaders } from '../http/secret-names.ts';
import type { Transport } from '../http/transport.ts';
import { createNamer, type Namer } from '../verdict/names.ts';
import { isLost, mayBeBanned } from '../verdict/outages.ts';
import { reason } from '../verdict/reasons.ts';
import type { Settings } from '../verdict/settings.ts';
import { type Budget, BudgetSpent } from './budget.ts';
import { createOutageGuard } from './outage-guard.ts';
import { type Clock, createPace, type Pace, runTasks } from './pace.ts';
import {
  clientOf,
  emptyCreation,
  listing,
  type PlannedRequest,
  type Prepared,
  prepare,
  unknownAnimal,
} from './planned-request.ts';
import { createSender } from './sender.ts';

export interface SessionOptions {
  readonly settings: Settings;
  readonly keys: Keys;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly budget: Budget;
  /** Six hexadecimal digits that distinguish this run's animals from those of other runs. */
  readonly runTag: string;
  /** Longer bodies are cut in the evidence, UTF-16 units. */
  readonly longestBody?: number;
  readonly signal?: AbortSignal;
  /** A request was answered, or failed. */
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
  /** Removes the keys, in every form, from a text. */
  readonly redact: Redact;
  /** Sets the check to which the next exchanges belong. */
  readonly enter: (check: string) => void;
  /** The same session for another check, which may send concurrently with this one. */
  readonly forCheck: (check: string) => Session;
  /** Sends, waits for the rate limit, and repeats after a 429, a broken connection or the 502, 503 or 504 of a gateway. */
  readonly send: (request: PlannedRequest) => Promise<Exchange>;
  /** Sends once, without waiting and without repeating. */
  readonly sendOnce: (request: PlannedRequest) => Promise<Exchange>;
  /** Runs tasks, as many at a time as the settings allow; resolves in their order once all of them have ended. */
  readonly doAll: <Result>(tasks: readonly (() => Promise<Result>)[]) => Promise<readonly Result[]>;
  /** Sends requests, as many at a time as the settings allow. */
  readonly sendAll: (requests: readonly PlannedRequest[]) => Promise<readonly Exchange[]>;
  /** Sends requests at the same time, as far as the rate limit allows, whatever --concurrency says. */
  readonly sendTogether: Session['sendAll'];
  /** Waits, or ends the run if the wait is longer than --max-wait. */
  readonly wait: Pace['wait'];
}

const timeoutsBeforeStop = 3;

/** Requests of different operations that create nothing: in an outage they show whether the target serves anything. */
function probesFor({ keys, settings }: SessionOptions) {
  const [listed, ...others] = [listing, ...(settings.isReadOnly ? [] : [emptyCreation]), unknownAnimal].map((request) =>
    prepare(request, keys, settings),
  );
  return { listed: listed!, probes: [listed!, ...others] };
}

/** The parts that the sessions of all checks share. */
function share(options: SessionOptions) {
  const { settings, keys } = options;
  const { api, rateLimit = '', others = [] } = keys;
  const exchanges: Exchange[] = [];
  const redact = redactor([api, rateLimit, ...secretsInHeaders(settings.headers), ...others]);
  const pace = createPace(options);
  const { listed, probes } = probesFor(options);
  return {
    listed,
    options,
    exchanges,
    redact,
    pace,
    namer: createNamer(options.runTag, settings.nameTemplate),
    random: seededRandom(settings.seed),
    transmit: createSender({
      ...options,
      recorder: createRecorder(defined({ redact, longest: options.longestBody })),
      redact,
      onExchange(exchange) {
        exchanges.push(exchange);
        options.onExchange?.(exchange);
      },
    }),
    slots: createSlots(settings.concurrency),
    outages: createOutageGuard({ exchanges, maxWaitMs: settings.maxWaitMs, pace, probes }),
    /** Requests in a row that timed out twice. */
    timeouts: 0,
  };
}

type Shared = ReturnType<typeof share>;

/** Sends a request as soon as the pace allows, and reports its exchange to the pace. */
async function sendPaced(
  { pace, transmit }: Shared,
  prepared: Prepared,
  check: string,
  repeats?: number,
): Promise<Exchange> {
  const ticket = await pace.admit(clientOf(prepared.credential), prepared.creation);
  let exchange: Exchange | undefined;
  try {
    exchange = await transmit(prepared, check, repeats);
    return exchange;
  } finally {
    ticket.settle(exchange);
  }
}

/** Sends a request; repeats it once after a timeout, and through an outage. Without budget for that, the last exchange counts. */
async function sendThroughOutages(shared: Shared, prepared: Prepared, check: string): Promise<Exchange> {
  const { outages, exchanges, listed } = shared;
  while (outages.current() !== undefined) await outages.current();
  let last = await sendPaced(shared, prepared, check);
  const repeat = async (repeated: Prepared, repeats?: number): Promise<Exchange> => {
    const exchange = await sendPaced(shared, repeated, check, repeats);
    if (repeats !== undefined) last = exchange;
    return exchange;
  };
  try {
    if (last.failure?.code === 'timeout') return await repeat(prepared, last.number);
    // At an address where nothing ever answered, a refused connection is no outage, and a server of mail is no service.
    const isElsewhere = last.failure?.code === 'unreachable' || last.failure?.code === 'malformed';
    const isAbsent = isElsewhere && exchanges.every(({ response }) => response === undefined);
    if (isAbsent) return last;
    if (isLost(exchanges, last)) return await outages.repeat(prepared, last, repeat);
    if (!mayBeBanned(exchanges)) return last;
    const probe = await sendPaced(shared, listed, check);
    if (!isLost(exchanges, probe)) return last;
    await outages.repeat(listed, probe, (again, repeats) => sendPaced(shared, again, check, repeats));
    return await repeat(prepared, last.number);
  } catch (error) {
    if (error instanceof BudgetSpent) return last;
    throw error;
  }
}

async function sendUntilServed(shared: Shared, planned: PlannedRequest, check: string): Promise<Exchange> {
  const { options, pace } = shared;
  const prepared = prepare(planned, options.keys, options.settings);
  for (;;) {
    const exchange = await sendThroughOutages(shared, prepared, check);
    shared.timeouts = exchange.failure?.code === 'timeout' ? shared.timeouts + 1 : 0;
    if (shared.timeouts >= timeoutsBeforeStop) pace.stop(reason('answers-ceased', {}));
    if (exchange.response?.status !== 429) return exchange;
  }
}

/** A session that records under a check of its own. */
function sessionOf(shared: Shared, firstCheck: string): Session {
  const { exchanges, redact, pace, transmit, slots } = shared;
  const { settings, keys, clock, budget } = shared.options;
  let check = firstCheck;
  const send = (planned: PlannedRequest): Promise<Exchange> => {
    const sender = check;
    return slots(() => sendUntilServed(shared, planned, sender));
  };
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
    doAll: (tasks) => runTasks(tasks, settings.concurrency),
    sendAll: (requests) =>
      runTasks(
        requests.map((request) => () => send(request)),
        settings.concurrency,
      ),
    sendTogether: (requests) =>
      runTasks(
        requests.map((request) => () => sendUntilServed(shared, request, check)),
        requests.length,
      ),
    wait: pace.wait,
  };
}

export function createSession(options: SessionOptions): Session {
  return sessionOf(share(options), '');
}
