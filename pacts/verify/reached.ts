/** The result of reaching a provider state, or the reason why that is not possible. */

import type { SentCredential } from '../../conformance/http/credentials.ts';
import type { Exchange } from '../../conformance/http/exchange.ts';
import { statusOf } from '../../conformance/http/read-response.ts';
import { refusedCredentials } from '../../conformance/sections/5-authentication/credentials.ts';

export interface ReachedState {
  /** The injected values, by the names of `injects`. */
  readonly values: Readonly<Record<string, string | number>>;
  /** The credential of the request; the API key if undefined. */
  readonly credential?: SentCredential;
}

/** An interaction cannot be verified; the message is for a person. */
export class NotVerifiable extends Error {}

/** An interaction is not verified because of an option that the user did not give, or chose. */
export class SkippedByUser extends NotVerifiable {}

/** A number if JavaScript holds it exactly, otherwise a string. */
export function injectable(value: bigint): string | number {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

/** The reason to excuse an answer that refuses the key of the run: which operations a key allows is open. */
export function refusalOfKey(exchange: Exchange): string | undefined {
  const status = statusOf(exchange);
  const isRefused = status === 401 || status === 403;
  return isRefused ? `the key of the run was answered with ${status}: its scope may not allow this` : undefined;
}

/** A key that no target knows, whatever the key of the run. */
export function neverIssued(key: string): SentCredential {
  return refusedCredentials({ api: key }).find(({ shown }) => shown.id === 'never-issued')!;
}
