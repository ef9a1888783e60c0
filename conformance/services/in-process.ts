/** A wrapped reference server as a transport without sockets, on a clock that is stepped. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Handle, StoreResponse } from '../../reference-server/index.ts';
import { BrokenConnection } from '../../reference-server/twin/wraps.ts';
import { encodeBody } from '../http/body-bytes.ts';
import { type Transport, TransportError } from '../http/transport.ts';
import type { Clock } from '../run/waits.ts';

export interface SteppedClock extends Clock {
  readonly advance: (ms: number) => void;
}

/** A clock that only waits and answers move; it starts in the middle of a minute. */
export function createClock(start = Date.UTC(2026, 10, 21, 12, 0, 20)): SteppedClock {
  let now = start;
  const advance = (ms: number): void => {
    now += ms;
  };
  return { now: () => now, advance, sleep: (ms) => Promise.resolve(advance(ms)) };
}

export interface InProcessOptions {
  /** When the run starts, Unix milliseconds; a minute of 2026 when undefined. */
  readonly startsAt?: number;
  /** The time that an answer takes, milliseconds. */
  readonly latencyMs?: number;
  /** How far the server's clock is ahead of ours, milliseconds. */
  readonly skewMs?: number;
}

export function inProcess(handle: Handle, clock: SteppedClock, options: InProcessOptions = {}): Transport {
  const { latencyMs = 3, skewMs = 0 } = options;
  const answerTo = (...request: Parameters<Handle>): StoreResponse => {
    try {
      return handle(...request);
    } catch (error) {
      throw error instanceof BrokenConnection ? new TransportError('broken', 'the connection broke off') : error;
    }
  };
  return async ({ method, url, headers, body = '' }) => {
    const { pathname, search } = new URL(url);
    const now = clock.now() + skewMs;
    const target = pathname + search;
    const sent = { method, target, headers: Object.entries(headers), body: encodeBody(body), address: '127.0.0.1' };
    const answer = answerTo(sent, now);
    clock.advance(latencyMs);
    // As over a network, what is sent together is under way together, and handlers of signals run in between. An answer is
    // read when it is sent: a service may make it of what other requests have left by then.
    await nextTurn();
    const written = Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value]);
    return {
      status: answer.status,
      headers: { date: new Date(now).toUTCString(), ...Object.fromEntries(written) },
      body: Buffer.from(answer.body),
    };
  };
}
