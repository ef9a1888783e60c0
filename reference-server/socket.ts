/** Answers requests on a socket, also those that node:http cannot read. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { readHeader, type StoreRequest, type StoreResponse } from './answer.ts';
import { mostBytes } from './operations.ts';

export interface ListenOptions {
  /** 8080 by default; 0 takes a free one. */
  readonly port?: number;
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** The time in Unix milliseconds; the clock of the machine by default. */
  readonly now?: () => number;
  /** Options of node:http, in milliseconds. */
  readonly http?: Readonly<
    Partial<Record<'requestTimeout' | 'headersTimeout' | 'connectionsCheckingInterval', number>>
  >;
}

/** `url` has no base path; `close` finishes open requests, and after three seconds ends what is not finished. */
export type Listening = { readonly url: string; readonly close: () => Promise<void> };

/** Answers at once or later; where it answers nothing, the connection is reset. */
type Respond = (request: StoreRequest, now: number) => Answer | Promise<Answer>;
type Answer = StoreResponse | undefined;

const unreadStatuses: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };
const nothing = { method: '', target: '', headers: [], body: new Uint8Array() };

function readHead({ rawHeaders: raw, method = '', url = '', socket }: IncomingMessage): StoreRequest {
  const headers: (readonly [string, string])[] = [];
  for (let at = 0; at < raw.length; at += 2) headers.push([raw[at]!, raw[at + 1]!]);
  return { ...nothing, method, target: url, headers, address: socket.remoteAddress ?? '' };
}

/** Listens; rejects with the error of node:net where the port is not available. */
export async function listen(respond: Respond, options: ListenOptions = {}): Promise<Listening> {
  const { port = 8080, host = '127.0.0.1', now = Date.now } = options;

  /** Names and values by turns, the form that node:http writes fastest. A 204 must not declare a length (RFC 9110). */
  function headersOf({ status, headers }: StoreResponse, length: number): string[] {
    const sent = status === 204 ? [] : ['Content-Length', String(length)];
    for (const name in headers) sent.push(name, headers[name]!);
    if (options.now !== undefined) sent.push('Date', new Date(now()).toUTCString());
    return sent;
  }

  function write(response: ServerResponse, answer: Answer): void {
    if (answer === undefined) return void response.req.socket.resetAndDestroy();
    const length = Buffer.byteLength(answer.body);
    // Both encodings give the same bytes for ASCII, and latin1 is faster.
    const encoding = length === answer.body.length ? 'latin1' : 'utf8';
    response.writeHead(answer.status, headersOf(answer, length)).end(answer.body, encoding);
  }

  function send(request: StoreRequest, response: ServerResponse): void {
    const answer = respond(request, now());
    if (answer instanceof Promise) void answer.then((later) => write(response, later));
    else write(response, answer);
  }

  function receive(incoming: IncomingMessage, response: ServerResponse): void {
    const head = readHead(incoming);
    const hasBody = readHeader(head, 'content-length') !== '' || readHeader(head, 'transfer-encoding') !== '';
    if (!hasBody) return void send(head, response);
    const chunks: Uint8Array[] = [];
    let length = 0;
    incoming.on('data', (chunk: Uint8Array) => {
      // One chunk beyond the limit shows that the body is too large; the rest is not kept.
      if (length <= mostBytes) chunks.push(chunk);
      length += chunk.length;
    });
    incoming.on('end', () =>
      send({ ...head, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) }, response),
    );
  }

  /** Answers where node:http offers no response. A socket that is closed on unread bytes would lose the answer. */
  async function sendRaw(request: StoreRequest, socket: Duplex): Promise<void> {
    if (!socket.writable) return;
    const answer = await respond(request, now());
    if (answer === undefined) return void socket.destroy();
    const headers = [...headersOf(answer, Buffer.byteLength(answer.body)), 'Connection', 'close'];
    const lines = headers.map((text, at) => text + (at % 2 ? '\r\n' : ': '));
    const head = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${lines.join('')}`;
    socket.on('error', () => socket.destroy()).resume();
    socket.end(`${head}\r\n${answer.body}`);
    setTimeout(() => socket.destroy(), 2_000).unref();
  }

  const timeouts = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000 };
  // Without a Host node:http would answer itself, without the headers of §8.
  const server = createServer({ ...timeouts, requireHostHeader: false, ...options.http }, receive)
    .on('checkExpectation', receive)
    .on('connect', (incoming, socket) => void sendRaw(readHead(incoming), socket))
    .on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const address = 'remoteAddress' in socket ? String(socket.remoteAddress) : '';
      void sendRaw({ ...nothing, address, unread: unreadStatuses[error.code ?? ''] ?? 400 }, socket);
    });
  server.maxConnections = 1_000;
  await once(server.listen(port, host), 'listening');
  const { address, port: bound, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    async close() {
      const timer = setTimeout(() => server.closeAllConnections(), 3_000);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(timer);
    },
  };
}
