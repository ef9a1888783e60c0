/** Starts whatever server a consumer needs to meet: choices where the interface is silent, faults, weather, a clock. */

import { randomBytes } from 'node:crypto';
import type { GapChoices } from '../spec/gaps.ts';
import { basePathOf, keysForFaults, keysOfFaults, type ServerFault, withFaults } from './faults.ts';
import type { ApiKey } from './keys.ts';
import { listen } from './listen.ts';
import type { NewPet } from './pet.ts';
import { createPetStore, type Handle } from './pet-store.ts';
import { createReceipts, type ReceivedExchange } from './received.ts';
import { drawDelay, seedAnimals, type Weather, withErrors } from './weather.ts';

/** What a server for tests does, holds and suffers. Whatever is left out is as in the reference server. */
export interface ServerOptions {
  /** What it does where the interface is silent; the reference choice where nothing is said. */
  readonly gaps?: Partial<GapChoices>;
  /** Wrong behaviour, on purpose; those of the kit come from petstore-conformance/faults. */
  readonly faults?: readonly ServerFault[];
  /** What is outside the interface. */
  readonly weather?: Weather;
  /** Unix milliseconds; the clock of the machine where none is given. */
  readonly clock?: () => number;
  /** A key of the Business plan, made for this server, where none is given. */
  readonly keys?: readonly ApiKey[];
  /** What the catalogue holds from the start, beside the animals of the weather. */
  readonly animals?: readonly NewPet[];
  /** A free one where none is given. */
  readonly port?: number;
  /** 127.0.0.1 where none is given. */
  readonly host?: string;
  /** From 0 to 1; draws ids, orders and weather. Math.random where none is given. */
  readonly random?: () => number;
}

/** A server for tests, which listens. */
export interface Server {
  /** The base address, which ends in the version segment. */
  readonly url: string;
  /** The first of its keys. */
  readonly key: string;
  /** What came in, the latest ten thousand, in the order in which it came. */
  readonly requests: readonly ReceivedExchange[];
  /** Takes no more connections, finishes what is under way, and after a while ends what is not finished. */
  readonly close: () => Promise<void>;
}

/** A key for one run. Faults that look closely at keys know one alone. */
export function makeKey(faults: readonly ServerFault[]): ApiKey {
  const key = faults.length > 0 ? keysOfFaults[0] : `dev-${randomBytes(18).toString('base64url')}`;
  return { key, plan: 'business' };
}

/** One after the other: a million animals need not be there twice. */
function* stock(seeds: number, animals: readonly NewPet[]): Generator<NewPet> {
  yield* seedAnimals(seeds);
  yield* animals;
}

type Unrecorded = Omit<Server, 'requests'>;

/** `wrap` makes of a handle one that is recorded, or leaves it. */
async function open(
  options: ServerOptions,
  keys: readonly ApiKey[],
  wrap: (handle: Handle) => Handle,
): Promise<Unrecorded> {
  const { gaps = {}, faults = [], weather = {}, clock, random = Math.random, animals = [], port = 0, host } = options;
  const { latency, errorRate = 0, windowSeconds = 60, seedAnimals: seeds = 0 } = weather;
  const basePath = basePathOf(faults);
  const store = createPetStore({
    keys: faults.length === 0 ? keys : keysForFaults(keys),
    gaps,
    random,
    windowSeconds,
    animals: stock(seeds, animals),
    basePath,
  });
  const faulty = faults.length === 0 ? store.handle : withFaults(store.handle, faults, keys);
  const { url, close } = await listen(wrap(withErrors(faulty, errorRate, random)), {
    port,
    ...(host === undefined ? {} : { host }),
    ...(clock === undefined ? {} : { now: clock }),
    ...(latency === undefined ? {} : { delayMs: () => drawDelay(latency, random) }),
  });
  return { url: `${url}${basePath}`, key: keys[0]?.key ?? '', close };
}

/** Starts a server for a command: nobody reads its record, which costs as much as all the rest of a request. */
export function startUnrecorded(options: ServerOptions): Promise<Unrecorded> {
  return open(options, options.keys ?? [makeKey(options.faults ?? [])], (handle) => handle);
}

/** Starts a server; throws a RangeError for options that it cannot work with, rejects where the port cannot be had. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const { faults = [], keys = [makeKey(faults)] } = options;
  const { received, record } = createReceipts(
    keys.map(({ key }) => key),
    basePathOf(faults),
  );
  return { ...(await open(options, keys, record)), requests: received };
}
