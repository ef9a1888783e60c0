/** One exchange of other parties, as an archive or the relay captured it: not judged, cut or redacted yet. */

import zlib from 'node:zlib';
import type { Exchange } from '../http/exchange.ts';
import type { Incoming } from '../http/transport.ts';

/** By lower-case name; repeated headers are joined. */
export type Headers = Readonly<Record<string, string>>;

export function joinHeaders(pairs: Iterable<readonly [name: string, value: string]>): Headers {
  const headers = new Map<string, string>();
  for (const [written, value] of pairs) {
    const name = written.toLowerCase();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}

export interface CapturedExchange {
  readonly method: string;
  /** Path and query, relative to the base address. */
  readonly target: string;
  readonly headers: Headers;
  /** Undefined if the request had none. */
  readonly body?: string;
  /** Undefined if there was none; its body is undefined if it was not captured. */
  readonly response?: Omit<Incoming, 'body'> & { readonly body: Uint8Array | undefined };
  /** Why there is no response. */
  readonly failure?: { readonly code: string; readonly message: string };
  /** The id of the credential, if this kit recorded the request without its key. */
  readonly credentialId?: string;
  /** Set if headers with keys were removed before: then a missing header means nothing. */
  readonly isCleaned?: true;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Path and query relative to a base address; undefined for an address elsewhere. */
export function targetBelow(baseUrl: string, address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const base = new URL(baseUrl);
  const { origin, pathname, search } = new URL(address);
  const basePath = base.pathname.replace(/\/$/, '');
  if (origin !== base.origin || !`${pathname}/`.startsWith(`${basePath}/`)) return undefined;
  return pathname.slice(basePath.length) + search;
}

/** The number of an exchange, and its place among the events of all. */
export type Place = Pick<Exchange, 'number' | 'sent' | 'answered'>;

/**
 * The place of each recorded exchange. Within one millisecond all requests come before all responses: they may have
 * overlapped, so judges must not conclude anything from their order.
 */
export function placesOf(captured: readonly CapturedExchange[]): readonly Place[] {
  const events = captured.flatMap(({ startedAt, endedAt }, at) => [
    { at, kind: 'sent' as const, time: startedAt, rank: 0 },
    { at, kind: 'answered' as const, time: endedAt, rank: 1 },
  ]);
  events.sort((one, other) => one.time - other.time || one.rank - other.rank);
  const places = captured.map((_one, at) => ({ number: at + 1, sent: 0, answered: 0 }));
  for (const [event, { at, kind }] of events.entries()) places[at]![kind] = event + 1;
  return places;
}

/** A longer body is not judged, bytes. */
export const longestBody = 2 * 1024 * 1024;

const options = { maxOutputLength: longestBody };

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => zlib.gunzipSync(bytes, options),
  'x-gzip': (bytes) => zlib.gunzipSync(bytes, options),
  deflate: (bytes) => zlib.inflateSync(bytes, options),
  br: (bytes) => zlib.brotliDecompressSync(bytes, options),
  zstd: (bytes) => zlib.zstdDecompressSync(bytes, options),
};

/** A body without its content encoding; undefined if it cannot be decoded. */
export function decodeBody(bytes: Buffer, encoding = 'identity'): Buffer | undefined {
  const name = encoding.trim().toLowerCase();
  // An empty body needs no decoding, whatever Content-Encoding says.
  if (bytes.length === 0) return bytes;
  try {
    return Object.hasOwn(decoders, name) ? decoders[name]!(bytes) : undefined;
  } catch {
    return undefined;
  }
}
