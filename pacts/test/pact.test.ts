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
    assert.throws(
      () => readPact(text, 'a.json'),
      (error: Error) => error instanceof UnreadablePact && error.message === sentence,
    );
  });
}

/** Interaction → its states. */
const states: readonly (readonly [interaction: object, states: readonly object[]])[] = [
  [{ providerState: 'a' }, [{ name: 'a', params: {} }]],
  [{ provider_state: 'a' }, [{ name: 'a', params: {} }]],
  [{ providerStates: 'a' }, [{ name: 'a', params: {} }]],
  [
    { providerStates: [{ name: 'a', params: { count: 2 } }, { name: 'b' }] },
    [
      { name: 'a', params: { count: 2 } },
      { name: 'b', params: {} },
    ],
  ],
  [{ providerState: '' }, []],
  [{ providerStates: null, request: { method: null }, response: { status: null } }, []],
];

/** Request → method, target and operation. */
const requests: readonly (readonly [request: object, read: string])[] = [
  [{}, 'GET / other'],
  [{ method: 'get', path: '/v1/pets', query: 'limit=5&x' }, 'GET /pets?limit=5&x listPets'],
  [
    { path: '/pets', query: { status: ['sold', 'lost'], limit: 5 } },
    'GET /pets?status=sold&status=lost&limit=5 listPets',
  ],
  [{ method: 'POST', path: '/api/v1/pets', query: {} }, 'POST /pets createPet'],
  [{ path: '/pets/7' }, 'GET /pets/7 getPet'],
];

test('an interaction is read from a pact of every version of the specification', () => {
  for (const [interaction, expected] of states) {
    assert.equal(read({ interactions: [interaction] }).interactions[0]?.states, expected);
  }
  for (const [request, expected] of requests) {
    const [one] = read({ interactions: [{ request }] }).interactions;
    assert.is(`${one?.request.method} ${one?.request.target} ${one?.operation}`, expected);
  }
  const types = [{}, { type: 'Synchronous/HTTP' }, { type: 'Asynchronous/Messages' }];
  const { interactions } = read({ interactions: types });
  assert.equal(
    interactions.map(({ isMessage }) => isMessage),
    [false, false, true],
  );
});

test('an interaction keeps every digit of its text, and a pact without a provider is for this service', () => {
  const text = '{"description":"it","numbers":[1.0,9007199254740993,1e999,-0]}';
  const pact = readPact(
    `{"consumer":{"name":"a"},"provider":{"name":""},"interactions":[{},${text}],"metadata":{"x":1}}`,
    'a.json',
  );
  assert.is(
    writePact(pact, [pact.interactions[1]!.exact]),
    `{"metadata":{"x":1},"consumer":{"name":"a"},"provider":{"name":"pet-store"},"interactions":[${text}]}`,
  );
  assert.is(read({ provider: { name: 'another' } }).provider, 'another');
});

test('a path is read below the version segment', () => {
  for (const [path, below] of [
    ['/v1/pets', '/pets'],
    ['/api/store/v1/pets/1', '/pets/1'],
    ['/pets/v1', '/pets/v1'],
    ['/v1/pets/v1/x', '/pets/v1/x'],
    ['/pets?next=/v1/', '/pets?next=/v1/'],
  ] as const) {
    assert.is(withoutBase(path), below);
  }
});

test('results of the verifier have their differences with their places, without colours, and at most twenty', () => {
  const mismatches = [
    { mismatch: 'Expected \x1b[1m\x1b[31m7\x1b[0m but got 8', path: '$.id' },
    { mismatch: 'Expected header Retry-After', key: 'Retry-After' },
    { mismatch: 'Expected 200', path: '' },
  ];
  const many = Array.from({ length: 23 }, (_one, at) => ({ mismatch: `difference ${at}` }));
  const interactionResults = [
    { result: 'error', pending: true, mismatch: { mismatches } },
    { result: 'OK' },
    { mismatch: { message: 'no connection' } },
    { mismatch: {} },
    { mismatch: { mismatches: many } },
    5,
  ];
  const errors = [
    { mismatch: { message: 'the pact cannot be read' } },
    { mismatch: { mismatches: [{ mismatch: 'of an interaction' }] } },
  ];
  const failed = { isPass: false, isPending: false };
  assert.equal(readOutcome(JSON.stringify({ interactionResults, errors })), {
    results: [
      {
        ...failed,
        isPending: true,
        messages: ['$.id: Expected 7 but got 8', 'Expected header Retry-After', 'Expected 200'],
      },
      { ...failed, isPass: true, messages: [] },
      { ...failed, messages: ['no connection'] },
      { ...failed, messages: ['the verifier gives no reason'] },
      { ...failed, messages: many.slice(0, 20).map(({ mismatch }) => mismatch) },
    ],
    errors: ['the pact cannot be read'],
  });
  assert.equal(readOutcome('panicked'), { results: [], errors: ['panicked'] });
  assert.equal(readOutcome('[]'), { results: [], errors: [] });
});

test.run();
