/** Refuses on the socket itself what node:http hands over without a response: requests that break, and that take too long. */

import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { StoreResponse } from './answer.ts';
import { answerOrBreak } from './broken-off.ts';
import type { Connection } from './connections.ts';
import type { Handle } from './pet-store.ts';
import { nothing, readHead } from './reading.ts';
import type { StoreRequest, Unread } from './request.ts';

const statuses: Readonly<Record<string, Unread['status']>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/** The status for an error of node:http. */
export function readStatus({ code = '' }: NodeJS.ErrnoException): Unread['status'] {
  return statuses[code] ?? 400;
}

/** Nothing where the connection breaks off. */
function writeBytes(answer: StoreResponse | undefined, now: number): string {
  if (answer === undefined) return '';
  const { status, headers, body } = answer;
  const date = new Date(now).toUTCString();
  const sent = { ...headers, 'Content-Length': Buffer.byteLength(body), Date: date, Connection: 'close' };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

/** Half-closes a socket and reads on for a while: one that is closed on unread bytes loses its answer. */
function endSocket(socket: Duplex, bytes: string, lingerMs: number): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer)).on('error', () => socket.destroy());
  socket.resume().end(bytes);
}

export interface Refusals {
  /** Answers CONNECT, after which node:http reads nothing more. */
  readonly answerConnect: (incoming: IncomingMessage, socket: Duplex, connection: Connection) => void;
  /** Answers a request that is read no further. */
  readonly refuse: (socket: Duplex, connection: Connection, status: Unread['status']) => void;
  /** Closes a connection that makes room for another, at once: who does not read its answer holds nothing up. */
  readonly drop: (socket: Duplex, connection: Connection) => void;
}

/** `now` gives Unix milliseconds. */
export function createRefusals(handle: Handle, now: () => number, lingerMs: number): Refusals {
  /** Where the head has come, its key is counted. */
  function writeRefusal(socket: Duplex, { reading }: Connection, status: Unread['status']): string {
    const address = 'remoteAddress' in socket ? String(socket.remoteAddress) : '';
    const headless: StoreRequest = { method: '', target: '', headers: [], body: nothing, address };
    const request = reading === undefined ? headless : readHead(reading);
    const unread: Unread = { part: reading === undefined ? 'head' : 'body', status };
    const at = now();
    return writeBytes(
      answerOrBreak(() => handle({ ...request, unread }, at)),
      at,
    );
  }

  return {
    answerConnect(incoming, socket, connection) {
      connection.isOver = true;
      const at = now();
      const answer = answerOrBreak(() => handle(readHead(incoming), at));
      endSocket(socket, writeBytes(answer, at), lingerMs);
    },
    refuse(socket, connection, status) {
      connection.isOver = true;
      endSocket(socket, writeRefusal(socket, connection, status), lingerMs);
    },
    drop(socket, connection) {
      if (!connection.isOver) socket.write(writeRefusal(socket, connection, 408));
      socket.destroy();
    },
  };
}
