/** The requests to a broker, their order, and what they must not contain. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Outgoing } from '../../conformance/http/transport.ts';
import { RunStopped } from '../../conformance/run/pace.ts';
import { kit } from '../../conformance/verdict/kit.ts';
import { reason } from '../../conformance/verdict/reasons.ts';
import { type Broker, verifyFromBroker } from '../verify/broker.ts';
import type { Gateway } from '../verify/gateway.ts';
import { createHal } from '../verify/hal.ts';
import { version3 } from './handmade.ts';

const [interaction] = version3.interactions;
const links = { 'pb:publish-verification-results': { href: '/results' }, 'pb:provider': { href: '/provider' } };

const self = { _links: { self: { href: '/pact' } } };

/** Path → answer. */
const resources: Readonly<Record<string, object>> = {
  '/': { _links: { 'pb:provider-pacts-for-verification': { href: '/of/{provider}' } } },
  '/of/pet%20store': { _embedded: { pacts: [self] } },
  '/pact': { ...version3, interactions: [{ ...interaction, _id: 'a' }], _links: links },
  '/provider': {
    _links: {
      'pb:branch-version': { href: '/branches/{branch}/versions/{version}' },
      'pb:version-tag': { href: '/versions/{version}/tags/{tag}' },
    },
  },
};

const gateway: Gateway = {
  url: 'http://127.0.0.1/a',
  statesUrl: 'http://127.0.0.1/b',
  expect: () => undefined,
  take: () => [{ exchanges: [], isSent: true }],
  stopped: () => undefined,
  renew: () => Promise.resolve(),
  wait: () => Promise.resolve(),
  mayBeEarly: () => false,
  close: () => Promise.resolve(),
};

/** Verifies with a verifier that passes everything, unless the signal is aborted. */
async function verify(
  settings: Partial<Broker>,
  { others = {}, isInterrupted = false }: { others?: typeof resources; isInterrupted?: boolean } = {},
) {
  const interruption = new AbortController();
  const { signal } = interruption;
  const asked: Outgoing[] = [];
  const broker: Broker = {
    url: 'http://127.0.0.1',
    provider: 'pet store',
    pactUrls: [],
    selectors: [],
    onNotice: () => undefined,
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
    verify: () => {
      if (isInterrupted) interruption.abort();
      return Promise.resolve(isInterrupted ? undefined : { results: [result], errors: [] });
    },
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
  });
  assert.equal(verdicts, ['pass']);
  const query = {
    consumerVersionSelectors: [{ mainBranch: true }],
    includePendingStatus: true,
    providerVersionBranch: 'feature/a',
  };
  const result = {
    success: true,
    providerApplicationVersion: '1.2.3',
    testResults: [{ interactionId: 'a', success: true }],
    verifiedBy: { implementation: 'petstore-conformance', version: kit.version },
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
  const { verdicts, asked } = await verify({}, { isInterrupted: true });
  assert.equal(verdicts, ['not-verifiable']);
  assert.not.ok(asked.some(([, path]) => path === '/results'));
});

test('notices of the broker are shown before and after a verification, by its result', async () => {
  const notices = [
    { when: 'before_verification', text: 'This pact is verified because it is the latest of main.' },
    { when: 'after_verification:success_true_published_false', text: 'All is well.' },
    { when: 'after_verification:success_false_published_false', text: 'Something fails.' },
  ];
  const shown: string[] = [];
  const listed = { _embedded: { pacts: [{ ...self, verificationProperties: { notices } }] } };
  await verify(
    { publishes: false, onNotice: (text) => void shown.push(text) },
    { others: { '/of/pet%20store': listed } },
  );
  assert.equal(shown, ['This pact is verified because it is the latest of main.', 'All is well.']);
});

test('the pact of an address is the only one that is fetched, and its result is published', async () => {
  const { verdicts, asked } = await verify({ pactUrls: ['http://127.0.0.1/pact'] });
  assert.equal(verdicts, ['pass']);
  assert.equal(
    asked.map(([method, path]) => [method, path]),
    [
      ['GET', '/pact'],
      ['POST', '/results'],
    ],
  );
});

test('an unreadable pact of a broker is not verifiable and not published, and the others are verified', async () => {
  const other = { _links: { self: { href: '/other' } } };
  const others = { '/of/pet%20store': { _embedded: { pacts: [other, self] } }, '/other': { consumer: {} } };
  const { verdicts, asked } = await verify({}, { others });
  assert.equal(verdicts, ['not-verifiable', 'pass']);
  assert.is(asked.filter(([, path]) => path === '/results').length, 1);
});

test('a broker that does not answer is given up as soon as the run is stopped', async () => {
  const interruption = new AbortController();
  const deadline = reason('deadline', { seconds: 5 });
  const transport = () => {
    queueMicrotask(() => interruption.abort(deadline));
    return new Promise<never>(() => {});
  };
  const ask = createHal({ url: 'http://127.0.0.1', transport }, interruption.signal);
  const error = await ask('GET', '/').catch((thrown: unknown) => thrown);
  assert.instance(error, RunStopped);
  assert.equal((error as RunStopped).reason, deadline);
});

/** Replaced answers → the sentence that ends the run. */
const unusable: readonly (readonly [others: typeof resources, sentence: string])[] = [
  [{ '/': {} }, 'The broker gave no pacts: it names no pb:provider-pacts-for-verification.'],
  [{ '/of/pet%20store': {} }, 'The broker gave no pacts: it has no pacts for this provider and these selectors.'],
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
