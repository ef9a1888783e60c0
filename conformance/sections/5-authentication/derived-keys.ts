/** Builds credentials from the API key: what is sent, and how a shell makes the same of its variable. */

import {
  authorization,
  bearer,
  type CredentialName,
  keyVariable,
  type SentCredential,
} from '../../http/credentials.ts';

/** A key cut into what carries it and the padding of base64, which carries nothing. */
export function splitPadding(key: string): { readonly digits: string; readonly padding: string } {
  const [, digits = key, padding = ''] = /^(.*?)(=*)$/.exec(key) ?? [];
  return { digits, padding };
}

/** Whether a key may be hexadecimal: then case, dashes and braces carry nothing. */
export function isHexadecimal(key: string): boolean {
  return /^[0-9a-f{}()-]+$/i.test(key);
}

/** Whether a careful service may take a token for the key itself, with or without regard to case. */
export function isSameKey(key: string, token: string): boolean {
  const plain = (text: string): string => (isHexadecimal(key) ? text.replace(/[{}()-]/g, '') : text).toLowerCase();
  return plain(token) === plain(key);
}

/** A bearer token that is made of the key: no answer may echo it into the evidence. */
export function derived(name: CredentialName, token: string, shell: string): SentCredential {
  return { ...bearer(name, token, shell), secret: token };
}

/** A text as it stands within double quotes of a shell. */
export function literally(text: string): string {
  return text.replace(/[\\"`$]/g, '\\$&');
}

/** The key between two texts, for a shell. */
export function around(before: string, after: string): string {
  const variable = /^\w/.test(after) ? `\${${keyVariable.slice(1)}}` : keyVariable;
  return literally(before) + variable + literally(after);
}

/** What a shell makes of the key, when it goes through a command. */
export function through(command: string): string {
  return `$(printf %s "${keyVariable}" | ${command})`;
}

/** The key after another scheme, or after none. */
export function withScheme(name: CredentialName, scheme: string, key: string): SentCredential {
  return authorization(name, `${scheme}${key}`, around(scheme, ''));
}
