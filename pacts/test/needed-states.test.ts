/** The states of a filtered listing bring an animal with the status of the filter, and one with another status. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type PactInteraction, readPact } from '../pact.ts';
import { unmatchedState, withStatus } from '../verify/needed-states.ts';

const state = { name: 'an animal exists', params: {} };

function interactionWith(path: string, query: object = {}, status = 200, method = 'GET'): PactInteraction {
  const interaction = { description: 'x', request: { method, path, query }, response: { status } };
  const pact = {
    consumer: { name: 'c' },
    interactions: [interaction],
    metadata: { pactSpecification: { version: '3' } },
  };
  return readPact(JSON.stringify(pact), 'a test').interactions[0]!;
}

const filtered = interactionWith('/pets', { status: ['sold'] });

test('a state of animals takes the status of the filter, unless it names one', () => {
  assert.equal(withStatus(state, filtered), { ...state, params: { status: 'sold' } });
  const named = { ...state, params: { status: 'pending' } };
  assert.equal(withStatus(named, filtered), named);
  assert.equal(withStatus({ name: 'animals exist', params: { count: 3 } }, filtered).params, {
    count: 3,
    status: 'sold',
  });
});

test('no other state, and no state of another interaction, takes a status', () => {
  const other = { name: 'no animal has this id', params: {} };
  assert.is(withStatus(other, filtered), other);
  assert.is(withStatus(state, undefined), state);
  for (const interaction of [
    interactionWith('/pets'),
    interactionWith('/pets', { status: ['lost'] }),
    interactionWith('/pets', { status: ['sold'] }, 401),
    interactionWith('/pets/7', { status: ['sold'] }),
    interactionWith('/pets', { status: ['sold'] }, 201, 'POST'),
  ]) {
    assert.is(withStatus(state, interaction), state);
    assert.is(unmatchedState(state, interaction), undefined);
  }
});

test('an animal of another status is brought where a page has room for three', () => {
  const unmatched = (limit: string) =>
    unmatchedState(state, interactionWith('/pets', { status: ['available'], limit: [limit] }))?.params;
  assert.equal(unmatchedState(state, filtered), { name: 'an animal exists', params: { status: 'available' } });
  assert.equal([unmatched('2'), unmatched('3'), unmatched('many')], [undefined, { status: 'pending' }, undefined]);
});

test.run();
