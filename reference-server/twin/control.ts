/** Controls a server over HTTP, on a port of its own that only this machine can reach. */

import {
  type Handle,
  type Listening,
  listen,
  readHeader,
  refuse,
  type StoreRequest,
  type StoreResponse,
} from '../index.ts';
import type { Server } from './server.ts';
import { allowOrigin, keysFor, type ServerFault } from './wraps.ts';

const help =
  'There are GET /journal, the requests so far with their answers; POST /reset, which forgets all animals that clients ' +
  'added, all limits, orders and the journal; and POST /next with {"retryAfterSeconds": 2} or {"fault": "ID"}, with ' +
  '"delayMs" and "times" as you like.';

/** Loopback names with any port: a page elsewhere, or a name that it points here, must not control the server. */
const own = /^(https?:\/\/)?(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

type Controlled = Pick<Server, 'requests' | 'reset' | 'answerNext'>;
type FindFault = (id: string) => ServerFault;

export function controlHandle(server: Controlled, findFault: FindFault): Handle {
  function order(body: Uint8Array): void {
    const { fault, ...numbers } = Object(JSON.parse(new TextDecoder().decode(body)));
    server.answerNext(fault === undefined ? numbers : { ...numbers, fault: findFault(String(fault)) });
  }

  function control({ method, target, body }: StoreRequest): StoreResponse {
    const operation = `${method} ${target}`;
    try {
      if (operation === 'POST /reset') server.reset();
      else if (operation === 'POST /next') order(body);
      else if (operation !== 'GET /journal') return refuse(404, help);
    } catch (error) {
      return refuse(400, (error as Error).message);
    }
    const headers = { 'Content-Type': 'application/json' };
    return { status: 200, headers, body: JSON.stringify(method === 'GET' ? server.requests : {}) };
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
