/** Controls a server over HTTP, on a port of its own that only this machine can reach. */

import { type Handle, type Listening, listen, readHeader, type StoreRequest, type StoreResponse } from '../index.ts';
import type { ServerFault } from './faults.ts';
import type { NextAnswer } from './orders.ts';
import type { Server } from './server.ts';

const help = {
  'GET /journal': 'the requests so far, with their answers',
  'POST /reset': 'forgets all animals that clients added, all limits, orders and the journal',
  'POST /next': '{"retryAfterSeconds": 2} or {"fault": "ID"}, with "delayMs" and "times" as you like',
};

/** Loopback names with any port: a page elsewhere, or a name that it points here, must not control the server. */
const own = /^(https?:\/\/)?(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

function isOwn(request: StoreRequest, name: string): boolean {
  return request.headers.every(([sent, value]) => sent.toLowerCase() !== name || own.test(value));
}

function answer(status: number, value: unknown): StoreResponse {
  return { status, headers: { 'Content-Type': 'application/json' }, body: status === 204 ? '' : JSON.stringify(value) };
}

/** Reads an order for the next answers; throws a RangeError for one that cannot be read. */
function readOrder(body: Uint8Array, findFault: (id: string) => ServerFault): NextAnswer {
  let order: unknown;
  try {
    order = JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw new RangeError('The body must be JSON.');
  }
  if (typeof order !== 'object' || order === null || Array.isArray(order)) {
    throw new RangeError('The body must be a JSON object.');
  }
  if (!('fault' in order)) return order;
  if (typeof order.fault !== 'string') throw new RangeError('"fault" must be the id of a fault.');
  return { ...order, fault: findFault(order.fault) };
}

export type Controlled = Pick<Server, 'requests' | 'reset' | 'answerNext'>;

export function controlHandle(server: Controlled, findFault: (id: string) => ServerFault): Handle {
  function control(request: StoreRequest): StoreResponse {
    if (request.unread !== undefined) return answer(request.unread, { message: 'The request cannot be read.' });
    const operation = `${request.method} ${request.target}`;
    if (operation === 'GET /journal') return answer(200, server.requests);
    if (operation === 'POST /reset') server.reset();
    else if (operation === 'POST /next') server.answerNext(readOrder(request.body, findFault));
    else return request.method === 'OPTIONS' ? answer(204, undefined) : answer(404, help);
    return answer(204, undefined);
  }

  return (request) => {
    if (!isOwn(request, 'host') || !isOwn(request, 'origin')) {
      return answer(403, { message: 'Only pages and programs of this machine may control the server.' });
    }
    const origin = readHeader(request, 'origin');
    const cors = {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Headers': 'Content-Type',
      Vary: 'Origin',
    };
    try {
      const made = control(request);
      return origin === '' ? made : { ...made, headers: { ...made.headers, ...cors } };
    } catch (error) {
      if (error instanceof RangeError) return answer(400, { message: error.message });
      throw error;
    }
  };
}

/** Opens the control port of a server on 127.0.0.1. */
export function listenForControl(
  server: Controlled,
  port: number,
  findFault: (id: string) => ServerFault,
): Promise<Listening> {
  return listen(controlHandle(server, findFault), { port, host: '127.0.0.1' });
}
