/** Finds the credential and the client of a request. Traffic does not say which keys are valid; responses do. */

import { hash } from 'node:crypto';
import { noKey, validKey } from '../http/credentials.ts';
import type { Credential } from '../http/exchange.ts';
import type { CapturedExchange } from './captured-exchange.ts';

export interface Sender {
  readonly credential: Credential;
  /** Equal for all requests with one key; undefined if no key is known to be accepted. */
  readonly client?: string;
}

export interface AttributionOptions {
  /** A key that is known to be valid. */
  readonly apiKey?: string;
  /** Further secrets that no evidence shows. */
  readonly secrets?: readonly string[];
  /** The credential that this kit recorded under an id. */
  readonly findCredential: (id: string) => Credential | undefined;
}

const accepted: Credential = validKey('').shown;

const lenient: Credential = {
  id: 'lower-case-bearer',
  kind: 'lenient',
  title: 'the API key with the scheme Bearer in another case',
  curl: { words: '-H "Authorization: bearer $PETSTORE_API_KEY"' },
};

const otherScheme: Credential = {
  id: 'other-scheme',
  kind: 'misplaced',
  title: 'a credential of another scheme than Bearer',
  curl: { words: '-u "$PETSTORE_API_KEY:"' },
};

const unseen: Credential = {
  id: 'unseen',
  kind: 'unseen',
  title: 'a credential that is not shown',
  curl: accepted.curl,
};

/** The key may be invalid, or valid and wrongly refused. A wrong key is likely to be refused again. */
const refused: Credential = {
  ...unseen,
  title: 'a credential that was refused',
  curl: { words: '-H "Authorization: Bearer not-a-valid-key"' },
};

/** A value with any other word in front may have been edited by whoever cleaned the archive. */
const otherSchemes = /^(basic|digest|token|apikey|hawk)\s+\S/i;

export function senderOf(
  { headers, response, credentialId, isCleaned }: CapturedExchange,
  { apiKey, findCredential }: AttributionOptions,
): Sender {
  const isRefused = response?.status === 401;
  const hidden = isRefused ? refused : unseen;
  if (credentialId !== undefined) return { credential: findCredential(credentialId) ?? hidden, client: 'this kit' };
  const header = headers['authorization']?.trim();
  if (header === undefined) {
    if (!isCleaned) return { credential: noKey.shown };
    return isRefused ? { credential: hidden } : { credential: hidden, client: 'not shown' };
  }
  const [, scheme = '', key = ''] = /^(Bearer)\s+(\S+)$/i.exec(header) ?? [];
  if (key === '') return { credential: otherSchemes.test(header) ? otherScheme : hidden };
  // A digest tells keys apart without disclosing them.
  const client = hash('sha256', key);
  if (scheme !== 'Bearer') return { credential: lenient, client };
  return isRefused && key !== apiKey ? { credential: hidden } : { credential: accepted, client };
}
