/** Small gateways to put in front of a neighbour: a cache, and one that fails now and then. They know nothing of pets. */

import { Agent, createServer, type IncomingHttpHeaders, type IncomingMessage, request, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Neighbour, NeighbourOptions, RunningNeighbour } from './index.ts';
import { listen } from './listen.ts';

/** An answer on its way to the client; undefined where the connection breaks instead. */
interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Answers a request; `pass` asks the server behind the gateway. */
type Answering = (incoming: IncomingMessage, pass: () => Promise<Answer>) => Promise<Answer | undefined>;

/** What a gateway does, given the time in Unix milliseconds. Each start makes it anew. */
export type Gateway = (now: () => number) => Answering;

async function passOn(agent: Agent, to: URL, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  const { method, headers } = incoming;
  const outgoing = request({ agent, host: to.hostname, port: to.port, path: incoming.url, method, headers });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).on('error', reject);
  });
  outgoing.end(body);
  const response = await answered;
  return { status: response.statusCode!, headers: response.headers, body: await buffer(response) };
}

function createGateway(answering: Answering, agent: Agent, to: URL): Server {
  return createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    // A connection that breaks behind the gateway, as when the gateway is closed, breaks in front of it too.
    const answer = await answering(incoming, () => passOn(agent, to, incoming, body)).catch(() => undefined);
    if (answer === undefined) return void incoming.socket.destroy();
    const { connection, 'keep-alive': _, 'transfer-encoding': __, ...headers } = answer.headers;
    outgoing.writeHead(answer.status, { ...headers, 'content-length': answer.body.length });
    outgoing.end(answer.body);
  });
}

/** Puts a gateway on a port of this machine, before the server at an address. */
export async function startGateway(gateway: Gateway, now: () => number, to: string): Promise<RunningNeighbour> {
  const agent = new Agent({ keepAlive: true });
  const { baseUrl, close } = await listen(createGateway(gateway(now), agent, new URL(to)));
  return {
    baseUrl,
    async close() {
      await close();
      agent.destroy();
    },
  };
}

/** A neighbour behind a gateway. */
export function behind(neighbour: Neighbour, gateway: Gateway): Neighbour {
  return {
    ...neighbour,
    async start(options: NeighbourOptions) {
      const upstream = await neighbour.start(options);
      const front = await startGateway(gateway, options.now, upstream.baseUrl);
      return { baseUrl: front.baseUrl, close: () => front.close().then(upstream.close) };
    },
  };
}

/** A cache of what GET requests answered with 200; with grace, an old copy is still answered while a new one is fetched. */
export function cache(ttlMs: number, kind: 'plain' | 'with grace'): Gateway {
  return (now) => {
    const copies = new Map<string, { readonly answer: Answer; readonly storedAt: number }>();
    return async ({ method, url, headers }, pass) => {
      // A stepped clock moves with the answers, so what a real cache fetches behind an answer is fetched before it.
      const fresh = await pass();
      if (method !== 'GET' || fresh.status !== 200) return fresh;
      const key = `${url} ${headers.authorization}`;
      const copy = copies.get(key);
      const isFresh = copy !== undefined && now() - copy.storedAt < ttlMs;
      if (!isFresh) copies.set(key, { answer: fresh, storedAt: now() });
      return copy !== undefined && (isFresh || kind === 'with grace') ? { ...fresh, body: copy.answer.body } : fresh;
    };
  };
}

/** A gateway that does not reach the server for some requests; the connection breaks where there is no status. */
export function flaky(isDown: (elapsedMs: number, count: number) => boolean, status?: 502 | 503): Gateway {
  return (now) => {
    let since: number | undefined;
    let count = 0;
    const body = Buffer.from(`<html><head><title>${status}</title></head><body><hr>nginx/1.27</body></html>`);
    const headers = { 'content-type': 'text/html', server: 'nginx/1.27' };
    return async (_incoming, pass) => {
      since ??= now();
      count += 1;
      if (!isDown(now() - since, count)) return pass();
      return status === undefined ? undefined : { status, headers, body };
    };
  };
}

/** A gateway that never answers its n-th request and those after it; `onStall` is called when the n-th has come. */
export function stalling(nth: number, onStall: () => void): Gateway {
  return () => {
    let count = 0;
    return (_incoming, pass) => {
      count += 1;
      if (count < nth) return pass();
      if (count === nth) onStall();
      return new Promise(() => {});
    };
  };
}
