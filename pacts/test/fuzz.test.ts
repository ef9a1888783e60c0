/** Mutated pacts and broker answers give a result or one sentence that names the file, and never an internal error. */

import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RunStopped } from '../../conformance/run/pace.ts';
import { seededRandom } from '../../spec/random.ts';
import { lintPact } from '../lint/lint-pact.ts';
import { readPact, UnreadablePact } from '../pact.ts';
import { type Broker, verifyFromBroker } from '../verify/broker.ts';
import type { Gateway } from '../verify/gateway.ts';
import { unmatchedState, withStatus } from '../verify/needed-states.ts';
import { startVerifier } from '../verify/verifier.ts';
import { version2, version3 } from './handmade.ts';

const recorded = readFileSync(new URL('../adoption-site-pet-store.json', import.meta.url), 'utf8');
const originals = [recorded, JSON.stringify(version2), JSON.stringify({ ...version3, messages: [{}] })];

const hostile: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  '',
  '\u0000\u202e',
  'x'.repeat(20_000),
  [],
  {},
  [[[]]],
  [null],
  { match: 'arrayContains', variants: [null, { index: {}, rules: 5 }] },
  { match: 'regex', regex: '(' },
  { content: { content: 5 }, encoded: 'base64', contentType: 7 },
  { constructor: null, toString: null },
];

/** Replaces, removes or renames one random member at any depth. */
function mutate(value: unknown, random: () => number): unknown {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const copy = structuredClone(value) as Record<string, unknown>;
  let at = copy;
  for (;;) {
    const name = pick(Object.keys(at));
    const child = at[name];
    const isDeeper = typeof child === 'object' && child !== null && Object.keys(child).length > 0 && random() < 0.97;
    if (isDeeper) {
      at = child as Record<string, unknown>;
      continue;
    }
    const kind = random();
    if (kind < 0.6) at[name] = pick(hostile);
    else if (kind < 0.8) delete at[name];
    else at[pick(['__proto__', 'matchers', 'params', 'content', '$[*].id'])] = child;
    return copy;
  }
}

/** Cuts or replaces a piece of the text itself. */
function damage(text: string, random: () => number): string {
  const from = Math.floor(random() * text.length);
  const to = from + Math.floor(random() * 20);
  return text.slice(0, from) + (random() < 0.5 ? '' : '{"[\u0000') + text.slice(to);
}

const verifier = startVerifier();
const cases = 120;

test(`${cases} mutated pacts are linted, or refused in one sentence of at most 300 characters`, async () => {
  const random = seededRandom(23);
  let refused = 0;
  for (let at = 0; at < cases; at += 1) {
    const original = originals[at % originals.length]!;
    const isText = random() < 0.15;
    let mutated: unknown = JSON.parse(original);
    for (let count = 0; count <= random() * 3; count += 1) mutated = mutate(mutated, random);
    const text = isText ? damage(original, random) : JSON.stringify(mutated);
    try {
      const pact = readPact(text, 'mutated.json');
      // Each tenth is verified, which takes most of the time.
      const remarks = at % 10 === 0 ? await lintPact(pact, verifier) : [];
      for (const { message, code } of remarks) assert.type(message + code, 'string');
      for (const interaction of pact.interactions.filter(({ obstacle }) => obstacle === undefined)) {
        for (const state of interaction.states) unmatchedState(withStatus(state, interaction), interaction);
      }
    } catch (error) {
      assert.instance(
        error,
        UnreadablePact,
        `case ${at}: ${String((error as Error).stack).slice(0, 600)}\n${text.slice(0, 300)}`,
      );
      const { message } = error as UnreadablePact;
      assert.ok(message.length <= 300 && !message.includes('\n') && message.startsWith('mutated.json'), message);
      refused += 1;
    }
  }
  assert.ok(refused > 10 && refused < (2 * cases) / 3, `${refused}`);
});

const gateway: Gateway = {
  url: 'http://127.0.0.1/a',
  statesUrl: 'http://127.0.0.1/b',
  expect: () => undefined,
  take: () => [],
  stopped: () => undefined,
  renew: () => Promise.resolve(),
  wait: () => Promise.resolve(),
  mayBeEarly: () => false,
  close: () => Promise.resolve(),
};

const self = {
  _links: { self: { href: '/pact' } },
  verificationProperties: { pending: true, notices: [{ when: 'a' }] },
};
const resources: Readonly<Record<string, object>> = {
  '/': { _links: { 'pb:provider-pacts-for-verification': { href: '/of/{provider}' } } },
  '/of/pet-store': { _embedded: { pacts: [self, self] } },
  '/pact': { ...version2, _links: { 'pb:publish-verification-results': { href: '/results' } } },
};

test(`${cases} mutated answers of a broker end in verdicts, or in one sentence of at most 300 characters`, async () => {
  const random = seededRandom(24);
  let stopped = 0;
  for (let at = 0; at < cases; at += 1) {
    const answers = mutate(resources, random) as typeof resources;
    const broker: Broker = {
      url: 'http://127.0.0.1',
      provider: 'pet-store',
      pactUrls: [],
      selectors: [],
      onNotice: (text) => assert.type(text, 'string'),
      isPendingEnabled: true,
      publishes: true,
      transport: ({ url }) => {
        const body = new TextEncoder().encode(JSON.stringify(answers[new URL(url).pathname] ?? {}));
        return Promise.resolve({ status: 200, headers: {}, body });
      },
    };
    const verifier = { verify: () => Promise.resolve({ results: [], errors: [] }), close: () => undefined };
    const by = { gateway, verifier, signal: new AbortController().signal };
    const run = { by, requiresAll: false, redact: (text: string) => text, enter: () => undefined };
    try {
      for await (const reported of verifyFromBroker(broker, run)) assert.ok(reported.length > 0);
    } catch (error) {
      assert.instance(error, RunStopped, `case ${at}: ${String((error as Error).stack).slice(0, 600)}`);
      const { message } = error as RunStopped;
      assert.ok(message.length <= 300 && !message.includes('\n'), message.slice(0, 400));
      stopped += 1;
    }
  }
  assert.ok(stopped > 5 && stopped < cases, `${stopped}`);
});

test.after(() => verifier.close());
test.run();
