/** What a provider state gives to the request that follows, or why the target cannot be brought into it. */

import { type Exchange, type SentCredential, statusOf } from './kit.ts';

export interface Reached {
  /** By the names of `injects` in the vocabulary. */
  readonly values: Readonly<Record<string, string | number>>;
  /** What the request is sent with; the API key when undefined. */
  readonly credential?: SentCredential;
}

/** The target cannot be brought into a state, or asked in it; the reason is for a person. */
export class NotReachable extends Error {}

/** Not reachable for something that the user did not give, or did not want. */
export class NotWanted extends NotReachable {}

/** A number as far as JavaScript holds it, text beyond. */
export function injectable(value: bigint): string | number {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

/** What is said of an answer that refuses a valid key: which operations a key allows is open. */
export function refusalOfKey(exchange: Exchange): string | undefined {
  const status = statusOf(exchange);
  const isRefused = status === 401 || status === 403;
  return isRefused ? `the key of the run was answered with ${status}: its scope may not allow this` : undefined;
}
