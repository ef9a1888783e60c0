/** Has a handle answer all that a server of node:http receives, also where that would answer by itself. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { StoreResponse } from './answer.ts';
import { createBodyLength } from './body-length.ts';
import { answerOrBreak } from './broken-off.ts';
import { type Connection, type Connections, createConnections } from './connections.ts';
import type { Handle } from './pet-store.ts';
import { readRequest } from './reading.ts';
import { createRefusals, type Refusals, readStatus } from './refusals.ts';
import type { StoreRequest } from './request.ts';
import type { Timeouts } from './timeouts.ts';

export interface ServingOptions {
  /** Unix milliseconds; the clock of the machine where none is given. */
  readonly now: (() => number) | undefined;
  /** How long an answer is held back, milliseconds; not at all where none is given. */
  readonly delayMs: (() => number) | undefined;
  readonly maxConnections: number;
  readonly timeouts: Pick<Timeouts, 'lingerMs' | 'unreadMs'>;
}

/** Ends a response only when its request has ended, or after a while: a socket closed on unread bytes loses its answer. */
function endLater(response: ServerResponse, body: string, lingerMs: number): void {
  const timer = setTimeout(() => response.end(), lingerMs);
  response.once('close', () => clearTimeout(timer)).write(body);
  response.req.resume().once('end', () => response.end());
}

/** Takes connections in, and refuses on them what comes without a response. */
function refuseOthers(server: Server, connections: Connections, refusals: Refusals): void {
  server
    .on('connection', connections.add)
    // Left alone, node:http would end it without a word.
    .on('connect', (incoming, socket) => {
      const connection = connections.find(socket);
      if (connection !== undefined) refusals.answerConnect(incoming, socket, connection);
    })
    .on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const connection = connections.find(socket);
      // A socket that its client broke is at its end by itself.
      if (connection === undefined || !socket.writable) return;
      refusals.refuse(socket, connection, readStatus(error));
    });
}

/** Answers until the server is closed. */
export function serve(server: Server, handle: Handle, options: ServingOptions): void {
  const { now, delayMs, maxConnections, timeouts } = options;
  const refusals = createRefusals(handle, now ?? Date.now, timeouts.lingerMs);
  const connections = createConnections(maxConnections, refusals.drop);
  const lengthOf = createBodyLength();
  refuseOthers(server, connections, refusals);

  function write(response: ServerResponse, request: StoreRequest, answer: StoreResponse, isOver: boolean): void {
    const { status, headers, body } = answer;
    const length = lengthOf(body);
    // Names and values in turn: of all forms node:http reads this the fastest.
    const sent: string[] = [];
    for (const name in headers) sent.push(name, headers[name]!);
    sent.push('Content-Length', String(length));
    if (now !== undefined) sent.push('Date', new Date(now()).toUTCString());
    // While an answer was held back, the server may have been closed.
    if (isOver || !server.listening) sent.push('Connection', 'close');
    response.writeHead(status, sent);
    // Text of one byte a character is the same in both, and written faster as latin1.
    if (request.unread === undefined) response.end(body, length === body.length ? 'latin1' : 'utf8');
    else endLater(response, body, timeouts.lingerMs);
    // What has not left at once waits for its client to read.
    const { socket } = response.req;
    if (socket.writableLength > 0) socket.setTimeout(timeouts.unreadMs);
  }

  function answer(response: ServerResponse, request: StoreRequest, { isOver }: Connection): void {
    const made = answerOrBreak(() => handle(request, now?.() ?? Date.now()));
    if (made === undefined) response.req.socket.resetAndDestroy();
    else if (delayMs === undefined) write(response, request, made, isOver);
    else setTimeout(() => write(response, request, made, isOver), delayMs());
  }

  function receive(incoming: IncomingMessage, response: ServerResponse, invite: () => void): void {
    const { socket } = incoming;
    const connection = connections.find(socket);
    if (connection === undefined) return;
    connection.reading = incoming;
    readRequest(incoming, invite, (request) => {
      if (connection.isOver) return;
      connection.reading = undefined;
      connection.isOver = request.unread !== undefined || !server.listening;
      if (request.unread === undefined) connections.renew(connection);
      answer(response, request, connection);
    });
  }

  const receiveUninvited = (incoming: IncomingMessage, response: ServerResponse): void =>
    receive(incoming, response, () => undefined);
  server
    .on('request', receiveUninvited)
    .on('checkContinue', (incoming, response) => receive(incoming, response, () => response.writeContinue()))
    // Left alone, node:http would answer 417 without rate limit headers.
    .on('checkExpectation', receiveUninvited);
}
