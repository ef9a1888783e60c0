/** The exchange: one recorded request with its response, or the reason there is none. It is the only evidence. */

import type { Operation } from '../../spec/operations.ts';

export type { Operation };

/**
 * What a request says of its sender. `valid`: the API key as §5 wants it; `rate-limit`: the key that may be
 * exhausted; `lenient`: the API key in a form that §5 neither allows nor forbids; `other-case`: the API key in other
 * letters, which had better be refused; `unseen`: what traffic of others does not show, so that only the answer tells;
 * the others must be refused.
 */
export type CredentialKind =
  | 'valid'
  | 'rate-limit'
  | 'lenient'
  | 'other-case'
  | 'unseen'
  | 'missing'
  | 'invalid'
  | 'misplaced';

/** A credential as evidence has it: without the key. */
export interface Credential {
  /** A stable slug, for example `last-character-missing`: by it a credential is found again. */
  readonly id: string;
  readonly kind: CredentialKind;
  /** For a person, for example "the key without its last character". */
  readonly title: string;
  readonly curl: CurlCredential;
}

/** What a curl line needs to send a credential, in terms of `$PETSTORE_API_KEY`. */
export interface CurlCredential {
  /** Shell words; empty where none are needed. */
  readonly words: string;
  /** A query parameter or more, for keys that stand where none belongs. */
  readonly query?: string;
  /** Fields for the end of a JSON object, as they stand within double quotes of a shell. */
  readonly fields?: string;
}

/** What was sent, without the credential. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query, relative to the base address. */
  readonly target: string;
  /** What was sent beside the credential, by lower-case name; secrets of gateways are redacted. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What came back. */
export interface RecordedResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text, cut where it is long. */
  readonly body: string;
  /** The length of the whole text in UTF-16 units; set where `body` is cut. */
  readonly bodyLength?: number;
  /** Set when the body was no UTF-8; `body` then has replacement characters. */
  readonly isNotUtf8?: true;
}

/** One request as it was sent, without its credential, and the response to it or the reason that there is none. */
export interface Exchange {
  /** Position in the run, from 1. */
  readonly number: number;
  /** The check that asked for it. */
  readonly check: string;
  readonly operation: Operation;
  /** The number of the exchange that this one asks again, since it had no answer or a gateway's. */
  readonly repeats?: number;
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

/** The exchange that asked first what another asked once more; undefined for one that repeats none. */
export function firstAsked(exchanges: readonly Exchange[], { repeats }: Exchange): Exchange | undefined {
  return repeats === undefined ? undefined : exchanges.find(({ number }) => number === repeats);
}
