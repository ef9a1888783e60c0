/** Controls a server over HTTP, on a port of its own that only this machine can reach. */

import type { StoreResponse } from '../index.ts';
import { type Handle, type Listening, listen, readHeader, refuse, type StoreRequest } from '../index.ts';
import type { NextAnswer } from './orders.ts';
import type { Server } from './server.ts';
import { allowOrigin, keysFor, type ServerFault } from './wraps.ts';

export type Controlled = Pick<Server, 'requests' | 'reset' | 'answerNext'>;
type FindFault = (id: string) => ServerFault;

const help =
  'There are GET /journal, the requests so far with their answers; POST /reset, which forgets all animals that clients ' +
  'added, all limits, orders and the journal; and POST /next with {"retryAfterSeconds": 2} or {"fault": "ID"}, with ' +
  '"delayMs" and "times" as you like.';

/** Loopback names with any port: a page elsewhere, or a name that it points here, must not control the server. */
const own = /^(https?:\/\/)?(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/** Reads an order for the next answers; throws a RangeError for one that cannot be read. */
function readOrder(body: Uint8Array, findFault: FindFault): NextAnswer {
  let order: unknown;
  try {
    order = JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw new RangeError('The body must be JSON.');
  }
  if (typeof order !== 'object' || order === null || Array.isArray(order))
    throw new RangeError('The body must be a JSON object.');
  if (!('fault' in order)) return order;
  if (typeof order.fault !== 'string') throw new RangeError('"fault" must be the id of a fault.');
  return { ...order, fault: findFault(order.fault) };
}

export function controlHandle(server: Controlled, findFault: FindFault): Handle {
  function control({ method, target, body, unread }: StoreRequest): StoreResponse {
    if (unread !== undefined) return refuse(unread, 'The request cannot be read.');
    const operation = `${method} ${target}`;
    try {
      if (operation === 'POST /reset') server.reset();
      else if (operation === 'POST /next') server.answerNext(readOrder(body, findFault));
      else if (operation !== 'GET /journal') return refuse(404, help);
    } catch (error) {
      if (error instanceof RangeError) return refuse(400, error.message);
      throw error;
    }
    if (method === 'POST') return { status: 204, headers: {}, body: '' };
    return { status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(server.requests) };
  }

  return (request, now) => {
    const isOwn = request.headers.every(([name, value]) => !/^(host|origin)$/i.test(name) || own.test(value));
    if (!isOwn) return refuse(403, 'Only pages and programs of this machine may control the server.');
    return allowOrigin(readHeader(request, 'origin'))(control, keysFor([]))(request, now);
  };
}

/** Opens the control port of a server on 127.0.0.1. */
export function listenForControl(server: Controlled, port: number, findFault: FindFault): Promise<Listening> {
  return listen(controlHandle(server, findFault), { port });
}
