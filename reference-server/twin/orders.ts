/** Orders for the next answers: late, with a fault, or a 429. */

import type { Handle, StoreRequest, StoreResponse } from '../index.ts';
import { BrokenConnection, harmless, type Keys, refuseUntil, type ServerFault } from './wraps.ts';

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

const ranges: Readonly<Record<string, readonly [least: number, most: number]>> = {
  times: [1, 1_000_000],
  delayMs: [0, 600_000],
  retryAfterSeconds: [0, 86_400],
};

/** Throws a RangeError for an order that cannot be carried out. */
function check({ fault, ...numbers }: NextAnswer): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (!Object.hasOwn(ranges, name)) throw new RangeError(`An answer has no member "${name.slice(0, 50)}".`);
    const [least, most] = ranges[name]!;
    if (!Number.isInteger(value) || value < least || value > most)
      throw new RangeError(`${name} must be a whole number from ${least} to ${most.toLocaleString('en')}.`);
  }
  if (fault !== undefined && numbers.retryAfterSeconds !== undefined)
    throw new RangeError('An answer is either a fault or a 429.');
}

/** An answer, or undefined where the connection breaks, and how long it is held back. */
type Late = { readonly answer: StoreResponse | undefined; readonly delayMs: number };

/** Wraps a handle so that orders for the next answers can be given. */
export function createOrders(handle: Handle, keys: Keys) {
  const orders: { readonly answer: Handle; readonly delayMs: number; readonly isRefusal: boolean; left: number }[] = [];

  const refuseFor =
    (seconds: number): Handle =>
    (request, now) => {
      const answer = handle(harmless(request), now);
      return answer.status === 401 ? answer : refuseUntil(now + seconds * 1000, now, answer);
    };

  function answerBy(answer: Handle, request: StoreRequest, now: number): StoreResponse | undefined {
    try {
      return answer(request, now);
    } catch (error) {
      if (error instanceof BrokenConnection) return undefined;
      throw error;
    }
  }

  return {
    /** Adds an order after those that are not used up yet. */
    add(order: NextAnswer): void {
      check(order);
      const { times: left = 1, delayMs = 0, retryAfterSeconds, fault } = order;
      const isRefusal = retryAfterSeconds !== undefined;
      const answer = isRefusal ? refuseFor(retryAfterSeconds) : (fault?.wrap(handle, keys) ?? handle);
      orders.push({ answer, delayMs, isRefusal, left });
    },
    clear(): void {
      orders.length = 0;
    },
    handle(request: StoreRequest, now: number): Late {
      const order = request.method === 'OPTIONS' ? undefined : orders[0];
      if (order === undefined) return { answer: answerBy(handle, request, now), delayMs: 0 };
      const answer = answerBy(order.answer, request, now);
      // A request without a valid key gets its 401 first (§5), and leaves a 429 to the next one.
      if (!order.isRefusal || answer?.status !== 401) order.left -= 1;
      if (order.left === 0) orders.shift();
      return { answer, delayMs: order.delayMs };
    },
  };
}
