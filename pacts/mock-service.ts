/** Runs the consumer's code against Pact's mock server, and records interactions that match in a pact file. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PactV4 as Pact } from '@pact-foundation/pact';
import { defined } from '../spec/defined.ts';
import { assertIs, type Expectation } from './expectations.ts';
import { MatchersV3, PactV4 } from './matchers.ts';
import { keyIsAbsent, providerName } from './states.ts';

/** The consumer that records, and the folder of its pact. */
export interface ConsumerOptions {
  /** The consumer's name in the pact. */
  readonly consumer: string;
  /** The folder of the pact file `CONSUMER-pet-store.json`. */
  readonly folder: string;
  /** The port of the mock server; a free one by default. */
  readonly port?: number;
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

const anyKey = MatchersV3.regex('^Bearer \\S+$', 'Bearer an-api-key');

function addTo(pact: Pact, { description, state, parameters = {}, request, response }: Expectation) {
  const { method, path, query, body, isWithoutKey } = request;
  const interaction = pact.addInteraction();
  if (isWithoutKey) interaction.comment(keyIsAbsent);
  return (state === undefined ? interaction : interaction.given(state.name, parameters))
    .uponReceiving(description)
    .withRequest(method, path as string, (builder) => {
      if (query !== undefined) builder.query({ ...query });
      if (!isWithoutKey) builder.headers({ Authorization: anyKey });
      // The library sends a string as it is, so other JSON values are serialised here.
      const isObject = typeof body === 'object' && body !== null;
      if (body !== undefined) builder.jsonBody(isObject ? body : JSON.stringify(body));
    })
    .willRespondWith(response.status, (builder) => {
      builder.headers({ ...response.headers } as Parameters<typeof builder.headers>[0]);
      if (response.body !== undefined) builder.jsonBody(response.body);
    });
}

type UseClient<Result> = (service: MockService) => Promise<Result>;

/** Runs a client that lists before a relay that notes whether it sends its key, which no pact can forbid. */
async function useWithoutKey<Result>(useClient: UseClient<Result>, mockUrl: string, port = 0): Promise<Result> {
  let isKeySeen = false;
  const server = createServer(async (incoming, outgoing) => {
    isKeySeen ||= incoming.headers.authorization !== undefined;
    const { url = '/', method = 'GET' } = incoming;
    const answer = await fetch(mockUrl + url, { method });
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  try {
    const result = await useClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    if (!isKeySeen) return result;
  } finally {
    server.closeAllConnections();
    await server[Symbol.asyncDispose]();
  }
  // The interaction is rejected, so that nothing is recorded.
  throw new Error(
    'expected a request without an Authorization header, received one with it: this interaction is about a missing key (§5)',
  );
}

/**
 * Turns expectations into interactions. They run one after the other, since each writes the same file. Throws a TypeError
 * for a consumer name that cannot be a file name.
 */
export function createRecorder({ consumer, folder, port }: ConsumerOptions): (expected: Expectation) => Interaction {
  assertIs(typeof consumer === 'string' && /^[^/\\]+$/.test(consumer), 'a consumer name without slashes', consumer);
  const options = { consumer, provider: providerName, dir: folder, logLevel: 'error' } as const;
  const pact = new PactV4({ ...options, ...defined({ port }) });
  // Behind a relay, the relay takes the user's port.
  const relayedPact = new PactV4(options);
  let before: Promise<unknown> = Promise.resolve();

  async function testOne<Result>(expected: Expectation, useClient: UseClient<Result>) {
    let result: { readonly value: Awaited<Result> } | undefined;
    const { isWithoutKey } = expected.request;
    await addTo(isWithoutKey ? relayedPact : pact, expected).executeTest(async ({ url }) => {
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
