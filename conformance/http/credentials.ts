/** Credentials as they are sent: the keys of a run, and none. What must be refused is listed with the checks of §5. */

import type { Credential, CredentialKind } from './exchange.ts';

/** The secrets of a run. */
export interface Keys {
  readonly api: string;
  /** A key that may be exhausted. */
  readonly rateLimit?: string;
}

/** A credential together with what it sends; the secret part never enters an exchange. */
export interface SentCredential {
  readonly shown: Credential;
  readonly headers: Readonly<Record<string, string>>;
  /** Query parameters, for keys that stand where none belongs. */
  readonly query?: string;
  /** Fields that a JSON object in the body gets at its end, for the same. */
  readonly fields?: string;
  /** What is nearly the key, or made of it: no echo of it enters an exchange. */
  readonly secret?: string;
}

/** A JSON object in two, for a credential to put its fields between; undefined where a body is none. */
export function splitObject(body: string): readonly [string, string] | undefined {
  if (!/^\{.*\}$/s.test(body)) return undefined;
  return [body === '{}' ? '{' : `${body.slice(0, -1)},`, '}'];
}

/** What a credential is called. */
export interface CredentialName {
  readonly id: string;
  readonly kind: CredentialKind;
  readonly title: string;
}

/** The shell variable that holds the API key. */
export const keyVariable = '$PETSTORE_API_KEY';

/** A credential by the value of its Authorization header; `shell` is that value for the shell. */
export function authorization(name: CredentialName, value: string, shell: string): SentCredential {
  // Without a value, curl sends a header only where a semicolon says so.
  const header = shell === '' ? 'Authorization;' : `Authorization: ${shell}`;
  return {
    shown: { ...name, curl: { words: `-H "${header}"` } },
    headers: { authorization: value },
  };
}

/** A credential by its bearer token. */
export function bearer(name: CredentialName, token: string, shell: string): SentCredential {
  return authorization(name, `Bearer ${token}`, `Bearer ${shell}`);
}

export function validKey(key: string): SentCredential {
  return bearer({ id: 'api-key', kind: 'valid', title: 'the API key' }, key, keyVariable);
}

export function rateLimitKey(key: string): SentCredential {
  const name = { id: 'rate-limit-key', kind: 'rate-limit', title: 'the rate-limit key' } as const;
  return bearer(name, key, '$PETSTORE_RATE_LIMIT_KEY');
}

export const noKey: SentCredential = {
  shown: { id: 'none', kind: 'missing', title: 'no Authorization header', curl: { words: '' } },
  headers: {},
};
