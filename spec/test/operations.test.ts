/** The operations are those of openapi.yaml, and a request is known by its method and path. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { description } from '../description.ts';
import { operationOf, operations, petIdIn, petStatuses } from '../operations.ts';

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
  assert.equal([...petStatuses], description.components.schemas.PetStatus.enum);
});

for (const [method, path, operation] of [
  ['GET', '/pets', 'listPets'],
  ['POST', '/pets', 'createPet'],
  ['GET', '/pets/-7', 'getPet'],
  ['GET', '/pets/a%2Fb', 'getPet'],
  ['get', '/pets', 'other'],
  ['PUT', '/pets', 'other'],
  ['GET', '/pets/', 'other'],
  ['GET', '/pets/1/photos', 'other'],
  ['GET', '/petshop', 'other'],
  ['DELETE', '/pets/1', 'other'],
  ['GET', '/x/pets', 'other'],
] as const) {
  test(`${method} ${path} asks for ${operation}`, () => {
    assert.is(operationOf(method, path), operation);
  });
}

test('a path parameter is the text of its segment', () => {
  assert.is(petIdIn('/pets/9223372036854775807'), '9223372036854775807');
  assert.is(petIdIn('/pets'), undefined);
});

test.run();
