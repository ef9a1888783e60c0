/** The store as a function of a request and a time: key, limit, operation, answer. */

import type { GapChoices } from '../spec/gaps.ts';
import { createCatalogue } from './catalogue.ts';
import { behaviourOf } from './choices.ts';
import { stringifyJson } from './json.ts';
import { type ApiKey, createKeyring, freeLimits, limitsOf } from './keys.ts';
import type { NewPet } from './new-pet.ts';
import { createPet, getPet, listPets, type Outcome, type Store } from './operations.ts';
import { createMeter, type Meter, type Standing } from './rate-limit.ts';

export interface StoreRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
  /** The address of the client: requests without a valid key are counted by it. */
  readonly address: string;
}

export interface StoreResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers a request at a time, Unix milliseconds. Never throws, never answers 5xx. */
export type Handle = (request: StoreRequest, now: number) => StoreResponse;

export interface PetStore {
  readonly handle: Handle;
}

export interface PetStoreOptions {
  readonly keys?: readonly ApiKey[];
  /** What the server does where the interface is silent; the reference choice where nothing is said. */
  readonly gaps?: Partial<GapChoices>;
  /** From 0 to 1; draws random ids and orders. */
  readonly random?: () => number;
  /** The length of the window that §8 calls a minute. */
  readonly windowSeconds?: number;
  readonly animals?: Iterable<NewPet>;
  readonly basePath?: string;
}

/** A body beyond this gets 413; listen reads no further. */
export const maxBodyBytes = 1024 * 1024;
/** Client addresses that are counted at a time; the oldest is forgotten. */
const maxAddresses = 10_000;

function headerOf({ headers }: StoreRequest, name: string): string | undefined {
  let found: string | undefined;
  for (const [candidate, value] of headers) {
    if (candidate.toLowerCase() !== name) continue;
    // A header that is sent twice tells nothing: which of them did another server on the way read?
    if (found !== undefined) return undefined;
    found = value;
  }
  return found;
}

/** Creates a store; throws a RangeError for unknown gaps, answers or limits. */
export function createPetStore(options: PetStoreOptions = {}): PetStore {
  const { keys = [], random = Math.random, windowSeconds = 60, basePath = '/v1' } = options;
  const behaviour = behaviourOf(options.gaps ?? {});
  const catalogue = createCatalogue(behaviour['list-order'], random, behaviour['extra-response-fields']);
  const store: Store = { catalogue, behaviour, random, basePath };
  const findKey = createKeyring(keys);
  const windowMs = windowSeconds * 1000;
  const meters = keys.map((key) => createMeter(limitsOf(key), windowMs, behaviour));
  const addresses = new Map<string, Meter>();
  for (const pet of options.animals ?? []) {
    const status = pet.status ?? behaviour['status-omitted'];
    catalogue.add(
      { ...pet, ...(status === undefined ? {} : { status }) },
      behaviour['id-form'](catalogue.size() + 1, random),
    );
  }

  function findClient(request: StoreRequest): number | undefined {
    const credential = /^(\S+) +(\S+)$/.exec(headerOf(request, 'authorization') ?? '');
    const isBearer = credential !== null && behaviour['bearer-case'].test(credential[1] ?? '');
    return isBearer ? findKey(credential[2] ?? '') : undefined;
  }

  /** Counts a request without a valid key: it is never refused for its number, since its answer is 401 (§5). */
  function countAddress(address: string, now: number): Standing {
    if (behaviour['rate-limit-without-key']) {
      return { limit: 0, remaining: 0, reset: Math.ceil((Math.floor(now / windowMs) + 1) * (windowMs / 1000)) };
    }
    let meter = addresses.get(address);
    if (meter === undefined) {
      if (addresses.size >= maxAddresses) addresses.delete(addresses.keys().next().value ?? '');
      meter = createMeter(freeLimits, windowMs, behaviour);
      addresses.set(address, meter);
    }
    return meter(now);
  }

  function write(outcome: Outcome, standing: Standing): StoreResponse {
    const headers: Record<string, string> = {
      'Content-Type': 'application/json',
      'X-RateLimit-Limit': String(standing.limit),
      'X-RateLimit-Remaining': String(standing.remaining),
      'X-RateLimit-Reset': String(standing.reset),
      ...outcome.headers,
    };
    if ('body' in outcome) return { status: outcome.status, headers, body: outcome.body };
    const code = behaviour['error-codes'](outcome.code);
    const error = { code, message: outcome.message, status: outcome.status, ...behaviour['extra-response-fields'] };
    return { status: outcome.status, headers, body: stringifyJson(error) };
  }

  function refuse(standing: Standing, until: number, now: number): StoreResponse {
    const headers = { 'Retry-After': behaviour['retry-after-form'](until, now) };
    const message = 'The rate limit is exceeded; wait as long as Retry-After says.';
    const answer = write({ status: 429, code: 'too_many_requests', message, headers }, standing);
    const body = behaviour['too-many-requests-body'];
    return body === undefined
      ? answer
      : { ...answer, headers: { ...answer.headers, 'Content-Type': 'text/plain' }, body };
  }

  function operate(request: StoreRequest, now: number): Outcome {
    const { method, target } = request;
    if (request.body.length > maxBodyBytes) {
      return { status: 413, code: 'body_too_large', message: `The body is larger than ${maxBodyBytes} bytes.` };
    }
    const question = target.indexOf('?');
    const path = question === -1 ? target : target.slice(0, question);
    const query = question === -1 ? '' : target.slice(question + 1);
    const collection = `${basePath}/pets`;
    const segment = path.startsWith(`${collection}/`) ? path.slice(collection.length + 1) : undefined;
    const isAnimal = segment !== undefined && segment !== '' && !segment.includes('/');
    switch (`${method} ${path === collection ? '/pets' : isAnimal ? '/pets/{petId}' : ''}`) {
      case 'GET /pets':
        return listPets(query, store);
      case 'POST /pets':
        return createPet(request.body, headerOf(request, 'content-type'), store);
      case 'GET /pets/{petId}':
        return getPet(segment ?? '', now, store);
    }
    const allow = path === collection ? 'GET, POST' : isAnimal ? 'GET' : undefined;
    if (allow === undefined || behaviour['other-operations'] === 404) {
      return { status: 404, code: 'not_found', message: 'There is nothing at this address.' };
    }
    const message = `This address takes ${allow}.`;
    return { status: 405, code: 'method_not_allowed', message, headers: { Allow: allow } };
  }

  return {
    handle(request, now) {
      const client = findClient(request);
      if (client === undefined) {
        const challenge = behaviour['www-authenticate'];
        const headers = challenge === undefined ? {} : { 'WWW-Authenticate': challenge };
        const message = 'The API key is missing or invalid.';
        return write({ status: 401, code: 'unauthorized', message, headers }, countAddress(request.address, now));
      }
      const standing = meters[client]!(now);
      if (standing.until !== undefined) return refuse(standing, standing.until, now);
      return write(operate(request, now), standing);
    },
  };
}
