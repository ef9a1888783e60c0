/** Asks the target: at its pace, again where nothing was answered, and with every exchange recorded. */

import { defined } from '../../spec/defined.ts';
import { seededRandom } from '../../spec/random.ts';
import { createSlots } from '../http/concurrency.ts';
import type { Keys } from '../http/credentials.ts';
import type { Exchange } from '../http/exchange.ts';
import { readRetryAfter } from '../http/read-response.ts';
import { createRecorder } from '../http/record.ts';
import { type Redact, redactor } from '../http/redact.ts';
import { secretsInHeaders } from '../http/secret-names.ts';
import { longestOutageAtStartMs, longestOutageMs, outageWaitsMs, secondMs } from '../http/tolerances.ts';
import type { Transport } from '../http/transport.ts';
import { createNamer, type Namer } from '../verdict/names.ts';
import { reason } from '../verdict/reasons.ts';
import type { Settings } from '../verdict/settings.ts';
import { attemptsBeforeLasting, isForeign, looksLikeOutage } from '../world/evidence.ts';
import { type Budget, BudgetSpent } from './budget.ts';
import { type Clock, createPace, type Pace, runTasks } from './pace.ts';
import { clientOf, emptyCreation, listing, type PlannedRequest, type Prepared, prepare } from './planned-request.ts';
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
  /** Sets the probe to which the next exchanges belong. */
  readonly enter: (probe: string) => void;
  /** The same session for another probe, which may send concurrently with this one. */
  readonly forCheck: (probe: string) => Session;
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
const fewestOfBan = 3;
/** Waits after these: the gateway may come back at any moment. */
const furtherWaitMs = 8 * secondMs;

/** The parts that the sessions of all probes share. */
function share(options: SessionOptions) {
  const { settings, keys } = options;
  const { api, rateLimit = '', others = [] } = keys;
  const exchanges: Exchange[] = [];
  const redact = redactor([api, rateLimit, ...secretsInHeaders(settings.headers), ...others]);
  return {
    options,
    exchanges,
    redact,
    pace: createPace(options),
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
    /** Requests in a row that timed out twice. */
    timeouts: 0,
    /** Pending while an outage lasts: nobody else sends meanwhile. */
    outage: undefined as Promise<void> | undefined,
    hasFlickered: false,
    /** Requests in a row that a gateway refused. */
    foreign: 0,
  };
}

type Shared = ReturnType<typeof share>;

/** Sends a request as soon as the pace allows, and reports its exchange to the pace. */
async function sendPaced({ pace, transmit }: Shared, prepared: Prepared, probe: string, repeats?: number) {
  const ticket = await pace.admit(clientOf(prepared.credential), prepared.creation);
  let exchange: Exchange | undefined;
  try {
    exchange = await transmit(prepared, probe, repeats);
    return exchange;
  } finally {
    ticket.settle(exchange);
  }
}

/** A request of another kind, which shows whether the target serves anything; it creates nothing. */
function controlOf({ options: { keys, settings } }: Shared, { planned }: Prepared): Prepared {
  const other = planned.operation === 'listPets' && !settings.isReadOnly ? emptyCreation : listing;
  return prepare(other, keys, settings);
}

/**
 * Repeats a request that met an outage after 1, 2 and 4 s, or after Retry-After. Then another request shows whether the
 * target serves anything: if so, the failure is the request's own; if not, the outage is waited for.
 */
async function repeatThrough(shared: Shared, prepared: Prepared, first: Exchange, probe: string): Promise<Exchange> {
  const { pace, options, exchanges } = shared;
  const { clock, settings } = options;
  const isFirst = exchanges.every((one) => one.response === undefined || looksLikeOutage(one));
  const longest = Math.min(settings.maxWaitMs, isFirst ? longestOutageAtStartMs : longestOutageMs);
  let last = first;
  let servedMeanwhile = 0;
  for (let attempt = 1; ; attempt += 1) {
    const announced = last.response && readRetryAfter(last.response, last.endedAt);
    const left = longest - (clock.now() - first.endedAt);
    const ms = Math.min(announced ?? outageWaitsMs[attempt - 1] ?? furtherWaitMs, Math.max(left, secondMs));
    if (left <= 0 && servedMeanwhile === 0) {
      const seconds = Math.round((clock.now() - first.endedAt) / secondMs);
      pace.stop(reason('outage', { seconds, answers: inWords(last) }));
    }
    await pace.wait(shared.hasFlickered && attempt === 1 ? Math.min(ms, 50) : ms, 'the target is out of service');
    last = await sendPaced(shared, prepared, probe, first.number);
    if (!looksLikeOutage(last)) {
      shared.hasFlickered = true;
      return last;
    }
    const fewest = attemptsBeforeLasting[shared.hasFlickered ? 'flickering' : 'steady'] - 1;
    if (attempt < fewest) continue;
    if (servedMeanwhile > 0) return last;
    const control = await sendPaced(shared, controlOf(shared, prepared), probe);
    // Once more after it: the outage may have ended between the two.
    if (!looksLikeOutage(control)) servedMeanwhile += 1;
  }
}

