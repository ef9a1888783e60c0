/** The Location header of a creation. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { animal, answer, creation, listing, observe, type PartialExchange } from '../observer-evidence.ts';

/** An animal that is created with a Location. */
const located = (location?: string): PartialExchange =>
  creation('{"name":"Rex","categoryId":1}', answer(201, animal(7), location === undefined ? {} : { location }));

test('a Location names the animal or another address, or is missing', () => {
  assert.is(observe('location-header', [located('http://host/v1/pets/7')]), 'sent #1');
  assert.is(observe('location-header', [located('/pets/7/')]), 'another-address #1');
  assert.is(observe('location-header', [located('/pets/17')]), 'another-address #1');
  assert.is(observe('location-header', [located('/v1/7')]), 'another-address #1');
  assert.is(observe('location-header', [located(), located('/pets/7')]), 'none, sent #1');
  assert.is(observe('location-header', [listing('', answer(200, '[]', { location: '/pets/7' }))]), undefined);
});

test.run();
