/** Listens on a socket and answers with a handle, within limits on everything that comes from outside. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createConnections, createRefusals, readRequest } from './connections.ts';
import { answerUnlessBroken, type Handle, type StoreRequest, type StoreResponse } from './messages.ts';

const defaultTimeouts = {
  /** From the connection, or the start of a request, to the end of the headers. After it the client gets 408. */
  headersMs: 10_000,
  /** From the same start to the end of the body. After it the client gets 408. */
  requestMs: 30_000,
  /** Between two requests on a connection. */
  keepAliveMs: 5_000,
  /** With an answer that the client has stopped reading. */
  unreadMs: 30_000,
  /** How long the server still reads from a client that it has refused, so that the answer is not lost. */
  lingerMs: 2_000,
  /** To finish open requests when the server is closed. */
  closeMs: 3_000,
};

/** How long a client may take, in milliseconds. */
export type Timeouts = Readonly<typeof defaultTimeouts>;

/** Where and how a server listens. */
export interface ListenOptions {
  /** 8080 by default; 0 takes a free one. */
  readonly port?: number;
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** The time in Unix milliseconds; the clock of the machine by default. */
  readonly now?: () => number;
  /** How long the next answer is held back, in milliseconds; not at all by default. */
  readonly delayMs?: () => number;
  readonly timeouts?: Partial<Timeouts>;
  /** 1,000 by default. Beyond that the connection that has gone longest without a complete request gets 408. */
  readonly maxConnections?: number;
}

/** A server that listens. */
export interface Listening {
  /** http://host:port, without the base path. */
  readonly url: string;
  /** Accepts no further connections, finishes open requests, and after a while ends what is not finished. */
  readonly close: () => Promise<void>;
}

/** Ends a response only when its request has ended, or after a while: a socket closed on unread bytes loses its answer. */
function endLater(response: ServerResponse, body: string, lingerMs: number): void {
  const timer = setTimeout(() => response.end(), lingerMs);
  response.once('close', () => clearTimeout(timer)).write(body);
  response.req.resume().once('end', () => response.end());
}

/** Answers every request with the handle, those too that node:http would answer itself. */
function serve(server: Server, handle: Handle, options: ListenOptions, timeouts: Timeouts): void {
  const { now, delayMs, maxConnections = 1_000 } = options;
  const refusals = createRefusals(handle, now ?? Date.now, timeouts.lingerMs);
  const connections = createConnections(maxConnections, refusals.drop);

  function write(response: ServerResponse, request: StoreRequest, answer: StoreResponse, isLast: boolean): void {
    const { status, headers, body } = answer;
    const length = Buffer.byteLength(body);
    // An alternating list of names and values is the form that node:http writes fastest.
    const sent: string[] = [];
    for (const name in headers) sent.push(name, headers[name]!);
    // A 204 has no body, and must not declare the length of one (RFC 9110).
    if (status !== 204) sent.push('Content-Length', String(length));
    if (now !== undefined) sent.push('Date', new Date(now()).toUTCString());
    // The server may have been closed while the answer was held back.
    if (isLast || !server.listening) sent.push('Connection', 'close');
    response.writeHead(status, sent);
    // For text of one byte a character both encodings give the same bytes, and latin1 is faster.
    if (request.unread === undefined) response.end(body, length === body.length ? 'latin1' : 'utf8');
    else endLater(response, body, timeouts.lingerMs);
    // Bytes that were not sent at once wait for the client to read.
    const { socket } = response.req;
    if (socket.writableLength > 0) socket.setTimeout(timeouts.unreadMs);
  }

  function receive(incoming: IncomingMessage, response: ServerResponse, invite: () => void = () => undefined): void {
    const { socket } = incoming;
    const connection = connections.find(socket);
    if (connection === undefined) return;
    connection.reading = incoming;
    readRequest(incoming, invite, (request) => {
      if (connection.isOver) return;
      connection.reading = undefined;
      connection.isOver = request.unread !== undefined || !server.listening;
      if (request.unread === undefined) connections.renew(socket, connection);
      const answer = answerUnlessBroken(() => handle(request, now?.() ?? Date.now()));
      const delay = delayMs?.() ?? 0;
      if (answer === undefined) socket.resetAndDestroy();
      else if (delay === 0) write(response, request, answer, connection.isOver);
      else setTimeout(() => write(response, request, answer, connection.isOver), delay);
    });
  }

  server
    .on('connection', connections.add)
    .on('request', (incoming, response) => receive(incoming, response))
    .on('checkContinue', (incoming, response) => receive(incoming, response, () => response.writeContinue()))
    // Without a listener node:http answers 417, without rate-limit headers.
    .on('checkExpectation', (incoming, response) => receive(incoming, response))
    // Without a listener node:http closes the connection without an answer.
    .on('connect', (incoming, socket) => {
      const connection = connections.find(socket);
      if (connection !== undefined) refusals.answerConnect(incoming, socket, connection);
    })
    .on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const connection = connections.find(socket);
      // A socket that its client has broken is already closed.
      if (connection !== undefined && socket.writable) refusals.refuse(socket, connection, error);
    });
}

/** Listens; rejects with the error of node:net where the port is not available. */
export async function listen(handle: Handle, options: ListenOptions = {}): Promise<Listening> {
  const { port = 8080, host = '127.0.0.1' } = options;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const server = createServer({
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    // node:http checks both timeouts at this interval, by default every 30 seconds.
    connectionsCheckingInterval: Math.ceil(timeouts.headersMs / 10),
    keepAliveTimeout: timeouts.keepAliveMs,
    maxHeaderSize: 16_384,
    requireHostHeader: false,
  });
  server.maxHeadersCount = 0;
  serve(server, handle, options, timeouts);
  await once(server.listen(port, host), 'listening');
  const { address, port: bound, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    async close() {
      const timer = setTimeout(() => server.closeAllConnections(), timeouts.closeMs);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(timer);
    },
  };
}
