/** Servers of the interface in different styles, each with legal choices of its own, as neighbour teams write them. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Plan } from '../../../spec/facts.ts';

export interface NeighbourOptions {
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly keys: { readonly api: string; readonly rateLimit: string };
}

export interface RunningNeighbour {
  readonly baseUrl: string;
  readonly close: () => Promise<void>;
}

export interface Neighbour {
  /** The plan of the API key; without it its limits are custom. */
  readonly plan?: Plan;
  readonly start: (options: NeighbourOptions) => Promise<RunningNeighbour>;
}

/** Puts a server on a free port of this machine. */
export async function listen(server: Server): Promise<RunningNeighbour> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async close() {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

export interface Asked {
  readonly method: string;
  /** Relative to the base path; empty outside it. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string;
  readonly body: Uint8Array;
}
export interface Given {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

/** Answers requests at /v1 of a free port. */
export function serve(now: () => number, answer: (asked: Asked) => Given): Promise<RunningNeighbour> {
  return listen(
    createServer(async (request, response) => {
      const [path = '', query] = (request.url ?? '').split('?');
      const { status, headers, body } = answer({
        method: request.method ?? '',
        path: path.startsWith('/v1/') ? path.slice('/v1'.length) : '',
        query: new URLSearchParams(query),
        authorization: request.headers.authorization ?? '',
        body: await buffer(request),
      });
      const usual = { Date: new Date(now()).toUTCString(), 'Content-Type': 'application/json' };
      response.writeHead(status, { ...usual, ...headers }).end(body);
    }),
  );
}

/** Reads JSON in UTF-8: integers become bigints by their digits; every other number stays a number. Throws on other bytes. */
export function parse(bytes: Uint8Array): unknown {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  return JSON.parse(text, (_field, value, context?: { source: string }) =>
    typeof value === 'number' && /^-?\d+$/.test(context?.source ?? '') ? BigInt(context?.source ?? '') : value,
  );
}

export const isInt64 = (value: unknown): value is bigint =>
  typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
export const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const statuses: readonly unknown[] = ['available', 'pending', 'sold'];
