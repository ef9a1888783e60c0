/**
 * The interactions that a consumer can record: each is a request and the answer that the interface promises. Matchers claim no
 * optional field, code, message or order.
 */

import { defined } from '../spec/defined.ts';
import type { components } from '../spec/openapi.ts';
import type { PetStatus } from '../spec/operations.ts';
import { errorMatcher, petMatcher, petsMatcher } from './matchers.ts';
import { MatchersV3 } from './pact-js.ts';
import { providerStates } from './states.ts';

/** The body of createPet (§4.2). */
export type NewPet = components['schemas']['NewPet'];

/** The parameters of listPets. */
export interface ListQuery {
  readonly status?: PetStatus;
  /** The most animals that the page may hold (§4.1). */
  readonly limit?: number;
}

/** One request and its expected answer, as the pact records them. */
export interface Expectation {
  readonly description: string;
  readonly state?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly method: 'GET' | 'POST';
  /** A string, or a matcher for one. */
  readonly path: unknown;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The body of the answer; without it, any is accepted. */
  readonly answer?: unknown;
}

const { regex } = MatchersV3;

/** The exact value that a provider state injects under a name; a mock server uses the example. */
function exactly(name: string, example: string | number): unknown {
  return {
    'pact:matcher:type': 'equality',
    'pact:generator:type': 'ProviderState',
    expression: name,
    value: example,
  };
}

const digits = '^\\d+$';

/** Headers of every answer (§8). */
const rateHeaders = {
  'X-RateLimit-Limit': regex(digits, '60'),
  'X-RateLimit-Remaining': regex(digits, '59'),
  // A time may have a fraction of a second.
  'X-RateLimit-Reset': regex('^\\d+(\\.\\d+)?$', '1795228800'),
} as const;

const jsonHeaders = {
  ...rateHeaders,
  'Content-Type': regex('^(?i:application/json)\\s*(;.*)?$', 'application/json'),
} as const;

/** The two forms of Retry-After (§8): seconds, or a date of HTTP. */
const retryAfter = regex('^(\\d+|[A-Z][a-z]{2,8},? .*)$', '1');

function refusal(status: 400 | 401 | 404) {
  return { status, headers: jsonHeaders, answer: errorMatcher(status) };
}

type Rest = Pick<Expectation, 'state' | 'parameters' | 'status' | 'headers' | 'answer'>;

function listing(name: string, { status, limit }: ListQuery, rest: Rest): Expectation {
  const query = defined({ status, limit: limit === undefined ? undefined : `${limit}` });
  const words = Object.entries(query).map(([parameter, value]) => `${parameter} ${value}`);
  const description = words.length === 0 ? name : `${name} with ${words.join(' and ')}`;
  return { description, method: 'GET', path: '/pets', query, ...rest };
}

function creation(description: string, body: unknown, rest: Rest): Expectation {
  return { description, method: 'POST', path: '/pets', body, ...rest };
}

function reading(description: string, id: number, rest: Rest): Expectation {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the pact's own placeholder for an injected value.
  return { description, method: 'GET', path: exactly('/pets/${id}', `/pets/${id}`), ...rest };
}

export const expectations = {
  /** Lists the animals that match. */
  listPets: (query: ListQuery = {}) =>
    listing('a listing', query, {
      state: providerStates.animalExists,
      parameters: defined({ status: query.status }),
      status: 200,
      headers: jsonHeaders,
      answer: petsMatcher({ status: query.status }),
    }),
  /** Adds an animal. */
  createPet: (pet: NewPet) => {
    const { name, categoryId, status } = pet;
    // A provider injects its own values: it may know other categories, and names may have to be unique.
    const injected = { name: exactly('name', name), categoryId: exactly('categoryId', categoryId) };
    // §4.2 returns what was sent. A pact cannot assert that for injected values, but a verification judges it anyway.
    const rest = { status: 201, headers: jsonHeaders, answer: petMatcher({ name, categoryId, status }) };
    const state = providerStates.animalCanBeCreated;
    return creation(`a new animal ${JSON.stringify(pet)}`, { ...pet, ...injected }, { state, ...rest });
  },
  /** Sends a body that §4.2 refuses, to show how the consumer handles 400. */
  createPetRefused: (body: unknown) =>
    creation(`a new animal that is refused, ${JSON.stringify(body)}`, body, refusal(400)),
  /** Gets an animal that exists. The mock server knows it by `id`; a provider injects its own id. */
  getPet: (id = 7) => {
    const rest = { status: 200, headers: jsonHeaders, answer: petMatcher({ id: Number(id) }) };
    return reading(`the animal ${id}`, id, { state: providerStates.animalExists, ...rest });
  },
  /** Gets an id that no animal has; the answer is 404. */
  getUnknownPet: (id = 404) =>
    reading(`the animal ${id}, which is unknown`, id, { state: providerStates.noAnimalHasId, ...refusal(404) }),
  /** Lists without a key; the answer is 401. */
  withoutKey: (query: ListQuery = {}) =>
    listing('a listing without a key', query, { state: providerStates.keyMissing, ...refusal(401) }),
  /** Lists with a key that was never issued; the answer is 401. */
  withInvalidKey: (query: ListQuery = {}) =>
    listing('a listing with an invalid key', query, { state: providerStates.keyInvalid, ...refusal(401) }),
  /** Lists beyond the rate limit; the answer is 429, with a body that is open (§7). */
  rateLimitExceeded: (query: ListQuery = {}) =>
    listing('a listing beyond the rate limit', query, {
      state: providerStates.limitExceeded,
      status: 429,
      headers: { ...rateHeaders, 'Retry-After': retryAfter },
    }),
} as const;
