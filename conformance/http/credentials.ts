/** Credentials that a conforming service accepts, and the missing one. sections/5-authentication has those to refuse. */

import type { Credential } from './exchange.ts';

/** The secrets of a run. */
export interface Keys {
  readonly api: string;
  /** A key that may be exhausted. */
  readonly rateLimit?: string;
  /** Further secrets that no evidence shows, such as the token of a broker. */
  readonly others?: readonly string[];
}

/** A credential with the parts of a request that carry it. Only `shown` enters an exchange. */
export interface SentCredential {
  readonly shown: Credential;
  readonly headers: Readonly<Record<string, string>>;
  /** Query parameters, for a misplaced key. */
  readonly query?: string;
}

export const keyVariable = '$PETSTORE_API_KEY';

/** A key in the form of §5; a shell has it in `variable`. */
function bearer(shown: Omit<Credential, 'curl'>, key: string, variable: string): SentCredential {
  const curl = { words: `-H "Authorization: Bearer ${variable}"` };
  return { shown: { ...shown, curl }, headers: { authorization: `Bearer ${key}` } };
}

export function validKey(key: string): SentCredential {
  return bearer({ id: 'api-key', kind: 'valid', title: 'the API key' }, key, keyVariable);
}

export function rateLimitKey(key: string): SentCredential {
  const shown = { id: 'rate-limit-key', kind: 'rate-limit', title: 'the rate-limit key' } as const;
  return bearer(shown, key, '$PETSTORE_RATE_LIMIT_KEY');
}

export const noKey: SentCredential = {
  shown: { id: 'none', kind: 'missing', title: 'no Authorization header', curl: { words: '' } },
  headers: {},
};

/** The credential that a target gets: only a disposable one gets the key elsewhere than in the Authorization header. */
export function credentialFor(credential: SentCredential, target: { readonly isDisposable: boolean }): SentCredential {
  return target.isDisposable || credential.headers['authorization'] !== undefined ? credential : noKey;
}
