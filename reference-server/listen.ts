/** Adapts a handle to node:http, with limits on everything that comes from outside. */

import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { StoreResponse } from './answer.ts';
import type { Handle } from './pet-store.ts';
import { maxBodyBytes, type StoreRequest } from './request.ts';

export interface ListenOptions {
  /** 8080 where none is given; 0 takes a free one. */
  readonly port?: number;
  /** 127.0.0.1 where none is given. */
  readonly host?: string;
  /** Unix milliseconds; the clock of the machine where none is given. */
  readonly now?: () => number;
}

export interface Listening {
  /** http://host:port, without the base path. */
  readonly url: string;
  /** Takes no more connections, finishes what is under way, and after three seconds ends what is not finished. */
  readonly close: () => Promise<void>;
}

const limits = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000, maxHeaderSize: 16_384 };
const closeTimeoutMs = 3_000;
const lingerMs = 2_000;
const maxConnections = 1_000;
const nothing = new Uint8Array();

function readRequest(incoming: IncomingMessage, body: Uint8Array): StoreRequest {
  const { rawHeaders: raw } = incoming;
  const headers: (readonly [string, string])[] = [];
  for (let at = 0; at < raw.length; at += 2) headers.push([raw[at]!, raw[at + 1]!]);
  const address = incoming.socket.remoteAddress ?? '';
  return { method: incoming.method ?? '', target: incoming.url ?? '', headers, body, address };
}

/** Reads a body up to the first bytes beyond the limit. A client that goes away before that is not answered. */
function readBody(incoming: IncomingMessage, whenRead: (body: Uint8Array) => void): void {
  const chunks: Uint8Array[] = [];
  let length = 0;
  function finish(): void {
    incoming.off('data', take).off('end', finish);
    whenRead(Buffer.concat(chunks));
  }
  function take(chunk: Uint8Array): void {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBodyBytes) finish();
  }
  incoming
    .on('data', take)
    .on('end', finish)
    .on('error', () => undefined);
}

/** Ends a response only when its request has ended, or after a while: a socket closed on unread bytes loses its answer. */
function endLater(incoming: IncomingMessage, response: ServerResponse): void {
  const timer = setTimeout(() => response.end(), lingerMs);
  incoming.resume().once('end', () => response.end());
  response.once('close', () => clearTimeout(timer));
}

/** An answer for a socket on which node:http answers nothing itself. */
function endSocket(socket: Duplex, { status, headers, body }: StoreResponse): void {
  const sent = { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

/** Listens; rejects with the error of node:net where the port cannot be had. */
export async function listen(handle: Handle, options: ListenOptions = {}): Promise<Listening> {
  const { port = 8080, host = '127.0.0.1', now = Date.now } = options;
  let isClosing = false;

  function answer(incoming: IncomingMessage, response: ServerResponse, request: Uint8Array): void {
    const at = now();
    const { status, headers, body } = handle(readRequest(incoming, request), at);
    const isCut = request.length > maxBodyBytes;
    const length = Buffer.byteLength(body);
    const sent: Record<string, string | number> = { ...headers, 'Content-Length': length };
    if (options.now !== undefined) sent['Date'] = new Date(at).toUTCString();
    if (isCut || isClosing) sent['Connection'] = 'close';
    response.writeHead(status, sent);
    // Text of one byte a character is the same in both, and written faster as latin1.
    if (!isCut) return void response.end(body, length === body.length ? 'latin1' : 'utf8');
    response.write(body);
    endLater(incoming, response);
  }

  function serve(incoming: IncomingMessage, response: ServerResponse): void {
    const { headers } = incoming;
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    if (hasBody) readBody(incoming, (body) => answer(incoming, response, body));
    else answer(incoming, response, nothing);
  }

  const server = createServer({ ...limits, requireHostHeader: false }, serve);
  server.maxConnections = maxConnections;
  server.maxHeadersCount = 0;
  // Left alone, node:http would answer 417, and end CONNECT without a word: no rate limit headers in either.
  server.on('checkExpectation', serve);
  server.on('connect', (incoming, socket) => endSocket(socket, handle(readRequest(incoming, nothing), now())));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const address = 'remoteAddress' in socket ? String(socket.remoteAddress) : '';
    const { headers } = handle({ method: '', target: '', headers: [], body: nothing, address }, now());
    const body = '{"code":"bad_request","message":"The request cannot be read as HTTP.","status":400}';
    endSocket(socket, { status: 400, headers, body });
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const { address, port: bound, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        isClosing = true;
        const timer = setTimeout(() => server.closeAllConnections(), closeTimeoutMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
