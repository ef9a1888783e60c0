/** Network conditions between a client and any service, outside the interface: latency, resets, a gateway's 503. */

import { BrokenConnection, type Handle, type StoreResponse } from '../index.ts';

/** A delay drawn evenly from `ms - jitterMs` to `ms + jitterMs`, never below 0. */
export interface Latency {
  readonly ms: number;
  readonly jitterMs: number;
}

/** Conditions that no service controls. */
export interface NetworkConditions {
  /** How long an answer is held back; not at all by default. */
  readonly latency?: Latency;
  /** The share of requests, from 0 to 1, that meet a 503, or a reset before or after they are carried out; 0 by default. */
  readonly errorRate?: number;
}

/** The page of a gateway that cannot reach its service; it has none of the service's headers. */
const unavailable: StoreResponse = {
  status: 503,
  headers: { 'Content-Type': 'text/plain' },
  body: 'The service is unavailable.\n',
};

/** Adds resets and 503s to a handle; `random` returns numbers from 0 to 1. */
export function withNetworkErrors(handle: Handle, rate: number, random: () => number): Handle {
  return (request, now) => {
    if (random() >= rate) return handle(request, now);
    const kind = random();
    if (kind < 1 / 3) return unavailable;
    if (kind < 2 / 3) handle(request, now);
    throw new BrokenConnection();
  };
}

/** How long the next answer is held back, in milliseconds. */
export function drawDelay({ ms, jitterMs }: Latency, random: () => number): number {
  return Math.max(0, ms + (2 * random() - 1) * jitterMs);
}

/** One sentence part for each condition; none for a perfect network. */
export function describeNetworkConditions({ latency, errorRate = 0 }: NetworkConditions): readonly string[] {
  return [
    ...(latency === undefined ? [] : [`answers after ${latency.ms} ± ${latency.jitterMs} ms`]),
    ...(errorRate === 0 ? [] : [`a reset or a 503 for ${errorRate * 100} % of the requests`]),
  ];
}
