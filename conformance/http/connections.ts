/** Agents that keep connections, and know which requests went out on a reused one. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { type ClientRequest, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { shareOfTunnel } from './tolerances.ts';

interface Sending {
  /** Whether it must not go out on a connection that was used before. */
  readonly needsNew: boolean;
  isReused: boolean;
}

/** Requests are sent within the context of their `Sending`, since fetch passes nothing on to its agent. */
const sending = new AsyncLocalStorage<Sending>();

/** The members of an agent that its type does not declare. */
interface Internals {
  freeSockets: object;
  addRequest: (request: ClientRequest, ...rest: unknown[]) => void;
  reuseSocket: (...socketAndRequest: unknown[]) => void;
}

/**
 * Bytes behind a response are an error of Node.js, which then discards a body that nobody has read yet. A service that
 * cannot read a request body in chunks takes it for another request, and answers that as well.
 */
function keepWholeResponse(request: ClientRequest): void {
  const made = request as ClientRequest & { res?: { readonly complete: boolean; _dump: () => void } };
  request.on('error', () => {
    if (made.res?.complete) made.res._dump = () => undefined;
  });
}

/**
 * node-fetch takes an answer in chunks that ends otherwise than in an empty chunk for cut: trailers may follow that chunk,
 * and it may have extensions (RFC 9112, 7.1). Node.js itself breaks one that is cut.
 */
function allowTrailers(request: ClientRequest): void {
  request.on('response', ({ headers }) => {
    delete headers['transfer-encoding'];
  });
}

function openOf(sockets: NodeJS.ReadOnlyDict<readonly Socket[]>): readonly Socket[] {
  return Object.values(sockets).flatMap((list) => list?.filter(({ destroyed }) => !destroyed) ?? []);
}

/**
 * Makes an agent look for kept connections only where a request may use one, and keep no more than `mostOpen` in total: a
 * server that gives each connection a thread may have only a few, and one with a single thread serves nobody else
 * meanwhile.
 */
function watched<Agent extends HttpAgent>(agent: Agent, mostOpen: number): Agent {
  const internals = agent as unknown as Internals;
  const { addRequest, reuseSocket } = internals;
  const keepAlive = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) =>
    openOf(agent.sockets).length + openOf(agent.freeSockets).length <= mostOpen && keepAlive(socket);
  internals.addRequest = (...request) => {
    keepWholeResponse(request[0]);
    allowTrailers(request[0]);
    const kept = internals.freeSockets;
    if (sending.getStore()?.needsNew === true) {
      const idle = openOf(agent.freeSockets);
      if (openOf(agent.sockets).length + idle.length >= mostOpen) idle[0]?.destroy();
      internals.freeSockets = {};
    }
    addRequest.apply(agent, request);
    internals.freeSockets = kept;
  };
  internals.reuseSocket = (...socket) => {
    const current = sending.getStore();
    if (current !== undefined) current.isReused = true;
    reuseSocket.apply(agent, socket);
  };
  return agent;
}

/** `proxyEnv` names proxies, read by readProxies. At most `mostOpen` connections are kept. */
export function createConnections(proxyEnv: NodeJS.ProcessEnv, mostOpen: number, timeoutMs: number) {
  // Without a limit of its own, a connection to a proxy that never opens the tunnel would outlive the agent.
  const timeout = Math.ceil(timeoutMs * shareOfTunnel);
  const http = watched(new HttpAgent({ keepAlive: true, proxyEnv }), mostOpen);
  // Made for the first address with https://, since it loads TLS.
  let https: HttpsAgent | undefined;
  return {
    agentFor({ protocol }: URL): HttpAgent {
      if (protocol !== 'https:') return http;
      https ??= watched(new HttpsAgent({ keepAlive: true, proxyEnv, timeout }), mostOpen);
      return https;
    },
    close(): void {
      http.destroy();
      https?.destroy();
    },
  };
}

/**
 * Sends a request. One that breaks on a reused connection, which the other side may have closed long ago, is sent once
 * more on a new one. A request that may create something goes out on a new connection at once, since a repeat could
 * create it twice.
 */
export async function sendOnce<Result>(
  isRepeatable: boolean,
  send: () => Promise<Result>,
  mayRepeat: (error: unknown) => boolean,
): Promise<Result> {
  const first: Sending = { needsNew: !isRepeatable, isReused: false };
  try {
    return await sending.run(first, send);
  } catch (error) {
    if (!first.isReused || !mayRepeat(error)) throw error;
    return sending.run({ needsNew: true, isReused: false }, send);
  }
}
