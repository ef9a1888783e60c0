/** Pacts and the results of the verifier are read as every version writes them; other texts are refused in one sentence. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPact, UnreadablePact, withoutBase } from '../pact.ts';
import { environmentOf, readOutcome } from '../verify/verifier.ts';

const version4 = { pactSpecification: { version: '4.0' } };
const consumer = { name: 'reader' };

function read(document: object) {
  return readPact(JSON.stringify({ consumer, interactions: [{}], metadata: version4, ...document }), 'a.json');
}

for (const metadata of [
  { pactSpecification: { version: '3.0.0' } },
  { 'pact-specification': { version: '2.0' } },
  { pactSpecificationVersion: '1.1.0' },
  { pactSpecification: { version: 4 } },
]) {
  test(`the version is read from ${JSON.stringify(metadata)}`, () => {
    assert.is(read({ metadata }).interactions.length, 1);
  });
}

/** Fields of a document → the sentence that refuses it. */
const unreadable: readonly (readonly [object, RegExp])[] = [
  [{ metadata: {} }, /^a\.json is not a pact: expected version 1 to 4 .* found none\.$/],
  [{ metadata: { pactSpecification: { version: '5' } } }, /found "5"\.$/],
  [{ metadata: { pactSpecification: { version: '1x' } } }, /found "1x"\.$/],
  [{ consumer: { name: 5 } }, /^a\.json is not a pact: expected a consumer with a name/],
  [{ interactions: {} }, /expected a consumer with a name, and interactions\.$/],
  [{ messages: 'none' }, /expected a consumer with a name, and interactions\.$/],
  [{ interactions: [], messages: [] }, /^a\.json has no interactions\.$/],
  [{ interactions: [{}, 5] }, /interaction 2 needs a method that is a word, and a status that is an integer\.$/],
  [{ messages: [[]] }, /interaction 2 needs a method/],
  [{ interactions: [{ request: { method: 'GET /pets' } }] }, /interaction 1 needs a method/],
  [{ interactions: [{}, { response: { status: '200' } }] }, /interaction 2 needs a method/],
];

for (const [document, sentence] of unreadable) {
  test(`${JSON.stringify(document)} is not a pact`, () => {
    assert.throws(
      () => read(document),
      (error: Error) => error instanceof UnreadablePact && sentence.test(error.message),
    );
  });
}

test('JSON that is nested too deeply is refused without an internal error', () => {
  const deep = `{"consumer":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
  assert.throws(() => readPact(deep, 'deep.json'), /^deep\.json is not readable JSON/);
});

test('states are read from every version', () => {
  const states = (interaction: object) => read({ interactions: [interaction] }).interactions[0]?.states;
  assert.equal(states({ providerState: 'a' }), [{ name: 'a', params: {} }]);
  assert.equal(states({ provider_state: 'a' }), [{ name: 'a', params: {} }]);
  assert.equal(states({ providerStates: 'a' }), [{ name: 'a', params: {} }]);
  assert.equal(states({ providerStates: [{ name: 'a', params: { count: 2 } }, { name: 'b' }] }), [
    { name: 'a', params: { count: 2 } },
    { name: 'b', params: {} },
  ]);
  assert.equal(states({ providerState: '' }), []);
  assert.equal(states({ providerStates: null, request: { method: null }, response: { status: null } }), []);
  assert.equal(states({}), []);
});

test('an interaction is an HTTP request unless its type or its list says otherwise', () => {
  const { interactions } = read({
    interactions: [{}, { type: 'Synchronous/HTTP' }, { type: 'Asynchronous/Messages' }],
    messages: [{}, { type: 'Synchronous/HTTP' }],
  });
  assert.equal(
    interactions.map(({ isMessage }) => isMessage),
    [false, false, true, true, true],
  );
});

test('an interaction keeps every digit of its text, and a pact without a provider is for this service', () => {
  const text = '{"description":"it","numbers":[1.0,9007199254740993,1e999,-0]}';
  const { interactions, provider, fields } = readPact(
    `{"consumer":{"name":"a"},"provider":{"name":""},"interactions":[{}, ${text}],"metadata":${JSON.stringify(version4)}}`,
    'a.json',
  );
  assert.equal(
    interactions.map(({ exact }) => JSON.stringify(exact)),
    ['{}', text],
  );
  assert.is(provider, 'pet-store');
  assert.equal(fields['metadata'], version4);
  assert.is(read({ provider: { name: 'another' } }).provider, 'another');
});

test('a path is read below the version segment', () => {
  assert.is(withoutBase('/v1/pets'), '/pets');
  assert.is(withoutBase('/api/store/v1/pets/1'), '/pets/1');
  assert.is(withoutBase('/pets/v1'), '/pets/v1');
  assert.is(withoutBase('/v1/pets/v1/x'), '/pets/v1/x');
  assert.is(withoutBase('/pets?next=/v1/'), '/pets?next=/v1/');
});

test('a result of the verifier has its differences with their places, without colours, and at most twenty', () => {
  const mismatches = [
    { mismatch: 'Expected \x1b[1m\x1b[31m7\x1b[0m but got 8', path: '$.id' },
    { mismatch: 'Expected header Retry-After', key: 'Retry-After' },
    { mismatch: 'Expected 200', path: '' },
  ];
  const many = Array.from({ length: 23 }, (_one, at) => ({ mismatch: `difference ${at}` }));
  const interactionResults = [
    { description: 'it', result: 'error', pending: true, mismatch: { mismatches } },
    { result: 'OK' },
    { mismatch: { message: 'no connection' } },
    { mismatch: {} },
    { mismatch: { mismatches: many } },
    5,
  ];
  const { results } = readOutcome(JSON.stringify({ interactionResults }));
  const shown = ['$.id: Expected 7 but got 8', 'Expected header Retry-After', 'Expected 200'];
  assert.equal(results.slice(0, 2), [
    { description: 'it', isPass: false, isPending: true, messages: shown },
    { description: '', isPass: true, isPending: false, messages: [] },
  ]);
  const [, , message, none, most] = results.map(({ messages }) => messages);
  assert.equal([message, none], [['no connection'], ['the verifier gives no reason']]);
  assert.equal([results.length, most?.length, most?.at(-1)], [5, 20, 'difference 19']);
});

test('errors without an interaction and notices of a broker are read, and text that is not JSON is an error', () => {
  const errors = [
    { mismatch: { message: 'the pact cannot be read' } },
    { mismatch: { mismatches: [{ mismatch: 'of an interaction' }] } },
  ];
  const notice = { when: 'before_verification', text: 'once' };
  const notices = [notice, notice, { when: 'after_verification', text: 'later' }];
  const outcome = readOutcome(JSON.stringify({ errors, notices }));
  assert.equal(outcome, { results: [], errors: ['the pact cannot be read'], notices: ['once'] });
  assert.equal(readOutcome('panicked'), { results: [], errors: ['panicked'], notices: [] });
  assert.equal(readOutcome('[]'), { results: [], errors: [], notices: [] });
});

test("the verifier's process gets only needed variables, one certificate, and none of our keys", () => {
  const ours = { PATH: '/bin', PETSTORE_API_KEY: 'secret', HTTPS_PROXY: 'http://p:s@x', SSL_CERT_FILE: '/etc/all.pem' };
  assert.equal(environmentOf(ours, '/tmp/x', '/tmp/x/one.pem'), {
    PATH: '/bin',
    SSL_CERT_FILE: '/tmp/x/one.pem',
    SSL_CERT_DIR: '/tmp/x',
    NO_PROXY: '127.0.0.1',
    PACT_DO_NOT_TRACK: 'true',
  });
});

test.run();
