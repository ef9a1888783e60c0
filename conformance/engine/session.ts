/** The session of a run: sends requests within the budget, at the pace of the target, and records every exchange. */

import type { RequirementId } from '../../spec/requirements.ts';
import { type Budget, BudgetSpent } from './budget.ts';
import type { Judge, Sequence } from './counterexample.ts';
import { isSecretHeader, redactJson, redactor, type SentCredential, validKey } from './credentials.ts';
import type { Exchange, Operation, RecordedRequest, RecordedResponse } from './exchange.ts';
import { type Client, createPace, waitAfterRefusal } from './pace.ts';
import { readNewPet } from './read-request.ts';
import { planLimits, type Settings } from './settings.ts';
import { type Incoming, type Transport, TransportError } from './transport.ts';

/** Time, injected. */
export interface Clock {
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

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

/** Ends the run before its end; the reason is for a person. */
export class RunStopped extends Error {}

/** Ends the run before it began: what came so far says nothing of the interface. */
export class NotStarted extends RunStopped {}

export interface SessionOptions {
  readonly settings: Settings;
  readonly keys: { readonly api: string; readonly rateLimit?: string };
  readonly transport: Transport;
  readonly clock: Clock;
  readonly budget: Budget;
  /** What the invariants find in some exchanges; it sends nothing. */
  readonly judge: Judge;
  /** Six characters that tell this run's animals from those of others. */
  readonly runTag: string;
  readonly signal?: AbortSignal;
  readonly onExchange?: (exchange: Exchange) => void;
  readonly onWait?: (ms: number, why: string) => void;
}

export interface Session {
  readonly settings: Settings;
  readonly keys: SessionOptions['keys'];
  readonly budget: Budget;
  readonly clock: Clock;
  readonly exchanges: readonly Exchange[];
  /** A plain name that no other request of any run has. */
  readonly newName: () => string;
  /** The next random number from 0 to 1, by the seed. */
  readonly random: () => number;
  /** Takes every form of the keys out of a text. */
  readonly redact: (text: string) => string;
  /** Names the check that the next exchanges belong to. */
  readonly enter: (check: string) => void;
  /** Sends, waits where the rate limit wants it, and asks once more after a 429 or a broken connection. */
  readonly send: (request: PlannedRequest) => Promise<Exchange>;
  /** Sends once, without waiting and without asking again. */
  readonly sendOnce: (request: PlannedRequest) => Promise<Exchange>;
  /** Sends several, as many at a time as the settings allow; resolves in their order. */
  readonly sendAll: (requests: readonly PlannedRequest[]) => Promise<readonly Exchange[]>;
  /** Says why a requirement may stay without evidence, for a person. */
  readonly note: (requirement: RequirementId, reason: string) => void;
  readonly notes: ReadonlyMap<RequirementId, string>;
  readonly judge: SessionOptions['judge'];
  /** The shortest known sequence that shows a failure, by requirement. */
  readonly sequences: ReadonlyMap<RequirementId, Sequence>;
  readonly noteSequence: (sequence: Sequence) => void;
  /** Waits, if it is not longer than the settings allow, else ends the run. */
  readonly wait: (ms: number, why: string) => Promise<void>;
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

function recordResponse(incoming: Incoming, redact: (text: string) => string): RecordedResponse {
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, /^\d+$/.test(value) ? value : redact(value)]),
  );
  const rest = { status: incoming.status, headers };
  try {
    return {
      ...rest,
      body: redactJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(incoming.body), redact),
    };
  } catch {
    return {
      ...rest,
      body: redactJson(new TextDecoder().decode(incoming.body), redact),
      isNotUtf8: true,
    };
  }
}

/** Whether a request may create an animal on a target that keeps the interface. */
function mayCreate(request: PlannedRequest, recorded: RecordedRequest): boolean {
  if (request.operation !== 'createPet') return false;
  const kind = request.credential?.shown.kind ?? 'valid';
  if (kind !== 'valid' && kind !== 'lenient' && kind !== 'rate-limit') return false;
  return readNewPet({ request: recorded }).kind !== 'invalid';
}

/** Whom a target counts a request for. The rate-limit key is left to the scenario that exhausts it. */
function clientOf(request: PlannedRequest): Client {
  const kind = request.credential?.shown.kind ?? 'valid';
  return kind === 'valid' || kind === 'lenient' ? 'key' : kind === 'rate-limit' ? 'rate-limit-key' : 'without-key';
}

const unansweredBeforeStop = 3;

