/**
 * For consumers: ready-made interactions with the Pet Store Service Interface. Each gives a mock server that answers
 * as the interface says, and writes what was asked into a pact of version 4.
 */

// Set before the library is loaded, which reports its use otherwise.
process.env['PACT_DO_NOT_TRACK'] = 'true';

import type { PactV4 as Pact } from '@pact-foundation/pact';
import type { components } from '../spec/openapi.ts';
import type { StateParameters } from './states.ts';

const { MatchersV3, PactV4 } = await import('@pact-foundation/pact');
const { bodyLike, exactly, isListedStatus, jsonHeaders, pageLike, rateHeaders, retryAfter } = await import(
  './matchers.ts'
);
const { providerName, providerStates } = await import('./states.ts');
const { regex } = MatchersV3;

export type NewPet = components['schemas']['NewPet'];
export type PetStatus = components['schemas']['PetStatus'];

export interface ConsumerOptions {
  /** The name of the consumer, as it stands in the pact. */
  readonly consumer: string;
  /** The folder in which the pact file appears: `CONSUMER-pet-store.json`. */
  readonly folder: string;
  /** A port for the mock server; a free one when left out. */
  readonly port?: number;
}

/** What is given to the code of a consumer in place of the service. */
export interface MockService {
  readonly baseUrl: string;
}

/** One interaction, to be run with the code of a consumer; what that code returns comes back. */
export interface Interaction {
  /** Rejects where the code sends something else, or throws; only what passes is written to the pact. */
  readonly test: <Result>(useClient: (service: MockService) => Promise<Result>) => Promise<Result>;
}

export interface ListQuery {
  readonly status?: PetStatus;
  /** 1 to 100 (§8). */
  readonly limit?: number;
}

const anyKey = regex('^Bearer \\S+$', 'Bearer an-api-key');

