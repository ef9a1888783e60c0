/** One exchange of other parties, as an archive or the relay captured it: not judged, cut or redacted yet. */

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