export function createSession(options: SessionOptions): Session {
  const { settings, keys, transport, clock, budget } = options;
  const exchanges: Exchange[] = [];
  const notes = new Map<RequirementId, string>();
  const sequences = new Map<RequirementId, Sequence>();
  const ofGateway = Object.entries(settings.headers).flatMap(([name, value]) => (isSecretHeader(name) ? [value] : []));
  const redact = redactor([keys.api, ...(keys.rateLimit === undefined ? [] : [keys.rateLimit]), ...ofGateway]);
  const random = seededRandom(settings.seed);
  /** Answers of a long run are the same again and again: each text is kept once. */
  const texts = new Map<string, string>();
  function once(text: string): string {
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    return known ?? text;
  }
  let check = '';
  let event = 0;
  let names = 0;
  let unanswered = 0;
  const [perMinute] = settings.plan === undefined ? [] : planLimits[settings.plan];
  const pace = createPace(perMinute);

  async function attempt(request: PlannedRequest): Promise<Pick<Exchange, 'response' | 'failure'>> {
    const credential = request.credential ?? validKey(keys.api);
    const glue = request.target.includes('?') ? '&' : '?';
    const target = credential.query === undefined ? request.target : `${request.target}${glue}${credential.query}`;
    try {
      const incoming = await transport({
        method: request.method ?? 'GET',
        url: settings.baseUrl + target,
        headers: {
          ...request.headers,
          ...settings.headers,
          ...(request.contentType === undefined ? {} : { 'content-type': request.contentType }),
          ...credential.headers,
        },
        ...(request.body === undefined ? {} : { body: request.body }),
      });
      const response = recordResponse(incoming, redact);
      return { response: { ...response, body: once(response.body) } };
    } catch (error) {
      if (error instanceof TransportError)
        return {
          failure: { code: error.code, message: redact(error.message) },
        };
      throw error;
    }
  }

  async function sendOnce(request: PlannedRequest): Promise<Exchange> {
    stopIfAborted();
    const recorded: RecordedRequest = {
      method: request.method ?? 'GET',
      target: request.target,
      ...(request.contentType === undefined ? {} : { contentType: request.contentType }),
      ...(request.body === undefined ? {} : { body: request.body }),
    };
    const creates = mayCreate(request, recorded);
    budget.spend(creates ? 'creates' : 'creates nothing');
    const number = budget.requests();
    const sender = check;
    const startedAt = clock.now();
    event += 1;
    const sent = event;
    const outcome = await attempt(request);
    event += 1;
    const exchange: Exchange = Object.freeze({
      number,
      check: sender,
      operation: request.operation,
      credential: (request.credential ?? validKey(keys.api)).shown,
      request: recorded,
      ...outcome,
      startedAt,
      endedAt: clock.now(),
      sent,
      answered: event,
    });
    if (!creates && request.operation === 'createPet' && outcome.response?.status === 201) budget.noteCreation();
    exchanges.push(exchange);
    options.onExchange?.(exchange);
    return exchange;
  }

  function stopIfAborted(): void {
    if (options.signal?.aborted) throw new RunStopped(String(options.signal.reason));
  }

  async function wait(ms: number, why: string): Promise<void> {
    if (ms > settings.maxWaitMs) {
      throw new RunStopped(
        `The target wants a wait of ${Math.ceil(ms / 1000)} s (${why}), longer than --max-wait ${settings.maxWaitMs / 1000}.`,
      );
    }
    options.onWait?.(ms, why);
    await clock.sleep(ms);
    stopIfAborted();
  }

  /** By client, what has been sent and not been answered. */
  const underWay: Readonly<Record<Client, Set<Promise<unknown>>>> = {
    key: new Set(),
    'rate-limit-key': new Set(),
    'without-key': new Set(),
  };

  async function send(request: PlannedRequest): Promise<Exchange> {
    const others = underWay[clientOf(request)];
    while (others.size > 0 && pace.mayBeUsedUp(clientOf(request), others.size)) await Promise.race(others);
    const sending = sendPaced(request);
    const settled: Promise<unknown> = sending.catch(() => undefined).finally(() => others.delete(settled));
    others.add(settled);
    return sending;
  }

  /** Asks once more what had no answer; where the budget has nothing left for that, it stays without one. */
  async function askOnceMore(request: PlannedRequest, unansweredOne: Exchange): Promise<Exchange> {
    try {
      return await sendOnce(request);
    } catch (error) {
      if (error instanceof BudgetSpent) return unansweredOne;
      throw error;
    }
  }

  async function sendPaced(request: PlannedRequest): Promise<Exchange> {
    const client = clientOf(request);
    const ms = pace.waitBefore(client, clock.now());
    if (ms > 0) await wait(ms, 'no requests are left until the reset');
    let exchange = await sendOnce(request);
    if (exchange.response === undefined) exchange = await askOnceMore(request, exchange);
    unanswered = exchange.response === undefined ? unanswered + 1 : 0;
    if (unanswered >= unansweredBeforeStop) throw new RunStopped('The target has stopped answering.');
    if (exchange.response?.status === 429) {
      if (pace.noteRefusal(client, exchange) > 1) {
        throw new RunStopped('The target answered 429 twice; a ban of the key is at stake.');
      }
      await wait(waitAfterRefusal(exchange), 'the target answered 429');
      exchange = await sendOnce(request);
      if (exchange.response?.status === 429) throw new RunStopped('The target still answers 429 after Retry-After.');
    }
    pace.noteAnswer(client, exchange);
    return exchange;
  }

  async function sendAll(requests: readonly PlannedRequest[]): Promise<readonly Exchange[]> {
    const results: Exchange[] = [];
    const queue = requests.entries();
    async function work(): Promise<void> {
      for (const [index, request] of queue) results[index] = await send(request);
    }
    await Promise.all(Array.from({ length: Math.max(1, settings.concurrency) }, work));
    return results;
  }

  return {
    settings,
    keys,
    budget,
    clock,
    exchanges,
    random,
    redact,
    newName() {
      names += 1;
      return `cf-${options.runTag}-${String(names).padStart(2, '0')}`;
    },
    enter(name) {
      check = name;
    },
    send,
    sendOnce,
    sendAll,
    judge: options.judge,
    sequences,
    noteSequence(sequence) {
      sequences.set(sequence.finding.requirement, sequence);
    },
    notes,
    note(requirement, reason) {
      notes.set(requirement, reason);
    },
    wait,
  };
}
