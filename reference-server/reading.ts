/** Reads what node:http has received as a request to the store. */

import type { IncomingMessage } from 'node:http';
import { maxBodyBytes, type StoreRequest, type Unread } from './request.ts';

export const nothing = new Uint8Array();
const tooLarge: Unread = { part: 'body', status: 413 };

export function readHead(incoming: IncomingMessage): StoreRequest {
  const { rawHeaders: raw } = incoming;
  const headers: (readonly [string, string])[] = [];
  for (let at = 0; at < raw.length; at += 2) headers.push([raw[at]!, raw[at + 1]!]);
  const address = incoming.socket.remoteAddress ?? '';
  return { method: incoming.method ?? '', target: incoming.url ?? '', headers, body: nothing, address };
}

/** Reads a body up to the first bytes beyond the limit. */
function readBody(incoming: IncomingMessage, whenRead: (request: StoreRequest) => void): void {
  const chunks: Uint8Array[] = [];
  let length = 0;
  incoming
    .on('data', (chunk: Uint8Array) => {
      // What lies beyond has been refused, and is read to be thrown away.
      if (length > maxBodyBytes) return;
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBodyBytes) whenRead({ ...readHead(incoming), unread: tooLarge });
    })
    .on('end', () => {
      if (length > maxBodyBytes) return;
      const [first = nothing] = chunks;
      whenRead({ ...readHead(incoming), body: chunks.length > 1 ? Buffer.concat(chunks) : first });
    })
    .on('error', () => undefined);
}

/**
 * Reads a request; a client that goes away in the middle is not answered. A body that says itself that it is too large
 * is not read, nor is its client invited to send it.
 */
export function readRequest(
  incoming: IncomingMessage,
  invite: () => void,
  whenRead: (request: StoreRequest) => void,
): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers;
  if (length === undefined && encoding === undefined) {
    whenRead(readHead(incoming));
  } else if (Number(length) > maxBodyBytes) {
    whenRead({ ...readHead(incoming), unread: tooLarge });
  } else {
    invite();
    readBody(incoming, whenRead);
  }
}
