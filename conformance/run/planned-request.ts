/** A request as a check plans it, and as the session sends it: with its credential, and whether it may create an animal. */

import { defined } from '../../spec/defined.ts';
import type { Operation } from '../../spec/operations.ts';
import { credentialFor, type Keys, type SentCredential, validKey } from '../http/credentials.ts';
import type { RecordedRequest } from '../http/exchange.ts';
import { readNewPet } from '../http/read-request.ts';
import type { Outgoing } from '../http/transport.ts';
import type { Settings } from '../world/settings.ts';
import type { CreationEffect } from './budget.ts';

/** A request to send. Without `credential` it carries the API key. */
export interface PlannedRequest {
  readonly operation: Operation;
  readonly method?: string;
  readonly target: string;
  readonly body?: string;
  readonly contentType?: string | undefined;
  /** Further headers, about which the interface says nothing. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly credential?: SentCredential;
}

export const plainListing: PlannedRequest = { operation: 'listPets', target: '/pets' };

/** Gets an id that hardly any animal has. */
export const unknownAnimal: PlannedRequest = { operation: 'getPet', target: '/pets/2305843009213693951' };

export interface Prepared extends Pick<PlannedRequest, 'operation'> {
  readonly creation: CreationEffect;
  readonly credential: SentCredential['shown'];
  /** Without its credential. */
  readonly request: RecordedRequest;
  readonly outgoing: Outgoing;
}

/** Every request has them, and so has its evidence: what a service answers may depend on them. */
const usualHeaders = { accept: 'application/json' };

/** Adds the API key, unless the request names another credential, and the headers of the settings. */
export function prepare(planned: PlannedRequest, keys: Keys, settings: Settings): Prepared {
  const { operation, method = 'GET', target, body, contentType } = planned;
  const { shown: credential, query, headers: own } = credentialFor(planned.credential ?? validKey(keys.api), settings);
  const headers = {
    ...usualHeaders,
    ...planned.headers,
    ...settings.headers,
    ...defined({ 'content-type': contentType }),
  };
  const request: RecordedRequest = defined({ method, target, headers, body });
  const separator = target.includes('?') ? '&' : '?';
  const url = settings.baseUrl + target + (query === undefined ? '' : separator + query);
  const outgoing: Outgoing = defined({ method, url, headers: { ...headers, ...own }, body });
  return { operation, credential, request, outgoing, creation: creationOf(operation, credential, request) };
}

/** Whether a request may change what the target stores (RFC 9110, 9.2.1). */
function isUnsafe({ method }: RecordedRequest): boolean {
  return !['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method.toUpperCase());
}

function creationOf(operation: Operation, { kind }: SentCredential['shown'], request: RecordedRequest): CreationEffect {
  const isAccepted = kind === 'valid' || kind === 'lenient' || kind === 'rate-limit';
  if (!isUnsafe(request)) return 'cannot-create';
  if (operation !== 'createPet' || !isAccepted) return 'must-not-create';
  const reading = readNewPet({ request });
  // Refusing a body that is not UTF-8 is advised only.
  const isRefused = reading.kind === 'invalid' && reading.requirement !== 'create-body-utf8';
  return isRefused ? 'must-not-create' : 'may-create';
}
