/** The session of a run: sends requests at the pace of the target, and records every exchange. */

import { defined } from '../../spec/defined.ts';
import { seededRandom } from '../../spec/random.ts';
import type { Keys } from '../http/credentials.ts';
import type { Exchange } from '../http/exchange.ts';
import { createMask, type Mask } from '../http/mask.ts';
import { recordRequest, recordResponse } from '../http/record.ts';
import { secretsInHeaders } from '../http/secret-names.ts';
import { type Outgoing, type Transport, TransportError } from '../http/transport.ts';
import { makeName } from '../world/names.ts';
import type { Settings } from '../world/settings.ts';
import { createAsk } from './ask.ts';
import { type Budget, createBudget } from './budget.ts';
import { createPace, type Pace, type Transmit } from './pace.ts';
import { type PlannedRequest, type Prepared, plainListing, prepare, unknownAnimal } from './planned-request.ts';
import type { Clock, WaitOptions } from './waits.ts';

export interface SessionOptions extends WaitOptions {
  readonly keys: Keys;
  readonly transport: Transport;
  /** Six hexadecimal digits that distinguish this run's animals from those of other runs. */
  readonly runTag: string;
  /** Longer bodies are cut in the evidence, UTF-16 units. */
  readonly longestBody?: number;
  /** A request was answered, or failed. */
  readonly onExchange?: (exchange: Exchange) => void;
}

export interface Session {
  readonly settings: Settings;
  readonly keys: Keys;
  readonly budget: Budget;
  readonly clock: Clock;
  readonly exchanges: readonly Exchange[];
  /** The next random number from 0 to 1, by the seed. */
  readonly random: () => number;
  /** The name of an animal that no other has, unless the user's template is the same for all. */
  readonly newName: () => string;
  /** Hides the keys and the credentials of headers in what leaves the process. */
  readonly mask: Mask;
  /** The same session for the exchanges of a check, which may send concurrently with others. */
  readonly forCheck: (check: string) => Session;
  /** Sends, waits for the rate limit, and repeats what was refused or not answered. */
  readonly send: (request: PlannedRequest) => Promise<Exchange>;
  /** Sends once, without waiting and without repeating. */
  readonly sendOnce: (request: PlannedRequest) => Promise<Exchange>;
  /** Waits, or ends the run if the wait is longer than --max-wait. */
  readonly wait: Pace['wait'];
  readonly waits: Pace['waits'];
  readonly waitedForLimitMs: Pace['waitedForLimitMs'];
}

/** The response to a request, or the reason why there is none. */
async function responseOrFailure(
  outgoing: Outgoing,
  { transport, signal, longestBody }: SessionOptions,
): Promise<Pick<Exchange, 'response' | 'failure'>> {
  try {
    return { response: recordResponse(await transport(outgoing), longestBody) };
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    if (signal?.aborted)
      return { failure: { code: 'timeout', message: 'there was no answer yet when the run was stopped' } };
    return { failure: { code: error.code, message: error.message } };
  }
}

/** Whether a response shows that its request created nothing. After a 5xx an animal may have been created all the same. */
function hasCreatedNothing({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 300 && response.status < 500;
}

/** Sends requests once, and adds an exchange for each to `exchanges`. */
function createTransmit(options: SessionOptions, budget: Budget, exchanges: Exchange[]): Transmit {
  const { clock, onExchange } = options;
  let number = 0;
  let event = 0;
  return async ({ operation, credential, request, outgoing, creation }, check, repeats) => {
    number += 1;
    event += 1;
    const before = { number, check, operation, repeats, credential, sent: event };
    const startedAt = clock.now();
    const answer = await responseOrFailure(outgoing, options);
    event += 1;
    const after = { startedAt, endedAt: clock.now(), answered: event };
    const recorded = { ...before, request: recordRequest(request), ...answer, ...after };
    const exchange: Exchange = Object.freeze(defined(recorded));
    if (creation !== 'cannot-create' && hasCreatedNothing(exchange)) budget.giveBackCreation();
    exchanges.push(exchange);
    onExchange?.(exchange);
    return exchange;
  };
}

/** Hides the keys of a run, and the credentials of the user's headers. */
function maskOfRun({ api, rateLimit, others = [] }: Keys, { headers }: Settings): Mask {
  const keys = [api, rateLimit, ...others].filter((key) => key !== undefined);
  const secrets = [...keys, ...secretsInHeaders(headers)];
  return createMask(() => secrets);
}

export function createSession(options: SessionOptions): Session {
  const { settings, keys, clock, runTag } = options;
  const budget = createBudget(settings.maxRequests, settings.maxCreates);
  const exchanges: Exchange[] = [];
  const pace = createPace(options, budget, createTransmit(options, budget, exchanges));
  const prepared = (planned: PlannedRequest): Prepared => prepare(planned, keys, settings);
  const ask = createAsk(exchanges, pace, { listing: prepared(plainListing), reading: prepared(unknownAnimal) });
  let names = 0;
  const shared = {
    settings,
    keys,
    budget,
    clock,
    exchanges,
    random: seededRandom(settings.seed),
    mask: maskOfRun(keys, settings),
    newName() {
      names += 1;
      return makeName(runTag, names, settings.nameTemplate);
    },
    wait: pace.wait,
    waits: pace.waits,
    waitedForLimitMs: pace.waitedForLimitMs,
  };

  /** A session that records under a check of its own. */
  function forCheck(check: string): Session {
    return {
      ...shared,
      forCheck,
      send: (planned) => ask(prepared(planned), check),
      sendOnce: async (planned) => pace.sendAtOnce(prepared(planned), check),
    };
  }

  return forCheck('');
}
