/** Adapts a handle to node:http, with limits on everything that comes from outside. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Handle, maxBodyBytes, type StoreRequest } from './pet-store.ts';

export interface ListenOptions {
  /** 8080 when undefined; 0 takes a free one. */
  readonly port?: number;
  readonly host?: string;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

export interface Listening {
  /** Without the base path. */
  readonly url: string;
  /** Takes no more connections, finishes what is under way, and ends what does not finish. */
  readonly close: () => Promise<void>;
}

const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;
const keepAliveTimeoutMs = 5_000;
const closeTimeoutMs = 3_000;
const maxConnections = 1_000;
const nothing = new Uint8Array();

function readHeaders(raw: readonly string[]): (readonly [string, string])[] {
  const headers: (readonly [string, string])[] = [];
  for (let at = 0; at < raw.length; at += 2) headers.push([raw[at]!, raw[at + 1]!]);
  return headers;
}

function requestOf(incoming: IncomingMessage, body: Uint8Array): StoreRequest {
  return {
    method: incoming.method ?? 'GET',
    target: incoming.url ?? '/',
    headers: readHeaders(incoming.rawHeaders),
    body,
    address: incoming.socket.remoteAddress ?? '',
  };
}

/** Reads a body up to one byte beyond the limit; what follows is never read. */
async function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBodyBytes) break;
  }
  return Buffer.concat(chunks);
}

/** Listens; rejects with the error of node:net when the port cannot be had. */
export async function listen(handle: Handle, options: ListenOptions = {}): Promise<Listening> {
  const { port = 8080, host = '127.0.0.1', now } = options;
  const clock = now ?? Date.now;

  function answer(incoming: IncomingMessage, response: ServerResponse, body: Uint8Array): void {
    const at = clock();
    const { status, headers, body: text } = handle(requestOf(incoming, body), at);
    const bytes = Buffer.byteLength(text);
    const isCut = body.length > maxBodyBytes;
    response.writeHead(status, {
      ...headers,
      'Content-Length': bytes,
      ...(now === undefined ? {} : { Date: new Date(at).toUTCString() }),
      ...(isCut ? { Connection: 'close' } : {}),
    });
    response.end(incoming.method === 'HEAD' ? undefined : text);
  }

  const server = createServer(
    { headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs },
    (incoming, response) => {
      const hasBody =
        incoming.headers['content-length'] !== undefined || incoming.headers['transfer-encoding'] !== undefined;
      if (!hasBody) return answer(incoming, response, nothing);
      readBody(incoming).then(
        (body) => answer(incoming, response, body),
        // The client is gone before its body was whole.
        () => response.destroy(),
      );
      return undefined;
    },
  );
  server.keepAliveTimeout = keepAliveTimeoutMs;
  server.maxConnections = maxConnections;
  // What is no HTTP gets an Error all the same, with the headers of any other answer.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return socket.destroy();
    const address = 'remoteAddress' in socket ? String(socket.remoteAddress) : '';
    const { headers } = handle({ method: 'GET', target: '/', headers: [], body: nothing, address }, clock());
    const body = '{"code":"bad_request","message":"The request is no HTTP that can be read.","status":400}';
    const rate = Object.entries(headers).filter(([name]) => name.startsWith('X-RateLimit'));
    const lines = ['HTTP/1.1 400 Bad Request', 'Content-Type: application/json', 'Connection: close'];
    const all = [...lines, ...rate.map(([name, value]) => `${name}: ${value}`), `Content-Length: ${body.length}`];
    return socket.end(`${all.join('\r\n')}\r\n\r\n${body}`);
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { address, port: bound, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), closeTimeoutMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
