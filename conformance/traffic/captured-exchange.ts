/** One exchange of other parties, as an archive or the relay captured it: not judged, cut or redacted yet. */

/** Why the body of a response is unknown, in the words of a count. */
export const bodyLosses = {
  'not-recorded': 'not recorded',
  cut: 'recorded in part',
  'too-long': 'too long',
  'not-decoded': 'in a content coding that the kit cannot read',
} as const;

export type BodyLoss = keyof typeof bodyLosses;

export interface CapturedResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its content, without content codings, or why it is unknown. */
  readonly body: Uint8Array | BodyLoss;
}

export interface CapturedExchange {
  readonly method: string;
  /** Path and query, relative to the base address. */
  readonly target: string;
  /** By lower-case name; repeated headers are joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if the request had none. */
  readonly body?: string;
  /** Undefined if there was none. */
  readonly response?: CapturedResponse;
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
/** A longer body is not captured, as in a run. Bytes. */
export const longestCaptured = 2 * 1024 * 1024;

/** Path and query relative to a base address; undefined for an address elsewhere. */
export function targetBelow(baseUrl: string, address: string): string | undefined {
  const base = new URL(baseUrl);
  const { origin, pathname = '', search = '' } = URL.parse(address) ?? {};
  const basePath = base.pathname.replace(/\/$/, '');
  if (origin !== base.origin || !`${pathname}/`.startsWith(`${basePath}/`)) return undefined;
  return pathname.slice(basePath.length) + search;
}
