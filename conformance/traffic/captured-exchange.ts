/** One exchange of other parties, as an archive or the relay captured it: not judged, cut or redacted yet. */

import zlib from 'node:zlib';
import type { Incoming } from '../http/transport.ts';

/** By lower-case name; repeated headers are joined. */
export type Headers = Readonly<Record<string, string>>;

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
  /** Set if headers with keys were removed before: then a missing header means nothing. */
  readonly isCleaned?: true;
  /** Unix milliseconds, with fractions where they are known. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** No more exchanges are judged at a time: a report on them takes seconds. */
export const mostExchanges = 10_000;

export function joinHeaders(pairs: Iterable<readonly [name: string, value: string]>): Headers {
  const byName = Map.groupBy(pairs, ([name]) => name.toLowerCase());
  return Object.fromEntries([...byName].map(([name, all]) => [name, all.map(([, value]) => value).join(', ')]));
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

/** No more of a body is captured, as in a run. Bytes. */
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

/** A body without its content encoding; undefined if it cannot be decoded. An empty body needs no decoding. */
export function decodeBody(bytes: Buffer, encoding = 'identity'): Buffer | undefined {
  const name = encoding.trim().toLowerCase();
  if (bytes.length === 0) return bytes;
  try {
    return Object.hasOwn(decoders, name) ? decoders[name]!(bytes) : undefined;
  } catch {
    return undefined;
  }
}
