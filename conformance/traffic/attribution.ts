/** Whose request it is, as far as traffic shows it: nobody says there which keys are valid, but their answers do. */

import { createHash } from 'node:crypto';
import { noKey, validKey } from '../http/credentials.ts';
import type { Credential } from '../http/exchange.ts';
import type { CapturedExchange } from './captured-exchange.ts';

export interface Sender {
  readonly credential: Credential;
  /** The same for all requests with one key; undefined where no key is known to be accepted. */
  readonly client?: string;
}

export interface AttributionOptions {
  /** A key that is known to be valid. */
  readonly apiKey?: string;
  /** Whether headers with keys were taken out before: then one that is not there says nothing. */
  readonly isCleaned: boolean;
  /** The credential that this kit recorded by its id. */
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

/** A key that was refused may be invalid, rightly, or valid, wrongly: the traffic does not say. */
const unseen: Credential = {
  id: 'unseen',
  kind: 'unseen',
  title: 'a credential that is not shown',
  curl: accepted.curl,
};

/** Other words before a value may be those of whoever cleaned the archive. */
const schemes = /^(basic|digest|token|apikey|hawk)\s+\S/i;

/** A name for a key that says nothing of it. It is kept in memory only. */
function nameOf(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}

/** Says who sends a request. */
export function senderOf(
  { headers, response, credentialId }: CapturedExchange,
  { apiKey, isCleaned, findCredential }: AttributionOptions,
): Sender {
  const isRefused = response?.status === 401;
  if (credentialId !== undefined) return { credential: findCredential(credentialId) ?? unseen, client: 'this kit' };
  const header = headers['authorization']?.trim();
  if (header === undefined) {
    if (!isCleaned) return { credential: noKey.shown };
    return isRefused ? { credential: unseen } : { credential: unseen, client: 'not shown' };
  }
  const [, scheme = '', key = ''] = /^(Bearer)\s+(\S+)$/i.exec(header) ?? [];
  if (key === '') return { credential: schemes.test(header) ? otherScheme : unseen };
  if (scheme !== 'Bearer') return { credential: lenient, client: nameOf(key) };
  return isRefused && key !== apiKey ? { credential: unseen } : { credential: accepted, client: nameOf(key) };
}
