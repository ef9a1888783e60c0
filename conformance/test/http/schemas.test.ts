/** Validation of bodies by the compiled schemas. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { schemaProblems } from '../../http/schemas.ts';

test('a valid animal has no problem, whatever extra fields it has', () => {
  assert.equal(schemaProblems('Pet', { id: -1, name: '', categoryId: 2n ** 62n, status: 'sold', colour: null }), []);
});

test('each wrong field is reported once', () => {
  assert.equal(schemaProblems('Pet', { id: '1', categoryId: 1.5, status: 7 }), [
    { field: 'name', expected: 'a string' },
    { field: 'id', expected: 'an integer' },
    { field: 'categoryId', expected: 'an integer' },
    { field: 'status', expected: 'a string' },
  ]);
  assert.equal(schemaProblems('Pet', { id: 1, name: 'Rex', categoryId: 1, status: 'lost' }), [
    { field: 'status', expected: 'one of available, pending, sold' },
  ]);
});

test('a body that is no object is reported as a whole', () => {
  assert.equal(schemaProblems('Error', ['a', 'b']), [{ field: '', expected: 'an object' }]);
});

test('the schema does not judge the range of an integer', () => {
  assert.equal(schemaProblems('Pet', { id: 2n ** 70n, name: 'Rex', categoryId: -(2n ** 70n) }), []);
});

test.run();
