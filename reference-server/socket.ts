/** Answers requests on a socket, also those that node:http cannot read. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { StoreRequest, StoreResponse } from './answer.ts';
import { mostBytes } from './operations.ts';

/** Port 8080 of 127.0.0.1 by default; 0 takes a free one. `now` returns Unix milliseconds, `http` replaces timeouts. */
export interface ListenOptions {
  readonly port?: number;
  readonly host?: string;
  readonly now?: () => number;
  readonly http?: Readonly<Record<string, number>>;
}

/** `url` has no base path; `close` finishes open requests, and after three seconds ends what is not finished. */
export type Listening = { readonly url: string; readonly close: () => Promise<void> };

/** Answers at once or later; where it answers nothing, the connection is reset. */
type Respond = (request: StoreRequest, now: number) => StoreResponse | undefined | Promise<StoreResponse | undefined>;

const unreadStatuses: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };
const nothing = { method: '', target: '', headers: [], body: new Uint8Array() };

function readHead({ rawHeaders: raw, method, url, socket }: IncomingMessage): StoreRequest {
  const headers: (readonly [string, string])[] = [];
  for (let at = 0; at < raw.length; at += 2) headers.push([raw[at]!, raw[at + 1]!]);
  return { ...nothing, method: method!, target: url!, headers, address: String(socket.remoteAddress) };
}

/** Listens; rejects with the error of node:net where the port is not available. */
export async function listen(respond: Respond, options: ListenOptions = {}): Promise<Listening> {
  const { port = 8080, host = '127.0.0.1', now = Date.now } = options;

  function headersOf({ headers, body }: StoreResponse, length = Buffer.byteLength(body)): Record<string, string> {
    const sent = { ...headers, 'Content-Length': headers['Content-Length'] ?? String(length) };
    return options.now === undefined ? sent : { ...sent, Date: new Date(now()).toUTCString() };
  }

  async function send(request: StoreRequest, response: ServerResponse): Promise<void> {
    const answered = respond(request, now());
    const answer = answered instanceof Promise ? await answered : answered;
    if (answer === undefined) return void response.req.socket.resetAndDestroy();
    const length = Buffer.byteLength(answer.body);
    const encoding = length === answer.body.length ? 'latin1' : 'utf8'; // ASCII leaves faster as latin1.
    response.writeHead(answer.status, headersOf(answer, length)).end(answer.body, encoding);
  }

  function receive(incoming: IncomingMessage, response: ServerResponse): void {
    const head = readHead(incoming);
    const hasBody = head.headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
    if (!hasBody) return void send(head, response);
    const chunks: Uint8Array[] = [];
    let length = 0;
    incoming.on('data', (chunk: Uint8Array) => {
      // One chunk beyond the limit shows that the body is too large; the rest is not kept.
      if (length <= mostBytes) chunks.push(chunk);
      length += chunk.length;
    });
    incoming.on('end', () => void send({ ...head, body: Buffer.concat(chunks) }, response));
  }

  /** Answers where node:http offers no response. A socket that is closed on unread bytes would lose the answer. */
  async function sendRaw(request: StoreRequest, socket: Socket): Promise<void> {
    if (!socket.writable) return;
    const answer = await respond(request, now());
    if (answer === undefined) return void socket.destroy();
    const lines = Object.entries({ ...headersOf(answer), Connection: 'close' }).map((pair) => `${pair.join(': ')}\r\n`);
    socket.on('error', () => socket.destroy()).resume();
    socket.end(`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${lines.join('')}\r\n${answer.body}`);
    setTimeout(() => socket.destroy(), 2_000).unref();
  }

  const timeouts = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000 };
  // Without a Host node:http would answer itself, without the headers of §8.
  const server = createServer({ ...timeouts, requireHostHeader: false, ...options.http }, receive)
    .on('checkExpectation', receive)
    .on('connect', (incoming, socket: Socket) => void sendRaw(readHead(incoming), socket))
    .on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Socket) => {
      void sendRaw({ ...nothing, address: String(socket.remoteAddress), unread: unreadStatuses[code] ?? 400 }, socket);
    });
  server.maxConnections = 1_000;
  await once(server.listen(port, host), 'listening');
  const { address, port: bound, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    async close() {
      setTimeout(() => server.closeAllConnections(), 3_000).unref();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
