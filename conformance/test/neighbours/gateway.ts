/** Small gateways on a port of their own: one that fails now and then, and one that stalls. They know nothing of pets. */

import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen, type Neighbour } from './neighbour.ts';

/** An answer on its way to the client; undefined where the connection breaks instead. */
interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer | string;
}

/** What a gateway does with a request; `pass` asks the server behind it. */
export type Gateway = (pass: () => Promise<Answer>) => Promise<Answer | undefined>;

async function passOn(agent: Agent, to: URL, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  const { method, headers } = incoming;
  const outgoing = request({ agent, host: to.hostname, port: to.port, path: incoming.url, method, headers });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).on('error', reject);
  });
  outgoing.end(body);
  const response = await answered;
  const { connection, 'keep-alive': _, 'transfer-encoding': __, ...rest } = response.headers;
  return { status: response.statusCode!, headers: rest, body: await buffer(response) };
}

/** Puts a gateway before the server at an address; resolves with its own. It ends with the process. */
export function startGateway(gateway: Gateway, to: string): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    // A connection that breaks behind the gateway breaks in front of it too.
    const answer = await gateway(() => passOn(agent, new URL(to), incoming, body)).catch(() => undefined);
    if (answer === undefined) return void incoming.socket.destroy();
    const length = { 'content-length': Buffer.byteLength(answer.body) };
    outgoing.writeHead(answer.status, { ...answer.headers, ...length }).end(answer.body);
  });
  return listen(server);
}

/** A neighbour behind a gateway. */
export function behind(neighbour: Neighbour, gateway: Gateway): Neighbour {
  return async (now) => startGateway(gateway, await neighbour(now));
}

/** A gateway that does not reach the server for each n-th request; the connection breaks where there is no status. */
export function failingEvery(nth: number, status?: number): Gateway {
  let count = 0;
  return async (pass) => {
    count += 1;
    if (count % nth !== 0) return pass();
    const headers = { 'content-type': 'text/html', server: 'nginx/1.27' };
    return status === undefined ? undefined : { status, headers, body: `<html><h1>${status}</h1></html>` };
  };
}

/** A gateway that never answers its n-th request and those after it; `onStall` is called when the n-th has come. */
export function stalling(nth: number, onStall: () => void): Gateway {
  let count = 0;
  return (pass) => {
    count += 1;
    if (count < nth) return pass();
    if (count === nth) onStall();
    return new Promise(() => {});
  };
}
