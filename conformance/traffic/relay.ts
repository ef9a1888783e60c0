/** Passes the requests of clients on to a target, and captures the exchanges. */

import { once } from 'node:events';
import http, { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { defined } from '../../spec/defined.ts';
import { transportErrorOf } from '../http/transport.ts';
import { type CapturedExchange, targetBelow } from './captured-exchange.ts';
import { decodeContent, readableCodings } from './content-coding.ts';

/** These belong to one connection, and node:http writes its own. */
const notPassed = /^(connection|keep-alive|proxy-connection|upgrade|http2-settings|expect|trailer|host)$/i;

/** The headers of a message that are passed on, in their order and spelling. Only readable content codings are asked for. */
function passedHeaders({ rawHeaders }: IncomingMessage): string[] {
  return rawHeaders.flatMap((value, at) => {
    if (at % 2 === 0) return [];
    const name = rawHeaders[at - 1]!;
    if (notPassed.test(name)) return [];
    return [name, /^accept-encoding$/i.test(name) ? readableCodings(value) : value];
  });
}

function relayedHeaders({ headersDistinct }: IncomingMessage): CapturedExchange['headers'] {
  return Object.fromEntries(Object.entries(headersDistinct).map(([name, all = []]) => [name, all.join(', ')]));
}

const now = (): number => performance.timeOrigin + performance.now();

type RelayOutcome = Pick<CapturedExchange, 'response' | 'failure'>;

/**
 * Starts the relay on a port of this machine, 0 for a free one, and calls `onExchange` after each response has been passed on.
 * Rejects if the port cannot be listened on.
 */
export async function startRelay(baseUrl: string, port: number, onExchange: (exchange: CapturedExchange) => void) {
  const base = new URL(baseUrl);
  const { request } = base.protocol === 'https:' ? https : http;

  /** Passes an answer on, and resolves when the client has it. Undefined if the client gave up: the target may go on. */
  async function answer(incoming: IncomingMessage, path: string, body: Buffer, client: ServerResponse) {
    const { method = 'GET' } = incoming;
    const headers = ['Host', base.host, ...passedHeaders(incoming)];
    const sent = request(base, { method, path, headers, agent: false });
    // An error after the answer began is one of the answer.
    sent.on('error', () => undefined);
    client.once('close', () => void (client.writableFinished || sent.destroy()));
    try {
      const [response] = (await once(sent.end(body), 'response')) as [IncomingMessage];
      const { statusCode: status = 0, statusMessage } = response;
      const received = await buffer(response);
      client.writeHead(status, statusMessage, passedHeaders(response)).end(received);
      // An answer that came whole counts, even if the client has left by now.
      await finished(client).catch(() => undefined);
      const answered = relayedHeaders(response);
      const content = decodeContent(received, answered['content-encoding']);
      return { response: { status, headers: answered, body: content } };
    } catch (error) {
      if (client.destroyed) return undefined;
      client.destroy();
      const { code, message } = transportErrorOf(error, Number.POSITIVE_INFINITY, false);
      return { failure: { code, message } };
    }
  }

  const server = createServer(async (incoming, client) => {
    const { method = 'GET', url: path = '/' } = incoming;
    const startedAt = now();
    const body = await buffer(incoming).catch(() => undefined);
    const outcome: RelayOutcome | undefined = body && (await answer(incoming, path, body, client));
    const target = targetBelow(baseUrl, base.origin + path);
    if (target === undefined || body === undefined || outcome === undefined) return;
    const sent = { method, target, headers: relayedHeaders(incoming), body: body.toString() || undefined };
    onExchange(defined({ ...sent, ...outcome, startedAt, endedAt: now() }));
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const { port: opened } = server.address() as AddressInfo;
  return {
    /** The address that clients use instead of that of the target. */
    baseUrl: `http://127.0.0.1:${opened}${base.pathname.replace(/\/$/, '')}`,
    close() {
      server.closeAllConnections();
      return server[Symbol.asyncDispose]();
    },
  };
}
