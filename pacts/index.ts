/**
 * Ready-made interactions with the Pet Store Service Interface, for consumers. Each one starts a mock server that answers
 * as the interface says, and writes a pact of version 4. There are matchers as well, for interactions of one's own.
 *
 * @module petstore-conformance/pacts
 */

import { type Expectation, expectations } from './expectations.ts';
import { MatchersV3, PactV4 } from './pact-js.ts';
import { providerName, providerStates } from './states.ts';

export type { PetStatus } from '../spec/operations.ts';
export type { ListQuery, NewPet } from './expectations.ts';
export {
  type BodyMatcher,
  errorMatcher,
  type PetExample,
  petMatcher,
  petsMatcher,
} from './matchers.ts';

/** The consumer that records, and the folder of its pact. */
export interface ConsumerOptions {
  /** The consumer's name in the pact. */
  readonly consumer: string;
  /** The folder of the pact file `CONSUMER-pet-store.json`. */
  readonly folder: string;
}

/** The mock server that the consumer's code uses in place of the service. */
export interface MockService {
  readonly baseUrl: string;
}

/** One interaction, to be run with the consumer's code. */
export interface Interaction {
  /** Resolves with the code's result. Rejects if the code sends another request or throws; then nothing is recorded. */
  readonly test: <Result>(useClient: (service: MockService) => Promise<Result>) => Promise<Result>;
}

type Expectations = typeof expectations;

/** The interactions that a consumer may have with the service, each with its provider state and its matchers. */
export type PetStorePact = {
  readonly [Name in keyof Expectations]: (...asked: Parameters<Expectations[Name]>) => Interaction;
};

const anyKey = MatchersV3.regex('^Bearer \\S+$', 'Bearer an-api-key');

function addTo(pact: InstanceType<typeof PactV4>, expected: Expectation) {
  const { description, state, parameters = {}, method, path, query, body, status, headers, answer } = expected;
  const interaction = pact.addInteraction();
  return (state === undefined ? interaction : interaction.given(state, parameters))
    .uponReceiving(description)
    .withRequest(method, path as string, (builder) => {
      if (query !== undefined) builder.query({ ...query });
      if (state !== providerStates.keyMissing) builder.headers({ Authorization: anyKey });
      // The library sends a string as it is, so other JSON values are serialised here.
      const isObject = typeof body === 'object' && body !== null;
      if (body !== undefined) builder.jsonBody(isObject ? body : JSON.stringify(body));
    })
    .willRespondWith(status, (builder) => {
      builder.headers({ ...headers } as Parameters<typeof builder.headers>[0]);
      if (answer !== undefined) builder.jsonBody(answer);
    });
}

/** Starts a pact between a consumer and the service. Its interactions write one file: run one after the other. */
export function petStorePact({ consumer, folder }: ConsumerOptions): PetStorePact {
  const pact = new PactV4({ consumer, provider: providerName, dir: folder, logLevel: 'error' });
  const record = (expected: Expectation): Interaction => ({
    test: async (useClient) => (await addTo(pact, expected).executeTest(({ url }) => useClient({ baseUrl: url })))!,
  });
  const all: Readonly<Record<string, (...asked: never[]) => Expectation>> = expectations;
  const interactions = Object.entries(all).map(([name, expect]) => [
    name,
    (...asked: never[]) => record(expect(...asked)),
  ]);
  return Object.fromEntries(interactions) as PetStorePact;
}
