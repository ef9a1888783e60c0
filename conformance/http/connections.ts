/** Agents that keep connections, for servers that are strict about them, and responses that are read as they are. */

import { type ClientRequest, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { shareOfTunnel } from './tolerances.ts';

/** A method that an agent's type does not declare. */
interface Internals {
  addRequest: (request: ClientRequest, ...rest: unknown[]) => void;
}

/** Reads a response where Node.js or node-fetch would give it up although it is whole. */
function readWholeResponse(request: ClientRequest): void {
  // Bytes behind a response are an error of Node.js, which then discards a body that nobody has read yet. A service that
  // cannot read a request body in chunks takes it for another request, and answers that as well.
  const made = request as ClientRequest & { res?: { readonly complete: boolean; _dump: () => void } };
  request.on('error', () => {
    if (made.res?.complete) made.res._dump = () => undefined;
  });
  // node-fetch takes chunks that do not end in an empty chunk for cut: trailers may follow it, and it may have extensions
  // (RFC 9112, 7.1). Node.js itself breaks a response that is cut.
  request.on('response', ({ headers }) => {
    delete headers['transfer-encoding'];
  });
}

function openIn(sockets: NodeJS.ReadOnlyDict<readonly Socket[]>): readonly Socket[] {
  return Object.values(sockets).flatMap((list) => list?.filter(({ destroyed }) => !destroyed) ?? []);
}

/** The connections that wait for a request. The next request takes one of them. */
export function idleOf(agent: HttpAgent): readonly Socket[] {
  return openIn(agent.freeSockets);
}

/**
 * Keeps no connection beside `mostOpen` others: a server that gives each connection a thread may have only a few, and one
 * with a single thread serves nobody else meanwhile.
 */
function limited<Agent extends HttpAgent>(agent: Agent, mostOpen: number): Agent {
  const keepAlive = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) =>
    openIn(agent.sockets).length + idleOf(agent).length <= mostOpen && keepAlive(socket);
  const internals = agent as unknown as Internals;
  const addRequest = internals.addRequest.bind(agent);
  internals.addRequest = (request, ...rest) => {
    readWholeResponse(request);
    addRequest(request, ...rest);
  };
  return agent;
}

/** `proxyEnv` names proxies, read by readProxies. At most `mostOpen` connections are kept. */
export function createConnections(proxyEnv: NodeJS.ProcessEnv, mostOpen: number, timeoutMs: number) {
  // Without a limit of its own, a connection to a proxy that never opens the tunnel would outlive the agent.
  const timeout = Math.ceil(timeoutMs * shareOfTunnel);
  const http = limited(new HttpAgent({ keepAlive: true, proxyEnv }), mostOpen);
  // Made for the first address with https://, since it loads TLS.
  let https: HttpsAgent | undefined;
  return {
    agentFor(url: string): HttpAgent {
      if (!/^https:/i.test(url)) return http;
      https ??= limited(new HttpsAgent({ keepAlive: true, proxyEnv, timeout }), mostOpen);
      return https;
    },
    close(): void {
      http.destroy();
      https?.destroy();
    },
  };
}
