/** Builds credentials from the API key: the header that is sent, and the shell expression that produces it. */

import {
  authorization,
  bearer,
  type CredentialName,
  keyVariable,
  type SentCredential,
} from '../../http/credentials.ts';

/** Splits a key into its characters and its base64 padding, which carries no information. */
export function splitPadding(key: string): { readonly digits: string; readonly padding: string } {
  const [, digits = key, padding = ''] = /^(.*?)(=*)$/.exec(key) ?? [];
  return { digits, padding };
}

/** Whether a key may be hexadecimal, so that case, dashes and braces carry no information. */
export function isHexadecimal(key: string): boolean {
  return /^[0-9a-f{}()-]+$/i.test(key);
}

/** Whether a careful service may take a token for the key itself. */
export function isSameKey(key: string, token: string): boolean {
  const plain = (text: string): string => (isHexadecimal(key) ? text.replace(/[{}()-]/g, '') : text).toLowerCase();
  return plain(token) === plain(key);
}

/** A bearer token that is derived from the key; the evidence must not contain echoes of it. */
export function derived(name: CredentialName, token: string, shell: string): SentCredential {
  return { ...bearer(name, token, shell), secret: token };
}

/** Escapes a text for double quotes in a shell. */
export function literally(text: string): string {
  return text.replace(/[\\"`$]/g, '\\$&');
}

/** The shell expression for the key between two texts. */
export function around(before: string, after: string): string {
  const variable = /^\w/.test(after) ? `\${${keyVariable.slice(1)}}` : keyVariable;
  return literally(before) + variable + literally(after);
}

/** The shell expression for the key piped through a command. */
export function through(command: string): string {
  return `$(printf %s "${keyVariable}" | ${command})`;
}

/** The key after a scheme, which may be empty. */
export function withScheme(name: CredentialName, scheme: string, key: string): SentCredential {
  return authorization(name, `${scheme}${key}`, around(scheme, ''));
}
