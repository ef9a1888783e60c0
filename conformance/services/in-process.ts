/** A wrapped reference server as a transport without sockets, on a clock that is stepped. */

import type { Handle, StoreResponse } from '../../reference-server/index.ts';
import { BrokenConnection } from '../../reference-server/twin/wraps.ts';
import { encodeBody } from '../http/body-bytes.ts';
import { type Transport, TransportError } from '../http/transport.ts';
import type { Clock } from '../run/pace.ts';

export interface SteppedClock extends Clock {
  readonly advance: (ms: number) => void;
}

/** A clock that only waits and answers move; it starts in the middle of a minute. */
export function createClock(start = Date.UTC(2026, 10, 21, 12, 0, 20)): SteppedClock {
  let now = start;
  return {
    now: () => now,
    sleep: (ms) => {
      now += ms;
      return Promise.resolve();
    },
    advance(ms) {
      now += ms;
    },
  };
}

export interface InProcessOptions {
  /** When the run starts, Unix milliseconds; a minute of 2026 when undefined. */
  readonly startsAt?: number;
  /** The time that an answer takes, milliseconds. */
  readonly latencyMs?: number;
  /** How far the server's clock is ahead of ours, milliseconds. */
  readonly skewMs?: number;
  /** Set if answers have no Date header. */
  readonly hasNoDate?: true;
}

/** Turns a broken connection into the error that a transport reports. */
function asTransport(answer: () => StoreResponse): StoreResponse {
  try {
    return answer();
  } catch (error) {
    throw error instanceof BrokenConnection ? new TransportError('broken', 'the connection broke off') : error;
  }
}

export function inProcess(handle: Handle, clock: SteppedClock, options: InProcessOptions = {}): Transport {
  const { latencyMs = 3, skewMs = 0, hasNoDate } = options;
  const encoder = new TextEncoder();
  return ({ method, url, headers, body }) => {
    const { pathname, search } = new URL(url);
    const now = clock.now() + skewMs;
    const request = {
      method,
      target: pathname + search,
      headers: Object.entries(headers),
      body: encodeBody(body ?? ''),
      address: '127.0.0.1',
    };
    const answer = asTransport(() => handle(request, now));
    clock.advance(latencyMs);
    const sent = Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value]);
    return Promise.resolve({
      status: answer.status,
      headers: { ...(hasNoDate ? {} : { date: new Date(now).toUTCString() }), ...Object.fromEntries(sent) },
      body: encoder.encode(answer.body),
    });
  };
}
