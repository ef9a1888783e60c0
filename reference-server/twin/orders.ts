/** Orders for the next answers: late, with a fault, or a 429. */

import type { ApiKey, Handle, StoreRequest } from '../index.ts';
import { keysFor, type ServerFault } from './faults.ts';
import { harmless, refuseUntil } from './wraps.ts';

/** How the next requests are answered; preflights of pages do not count. */
export interface NextAnswer {
  /** How many requests; 1 by default. */
  readonly times?: number;
  /** How long the answer is held back, in milliseconds. */
  readonly delayMs?: number;
  /** Refuses requests with a valid key with 429 and this Retry-After. They are not carried out. */
  readonly retryAfterSeconds?: number;
  /** A fault, of those in petstore-conformance/faults for example. */
  readonly fault?: ServerFault;
}

interface Order {
  readonly answer: Handle;
  readonly delayMs: number;
  readonly isRefusal: boolean;
  left: number;
}

function checkWhole(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new RangeError(`${name} must be a whole number from ${least} to ${most.toLocaleString('en')}.`);
}

/** Throws a RangeError for an order that cannot be carried out. */
function checkOrder({ times = 1, delayMs = 0, retryAfterSeconds = 0, fault, ...more }: NextAnswer): void {
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw new RangeError(`An answer has no member "${unknown.slice(0, 50)}".`);
  checkWhole('times', times, 1, 1_000_000);
  checkWhole('delayMs', delayMs, 0, 600_000);
  checkWhole('retryAfterSeconds', retryAfterSeconds, 0, 86_400);
}

/** Wraps a handle so that orders for the next answers can be given. */
export function createOrders(handle: Handle, keys: readonly ApiKey[]) {
  const orders: Order[] = [];
  const next = ({ method }: StoreRequest): Order | undefined => (method === 'OPTIONS' ? undefined : orders[0]);

  function refuseFor(seconds: number): Handle {
    return (request, now) => {
      const answer = handle(harmless(request), now);
      return answer.status === 401 ? answer : refuseUntil(now + seconds * 1000, now, answer);
    };
  }

  return {
    /** Adds an order after those that are not used up yet. */
    add(order: NextAnswer): void {
      checkOrder(order);
      const { times = 1, delayMs = 0, retryAfterSeconds, fault } = order;
      if (retryAfterSeconds !== undefined && fault !== undefined)
        throw new RangeError('An answer is either a fault or a 429.');
      const usual = fault === undefined ? handle : fault.wrap(handle, keysFor(keys));
      const answer = retryAfterSeconds === undefined ? usual : refuseFor(retryAfterSeconds);
      orders.push({ answer, delayMs, isRefusal: retryAfterSeconds !== undefined, left: times });
    },
    clear(): void {
      orders.length = 0;
    },
    /** How long the answer to a request will be held back, in milliseconds. */
    delayMs: (request: StoreRequest): number => next(request)?.delayMs ?? 0,
    handle(request: StoreRequest, now: number) {
      const order = next(request);
      if (order === undefined) return handle(request, now);
      const answer = order.answer(request, now);
      // A request without a valid key gets its 401 first (§5), and leaves a 429 to the next one.
      if (!order.isRefusal || answer.status !== 401) order.left -= 1;
      if (order.left === 0) orders.shift();
      return answer;
    },
  };
}
