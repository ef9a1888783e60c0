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
import { createNamer, type Namer } from '../world/names.ts';
import type { Settings } from '../world/settings.ts';
import { createAsk } from './ask.ts';
import type { Budget } from './budget.ts';
import { type Clock, createPace, type Pace, runTasks } from './pace.ts';
import { clientOf, listing, type PlannedRequest, prepare, unknownAnimal } from './planned-request.ts';
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
  /** Sends, waits for the rate limit, and repeats what was refused or not answered. */
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

export function createSession(options: SessionOptions): Session {
  const { settings, keys, clock, budget } = options;
  const exchanges: Exchange[] = [];
  const secrets = [keys.api, keys.rateLimit ?? '', ...secretsInHeaders(settings.headers), ...(keys.others ?? [])];
  const redact = redactor(secrets);
  const pace = createPace(options);
  const transmit = createSender({
    ...options,
    recorder: createRecorder(defined({ redact, longest: options.longestBody })),
    redact,
    onExchange(exchange) {
      exchanges.push(exchange);
      options.onExchange?.(exchange);
    },
  });
  const prepared = (planned: PlannedRequest) => prepare(planned, keys, settings);
  const ask = createAsk({
    settings,
    exchanges,
    pace,
    transmit,
    controls: [prepared(listing), prepared(unknownAnimal)],
  });
  const slots = createSlots(settings.concurrency);
  const shared = {
    settings,
    keys,
    budget,
    clock,
    exchanges,
    random: seededRandom(settings.seed),
    redact,
    ...createNamer(options.runTag, settings.nameTemplate),
    doAll: <Result>(tasks: readonly (() => Promise<Result>)[]) => runTasks(tasks, settings.concurrency),
    wait: pace.wait,
  };

  /** A session that records under a check of its own. */
  function sessionOf(firstCheck: string): Session {
    let check = firstCheck;
    const send = (planned: PlannedRequest): Promise<Exchange> => {
      const sender = check;
      return slots(() => ask(prepared(planned), sender));
    };
    return {
      ...shared,
      enter(name) {
        check = name;
      },
      forCheck: sessionOf,
      send,
      async sendOnce(planned) {
        const one = prepared(planned);
        pace.admitAtOnce(clientOf(one.credential), one.creation);
        return transmit(one, check);
      },
      sendAll: (requests) => shared.doAll(requests.map((request) => () => send(request))),
      sendTogether(requests) {
        const tasks = requests.map((request) => () => ask(prepared(request), check));
        return runTasks(tasks, tasks.length);
      },
    };
  }

  return sessionOf('');
}
