/** Passes the requests of clients on to a target, and captures the exchanges. */

import { once } from 'node:events';
import http, { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { finished } from 'node:stream/promises';
import { defined } from '../../spec/defined.ts';
import { longestSilenceMs } from '../http/tolerances.ts';
import { type CapturedExchange, decodeBody, joinHeaders, longestBody, targetBelow } from './captured-exchange.ts';

export interface RelayOptions {
  readonly baseUrl: string;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Called after the response has been passed on. */
  readonly onExchange: (exchange: CapturedExchange) => void;
  /** A target that sends nothing for this long has failed. */
  readonly silenceMs?: number;
}

export interface Relay {
  /** The address that clients use instead of that of the target. */
  readonly baseUrl: string;
  readonly close: () => Promise<void>;
}

/** These belong to one connection or to the framing of a message, and node:http writes its own. */
const ofConnection = /^(connection|keep-alive|proxy-connection|upgrade|http2-settings|expect|trailer|host)$/i;
const unreachable = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

function headersOf({ rawHeaders }: IncomingMessage): readonly (readonly [name: string, value: string])[] {
  return rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1]!] as const] : []));
}

/** The headers of a message that are passed on, in their order and spelling. */
function passedHeaders(message: IncomingMessage): string[] {
  return headersOf(message).flatMap((header) => (ofConnection.test(header[0]) ? [] : header));
}

/** The whole body of a message that passes; undefined if it is too long or breaks off. */
function captureBody(message: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  message.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= longestBody) chunks.push(chunk);
  });
  return finished(message, { writable: false }).then(
    () => (length > longestBody ? undefined : Buffer.concat(chunks)),
    () => undefined,
  );
}

const now = (): number => performance.timeOrigin + performance.now();

/** Starts it; rejects if the port cannot be listened on. */
export async function startRelay(options: RelayOptions): Promise<Relay> {
  const { baseUrl, onExchange, silenceMs = longestSilenceMs } = options;
  const base = new URL(baseUrl);
  const { request, Agent } = base.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true });

  function send(incoming: IncomingMessage, path: string): http.ClientRequest {
    const { method = 'GET', headers } = incoming;
    const passed = ['Host', base.host, ...passedHeaders(incoming)];
    // Otherwise node:http would send a request without a body in chunks.
    const isBodiless = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
    if (isBodiless && method === 'POST') passed.push('Content-Length', '0');
    const outgoing = request(base, { method, path, headers: passed, agent, timeout: silenceMs });
    outgoing.on('timeout', () => outgoing.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })));
    // An error after the answer began is one of the answer.
    return incoming.pipe(outgoing.on('error', () => undefined));
  }

  /** Passes an answer on, and resolves when the client has it. Undefined if the client gave up: the target may go on. */
  async function answer(
    incoming: IncomingMessage,
    path: string,
    client: ServerResponse,
  ): Promise<Pick<CapturedExchange, 'response' | 'failure'> | undefined> {
    const sent = send(incoming, path);
    client.once('close', () => void (client.writableFinished || sent.destroy()));
    try {
      // The connection closes without an error where the target changes to another protocol.
      const [response] = (await Promise.race([once(sent, 'response'), once(sent, 'close')])) as [IncomingMessage?];
      if (response === undefined) throw new Error('no HTTP answer');
      const { statusCode: status = 0, statusMessage } = response;
      client.sendDate = false;
      client.writeHead(status, statusMessage, passedHeaders(response));
      const captured = captureBody(response);
      response.pipe(client);
      await finished(response);
      // An answer that came whole counts, even if the client has left by now.
      await finished(client).catch(() => undefined);
      const headers = joinHeaders(headersOf(response));
      const body = await captured;
      return { response: { status, headers, body: body && decodeBody(body, headers['content-encoding']) } };
    } catch (error) {
      if (client.destroyed) return undefined;
      client.destroy();
      const { code: message = String(error) } = error as NodeJS.ErrnoException;
      return { failure: { code: unreachable.test(message) ? 'unreachable' : 'broken', message } };
    }
  }

  const server = createServer(async (incoming, client) => {
    const { method = 'GET', url = '/' } = incoming;
    const path = url.replace(/^https?:\/\/[^/]*/i, '');
    const startedAt = now();
    const captured = captureBody(incoming);
    const outcome = await answer(incoming, path, client);
    const endedAt = now();
    const body = await captured;
    const target = targetBelow(baseUrl, base.origin + path);
    // The answer to a request that was not captured as a whole proves nothing.
    if (target === undefined || outcome === undefined || body === undefined) return;
    const headers = joinHeaders(headersOf(incoming));
    onExchange(
      defined({ method, target, headers, body: body.toString() || undefined, ...outcome, startedAt, endedAt }),
    );
  });
  await once(server.listen(options.port, options.host), 'listening');
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    baseUrl: `http://${host}:${port}${base.pathname.replace(/\/$/, '')}`,
    close() {
      server.closeAllConnections();
      agent.destroy();
      return server[Symbol.asyncDispose]();
    },
  };
}
