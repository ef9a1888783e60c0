/** What the compiled schemas say of a body. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { schemaProblems } from '../../http/schemas.ts';

test('an animal that keeps its schema has no problem, whatever else it carries', () => {
  assert.equal(schemaProblems('Pet', { id: -1, name: '', categoryId: 2n ** 62n, status: 'sold', colour: null }), []);
});

test('every field has one problem at most, and each field that breaks is told', () => {
  assert.equal(schemaProblems('Pet', { id: '1', categoryId: 1.5, status: 7 }), [
    { field: 'name', expected: 'to be there' },
    { field: 'id', expected: 'type integer' },
    { field: 'categoryId', expected: 'type integer' },
    { field: 'status', expected: 'type string' },
  ]);
  assert.equal(schemaProblems('Pet', { id: 1, name: 'Rex', categoryId: 1, status: 'lost' }), [
    { field: 'status', expected: 'one of available, pending, sold' },
  ]);
});

test('a body that is no object has a problem of its own', () => {
  assert.equal(schemaProblems('Error', ['a', 'b']), [{ field: '', expected: 'type object' }]);
});

test('the range of an integer is left to who reads its digits', () => {
  assert.equal(schemaProblems('Pet', { id: 2n ** 70n, name: 'Rex', categoryId: -(2n ** 70n) }), []);
});

test.run();
