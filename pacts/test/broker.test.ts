/** The requests to a broker, their order, and what they must not contain. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Outgoing } from '../../conformance/http/transport.ts';
import { RunStopped } from '../../conformance/run/pace.ts';
import { type Broker, verifyFromBroker } from '../verify/broker.ts';
import type { Gateway } from '../verify/gateway.ts';
import { version3 } from './handmade.ts';

const [interaction] = version3.interactions;
const links = { 'pb:publish-verification-results': { href: '/results' }, 'pb:provider': { href: '/provider' } };

/** Path → answer. */
const resources: Readonly<Record<string, object>> = {
  '/': { _links: { 'pb:provider-pacts-for-verification': { href: '/of/{provider}' } } },
  '/of/pet%20store': { _embedded: { pacts: [{ _links: { self: { href: '/pact' } } }] } },
  '/pact': { ...version3, interactions: [{ ...interaction, _id: 'a' }], _links: links },
  '/provider': { _links: { 'pb:branch-version': { href: '/branches/{branch}/versions/{version}' } } },
};

const gateway: Gateway = {
  url: 'http://127.0.0.1/a',
  statesUrl: 'http://127.0.0.1/b',
  expect: () => undefined,
  take: () => [{ exchanges: [], isSent: true }],
  stopped: () => undefined,
  renew: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** Verifies with a verifier that passes everything, unless the signal is aborted. */
async function verify(
  settings: Partial<Broker>,
  { others = {}, signal = new AbortController().signal }: { others?: typeof resources; signal?: AbortSignal } = {},
) {
  const asked: Outgoing[] = [];
  const broker: Broker = {
    url: 'http://127.0.0.1',
    provider: 'pet store',
    selectors: [],
    isPendingEnabled: false,
    publishes: true,
    providerVersion: '1.2.3',
    transport: (outgoing) => {
      asked.push(outgoing);
      const resource = { ...resources, ...others }[new URL(outgoing.url).pathname] ?? {};
      return Promise.resolve({ status: 200, headers: {}, body: new TextEncoder().encode(JSON.stringify(resource)) });
    },
    ...settings,
  };
  const result = {
    consumer: 'x',
    description: interaction!.description,
    states: [],
    isPass: true,
    isPending: false,
    messages: [],
  };
  const verifier = {
    verify: () => Promise.resolve(signal.aborted ? undefined : { results: [result], errors: [] }),
    close: () => undefined,
  };
  const redact = (text: string): string => text;
  const run = { by: { gateway, verifier, signal }, requiresAll: false, redact, enter: () => undefined };
  const verdicts: string[] = [];
  for await (const reported of verifyFromBroker(broker, run)) verdicts.push(...reported.map(({ verdict }) => verdict));
  return { verdicts, asked: asked.map(({ method, url, body }) => [method, new URL(url).pathname, body]) };
}

test('pacts are fetched, the branch is named, and the result is posted to the link of the pact', async () => {
  const { verdicts, asked } = await verify({
    selectors: [{ mainBranch: true }],
    providerBranch: 'feature/a',
    isPendingEnabled: true,
    wipSince: '2026-11-01',
  });
  assert.equal(verdicts, ['pass']);
  const query = {
    consumerVersionSelectors: [{ mainBranch: true }],
    includePendingStatus: true,
    includeWipPactsSince: '2026-11-01',
    providerVersionBranch: 'feature/a',
  };
  const result = {
    success: true,
    providerApplicationVersion: '1.2.3',
    testResults: [{ interactionId: 'a', success: true }],
    verifiedBy: { implementation: 'petstore-conformance', version: '0.1.0' },
  };
  assert.equal(asked, [
    ['GET', '/', undefined],
    ['POST', '/of/pet%20store', JSON.stringify(query)],
    ['GET', '/pact', undefined],
    ['GET', '/provider', undefined],
    ['PUT', '/branches/feature%2Fa/versions/1.2.3', '{}'],
    ['POST', '/results', JSON.stringify(result)],
  ]);
});

test('the query has only given values, and nothing is published without --publish', async () => {
  const { asked } = await verify({ publishes: false, providerBranch: 'main' });
  assert.equal(asked, [
    ['GET', '/', undefined],
    ['POST', '/of/pet%20store', '{"includePendingStatus":false,"providerVersionBranch":"main"}'],
    ['GET', '/pact', undefined],
  ]);
});

test('a run that is interrupted publishes nothing', async () => {
  const { verdicts, asked } = await verify({}, { signal: AbortSignal.abort('interrupted') });
  assert.equal(verdicts, ['not-verifiable']);
  assert.not.ok(asked.some(([, path]) => path === '/results'));
});

/** Replaced answers → the sentence that ends the run. */
const unusable: readonly (readonly [others: typeof resources, sentence: string])[] = [
  [{ '/': {} }, 'The broker gave no pacts: it names no pb:provider-pacts-for-verification.'],
  [{ '/of/pet%20store': {} }, 'The broker gave no pacts: it has no pacts for this provider and these selectors.'],
  [
    { '/pact': { consumer: {} } },
    'The broker gave no pacts: /pact is not a pact: expected a consumer with a name, and interactions.',
  ],
  [
    { '/pact': { ...version3, _links: {} } },
    'The broker did not take the results: it names no pb:publish-verification-results.',
  ],
];

for (const [others, sentence] of unusable) {
  test(`a broker with a wrong answer ends the run: ${sentence}`, async () => {
    const error = await verify({}, { others }).catch((reason: unknown) => reason);
    assert.instance(error, RunStopped);
    assert.is((error as RunStopped).message, sentence);
  });
}

test.run();
