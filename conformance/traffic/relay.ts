/** Passes the requests of clients on to a target, and captures the exchanges. */

import { once } from 'node:events';
import http, { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { defined } from '../../spec/defined.ts';
import { listenLocally } from '../http/local-server.ts';
import { transportErrorOf } from '../http/transport.ts';
import { type CapturedExchange, type CapturedResponse, targetBelow } from './captured-exchange.ts';
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

/** The answer of the target, which came whole. */
interface TargetAnswer {
  readonly response: IncomingMessage;
  readonly received: Buffer;
}

/** Sends a request of a client to the target; rejects if no whole answer comes, and if the client gives up. */
async function ask(base: URL, incoming: IncomingMessage, body: Buffer, client: ServerResponse): Promise<TargetAnswer> {
  const { request } = base.protocol === 'https:' ? https : http;
  const { method = 'GET', url: path = '/' } = incoming;
  const headers = ['Host', base.host, ...passedHeaders(incoming)];
  const sent = request(base, { method, path, headers, agent: false });
  // An error after the answer began is one of the answer.
  sent.on('error', () => undefined);
  client.once('close', () => void (client.writableFinished || sent.destroy()));
  const [response] = (await once(sent.end(body), 'response')) as [IncomingMessage];
  return { response, received: await buffer(response) };
}

/** Passes an answer on, and resolves with it when the client has it. */
async function passAnswer({ response, received }: TargetAnswer, client: ServerResponse): Promise<CapturedResponse> {
  const { statusCode: status = 0, statusMessage } = response;
  client.writeHead(status, statusMessage, passedHeaders(response)).end(received);
  // An answer that came whole counts, even if the client has left by now.
  await finished(client).catch(() => undefined);
  const headers = relayedHeaders(response);
  return { status, headers, body: decodeContent(received, headers['content-encoding']) };
}

/** Passes a request and its answer on. Undefined if the client gave up: the target may go on. */
async function relayExchange(
  base: URL,
  incoming: IncomingMessage,
  body: Buffer,
  client: ServerResponse,
): Promise<Pick<CapturedExchange, 'response' | 'failure'> | undefined> {
  try {
    const answer = await ask(base, incoming, body, client);
    return { response: await passAnswer(answer, client) };
  } catch (error) {
    if (client.destroyed) return undefined;
    client.destroy();
    const { code, message } = transportErrorOf(error, Number.POSITIVE_INFINITY, false);
    return { failure: { code, message } };
  }
}

/** A relay that listens. */
export interface Relay {
  /** The address that clients use instead of that of the target. */
  readonly baseUrl: string;
  readonly close: () => Promise<void>;
}

/**
 * Starts the relay on a port of this machine, 0 for a free one, and calls `onExchange` after each response has been passed on.
 * Rejects if the port cannot be listened on.
 */
export async function startRelay(
  baseUrl: string,
  port: number,
  onExchange: (exchange: CapturedExchange) => void,
): Promise<Relay> {
  const base = new URL(baseUrl);
  const server = createServer(async (incoming, client) => {
    const startedAt = now();
    const body = await buffer(incoming).catch(() => undefined);
    if (body === undefined) return; // The client gave up.
    const outcome = await relayExchange(base, incoming, body, client);
    const { method = 'GET', url: path = '/' } = incoming;
    const target = targetBelow(baseUrl, base.origin + path);
    if (target === undefined || outcome === undefined) return;
    const sent = { method, target, headers: relayedHeaders(incoming), body: body.toString() || undefined };
    onExchange(defined({ ...sent, ...outcome, startedAt, endedAt: now() }));
  });
  const { origin, close } = await listenLocally(server, port);
  return { baseUrl: `${origin}${base.pathname.replace(/\/$/, '')}`, close };
}
