/** A request as a check plans it, and what a session makes of that: its credential, its record, whom and what it counts for. */

import { effectOf } from '../../spec/operation-roles.ts';
import { type Keys, type SentCredential, validKey } from '../http/credentials.ts';
import type { Operation, RecordedRequest } from '../http/exchange.ts';
import { readNewPet } from '../http/read-request.ts';
import type { Settings } from '../verdict/settings.ts';
import type { Creation } from './budget.ts';
import type { RateLimitedClient } from './rate-limit-state.ts';

/** A request to send. Without `credential` it carries the API key. */
export interface PlannedRequest {
  readonly operation: Operation;
  readonly method?: string;
  readonly target: string;
  readonly body?: string;
  readonly contentType?: string;
  /** What a client sends beside; the interface has nothing to say on it. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly credential?: SentCredential;
}

/** A request with all that goes out with it, and how it is recorded. */
export interface Prepared {
  readonly planned: PlannedRequest;
  readonly credential: SentCredential;
  readonly request: RecordedRequest;
  readonly creation: Creation;
}

/** What goes out for a planned request: with the API key where it names no credential, and what the settings add. */
export function prepare(planned: PlannedRequest, keys: Keys, settings: Settings): Prepared {
  const { operation, method = 'GET', target, body, contentType, headers, credential = validKey(keys.api) } = planned;
  const request: RecordedRequest = {
    method,
    target,
    headers: { ...headers, ...settings.headers, ...(contentType === undefined ? {} : { 'content-type': contentType }) },
    ...(body === undefined ? {} : { body }),
  };
  return { planned, credential, request, creation: creationOf(operation, credential.shown, request) };
}

/** Whether a request may create an animal on a target that keeps the interface. */
function creationOf(operation: Operation, { kind }: SentCredential['shown'], request: RecordedRequest): Creation {
  const isAccepted = kind === 'valid' || kind === 'lenient' || kind === 'rate-limit';
  const isValid = effectOf(operation) === 'creates' && isAccepted && readNewPet({ request }).kind !== 'invalid';
  return isValid ? 'may-create' : 'creates-nothing';
}

/** Whom a target counts a request for. */
export function clientOf({ shown: { kind } }: SentCredential): RateLimitedClient {
  return kind === 'valid' || kind === 'lenient' ? 'key' : kind === 'rate-limit' ? 'rate-limit-key' : 'without-key';
}
