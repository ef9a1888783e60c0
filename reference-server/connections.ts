/** Reads requests from connections, bounds how many connections are open, and refuses on the socket what cannot be read. */

import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  answerUnlessBroken,
  type Handle,
  maxBodyBytes,
  type StoreRequest,
  type StoreResponse,
  type Unread,
} from './messages.ts';

const noBody = new Uint8Array();

function readHead(incoming: IncomingMessage): StoreRequest {
  const { rawHeaders: raw } = incoming;
  const headers: (readonly [string, string])[] = [];
  for (let at = 0; at < raw.length; at += 2) headers.push([raw[at]!, raw[at + 1]!]);
  const address = incoming.socket.remoteAddress ?? '';
  return { method: incoming.method ?? '', target: incoming.url ?? '', headers, body: noBody, address };
}

/**
 * Reads a request, its body up to the first chunk beyond the limit. A client that disconnects in the middle gets no
 * answer. A body whose Content-Length is too large is not read, and its client is not invited (100 Continue) to send it.
 */
export function readRequest(
  incoming: IncomingMessage,
  invite: () => void,
  whenRead: (request: StoreRequest) => void,
): void {
  const head = readHead(incoming);
  const { 'content-length': declared, 'transfer-encoding': encoding } = incoming.headers;
  const isTooLarge = Number(declared) > maxBodyBytes;
  if (isTooLarge || (declared === undefined && encoding === undefined)) {
    whenRead(isTooLarge ? { ...head, unread: 413 } : head);
    return;
  }
  invite();
  const chunks: Uint8Array[] = [];
  let length = 0;
  incoming
    .on('data', (chunk: Uint8Array) => {
      if (length > maxBodyBytes) return;
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBodyBytes) whenRead({ ...head, unread: 413 });
    })
    .on('end', () => {
      if (length <= maxBodyBytes) whenRead({ ...head, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) });
    })
    .on('error', () => undefined);
}

export interface Connection {
  /** The request whose body is being read. */
  reading?: IncomingMessage | undefined;
  /** Set with the last answer: whatever the client still sends is not read as a request. */
  isOver: boolean;
}

/**
 * Keeps at most `most` connections: beyond that it drops the one that has gone longest without a complete request, so
 * that clients who connect and stay silent shut out nobody.
 */
export function createConnections(most: number, drop: (socket: Duplex, connection: Connection) => void) {
  /** The connection that has gone longest without a complete request comes first. */
  const open = new Map<Duplex, Connection>();
  return {
    add(socket: Duplex): void {
      open.set(socket, { isOver: false });
      socket.once('close', () => open.delete(socket));
      const [oldest] = open;
      if (open.size <= most || oldest === undefined) return;
      open.delete(oldest[0]);
      drop(...oldest);
    },
    /** Undefined for a connection that was closed or dropped, or that has had its last answer. */
    find(socket: Duplex): Connection | undefined {
      const connection = open.get(socket);
      return connection?.isOver ? undefined : connection;
    },
    /** Notes that a complete request has arrived. */
    renew(socket: Duplex, connection: Connection): void {
      if (open.delete(socket)) open.set(socket, connection);
    },
  };
}

const statusOfError: Readonly<Record<string, Unread>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

function writeBytes({ status, headers, body }: StoreResponse, now: number): string {
  const date = new Date(now).toUTCString();
  const sent = { ...headers, 'Content-Length': Buffer.byteLength(body), Date: date, Connection: 'close' };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}

/** Half-closes a socket and keeps reading for a while: a socket closed on unread bytes loses its answer. */
function endSocket(socket: Duplex, bytes: string, lingerMs: number): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer)).on('error', () => socket.destroy());
  socket.resume().end(bytes);
}

/** Answers on the socket itself where node:http offers no response; `now` gives Unix milliseconds. */
export function createRefusals(handle: Handle, now: () => number, lingerMs: number) {
  function answer(request: StoreRequest): string {
    const at = now();
    const made = answerUnlessBroken(() => handle(request, at));
    return made === undefined ? '' : writeBytes(made, at);
  }

  /** Once the head has been read, the refusal is counted by its key. */
  function writeRefusal(socket: Duplex, { reading }: Connection, unread: Unread): string {
    const address = 'remoteAddress' in socket ? String(socket.remoteAddress) : '';
    const head =
      reading === undefined ? { method: '', target: '', headers: [], body: noBody, address } : readHead(reading);
    return answer({ ...head, unread });
  }

  return {
    /** Answers CONNECT, after which node:http reads nothing more. */
    answerConnect(incoming: IncomingMessage, socket: Duplex, connection: Connection): void {
      connection.isOver = true;
      endSocket(socket, answer(readHead(incoming)), lingerMs);
    },
    /** Refuses a request that node:http could not read. */
    refuse(socket: Duplex, connection: Connection, { code = '' }: NodeJS.ErrnoException): void {
      connection.isOver = true;
      endSocket(socket, writeRefusal(socket, connection, statusOfError[code] ?? 400), lingerMs);
    },
    /** Makes room for another connection at once: a client that does not read its answer must not delay that. */
    drop(socket: Duplex, connection: Connection): void {
      if (!connection.isOver) socket.write(writeRefusal(socket, connection, 408));
      socket.destroy();
    },
  };
}
