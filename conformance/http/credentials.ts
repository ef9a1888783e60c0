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

/** The form in which §5 states the header; a key is one, whatever its characters. */
const tokenForm = 'Bearer and a token';

/** How an Authorization header is formed (RFC 6750, 2.1): many services look at that before they compare a key. */
export function formOfHeader(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '') return 'no Authorization header';
  if (!/^bearer( |$)/i.test(authorization)) return 'another scheme than Bearer';
  return /^bearer +[\w.~+/-]+=*$/i.test(authorization) ? tokenForm : 'Bearer without a plain token';
}

/** A key in the form of §5; a shell has it in `variable`. */
function bearer(shown: Omit<Credential, 'curl' | 'form'>, key: string, variable: string): SentCredential {
  const curl = { words: `-H "Authorization: Bearer ${variable}"` };
  return { shown: { ...shown, curl, form: tokenForm }, headers: { authorization: `Bearer ${key}` } };
}

export function validKey(key: string): SentCredential {
  return bearer({ id: 'api-key', kind: 'valid', title: 'the API key' }, key, keyVariable);
}

export function rateLimitKey(key: string): SentCredential {
  const shown = { id: 'rate-limit-key', kind: 'rate-limit', title: 'the rate-limit key' } as const;
  return bearer(shown, key, '$PETSTORE_RATE_LIMIT_KEY');
}

export const noKey: SentCredential = {
  shown: {
    id: 'none',
    kind: 'missing',
    title: 'no Authorization header',
    form: formOfHeader(undefined),
    curl: { words: '' },
  },
  headers: {},
};

/** The credential that a target gets: only a disposable one gets the key elsewhere than in the Authorization header. */
export function credentialFor(credential: SentCredential, target: { readonly isDisposable: boolean }): SentCredential {
  return target.isDisposable || credential.headers['authorization'] !== undefined ? credential : noKey;
}