const inWords = ({ response, failure }: Exchange): string =>
  response === undefined
    ? `it breaks the connection (${failure?.message ?? 'no answer'})`
    : `a gateway answers ${response.status}`;

/** Sends a request; without budget to repeat it, the last exchange counts. */
async function sendThroughOutages(shared: Shared, prepared: Prepared, probe: string): Promise<Exchange> {
  while (shared.outage !== undefined) await shared.outage;
  const first = await sendPaced(shared, prepared, probe);
  try {
    if (first.failure?.code === 'timeout') return await sendPaced(shared, prepared, probe, first.number);
    if (!looksLikeOutage(first)) return first;
    // At an address where nothing ever answered, a refused connection is no outage, and a server of mail is no service.
    const isElsewhere = first.failure?.code === 'unreachable' || first.failure?.code === 'malformed';
    if (isElsewhere && shared.exchanges.every(({ response }) => response === undefined)) return first;
    const repeated = repeatThrough(shared, prepared, first, probe);
    const outage = repeated.then(
      () => undefined,
      () => undefined,
    );
    shared.outage ??= outage;
    try {
      return await repeated;
    } finally {
      if (shared.outage === outage) shared.outage = undefined;
    }
  } catch (error) {
    if (error instanceof BudgetSpent) return first;
    throw error;
  }
}

async function ask(shared: Shared, planned: PlannedRequest, probe: string): Promise<Exchange> {
  const { options, pace } = shared;
  const prepared = prepare(planned, options.keys, options.settings);
  for (;;) {
    const exchange = await sendThroughOutages(shared, prepared, probe);
    shared.timeouts = exchange.failure?.code === 'timeout' ? shared.timeouts + 1 : 0;
    if (shared.timeouts >= timeoutsBeforeStop) pace.stop(reason('answers-ceased', {}));
    if (exchange.response?.status === 429) continue;
    if (!isForeign(shared, exchange)) {
      shared.foreign = 0;
      return exchange;
    }
    shared.foreign += 1;
    if (shared.foreign < fewestOfBan) return exchange;
    // A gateway that refuses so often may have banned the client: then it refuses a listing as well.
    const control = await sendPaced(shared, prepare(listing, options.keys, options.settings), probe);
    if (!isForeign(shared, control) && !looksLikeOutage(control)) {
      shared.foreign = 0;
      return exchange;
    }
    await waitForBan(shared, control, probe);
  }
}

/** Asks for a listing until a gateway that refuses everything lets it through; ends the run if that takes too long. */
async function waitForBan(shared: Shared, first: Exchange, probe: string): Promise<void> {
  const { pace, options } = shared;
  const prepared = prepare(listing, options.keys, options.settings);
  const longest = Math.min(options.settings.maxWaitMs, longestOutageMs);
  for (let attempt = 0; ; attempt += 1) {
    if (options.clock.now() - first.endedAt >= longest)
      pace.stop(reason('banned', { status: first.response?.status ?? 'nothing' }));
    await pace.wait(outageWaitsMs[attempt] ?? furtherWaitMs, 'a gateway refuses every request');
    const last = await sendPaced(shared, prepared, probe);
    if (isForeign(shared, last) || looksLikeOutage(last)) continue;
    shared.foreign = 0;
    return;
  }
}

/** A session that records under a probe of its own. */
function sessionOf(shared: Shared, firstProbe: string): Session {
  const { exchanges, redact, pace, transmit, slots } = shared;
  const { settings, keys, clock, budget } = shared.options;
  let probe = firstProbe;
  const send = (planned: PlannedRequest): Promise<Exchange> => {
    const sender = probe;
    return slots(() => ask(shared, planned, sender));
  };
  const sendSome = (requests: readonly PlannedRequest[], atATime: number, one: Session['send']) =>
    runTasks(
      requests.map((request) => () => one(request)),
      atATime,
    );
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
      probe = name;
    },
    forCheck: (name) => sessionOf(shared, name),
    send,
    async sendOnce(planned) {
      const prepared = prepare(planned, keys, settings);
      pace.admitAtOnce(prepared.creation);
      return transmit(prepared, probe);
    },
    doAll: (tasks) => runTasks(tasks, settings.concurrency),
    sendAll: (requests) => sendSome(requests, settings.concurrency, send),
    sendTogether: (requests) => sendSome(requests, requests.length, (request) => ask(shared, request, probe)),
    wait: pace.wait,
  };
}

export function createSession(options: SessionOptions): Session {
  return sessionOf(share(options), '');
}
