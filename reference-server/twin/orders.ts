/** Orders for the next answers: late, with a fault, or a 429. */

import type { Behaviour, Handle, StoreRequest, StoreResponse } from '../index.ts';
import { BrokenConnection, type Keys, type ServerFault } from './wraps.ts';

/** How the next request is answered. CORS preflight requests are left out. */
export interface NextAnswer {
  /** How long the answer is held back, in milliseconds: ten minutes at most. */
  readonly delayMs?: number;
  /** Refuses a request with a valid key with 429 and this Retry-After, a day at most. It is not carried out. */
  readonly retryAfterSeconds?: number;
  /** A fault, of those in petstore-conformance/faults for example. */
  readonly fault?: ServerFault;
}

const most: Readonly<Record<string, number>> = { delayMs: 600_000, retryAfterSeconds: 86_400 };

/** Creates the orders of a server, whose store must have the windows of `createWindow`, in place of the usual ones. */
export function createOrders(handle: Handle, keys: Keys, usual: Behaviour['createWindow']) {
  const orders: NextAnswer[] = [];
  let refusedSeconds: number | undefined;

  /** The usual window, which has nothing left while an order refuses. */
  const createWindow: Behaviour['createWindow'] = (limit, lengthMs) => {
    const window = usual(limit, lengthMs);
    return (now, requests) => {
      if (refusedSeconds === undefined) return window(now, requests);
      return { limit, remaining: 0, endsAt: now + refusedSeconds * 1000 };
    };
  };

  /** Undefined where the connection breaks. */
  function answerTo(request: StoreRequest, now: number, order: NextAnswer = {}): StoreResponse | undefined {
    refusedSeconds = order.retryAfterSeconds;
    try {
      return (order.fault?.wrap(handle, keys) ?? handle)(request, now);
    } catch (error) {
      if (error instanceof BrokenConnection) return undefined;
      throw error;
    } finally {
      refusedSeconds = undefined;
    }
  }

  return {
    createWindow,
    /** Adds an order after those that are not used up yet; throws a RangeError for one that cannot be carried out. */
    add({ fault, ...numbers }: NextAnswer): void {
      for (const [name, value] of Object.entries(numbers)) {
        const isIn = Number.isInteger(value) && value >= 0 && Object.hasOwn(most, name) && value <= most[name]!;
        if (!isIn) throw new RangeError(`An answer takes a fault, and whole numbers up to ${JSON.stringify(most)}.`);
      }
      orders.push({ ...numbers, ...(fault && { fault }) });
    },
    clear(): void {
      orders.length = 0;
    },
    /** The answer, and how long it is held back. */
    handle(request: StoreRequest, now: number) {
      const order = request.method === 'OPTIONS' ? undefined : orders[0];
      const answer = answerTo(request, now, order);
      // A request without a valid key gets its 401 first (§5), and leaves a 429 to the next one.
      if (order !== undefined && (order.retryAfterSeconds === undefined || answer?.status !== 401)) orders.shift();
      return { answer, delayMs: order?.delayMs ?? 0 };
    },
  };
}
