/** The operations are those of openapi.yaml, and a request is known by its method and path. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { documentedStatuses, operationOf, operations, pathParameter, queryParameters } from '../operations.ts';

test('each operation has its method, path, parameters, answers and body', () => {
  assert.equal(Object.keys(operations), ['listPets', 'createPet', 'getPet']);
  assert.equal(operations.createPet.body, 'NewPet');
  assert.equal(operations.listPets.parameters.limit.maximum, 100);
  assert.equal(queryParameters, { listPets: ['limit', 'status'], createPet: [], getPet: [] });
});

test('the documented statuses are those of section 4, without the 429 whose body is not shown', () => {
  assert.equal(documentedStatuses, { listPets: [200, 401], createPet: [201, 400, 401], getPet: [200, 401, 404] });
  assert.equal(operations.getPet.answers, { 200: 'Pet', 401: 'Error', 404: 'Error' });
});

for (const [method, path, operation] of [
  ['GET', '/pets', 'listPets'],
  ['POST', '/pets', 'createPet'],
  ['GET', '/pets/-7', 'getPet'],
  ['GET', '/pets/a%2Fb', 'getPet'],
  ['get', '/pets', 'other'],
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
  assert.is(pathParameter('getPet', '/pets/9223372036854775807'), '9223372036854775807');
  assert.is(pathParameter('getPet', '/pets'), undefined);
  assert.is(pathParameter('listPets', '/pets'), undefined);
});

test.run();
