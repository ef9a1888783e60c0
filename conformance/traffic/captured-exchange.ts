/** What others sent, as an archive or a relay saw it: not judged, cut or cleaned of keys yet. */

import type { Incoming } from '../http/transport.ts';

/** By lower-case name; of a name that comes several times, all values. */
export type Headers = Readonly<Record<string, string>>;

/** Headers as they came, in one record. */
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
  /** Undefined where nothing was sent. */
  readonly body?: string;
  /** Undefined where none came; its body is undefined where it was not recorded. */
  readonly response?: Omit<Incoming, 'body'> & { readonly body: Uint8Array | undefined };
  /** Why there is no response. */
  readonly failure?: { readonly code: string; readonly message: string };
  /** Of a request that this kit recorded without its key: the id of its credential. */
  readonly credentialId?: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Path and query below a base address; undefined for an address elsewhere. */
export function targetBelow(baseUrl: string, address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const base = new URL(baseUrl);
  const { origin, pathname, search } = new URL(address);
  const basePath = base.pathname.replace(/\/$/, '');
  if (origin !== base.origin || !`${pathname}/`.startsWith(`${basePath}/`)) return undefined;
  return pathname.slice(basePath.length) + search;
}
