/** The exchange: one recorded request with its response, or the reason why there is none. Nothing else is evidence. */

import type { Operation } from '../../spec/operations.ts';

/**
 * How a request authenticates. `valid`: the API key in the form of §5. `rate-limit`: the key that may be exhausted.
 * `lenient`: the API key in a form that §5 neither allows nor forbids. `other-case`: the API key with letters in the other
 * case, which a service is advised to refuse. `unseen`: recorded traffic does not show the credential, so only the answer
 * tells whether it was valid. A service must refuse the remaining kinds.
 */
export type CredentialKind =
  | ('valid' | 'rate-limit' | 'lenient' | 'other-case' | 'unseen')
  | ('missing' | 'invalid' | 'misplaced');

/** A credential as evidence shows it: without the key. */
export interface Credential {
  /** A stable slug, for example `last-character-missing`, by which the credential is found again. */
  readonly id: string;
  readonly kind: CredentialKind;
  /** For readers, for example "the key without its last character". */
  readonly title: string;
  /** How the Authorization header is formed, in words; absent where traffic does not show it. */
  readonly form?: string;
  /**
   * The parts of a curl line that send it, written with `$PETSTORE_API_KEY`: shell words, which may be empty, and for a
   * misplaced key the parameters of a query, escaped for double quotes.
   */
  readonly curl: { readonly words: string; readonly query?: string };
  /** Set if a firewall may see an attack in it, or a proxy a malformed header, and refuse it by itself. */
  readonly isUnusual?: true;
}

/** Whether a service must refuse every request with this credential (§5). */
export function mustBeRefused({ kind }: Pick<Credential, 'kind'>): boolean {
  return kind === 'missing' || kind === 'invalid' || kind === 'misplaced';
}

/** A request as it was sent, without its credential. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query, relative to the base address. */
  readonly target: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** A byte that is no UTF-8 is a lone surrogate (body-bytes.ts). */
  readonly body?: string;
}

/** A response as it was received: a target may echo secrets, so what is shown of it is masked (mask.ts). */
export interface RecordedResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded text; only the start of a long one. */
  readonly body: string;
  /** The length of the whole text in UTF-16 units; set if `body` holds only its start. */
  readonly bodyLength?: number;
  /** Set if the body was not UTF-8; `body` then contains replacement characters. */
  readonly isNotUtf8?: true;
}

export interface Exchange {
  /** Position in the run, from 1. */
  readonly number: number;
  /** The id of the check that sent it. */
  readonly check: string;
  readonly operation: Operation;
  /** The number of the exchange that this one repeats, because that had no response or a gateway's. */
  readonly repeats?: number;
  readonly credential: Credential;
  readonly request: RecordedRequest;
  readonly response?: RecordedResponse;
  /** Why there is no response. */
  readonly failure?: { readonly code: string; readonly message: string };
  /** Unix milliseconds by our clock. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Event numbers of the request and of the response, which order exchanges within one millisecond; of traffic, times. */
  readonly sent: number;
  readonly answered: number;
}

/** Whether `earlier` was answered before `later` was sent. */
export function happenedBefore(earlier: Exchange, later: Exchange): boolean {
  return earlier.answered < later.sent;
}
