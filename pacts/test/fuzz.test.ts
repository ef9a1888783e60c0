/** Mutated pacts and broker answers give a result or one sentence that names the file, and never an internal error. */

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lintPact } from '../lint/lint-pact.ts';
import { readPact, UnreadablePact, writePact } from '../pact.ts';
import { createRelay } from '../verify/broker.ts';
import { startVerifier } from '../verify/verifier.ts';
import { version2, version3 } from './handmade.ts';

const recorded = readFileSync(new URL('../adoption-site-pet-store.json', import.meta.url), 'utf8');
const originals: readonly unknown[] = [JSON.parse(recorded), version2, { ...version3, messages: [{}] }];

const hostile = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    '\u0000\u202e',
    'x'.repeat(20_000),
    [[[]]],
    [null],
    { match: 'arrayContains', variants: [null, { index: {}, rules: 5 }] },
    { match: 'regex', regex: '(' },
    { content: { content: 5 }, encoded: 'base64', contentType: 7 },
    { constructor: null, toString: null },
  ),
);

/** A change at the member to which the steps lead: it is replaced, removed or renamed. */
const change = fc.record({
  steps: fc.array(fc.nat(30), { minLength: 1, maxLength: 9 }),
  kind: fc.constantFrom('replace', 'replace', 'remove', 'rename'),
  value: hostile,
  name: fc.constantFrom('__proto__', 'matchers', 'params', 'content', '$[*].id'),
});
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

function apply(original: unknown, changes: readonly Change[]): unknown {
  const copy = structuredClone(original);
  for (const { steps, kind, value, name } of changes) {
    let at = copy as Record<string, unknown>;
    for (const [depth, step] of steps.entries()) {
      const names = Object.keys(at);
      const member = names[step % names.length];
      if (member === undefined) break;
      const child = at[member];
      if (depth < steps.length - 1 && typeof child === 'object' && child !== null) {
        at = child as Record<string, unknown>;
        continue;
      }
      if (kind === 'replace') at[member] = structuredClone(value);
      else delete at[member];
      if (kind === 'rename') at[name] = child;
      break;
    }
  }
  return copy;
}

const changes = fc.array(change, { minLength: 1, maxLength: 3 });

/** Reads a text; undefined if it is refused in one short sentence that names the file. */
function read(text: string) {
  try {
    return readPact(text, 'mutated.json');
  } catch (error) {
    assert.instance(error, UnreadablePact);
    const { message } = error as UnreadablePact;
    assert.ok(message.length <= 300 && !message.includes('\n') && message.startsWith('mutated.json'), message);
    return undefined;
  }
}

test('mutated pacts are read whole, or refused in one sentence', () => {
  const text = fc.oneof(
    fc.tuple(fc.constantFrom(...originals), changes).map(([original, all]) => JSON.stringify(apply(original, all))),
    fc
      .tuple(fc.nat(recorded.length), fc.nat(20))
      .map(([from, length]) => recorded.slice(0, from) + recorded.slice(from + length)),
  );
  let refused = 0;
  fc.assert(
    fc.property(text, (one) => {
      const pact = read(one);
      if (pact === undefined) refused += 1;
      // The verifier can read what the gateway serves.
      if (pact !== undefined) assert.ok(read(writePact(pact, pact.interactions)) ?? pact.interactions.length === 0);
    }),
    { seed: 23, numRuns: 400 },
  );
  assert.ok(refused > 20 && refused < 300, `${refused}`);
});

test('mutated pacts are linted', async () => {
  const verifier = startVerifier();
  const mutated = fc.tuple(fc.constantFrom(...originals.slice(1)), changes);
  await fc.assert(
    fc.asyncProperty(mutated, async ([original, all]) => {
      const pact = read(JSON.stringify(apply(original, all)));
      const [first] = pact?.interactions ?? [];
      if (pact === undefined || first === undefined) return;
      const remarks = await lintPact({ ...pact, interactions: [first] }, verifier);
      for (const { message, code } of remarks) assert.type(message + code, 'string');
    }),
    { seed: 5, numRuns: 12 },
  );
  verifier.close();
});

const self = {
  _links: { self: { href: '/pact' } },
  verificationProperties: { notices: [{ when: 'before_verification' }] },
};
const resources: Readonly<Record<string, object>> = {
  '/list': { _embedded: { pacts: [self, self] } },
  '/pact': { ...version2, _links: { 'pb:publish-verification-results': { href: '/results' } } },
};

test('mutated answers of a broker reach the verifier as JSON, with every link at the relay', async () => {
  await fc.assert(
    fc.asyncProperty(changes, async (all) => {
      const answers = apply(resources, all) as typeof resources;
      const transport = async ({ url }: { url: string }) => {
        const body = new TextEncoder().encode(JSON.stringify(answers[new URL(url).pathname] ?? {}));
        return { status: 200, headers: {}, body };
      };
      const connection = { url: 'http://127.0.0.1/team/', transport, pactUrls: [] };
      const broker = { ...connection, options: { provider: 'pet-store' }, onNotice: () => undefined };
      const relay = createRelay(
        broker,
        (text) => text,
        (pact) => writePact(pact, pact.interactions),
        () => false,
      );
      for (const path of Object.keys(resources)) {
        const method = path === '/list' ? 'POST' : 'GET';
        const { status, text } = await relay.answer(method, path, '', 'http://here/relay');
        JSON.parse(text);
        if (status === 200) assert.not.match(text, /"href":"(\/|https?:\/\/(?!here))/);
      }
      const problem = relay.problem() ?? '';
      assert.ok(problem.length <= 300 && !problem.includes('\n'), problem);
    }),
    { seed: 24, numRuns: 200 },
  );
});

test.run();
