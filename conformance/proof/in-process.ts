/** A wrapped reference server as a transport without sockets, on a clock that is stepped. */

import { BrokenConnection, type Handle, type StoreResponse } from '../../reference-server/index.ts';
import { type Transport, TransportError } from '../http/transport.ts';
import type { Clock } from '../run/pace.ts';

export interface SteppedClock extends Clock {
  readonly advance: (ms: number) => void;
}

/** A clock that stands still but for what is waited; starts in the middle of a minute. */
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
  /** When the run begins, Unix milliseconds; some minute of 2026 where nothing is said. */
  readonly startsAt?: number;
  /** How long an answer takes, milliseconds. */
  readonly latencyMs?: number;
  /** How far the clock of the server is ahead of ours, milliseconds. */
  readonly skewMs?: number;
  /** Set where no answer tells when it was given. */
  readonly hasNoDate?: true;
}

/** What a transport says of a connection that breaks off. */
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
      body: encoder.encode(body ?? ''),
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
