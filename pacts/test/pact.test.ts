/** Pacts and the results of the verifier are read as every version writes them; other texts are refused in one sentence. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isHttp, readPact, UnreadablePact, withoutBase, writePact, wrongRulePath } from '../pact.ts';
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
  ['{"consumer":{"name":"a"},"interactions":[{},null]}', 'a.json is not a pact: its interaction 2 is no object.'],
  ['{"consumer":{"name":"a"},"messages":[]}', 'a.json has no interactions.'],
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
  assert.is(interactions.map(isHttp).join(), 'true,true,false');
  // A pact of version 3 has messages beside interactions, or in their place.
  const messages = read({ interactions: undefined, messages: [{ description: 'an event' }] }).interactions;
  assert.equal(
    messages.map((one) => [one.description, one.type]),
    [['an event', 'Asynchronous/Messages']],
  );
  assert.equal(read({ messages: [{}] }).interactions.map(isHttp), [true, false]);
});

test('a status is given to the verifier as a number wherever it can be one', () => {
  const given = (text: string): readonly unknown[] => {
    const { interactions } = readPact(`{"consumer":{"name":"a"},"interactions":[{"response":${text}}]}`, 'a.json');
    return [interactions[0]?.status, JSON.stringify(interactions[0]?.exact['response'])];
  };
  assert.equal(given('{"status":404}'), [404, '{"status":404}']);
  assert.equal(given('{"status":"404","body":1.0}'), [404, '{"status":404,"body":1.0}']);
  assert.equal(given('{"status":404.0}'), [404, '{"status":404}']);
  assert.equal(given('{"status":null}'), [200, '{"status":200}']);
  assert.equal(given('{}'), [200, '{}']);
  assert.equal(given('{"status":"ok"}'), [Number.NaN, '{"status":"ok"}']);
});

test('a parameter of a state is a number, or its digits where a number would lose some', () => {
  const text = '{"a":2.0,"b":9007199254740993,"c":-9223372036854775808,"d":1.50,"e":"x","f":[1.0],"g":null}';
  const state = `{"name":"s","params":${text}}`;
  const given = `{"consumer":{"name":"a"},"interactions":[{"providerStates":[${state}]}]}`;
  const { params } = readPact(given, 'a.json').interactions[0]!.states[0]!;
  const { f: _list, ...plain } = params;
  assert.equal(plain, { a: 2, b: '9007199254740993', c: '-9223372036854775808', d: 1.5, e: 'x', g: null });
});

test('the plugins of a pact are known, and a matching rule whose path has an open bracket', () => {
  const metadata = { plugins: [{ name: 'protobuf', version: '0.3' }, { name: 'csv' }, 5] };
  assert.equal(read({ metadata }).plugins, ['protobuf 0.3', 'csv', '']);
  const pathOf = (...paths: readonly string[]) => {
    const body = Object.fromEntries(paths.map((path) => [path, { matchers: [{ match: 'type' }] }]));
    return wrongRulePath(read({ interactions: [{ response: { matchingRules: { body } } }] }).interactions[0]!);
  };
  assert.is(pathOf('$', '$.a[*].b', "$['a b'][0]", '$["a]"]'), undefined);
  assert.is(pathOf('$', '$.x[*'), '$.x[*');
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
  const crash = "Pact's verifier ended without results";
  assert.equal(readOutcome('Pact core crashed'), { results: [], errors: [], crash });
  assert.equal(readOutcome('exit code 7'), { results: [], errors: [], crash: `${crash}: exit code 7` });
  assert.equal(readOutcome('[]'), { results: [], errors: [] });
});

test.run();
