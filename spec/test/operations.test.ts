/** The operations are those of openapi.yaml, and a request is known by its method and path. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { defined } from '../defined.ts';
import { isAllowedLimit, operationOf, operations, petIdIn, petStatuses } from '../operations.ts';
import { description } from './description.ts';

const described = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
);

test('the operations, their statuses and their parameters are those of openapi.yaml', () => {
  const listed = described.map(({ operationId, method, path, responses, parameters = [] }) => {
    // §7 lists 429 for every operation, and its body is not shown.
    const statuses = Object.keys(responses)
      .map(Number)
      .filter((status) => status !== 429);
    const query = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
    return [operationId, { method, path, statuses, query }];
  });
  assert.equal(operations, Object.fromEntries(listed));
  assert.equal([...petStatuses], description.components.schemas['PetStatus']?.enum);
});

test('a method and a path ask for an operation, and a path parameter is the text of its segment', () => {
  for (const [asked, operation] of Object.entries({
    'GET /pets': 'listPets',
    'POST /pets': 'createPet',
    'GET /pets/-7': 'getPet',
    'GET /pets/a%2Fb': 'getPet',
    'get /pets': 'other',
    'PUT /pets': 'other',
    'GET /pets/': 'other',
    'GET /petshop': 'other',
    'GET /pets/1/photos': 'other',
    'DELETE /pets/1': 'other',
    'GET /x/pets': 'other',
  })) {
    const [method = '', path = ''] = asked.split(' ');
    assert.is(operationOf(method, path), operation, asked);
  }
  assert.equal(['/pets/9223372036854775807', '/pets'].map(petIdIn), ['9223372036854775807', undefined]);
});

test('a limit is allowed from 1 to 100, or absent', () => {
  for (const limit of [null, '1', '10', '99', '100']) assert.ok(isAllowedLimit(limit), `${limit}`);
  for (const limit of ['', '0', '101', '01', '1.0', '-1', '1000']) assert.not(isAllowedLimit(limit), limit);
});

test('a member that is undefined is not there, and every other value is kept', () => {
  const object = defined({ absent: undefined as number | undefined, zero: 0, none: null, empty: '', no: false });
  assert.equal(Object.keys(object), ['zero', 'none', 'empty', 'no']);
});

test.run();
