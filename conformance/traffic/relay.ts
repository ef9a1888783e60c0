/** Passes the requests of others on to a target, byte for byte, and tells what passed. Nothing waits for that. */

import {
  createServer,
  type IncomingMessage,
  Agent as PlainAgent,
  request as requestPlain,
  type ServerResponse,
} from 'node:http';
import { request as requestTls, Agent as TlsAgent } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { type BodyCapture, captureBody } from './body-capture.ts';
import { type CapturedExchange, joinHeaders, targetBelow } from './captured-exchange.ts';

/** What passed, with the number of its request among all that came, from 1. */
export interface RelayedExchange {
  readonly seen: CapturedExchange;
  readonly number: number;
  /** Event numbers: of the request and of the answer. */
  readonly sent: number;
  readonly answered: number;
}

export interface RelayOptions {
  /** Where requests go. */
  readonly baseUrl: string;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Called after the answer has been passed on. */
  readonly onExchange: (exchange: RelayedExchange) => void;
}

export interface Relay {
  /** What stands for the base address of the target. */
  readonly baseUrl: string;
  /** Ends all connections. */
  readonly close: () => Promise<void>;
}

/** A connection to the target that says nothing for so long is given up, milliseconds. */
const longestSilence = 120_000;
const mostHeaderBytes = 65_536;

function pairsOf(raw: readonly string[]): [name: string, value: string][] {
  return raw.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : []));
}

/** What a client sent, but for the name of the host, and for what is between it and the relay alone. */
function rawHeadersFor({ rawHeaders }: IncomingMessage, host: string): string[] {
  const isBetween = /^(host|connection|keep-alive|proxy-connection)$/i;
  // A connection that the client ends after the answer is one that the target ends too.
  const isEnd = ([name, value]: readonly [string, string]): boolean =>
    /^connection$/i.test(name) && /^\s*close\s*$/i.test(value);
  const passed = pairsOf(rawHeaders).filter((header) => isEnd(header) || !isBetween.test(header[0]));
  return ['Host', host, ...passed.flat()];
}

function isUnreachable({ code = '' }: NodeJS.ErrnoException): boolean {
  return /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(code);
}

/** One request that is under way. */
class ExchangeRelay {
  private readonly options: RelayOptions;
  private readonly place: { readonly number: number; readonly sent: number; readonly nextEvent: () => number };
  private readonly incoming: IncomingMessage;
  private readonly startedAt = Date.now();
  private readonly requestTap: BodyCapture = captureBody();
  private isTold = false;

  constructor(incoming: IncomingMessage, options: RelayOptions, place: ExchangeRelay['place']) {
    this.incoming = incoming;
    this.options = options;
    this.place = place;
    incoming.on('data', this.requestTap.take);
  }

  /** Tells what came of it, once. */
  private tell(outcome: Pick<CapturedExchange, 'response' | 'failure'>): void {
    const { incoming, place, options } = this;
    const address = new URL(options.baseUrl).origin + (incoming.url ?? '');
    const target = targetBelow(options.baseUrl, address);
    if (this.isTold || target === undefined) return;
    this.isTold = true;
    const body = this.requestTap.bytes();
    const seen: CapturedExchange = {
      method: incoming.method ?? '',
      target,
      headers: joinHeaders(pairsOf(incoming.rawHeaders)),
      ...(body === undefined || body.length === 0 ? {} : { body: body.toString() }),
      ...outcome,
      startedAt: this.startedAt,
      endedAt: Date.now(),
    };
    // A body that is too long to be looked at says nothing of its answer.
    if (body !== undefined)
      options.onExchange({ seen, number: place.number, sent: place.sent, answered: place.nextEvent() });
  }

