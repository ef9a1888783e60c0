/** Answers the next requests in another way: late, with a fault, or with a 429. */

import type { ApiKey, Handle, StoreRequest, StoreResponse } from '../index.ts';
import { type ServerFault, withPassingFault } from './faults.ts';

/** How the next requests are answered; preflights of pages do not count. */
export interface NextAnswer {
  /** How many requests; 1 by default. */
  readonly times?: number;
  /** How long the answer is held back, in milliseconds. */
  readonly delayMs?: number;
  /** Refuses the request with 429 and this Retry-After. It is not carried out. */
  readonly retryAfterSeconds?: number;
  /** A fault, of those in petstore-conformance/faults for example. */
  readonly fault?: ServerFault;
}

interface Pending {
  readonly answer: Handle;
  readonly delayMs: number;
  left: number;
}

/** A 429 with the headers of the answer that a listing would have had. */
function refuseFor(seconds: number, handle: Handle, basePath: string): Handle {
  return (request, now) => {
    const { headers } = handle({ ...request, method: 'GET', target: `${basePath}/pets?limit=1`, body: noBody }, now);
    const kept = Object.entries(headers).filter(([name]) => /^(X-RateLimit-Limit|Access-Control-.*|Vary)$/i.test(name));
    const message = `The rate limit is exceeded; wait ${seconds} seconds.`;
    return {
      status: 429,
      headers: {
        ...Object.fromEntries(kept),
        'Content-Type': 'application/json',
        'X-RateLimit-Remaining': '0',
        'X-RateLimit-Reset': String(Math.ceil(now / 1000) + seconds),
        'Retry-After': String(seconds),
      },
      body: JSON.stringify({ code: 'too_many_requests', message, status: 429 }),
    };
  };
}

const noBody = new Uint8Array();

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

/** Throws a RangeError for an order that cannot be carried out. */
function checkOrder({ times = 1, delayMs = 0, retryAfterSeconds, fault, ...more }: NextAnswer): void {
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw new RangeError(`An answer has no member "${unknown.slice(0, 50)}".`);
  if (!isWhole(times, 1, 1_000_000)) throw new RangeError('times must be a whole number from 1 to 1,000,000.');
  if (!isWhole(delayMs, 0, 600_000)) throw new RangeError('delayMs must be a whole number from 0 to 600,000.');
  if (retryAfterSeconds !== undefined && !isWhole(retryAfterSeconds, 0, 86_400)) {
    throw new RangeError('retryAfterSeconds must be a whole number from 0 to 86,400.');
  }
  if (retryAfterSeconds !== undefined && fault !== undefined) {
    throw new RangeError('An answer is either a fault or a 429.');
  }
}

/** Wraps a handle so that orders for the next answers can be given; `keys` are those of the server. */
export function createNextAnswers(handle: Handle, keys: readonly ApiKey[], basePath: string) {
  const pending: Pending[] = [];
  let delay = 0;

  function take(request: StoreRequest): Pending | undefined {
    const [first] = pending;
    if (first === undefined || request.method === 'OPTIONS') return undefined;
    first.left -= 1;
    if (first.left === 0) pending.shift();
    return first;
  }

  return {
    /** Adds an order after those that are not used up yet. */
    add(order: NextAnswer): void {
      checkOrder(order);
      const { times = 1, delayMs = 0, retryAfterSeconds, fault } = order;
      const faulty = fault === undefined ? handle : withPassingFault(handle, fault, keys);
      const answer = retryAfterSeconds === undefined ? faulty : refuseFor(retryAfterSeconds, handle, basePath);
      pending.push({ answer, delayMs, left: times });
    },
    clear(): void {
      pending.length = 0;
    },
    handle(request: StoreRequest, now: number): StoreResponse {
      const next = take(request);
      delay = next?.delayMs ?? 0;
      return next === undefined ? handle(request, now) : next.answer(request, now);
    },
    /** How long the answer that was made last is held back, in milliseconds. */
    delayMs: (): number => delay,
  };
}
