/** Passes the requests of clients on to a target, byte for byte but for Host, and captures the exchanges. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { longestSilenceMs } from '../http/tolerances.ts';
import { type CapturedExchange, targetBelow } from './captured-exchange.ts';
import type { Place } from './evidence.ts';
import { createTunnel, type TunnelExchange, type TunnelOptions } from './tunnel.ts';

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
  /** A connection on which nothing passes for this long is ended. */
  readonly silenceMs?: number;
}

export interface Relay {
  /** The address that clients use instead of that of the target. */
  readonly baseUrl: string;
  readonly close: () => Promise<void>;
}

function connectTo({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  const isTls = protocol === 'https:';
  const address = { host, port: port === '' ? (isTls ? 443 : 80) : Number(port), allowHalfOpen: true };
  return isTls ? connectTls({ ...address, ...(isIP(host) === 0 ? { servername: host } : {}) }) : connect(address);
}

/** Writes to a socket, and reads no more from the other one until that is done. */
function passOn(from: Socket, to: Socket, bytes: Buffer): void {
  if (bytes.length === 0 || to.destroyed || to.writableEnded || to.write(bytes) || from.isPaused()) return;
  from.pause();
  to.once('drain', () => from.resume());
}

function join(
  client: Socket,
  base: URL,
  silenceMs: number,
  rest: Omit<TunnelOptions, 'host' | 'toTarget' | 'toClient' | 'end'>,
): Socket {
  const target = connectTo(base);
  const tunnel = createTunnel({
    ...rest,
    host: base.host,
    toTarget: (bytes) => passOn(client, target, bytes),
    toClient: (bytes) => passOn(target, client, bytes),
    end() {
      client.end();
      target.destroy();
    },
  });
  const fail = (code: string): void => {
    tunnel.targetFailed(code);
    // Bytes that the target has sent still reach the client.
    client.destroySoon();
    target.destroy();
  };
  for (const socket of [client, target]) {
    socket.setNoDelay(true);
    socket.setTimeout(silenceMs, () => fail('ETIMEDOUT'));
  }
  client.on('data', tunnel.fromClient).on('end', () => target.end());
  // The client gave up: the target may still have carried the request out, which nothing shows.
  client.on('error', () => target.destroy()).on('close', () => target.destroy());
  target.on('data', tunnel.fromTarget);
  target.on('end', () => {
    tunnel.targetEnded();
    client.end();
  });
  target.on('error', ({ code = 'ECONNRESET' }: NodeJS.ErrnoException) => fail(code));
  return target;
}

/** Starts it; rejects if the port cannot be listened on. */
export async function startRelay(options: RelayOptions): Promise<Relay> {
  const { baseUrl, onExchange, silenceMs = longestSilenceMs } = options;
  const base = new URL(baseUrl);
  const open = new Set<Socket>();
  const counts = { requests: 0, events: 0 };
  const nextEvent = (): number => {
    counts.events += 1;
    return counts.events;
  };
  const nextPlace = (): TunnelExchange['place'] => {
    counts.requests += 1;
    return { number: counts.requests, sent: nextEvent() };
  };

  function pass({ captured, address, place, answered }: TunnelExchange): void {
    const target = targetBelow(baseUrl, address.startsWith('/') ? base.origin + address : address);
    if (target !== undefined) onExchange({ seen: { ...captured, target }, ...place, answered });
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const target = join(client, base, silenceMs, { now: Date.now, nextPlace, nextEvent, onExchange: pass });
    for (const socket of [client, target]) {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    }
  });
  await once(server.listen(options.port, options.host), 'listening');
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    baseUrl: `http://${host}:${port}${base.pathname.replace(/\/$/, '')}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}
