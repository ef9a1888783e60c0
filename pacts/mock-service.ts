/** Runs the code of a consumer against the mock server of Pact, and has what fits written into a pact file. */

import type { PactV4 as Pact } from '@pact-foundation/pact';
import { assertIs, type Expectation } from './expectations.ts';
import { MatchersV3, PactV4 } from './library.ts';
import { keyIsAbsent } from './pact.ts';
import { startRequestLog } from './request-log.ts';
import { providerName } from './states.ts';

/** Who records, and where the pact goes. */
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

const anyKey = MatchersV3.regex('^Bearer \\S+$', 'Bearer an-api-key');

type Path = Parameters<ReturnType<Pact['addInteraction']>['withRequest']>[1];

/** The expectation in the words of the library. */
function addTo(pact: Pact, { description, state, parameters = {}, request, response }: Expectation) {
  const interaction = pact.addInteraction();
  if (request.credential === 'no key') interaction.comment(keyIsAbsent);
  return (state === undefined ? interaction : interaction.given(state.name, { ...parameters }))
    .uponReceiving(description)
    .withRequest(request.method, request.path as Path, (builder) => {
      const { query, credential, body } = request;
      if (query !== undefined) builder.query({ ...query });
      if (credential === 'a key') builder.headers({ Authorization: anyKey });
      // The library takes a text for JSON as it is to be sent.
      const isObject = typeof body === 'object' && body !== null;
      if (body !== undefined) builder.jsonBody(isObject ? body : JSON.stringify(body));
    })
    .willRespondWith(response.status, (builder) => {
      builder.headers({ ...response.headers } as Parameters<typeof builder.headers>[0]);
      if (response.body !== undefined) builder.jsonBody(response.body);
    });
}

type UseClient<Result> = (service: MockService) => Promise<Result>;

/** Has a client ask through a witness; rejects where it sends a key, so that nothing is recorded. */
async function useWithoutKey<Result>(useClient: UseClient<Result>, mockUrl: string, port = 0): Promise<Result> {
  const witness = await startRequestLog(mockUrl, port);
  try {
    const result = await useClient({ baseUrl: witness.url });
    if (!witness.hasSeenKey()) return result;
  } finally {
    await witness.close();
  }
  throw new Error(
    'expected a request without a key, received one with an Authorization header: this interaction says that it is absent (§5)',
  );
}

/**
 * Makes interactions of expectations. They are tested one after the other, however they are called: the file that they
 * share is written by each. Throws a TypeError for a name that is none of a file.
 */
export function createRecorder({ consumer, folder, port }: ConsumerOptions): (expected: Expectation) => Interaction {
  assertIs(/^[^/\\]+$/.test(consumer), 'a name of a consumer without slashes', consumer);
  const options = { consumer, provider: providerName, dir: folder, logLevel: 'error' } as const;
  const pact = new PactV4({ ...options, ...(port === undefined ? {} : { port }) });
  // The port of the user is that of the witness then.
  const witnessed = new PactV4(options);
  let before: Promise<unknown> = Promise.resolve();

  async function testOne<Result>(expected: Expectation, useClient: UseClient<Result>) {
    let result: { readonly value: Awaited<Result> } | undefined;
    const isWithoutKey = expected.request.credential === 'no key';
    await addTo(isWithoutKey ? witnessed : pact, expected).executeTest(async ({ url }) => {
      const using = isWithoutKey ? useWithoutKey(useClient, url, port) : useClient({ baseUrl: url });
      result = { value: await using };
    });
    return result!.value;
  }

  return (expected) => ({
    test: (useClient) => {
      const tested = before.then(() => testOne(expected, useClient));
      before = tested.catch(() => undefined);
      return tested;
    },
  });
}
