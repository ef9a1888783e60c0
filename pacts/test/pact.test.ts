/** Pacts and the results of the verifier are read as every version writes them; other texts are refused in one sentence. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPact, UnreadablePact, withoutBase, writePact } from '../pact.ts';
import { readOutcome } from '../verify/verifier.ts';

const consumer = { name: 'reader' };

function read(document: object) {
  return readPact(JSON.stringify({ consumer, interactions: [{}], ...document }), 'a.json');
}

/** Text → the sentence that refuses it. */
const unreadable: readonly (readonly [text: string, sentence: string])[] = [
  ['', 'a.json is not readable JSON: expected a pact.'],
  ['{"consumer":', 'a.json is not readable JSON: expected a pact.'],
  [`{"consumer":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'a.json is not readable JSON: expected a pact.'],
  ...['[]', '{"consumer":{"name":5}}', '{"consumer":{"name":"a"},"interactions":{}}'].map(
    (text) => [text, 'a.json is not a pact: expected a consumer with a name, and interactions.'] as const,
  ),
  ['{"consumer":{"name":"a"},"interactions":[]}', 'a.json has no interactions.'],
];

for (const [text, sentence] of unreadable) {
  test(`${text.slice(0, 50)} is not a pact`, () => {
    const isRight = (error: Error) => error instanceof UnreadablePact && error.message === sentence;
    assert.throws(() => readPact(text, 'a.json'), isRight);
  });
}

/** Interaction → its states. */
const states: readonly (readonly [interaction: object, states: string])[] = [
  [{ providerState: 'a' }, '[{"name":"a","params":{}}]'],
  [{ provider_state: 'a' }, '[{"name":"a","params":{}}]'],
  [{ providerStates: 'a' }, '[{"name":"a","params":{}}]'],
  [{ providerStates: [{ name: 'a', params: { count: 2 } }, {}] }, '[{"name":"a","params":{"count":2}}]'],
  [{ providerState: { a: 1 } }, '[{"name":"{\\"a\\":1}","params":{}}]'],
  [{ providerState: '' }, '[]'],
  [{ providerStates: null, request: { method: null }, response: { status: null } }, '[]'],
];

/** Request → method, target and operation. */
const requests: readonly (readonly [request: object, read: string])[] = [
  [{}, 'GET / other'],
  [{ method: 'get', path: '/v1/pets', query: 'limit=5&x' }, 'GET /pets?limit=5&x listPets'],
  [{ path: '/pets', query: { status: ['sold', 'x'], limit: 5 } }, 'GET /pets?status=sold&status=x&limit=5 listPets'],
  [{ method: 'POST', path: '/api/v1/pets', query: {} }, 'POST /pets createPet'],
  [{ path: '/pets/7' }, 'GET /pets/7 getPet'],
];

test('an interaction is read from a pact of every version of the specification', () => {
  for (const [interaction, expected] of states) {
    assert.is(JSON.stringify(read({ interactions: [interaction] }).interactions[0]?.states), expected);
  }
  for (const [request, expected] of requests) {
    const [one] = read({ interactions: [{ request }] }).interactions;
    assert.is(`${one?.request.method} ${one?.request.target} ${one?.operation}`, expected);
  }
  const types = [{}, { type: 'Synchronous/HTTP' }, { type: 'Asynchronous/Messages' }];
  const { interactions } = read({ interactions: types });
  assert.is(interactions.map(({ isMessage }) => isMessage).join(), 'false,false,true');
});

test('an interaction keeps every digit of its text, and a pact without a provider is for this service', () => {
  const text = '{"description":"it","numbers":[1.0,9007199254740993,1e999,-0]}';
  const given = `{"consumer":{"name":"a"},"provider":{"name":""},"interactions":[{},${text}],"metadata":{"x":1}}`;
  const pact = readPact(given, 'a.json');
  const written = `{"metadata":{"x":1},"consumer":{"name":"a"},"provider":{"name":"pet-store"},"interactions":[${text}]}`;
  assert.is(writePact(pact, [pact.interactions[1]!.exact]), written);
  assert.is(read({ provider: { name: 'another' } }).provider, 'another');
});

test('a path is read below the version segment', () => {
  assert.is(withoutBase('/v1/pets'), '/pets');
  assert.is(withoutBase('/api/store/v1/pets/1'), '/pets/1');
  assert.is(withoutBase('/pets/v1'), '/pets/v1');
  assert.is(withoutBase('/v1/pets/v1/x'), '/pets/v1/x');
  assert.is(withoutBase('/pets?next=/v1/'), '/pets?next=/v1/');
});

const coloured = 'Expected \x1b[1m\x1b[31m7\x1b[0m but got 8';

/** What the verifier says of an interaction → its messages. */
const results: readonly (readonly [mismatch: unknown, messages: readonly string[]])[] = [
  [{ mismatches: [{ mismatch: coloured, path: '$.id' }] }, ['$.id: Expected 7 but got 8']],
  [{ mismatches: [{ mismatch: 'Expected header Retry-After', key: 'Retry-After' }] }, ['Expected header Retry-After']],
  [{ mismatches: [{ mismatch: 'Expected 200', path: '' }] }, ['Expected 200']],
  [{ mismatches: Array(23).fill({ mismatch: 'another' }) }, Array(20).fill('another')],
  [{ message: 'no connection' }, ['no connection']],
  [{}, ['the verifier gives no reason']],
  [undefined, []],
];

test('results of the verifier have their differences with their places, without colours, and at most twenty', () => {
  const interactionResults = [...results.map(([mismatch]) => ({ mismatch })), { result: 'OK', pending: true }, 5];
  const ofInteraction = { mismatch: { mismatches: [{ mismatch: 'of an interaction' }] } };
  const errors = [{ mismatch: { message: 'the pact cannot be read' } }, ofInteraction];
  const failed = results.map(([, messages]) => ({ isPass: false, isPending: false, messages }));
  assert.equal(readOutcome(JSON.stringify({ interactionResults, errors })), {
    results: [...failed, { isPass: true, isPending: true, messages: [] }],
    errors: ['the pact cannot be read'],
  });
  assert.equal(readOutcome('panicked'), { results: [], errors: ['panicked'] });
  assert.equal(readOutcome('[]'), { results: [], errors: [] });
});

test.run();
