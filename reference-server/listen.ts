/** Listens with a handle, within limits on everything that comes from outside. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Handle } from './pet-store.ts';
import { serve } from './serving.ts';
import { type Timeouts, usualTimeouts } from './timeouts.ts';

/** Where and how a server listens. */
export interface ListenOptions {
  /** 8080 where none is given; 0 takes a free one. */
  readonly port?: number;
  /** 127.0.0.1 where none is given. */
  readonly host?: string;
  /** Unix milliseconds; the clock of the machine where none is given. */
  readonly now?: () => number;
  /** How long an answer is held back, milliseconds; not at all where none is given. */
  readonly delayMs?: () => number;
  readonly timeouts?: Partial<Timeouts>;
  /** 1,000 where none is given; beyond them, the one without a complete request for the longest gets 408. */
  readonly maxConnections?: number;
}

/** A server that listens. */
export interface Listening {
  /** http://host:port, without the base path. */
  readonly url: string;
  /** Takes no more connections, finishes what is under way, and after a while ends what is not finished. */
  readonly close: () => Promise<void>;
}

function createLimitedServer({ headersMs, requestMs, keepAliveMs }: Timeouts): Server {
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    // Both are looked at no more often than this, by default each 30 seconds.
    connectionsCheckingInterval: Math.ceil(headersMs / 10),
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: 16_384,
    requireHostHeader: false,
  });
  server.maxHeadersCount = 0;
  return server;
}

function close(server: Server, closeMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), closeMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Listens; rejects with the error of node:net where the port cannot be had. */
export async function listen(handle: Handle, options: ListenOptions = {}): Promise<Listening> {
  const { port = 8080, host = '127.0.0.1', now, delayMs, maxConnections = 1_000 } = options;
  const timeouts = { ...usualTimeouts, ...options.timeouts };
  const server = createLimitedServer(timeouts);
  serve(server, handle, { now, delayMs, maxConnections, timeouts });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const { address, port: bound, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    close: () => close(server, timeouts.closeMs),
  };
}