  /** Passes an answer on as it comes. */
  answer(response: IncomingMessage, outgoing: ServerResponse): void {
    const tap = captureBody();
    const status = response.statusCode ?? 0;
    outgoing.sendDate = false;
    // The framing is that of the target; node adds none of its own.
    for (const name of ['connection', 'transfer-encoding', 'content-length']) outgoing.removeHeader(name);
    outgoing.writeHead(status, response.statusMessage ?? '', response.rawHeaders);
    response.on('data', tap.take).pipe(outgoing, { end: false });
    response.on('error', () => outgoing.destroy());
    response.on('end', () => {
      if (response.rawTrailers.length > 0) outgoing.addTrailers(pairsOf(response.rawTrailers));
      outgoing.end(() => {
        const headers = joinHeaders(pairsOf(response.rawHeaders));
        this.tell({ response: { status, headers, body: tap.decoded(headers['content-encoding']) } });
      });
    });
    response.on('close', () => {
      if (response.complete) return;
      outgoing.destroy();
      this.fail(Object.assign(new Error('the answer was cut off'), { code: 'ECONNRESET' }));
    });
  }

  /** No answer came, or not all of it. */
  fail(error: NodeJS.ErrnoException): void {
    const code = isUnreachable(error) ? 'unreachable' : 'broken';
    this.tell({ failure: { code, message: error.code ?? error.message } });
  }

  /** The client is gone: what the target would have said is not known. */
  abandon(): void {
    this.isTold = true;
  }
}

/**
 * A connection of a client. It has one to the target, and ends with it: neither meets what only a relay would do.
 */
class Client {
  readonly agent: PlainAgent;
  /** The last answer. */
  outgoing: ServerResponse;

  constructor(agent: PlainAgent, outgoing: ServerResponse) {
    this.agent = agent;
    this.outgoing = outgoing;
    outgoing.req.socket.once('close', () => agent.destroy());
  }

  /** Ends it when all that came has been passed on. */
  readonly end = (): void => {
    const { outgoing } = this;
    const { socket } = outgoing.req;
    if (outgoing.writableFinished) socket.end();
    else outgoing.once('finish', () => socket.end());
  };
}

/** Starts it; rejects where the port cannot be had. */
export async function startRelay(options: RelayOptions): Promise<Relay> {
  const base = new URL(options.baseUrl);
  const isTls = base.protocol === 'https:';
  const clients = new WeakMap<Socket, Client>();
  let numbers = 0;
  let events = 0;
  const nextEvent = (): number => {
    events += 1;
    return events;
  };

  function clientOf({ socket }: IncomingMessage, outgoing: ServerResponse): Client {
    const settings = { keepAlive: true, maxSockets: 1 };
    const known = clients.get(socket);
    const client = known ?? new Client(isTls ? new TlsAgent(settings) : new PlainAgent(settings), outgoing);
    client.outgoing = outgoing;
    clients.set(socket, client);
    return client;
  }

  function pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    numbers += 1;
    const passage = new ExchangeRelay(incoming, options, { number: numbers, sent: nextEvent(), nextEvent });
    const client = clientOf(incoming, outgoing);
    const onwards = (isTls ? requestTls : requestPlain)({
      host: base.hostname.replace(/^\[|\]$/g, ''),
      ...(base.port === '' ? {} : { port: base.port }),
      method: incoming.method,
      path: incoming.url,
      headers: rawHeadersFor(incoming, base.host),
      setHost: false,
      agent: client.agent,
      maxHeaderSize: mostHeaderBytes,
      timeout: longestSilence,
    });
    onwards.on('socket', (socket) => {
      if (!socket.listeners('close').includes(client.end)) socket.once('close', client.end);
    });
    onwards.on('response', (response) => passage.answer(response, outgoing));
    onwards.on('timeout', () => onwards.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })));
    onwards.on('error', (error) => {
      passage.fail(error);
      // As the target did.
      incoming.socket.destroy();
    });
    outgoing.on('close', () => {
      if (outgoing.writableFinished) return;
      if (!onwards.destroyed) passage.abandon();
      onwards.destroy();
    });
    incoming.pipe(onwards);
  }

  const server = createServer({ maxHeaderSize: mostHeaderBytes, requireHostHeader: false }, pass);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, options.host, resolve);
  });
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
