/** A request to the store, and what is read of it: a header, the path, the query. */

/** Why a request could not be read to its end. */
export interface Unread {
  /** Where the head is missing, nobody knows which key the request has. */
  readonly part: 'head' | 'body';
  /** 400: it is no HTTP; 408: it took too long; 413, 431: it is too large. */
  readonly status: 400 | 408 | 413 | 431;
}

/** A request as it came. */
export interface StoreRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
  /** The address of the client: requests without a valid key are counted by it. */
  readonly address: string;
  /** Set where the request is refused, whatever it asks. */
  readonly unread?: Unread;
}

/** A body beyond this gets 413; listen reads no further. */
export const maxBodyBytes = 1024 * 1024;

/** The value of a header, empty where it is missing or sent twice: of two, who knows which another server has read. */
export function readHeader({ headers }: StoreRequest, name: string): string {
  let found: string | undefined;
  for (const [sent, value] of headers) {
    if (sent.length !== name.length || sent.toLowerCase() !== name) continue;
    if (found !== undefined) return '';
    found = value;
  }
  return found ?? '';
}

/** A segment of a path without its escapes. One with a malformed escape, or an escaped slash, stays: it names nothing. */
function decodeSegment(segment: string): string {
  try {
    const decoded = decodeURIComponent(segment);
    return decoded.includes('/') ? segment : decoded;
  } catch {
    return segment;
  }
}

/** The decoded path and the query of a target; HTTP has servers take a whole URL as well. */
export function readTarget(target: string): readonly [path: string, query: string] {
  const question = target.indexOf('?');
  const place = question === -1 ? target : target.slice(0, question);
  const path = place.startsWith('/') ? place : place.replace(/^https?:\/\/[^/]*/i, '');
  const decoded = path.includes('%') ? path.split('/').map(decodeSegment).join('/') : path;
  return [decoded, question === -1 ? '' : target.slice(question + 1)];
}
