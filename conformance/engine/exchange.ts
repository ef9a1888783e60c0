/** The exchange: one recorded request with its response, or the reason there is none. It is the only evidence. */

export type Operation = 'listPets' | 'createPet' | 'getPet' | 'other';

/**
 * What a request says of its sender. `valid`: the API key as §5 wants it; `rate-limit`: the key that may be
 * exhausted; `lenient`: the API key in a form that §5 neither allows nor forbids; the others must be refused.
 */
export type CredentialKind = 'valid' | 'rate-limit' | 'lenient' | 'missing' | 'invalid' | 'misplaced';

/** How a credential is told without telling the key: in words, and as shell words for a curl line. */
export interface Credential {
  readonly kind: CredentialKind;
  /** For example "the key without its last character". */
  readonly shown: string;
  /** Arguments for curl, in terms of `$PETSTORE_API_KEY`. */
  readonly curl: string;
}

export interface RecordedRequest {
  readonly method: string;
  /** Path and query, relative to the base address. */
  readonly target: string;
  readonly contentType?: string;
  readonly body?: string;
}

export interface RecordedResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Set when the body was no UTF-8; `body` then has replacement characters. */
  readonly isNotUtf8?: true;
}

export interface Exchange {
  /** Position in the run, from 1. */
  readonly number: number;
  /** The check that asked for it. */
  readonly check: string;
  readonly operation: Operation;
  readonly credential: Credential;
  readonly request: RecordedRequest;
  readonly response?: RecordedResponse;
  /** Why there is no response. */
  readonly failure?: { readonly code: string; readonly message: string };
  /** Unix milliseconds by our clock. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Event numbers of the run: of sending and of the answer. They order exchanges that share a millisecond. */
  readonly sent: number;
  readonly answered: number;
}

/** Whether the answer to `earlier` was here before `later` was sent. */
export function happenedBefore(earlier: Exchange, later: Exchange): boolean {
  return earlier.answered < later.sent;
}

/** Quotes a word for a POSIX shell; control characters need the $'…' form of bash. */
export function quoteForShell(text: string): string {
  if (!/[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = [...text].map((character) => {
    if (character === "'" || character === '\\') return `\\${character}`;
    const code = character.codePointAt(0) ?? 0;
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || /[\u2028-\u202e\u2066-\u2069]/.test(character)
      ? `\\u${code.toString(16).padStart(4, '0')}`
      : character;
  });
  return `$'${escaped.join('')}'`;
}

/** The curl line that sends the request of an exchange again. */
export function curlOf(exchange: Exchange, baseUrl: string): string {
  const { method, target, contentType, body } = exchange.request;
  const words = ['curl', '-i'];
  if (method !== 'GET') words.push('-X', method);
  const glue = target.includes('?') ? '&' : '?';
  const [credential, query] = exchange.credential.curl.split('\n');
  const url = quoteForShell(baseUrl + target);
  words.push(query === undefined ? url : `${url}"${glue}${query}"`);
  if (credential) words.push(credential);
  if (contentType !== undefined) words.push('-H', quoteForShell(`Content-Type: ${contentType}`));
  if (body !== undefined) words.push('--data-binary', quoteForShell(body));
  return words.join(' ');
}
