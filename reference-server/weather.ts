/** Weather: what lies between a client and any service, outside the interface: slow answers, resets, 503 of a gateway. */

import type { StoreResponse } from './answer.ts';
import { BrokenOff } from './broken-off.ts';
import type { NewPet } from './pet.ts';
import type { Handle } from './pet-store.ts';

/** From `ms - jitterMs` to `ms + jitterMs` milliseconds, evenly drawn, never below 0. */
export interface Latency {
  readonly ms: number;
  readonly jitterMs: number;
}

/** What befalls a service outside the interface: slow answers, errors of what stands before it. */
export interface Weather {
  /** How long an answer is held back; none where nothing is said. */
  readonly latency?: Latency;
  /** From 0 to 1, how many requests meet a reset, before or after they are carried out, or a 503; 0 where nothing is said. */
  readonly errorRate?: number;
  /** The length of the window that §8 calls a minute, seconds; 60 where nothing is said. */
  readonly windowSeconds?: number;
  /** How many animals there are from the start; none where nothing is said. */
  readonly seedAnimals?: number;
}

/** The page of a gateway whose service is gone: it has nothing that the service would have put there. */
const unavailable: StoreResponse = {
  status: 503,
  headers: { 'Content-Type': 'text/plain' },
  body: 'The service is unavailable.\n',
};

/** A handle in bad weather; `random` gives numbers from 0 to 1. */
export function withErrors(handle: Handle, rate: number, random: () => number): Handle {
  return (request, now) => {
    if (random() >= rate) return handle(request, now);
    const kind = random();
    if (kind < 1 / 3) return unavailable;
    if (kind < 2 / 3) handle(request, now);
    throw new BrokenOff();
  };
}

/** How long the next answer is held back, milliseconds. */
export function drawDelay({ ms, jitterMs }: Latency, random: () => number): number {
  return Math.max(0, ms + (2 * random() - 1) * jitterMs);
}

const statuses = ['available', 'pending', 'sold'] as const;

/** Animals for a catalogue that is not empty, of every status and of ten categories. */
export function* seedAnimals(count: number): Generator<NewPet> {
  for (let at = 0; at < count; at += 1) {
    const status = statuses[at % statuses.length]!;
    yield { name: `Animal ${at + 1}`, categoryId: BigInt((at % 10) + 1), status };
  }
}

/** The weather in words, a line each; none where it is fair. */
export function weatherInWords({
  latency,
  errorRate = 0,
  windowSeconds,
  seedAnimals: animals,
}: Weather): readonly string[] {
  return [
    ...(latency === undefined ? [] : [`answers after ${latency.ms} ± ${latency.jitterMs} ms`]),
    ...(errorRate === 0 ? [] : [`a reset or a 503 for ${errorRate * 100} % of the requests`]),
    ...(windowSeconds === undefined ? [] : [`a minute of §8 lasts ${windowSeconds} s`]),
    ...(animals === undefined ? [] : [`${animals} animals from the start`]),
  ];
}
