/** The store as a function of a request and a time: key, limit, operation, answer. */

import type { GapChoices } from '../spec/gaps.ts';
import { createCatalogue } from './catalogue.ts';
import { readBehaviour } from './choices.ts';
import { stringifyJson } from './json.ts';
import { type ApiKey, createKeyring, readLimits } from './keys.ts';
import { createPet, getPet, listPets, type Outcome, type Store, storePet } from './operations.ts';
import type { NewPet } from './pet.ts';
import { createMeter, type Meter, type Verdict } from './rate-limit.ts';

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
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Answers a request at a time, Unix milliseconds. Never throws, never answers 5xx. */
export type Handle = (request: StoreRequest, now: number) => StoreResponse;

export interface PetStore {
  readonly handle: Handle;
}

export interface PetStoreOptions {
  /** None is accepted where none is given. */
  readonly keys?: readonly ApiKey[];
  /** What the server does where the interface is silent; the reference choice where nothing is said. */
  readonly gaps?: Partial<GapChoices>;
  /** From 0 to 1; draws random ids and orders. Math.random where none is given. */
  readonly random?: () => number;
  /** The length of the window that §8 calls a minute; 60 where none is given. */
  readonly windowSeconds?: number;
  /** What the catalogue holds from the start. */
  readonly animals?: Iterable<NewPet>;
  /** /v1 where none is given. */
  readonly basePath?: string;
}

/** A body beyond this gets 413; listen reads no further. */
export const maxBodyBytes = 1024 * 1024;
/** Client addresses that are counted at a time; the oldest is forgotten. */
const maxAddresses = 10_000;

/** The value of a header, empty where it is missing or sent twice: of two, who knows which another server has read. */
function readHeader({ headers }: StoreRequest, name: string): string {
  let found: string | undefined;
  for (const [sent, value] of headers) {
    if (sent.length !== name.length || sent.toLowerCase() !== name) continue;
    if (found !== undefined) return '';
    found = value;
  }
  return found ?? '';
}

/** The path of a target; HTTP has servers take a whole URL as well. */
function readPath(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/]*/i, '');
}

/** Counts the requests of each address; they are never refused for their number, since without a key all get 401 (§5). */
function createAddressMeter(createAddress: () => Meter): (address: string, now: number) => Verdict {
  const meters = new Map<string, Meter>();
  return (address, now) => {
    const meter = meters.get(address) ?? createAddress();
    if (!meters.has(address) && meters.size >= maxAddresses) meters.delete(meters.keys().next().value!);
    meters.set(address, meter);
    return meter(now);
  };
}

/** Creates a store; throws a RangeError for gaps, answers, keys or numbers that it cannot work with. */
export function createPetStore(options: PetStoreOptions = {}): PetStore {
  const { keys = [], random = Math.random, windowSeconds = 60, basePath = '/v1' } = options;
  if (!(windowSeconds > 0)) throw new RangeError('windowSeconds must be a number above 0.');
  const behaviour = readBehaviour(options.gaps ?? {});
  const collection = `${basePath}/pets`;
  const animal = `${collection}/`;
  const catalogue = createCatalogue(behaviour['list-order'], random, behaviour['extra-response-fields']);
  const deprecation = behaviour['deprecation-headers'](collection);
  const store: Store = { catalogue, behaviour, random, collection, deprecation };
  const findKey = createKeyring(keys);
  const windowMs = windowSeconds * 1000;
  const rules = behaviour['rate-limit-window'];
  const meters = keys.map((key) => createMeter(readLimits(key), windowMs, behaviour.ban, rules));
  const countAddress = createAddressMeter(behaviour['rate-limit-without-key'](windowMs, rules));
  for (const animal of options.animals ?? []) storePet(animal, store);

  function findClient(request: StoreRequest): Meter | undefined {
    const token = behaviour['bearer-case'].exec(readHeader(request, 'authorization'))?.[1];
    return meters[(token === undefined ? undefined : findKey(token)) ?? -1];
  }

  function answer(outcome: Outcome, { limit, remaining, reset }: Verdict): StoreResponse {
    const headers: Record<string, string> = {
      'Content-Type': 'application/json',
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': String(reset),
    };
    Object.assign(headers, outcome.headers);
    const { status } = outcome;
    if ('body' in outcome) return { status, headers, body: outcome.body };
    const code = behaviour['error-codes'](outcome.code, status);
    const error = { code, message: outcome.message, status, ...behaviour['extra-response-fields'] };
    return { status, headers, body: stringifyJson(error) };
  }

  function answerTooMany(until: number, now: number, verdict: Verdict): StoreResponse {
    const headers = { 'Retry-After': behaviour['retry-after-form'](until, now) };
    const message = 'The rate limit is exceeded; wait as long as Retry-After says.';
    const response = answer({ status: 429, code: 'too_many_requests', message, headers }, verdict);
    const body = behaviour['too-many-requests-body'];
    if (body === undefined) return response;
    return { ...response, headers: { ...response.headers, 'Content-Type': 'text/plain' }, body };
  }

  function operate(request: StoreRequest, now: number): Outcome {
    const { method, target, body } = request;
    if (body.length > maxBodyBytes) {
      return { status: 413, code: 'body_too_large', message: `The body is larger than ${maxBodyBytes} bytes.` };
    }
    const question = target.indexOf('?');
    const path = readPath(question === -1 ? target : target.slice(0, question));
    const query = question === -1 ? '' : target.slice(question + 1);
    const segment = path.startsWith(animal) ? path.slice(animal.length) : '';
    const place = path === collection ? 'pets' : segment === '' || segment.includes('/') ? 'nowhere' : 'pet';
    switch (`${method} ${place}`) {
      case 'GET pets':
        return listPets(query, store);
      case 'POST pets':
        return createPet(body, readHeader(request, 'content-type').trim(), store);
      case 'GET pet':
        return getPet(segment, now, store);
    }
    if (place === 'nowhere' || behaviour['other-operations'] === 404) {
      return { status: 404, code: 'not_found', message: 'There is nothing at this address.' };
    }
    const headers = { Allow: place === 'pets' ? 'GET, POST' : 'GET' };
    return { status: 405, code: 'method_not_allowed', message: `This address takes ${headers.Allow}.`, headers };
  }

  return {
    handle(request, now) {
      const countRequest = findClient(request);
      if (countRequest === undefined) {
        const headers = behaviour['www-authenticate'];
        const message = 'The API key is missing or invalid.';
        return answer({ status: 401, code: 'unauthorized', message, headers }, countAddress(request.address, now));
      }
      const verdict = countRequest(now);
      if (verdict.until !== undefined) return answerTooMany(verdict.until, now, verdict);
      return answer(operate(request, now), verdict);
    },
  };
}
