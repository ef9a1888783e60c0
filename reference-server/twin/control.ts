/** Controls a server over HTTP, on a port of its own that only this machine can reach. */

import { type Listening, listen, readHeader, refuse, type StoreRequest, type StoreResponse } from '../index.ts';
import type { Server } from './server.ts';
import { allowOrigin, keysFor, type ServerFault } from './wraps.ts';

/** Loopback names with any port: a page elsewhere, or a name that it points here, must not control the server. */
const ownAddress = /^(https?:\/\/)?(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/** Opens the control port of a server on 127.0.0.1. */
export function listenForControl(
  server: Pick<Server, 'requests' | 'reset' | 'answerNext'>,
  port: number,
  findFault: (id: string) => ServerFault,
): Promise<Listening> {
  function order(body: Uint8Array): void {
    const { fault, ...numbers } = Object(JSON.parse(new TextDecoder().decode(body)));
    server.answerNext(fault === undefined ? numbers : { ...numbers, fault: findFault(String(fault)) });
  }
  function control({ method, target, body }: StoreRequest): StoreResponse {
    const operation = `${method} ${target}`;
    try {
      if (operation === 'POST /reset') server.reset();
      else if (operation === 'POST /next') order(body);
      else if (operation !== 'GET /journal') return refuse(404, 'There are GET /journal, POST /reset and POST /next.');
    } catch (error) {
      return refuse(400, (error as Error).message);
    }
    const headers = { 'Content-Type': 'application/json' };
    return { status: 200, headers, body: JSON.stringify(method === 'GET' ? server.requests : {}) };
  }
  function handle(request: StoreRequest, now: number): StoreResponse {
    const isOwn = request.headers.every(([name, value]) => !/^(host|origin)$/i.test(name) || ownAddress.test(value));
    if (!isOwn) return refuse(403, 'Only pages and programs of this machine may control the server.');
    return allowOrigin(readHeader(request, 'origin'))(control, keysFor([]))(request, now);
  }
  return listen(handle, { port });
}
