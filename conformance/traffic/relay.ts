/** Passes the requests of clients on to a target, with their headers as they were written, and captures the exchanges. */

import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { defined } from '../../spec/defined.ts';
import { longestSilenceMs } from '../http/tolerances.ts';
import {
  type CapturedExchange,
  decodeBody,
  joinHeaders,
  longestBody,
  type Place,
  targetBelow,
} from './captured-exchange.ts';

/** An exchange that passed, with its place among all that came. */
export interface RelayedExchange extends Place {
  readonly seen: CapturedExchange;
}

export interface RelayOptions {
  readonly baseUrl: string;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Called after the response has been passed on. */
  readonly onExchange: (exchange: RelayedExchange) => void;
  /** A request on whose connection nothing passes for this long has failed. */
  readonly silenceMs?: number;
}

export interface Relay {
  /** The address that clients use instead of that of the target. */
  readonly baseUrl: string;
  readonly close: () => Promise<void>;
}

const longestHeadersBytes = 64 * 1024;
/** Node writes no trailers by itself, and a relay of requests upgrades no connection. */
const isDropped = (name: string): boolean => /^(trailer|upgrade|http2-settings)$/i.test(name);

function pairsOf(rawHeaders: readonly string[]): readonly (readonly [name: string, value: string])[] {
  const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []));
  return pairs.filter(([name]) => !isDropped(name));
}

/** The headers of a request, with the host of the target. Without a length, Node would announce a body in chunks. */
function headersFor(method: string, pairs: ReturnType<typeof pairsOf>, host: string): readonly string[] {
  const others = pairs.filter(([name]) => !/^host$/i.test(name));
  const hasLength =
    /^(GET|HEAD|DELETE|OPTIONS|TRACE)$/.test(method) ||
    others.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
  return [['Host', host], ...others, ...(hasLength ? [] : [['Content-Length', '0']])].flat();
}

/** Collects a body that passes; undefined if it is too long. */
function captureBody(stream: http.IncomingMessage): () => Buffer | undefined {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= longestBody) chunks.push(chunk);
    else chunks.length = 0;
  });
  return () => (length > longestBody ? undefined : Buffer.concat(chunks));
}

const unreachable = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** Starts it; rejects if the port cannot be listened on. */
export async function startRelay(options: RelayOptions): Promise<Relay> {
  const { baseUrl, onExchange, silenceMs = longestSilenceMs } = options;
  const base = new URL(baseUrl);
  const { Agent, request } = base.protocol === 'https:' ? https : http;
  /** One connection to the target for each of a client, so that what sticks to a connection still does. */
  const agents = new WeakMap<Socket, http.Agent>();
  const counts = { requests: 0, events: 0 };
  const next = (what: keyof typeof counts): number => {
    counts[what] += 1;
    return counts[what];
  };

  function agentOf(socket: Socket): http.Agent {
    const known = agents.get(socket);
    if (known !== undefined) return known;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agents.set(socket, agent);
    socket.once('close', () => agent.destroy());
    return agent;
  }

  function pass(incoming: http.IncomingMessage, outgoing: http.ServerResponse): void {
    const { method = '', url: address = '', rawHeaders, socket } = incoming;
    const place = { number: next('requests'), sent: next('events') };
    const startedAt = Date.now();
    const pairs = pairsOf(rawHeaders);
    const headers = joinHeaders(pairs);
    const sent = captureBody(incoming);
    let isReported = false;

    function report(outcome: Pick<CapturedExchange, 'response' | 'failure'>): void {
      const target = targetBelow(baseUrl, address.startsWith('/') ? base.origin + address : address);
      const bytes = sent();
      if (isReported || target === undefined || bytes === undefined) return;
      isReported = true;
      const body = bytes.length === 0 ? undefined : bytes.toString();
      const seen = defined({ method, target, headers, body, ...outcome, startedAt, endedAt: Date.now() });
      onExchange({ seen, ...place, answered: next('events') });
    }

    function fail(code: string, message: string): void {
      // A request that the client itself gave up shows nothing.
      if (!socket.destroyed) report({ failure: { code, message } });
      isReported = true;
      outgoing.destroy();
    }

    function answer(response: http.IncomingMessage): void {
      const { statusCode: status = 0, statusMessage = '' } = response;
      if (status < 100) {
        fail('broken', `a response with the status ${status}`);
        return;
      }
      const written = pairsOf(response.rawHeaders);
      const received = captureBody(response);
      const read = joinHeaders(written);
      outgoing.sendDate = false;
      outgoing.writeHead(status, statusMessage.replace(/[^\t\x20-\x7e\x80-\xff]/g, ''), written.flat());
      response.pipe(outgoing);
      response
        .on('error', () => undefined)
        .on('close', () => {
          if (!response.complete) {
            fail('broken', 'ECONNRESET');
            return;
          }
          const whole = received();
          const body = whole && decodeBody(whole, read['content-encoding']);
          // An early answer is captured together with the whole request.
          const finish = (): void => report({ response: { status, headers: read, body } });
          if (incoming.complete || socket.destroyed) finish();
          else incoming.once('close', finish).resume();
        });
    }

    try {
      const upstream = request(base.origin, {
        method,
        path: address,
        agent: agentOf(socket),
        headers: headersFor(method, pairs, base.host),
        setHost: false,
        maxHeaderSize: longestHeadersBytes,
        timeout: silenceMs,
      });
      upstream
        .on('response', answer)
        .on('timeout', () => upstream.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })))
        .on('error', ({ code = 'ECONNRESET' }: NodeJS.ErrnoException) =>
          fail(unreachable.test(code) ? 'unreachable' : 'broken', code),
        );
      outgoing.once('close', () => !outgoing.writableFinished && upstream.destroy());
      incoming.pipe(upstream);
    } catch (error) {
      fail('broken', (error as NodeJS.ErrnoException).code ?? 'a request that cannot be passed on');
    }
  }

  const server = http.createServer({ maxHeaderSize: longestHeadersBytes, requestTimeout: 0 }, pass);
  server.keepAliveTimeout = silenceMs;
  await once(server.listen(options.port, options.host), 'listening');
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    baseUrl: `http://${host}:${port}${base.pathname.replace(/\/$/, '')}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