interface Exchange {
  readonly description: string;
  readonly states: readonly (readonly [{ readonly name: string }, StateParameters?])[];
  readonly method: 'GET' | 'POST';
  readonly path: Parameters<ReturnType<Pact['addInteraction']>['withRequest']>[1];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly withKey: boolean;
  readonly status: number;
  readonly answers?: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** The interactions that a consumer may have with the service, each with its provider state and its matchers. */
export interface PetStorePact {
  readonly listPets: (query?: ListQuery) => Interaction;
  readonly createPet: (pet: NewPet) => Interaction;
  /** A body that §4.2 refuses: the consumer's code shows how it deals with 400. */
  readonly createPetRefused: (body: unknown) => Interaction;
  /** An animal that exists; `id` is the one that the mock server knows, a provider injects its own. */
  readonly getPet: (id?: number) => Interaction;
  readonly getUnknownPet: (id?: number) => Interaction;
  readonly withoutKey: (query?: ListQuery) => Interaction;
  readonly withInvalidKey: (query?: ListQuery) => Interaction;
  readonly rateLimitExceeded: (query?: ListQuery) => Interaction;
}

function queryOf({ status, limit }: ListQuery): Readonly<Record<string, string>> {
  return { ...(status === undefined ? {} : { status }), ...(limit === undefined ? {} : { limit: String(limit) }) };
}

function wordsOf(query: ListQuery): string {
  const words = Object.entries(queryOf(query)).map(([name, value]) => `${name} ${value}`);
  return words.length === 0 ? '' : ` with ${words.join(' and ')}`;
}

function isNewPet(value: unknown): value is NewPet {
  if (typeof value !== 'object' || value === null) return false;
  const { name, categoryId, status } = value as Readonly<Record<string, unknown>>;
  const isStatus = status === undefined || isListedStatus(status);
  return typeof name === 'string' && Number.isSafeInteger(categoryId) && isStatus;
}

/** Throws a TypeError where an interaction is asked for that the interface does not have. */
function check(isRight: boolean, expected: string, received: unknown): void {
  if (!isRight) throw new TypeError(`expected ${expected}, received ${JSON.stringify(received) ?? 'nothing'}`);
}

function checkQuery({ status, limit }: ListQuery): void {
  check(status === undefined || isListedStatus(status), 'a status that §3 lists', status);
  const isLimit = limit === undefined || (Number.isInteger(limit) && limit >= 1 && limit <= 100);
  check(isLimit, 'a limit from 1 to 100 (§4.1)', limit);
}

function checkId(id: number): void {
  check(Number.isSafeInteger(id), 'an id that JavaScript holds exactly', id);
}

/** What a provider puts into a new animal, since it may know other categories, and names may have to be free. */
function injected({ name, categoryId }: NewPet): object {
  return { name: exactly('name', name), categoryId: exactly('categoryId', categoryId) };
}

/**
 * Starts a pact between a consumer and the service. Interactions are tested one after the other, however they are
 * called: the file that they share is written by each. Throws a TypeError for a name that is none of a file.
 */
export function petStorePact({ consumer, folder, port }: ConsumerOptions): PetStorePact {
  check(/^[^/\\]+$/.test(consumer), 'a name of a consumer without slashes', consumer);
  let before: Promise<unknown> = Promise.resolve();
  const pact = new PactV4({
    consumer,
    provider: providerName,
    dir: folder,
    logLevel: 'error',
    ...(port === undefined ? {} : { port }),
  });

  function interaction(exchange: Exchange): Interaction {
    return {
      test: (useClient) => {
        const tested = before.then(() => testOne(exchange, useClient));
        before = tested.catch(() => undefined);
        return tested;
      },
    };
  }

  async function testOne<Result>(exchange: Exchange, useClient: (service: MockService) => Promise<Result>) {
    const given = exchange.states.reduce(
      (started, [state, parameters = {}]) => started.given(state.name, { ...parameters }),
      pact.addInteraction(),
    );
    const prepared = given
      .uponReceiving(exchange.description)
      .withRequest(exchange.method, exchange.path, (builder) => {
        if (exchange.query !== undefined) builder.query({ ...exchange.query });
        if (exchange.withKey) builder.headers({ Authorization: anyKey });
        // The library takes a text for JSON as it is to be sent.
        const isObject = typeof exchange.body === 'object' && exchange.body !== null;
        if (exchange.body !== undefined) builder.jsonBody(isObject ? exchange.body : JSON.stringify(exchange.body));
      })
      .willRespondWith(exchange.status, (builder) => {
        builder.headers({ ...exchange.headers } as Parameters<typeof builder.headers>[0]);
        if (exchange.answers !== undefined) builder.jsonBody(exchange.answers);
      });
    let result: { readonly value: Awaited<ReturnType<typeof useClient>> } | undefined;
    await prepared.executeTest(async ({ url }) => {
      result = { value: await useClient({ baseUrl: url }) };
    });
    return result!.value;
  }

  const refused = (status: number): unknown => bodyLike('Error', { status });
  const listing = (
    name: string,
    query: ListQuery,
    rest: Pick<Exchange, 'states' | 'withKey' | 'status' | 'headers'> & { readonly answers?: unknown },
  ): Interaction => {
    checkQuery(query);
    return interaction({
      description: `${name}${wordsOf(query)}`,
      method: 'GET',
      path: '/pets',
      query: queryOf(query),
      ...rest,
    });
  };
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the pact's own placeholder for an injected value.
  const one = (id: number) => exactly('/pets/${id}', `/pets/${id}`) as Exchange['path'];

  return {
    listPets: (query = {}) =>
      listing('a listing', query, {
        states: [[providerStates.animalExists, query.status === undefined ? {} : { status: query.status }]],
        withKey: true,
        status: 200,
        headers: jsonHeaders,
        answers: pageLike(query.status === undefined ? {} : { status: query.status }),
      }),
    createPet: (pet) => {
      check(isNewPet(pet), 'a NewPet (§2)', pet);
      return interaction({
        description: `a new animal ${JSON.stringify(pet)}`,
        states: [[providerStates.animalCanBeCreated]],
        method: 'POST',
        path: '/pets',
        body: { ...pet, ...injected(pet) },
        withKey: true,
        status: 201,
        headers: jsonHeaders,
        // What was sent comes back (§4.2); a pact cannot say so of what is injected, a verification judges it all the same.
        answers: bodyLike('Pet', pet.status === undefined ? {} : { status: pet.status }, {
          name: pet.name,
          categoryId: pet.categoryId,
        }),
      });
    },
    createPetRefused: (body) => {
      check(body !== undefined && !isNewPet(body), 'a body that §4.2 refuses', body);
      return interaction({
        description: `a new animal that is refused, ${JSON.stringify(body)}`,
        states: [],
        method: 'POST',
        path: '/pets',
        body,
        withKey: true,
        status: 400,
        headers: jsonHeaders,
        answers: refused(400),
      });
    },
    getPet: (id = 7) => {
      checkId(id);
      return interaction({
        description: `the animal ${id}`,
        states: [[providerStates.animalExists]],
        method: 'GET',
        path: one(id),
        withKey: true,
        status: 200,
        headers: jsonHeaders,
        answers: bodyLike('Pet', {}, { id }),
      });
    },
    getUnknownPet: (id = 404) => {
      checkId(id);
      return interaction({
        description: `the animal ${id}, which is unknown`,
        states: [[providerStates.noAnimalHasId]],
        method: 'GET',
        path: one(id),
        withKey: true,
        status: 404,
        headers: jsonHeaders,
        answers: refused(404),
      });
    },
    withoutKey: (query = {}) =>
      listing('a listing without a key', query, {
        states: [[providerStates.keyMissing]],
        withKey: false,
        status: 401,
        headers: jsonHeaders,
        answers: refused(401),
      }),
    withInvalidKey: (query = {}) =>
      listing('a listing with an invalid key', query, {
        states: [[providerStates.keyInvalid]],
        withKey: true,
        status: 401,
        headers: jsonHeaders,
        answers: refused(401),
      }),
    rateLimitExceeded: (query = {}) =>
      listing('a listing beyond the rate limit', query, {
        states: [[providerStates.limitExceeded]],
        withKey: true,
        status: 429,
        // The body of a 429 is open (§7).
        headers: { ...rateHeaders, 'Retry-After': retryAfter },
      }),
  };
}
