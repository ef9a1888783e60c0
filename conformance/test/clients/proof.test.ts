/** Every careless client is found and named, no careful one fails, and no requirement is unproven. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clientRequirements } from '../../../spec/client-requirements.ts';
import { carefulClients } from '../../clients/careful/index.ts';
import { carelessClients } from '../../clients/careless/index.ts';
import { isClientProofSound, proveClients, showClientProof } from '../../clients/proof.ts';
import { variations } from '../../clients/variations/index.ts';

const proof = await proveClients();
const levels = new Map(clientRequirements.map(({ id, level }) => [id, level]));

for (const { id, complaint, found } of proof.careless) {
  test(`the careless client ${id} is found and named`, () => {
    assert.is(complaint, undefined);
    assert.ok(found.size > 0);
  });
}

for (const { id, complaint, found } of proof.careful) {
  test(`no world fails the careful client ${id}`, () => {
    assert.is(complaint, undefined);
    for (const requirement of found.keys()) assert.is(levels.get(requirement), 'advised', requirement);
  });
}

test('there are 25 careless clients or more, and 15 careful ones, with ids of their own', () => {
  assert.ok(carelessClients.length >= 25, String(carelessClients.length));
  assert.ok(carefulClients.length >= 15, String(carefulClients.length));
  const ids = [...carelessClients, ...carefulClients].map(({ id }) => id);
  assert.is(new Set(ids).size, ids.length);
});

test('every requirement that can be shown is broken by a careless client', () => {
  assert.equal(proof.unproven, []);
  assert.ok(isClientProofSound(proof));
  assert.not.ok(isClientProofSound({ ...proof, unproven: ['any-ban'] }));
});

test('ids of requirements are unique, and those of turns', () => {
  for (const ids of [clientRequirements.map(({ id }) => id), variations.map(({ id }) => id)]) {
    assert.is(new Set<string>(ids).size, ids.length);
  }
});

test('what is missed or failed without reason is told, and unsound', () => {
  const [first] = proof.careless;
  const broken = { ...first!, complaint: 'it is not found to break any-ban' };
  const failed = { ...proof.careful[0]!, complaint: 'any-json: expected' };
  const unsound = { careless: [broken], careful: [failed], unproven: ['any-ban'] } as const;
  assert.not.ok(isClientProofSound({ ...unsound, unproven: [] }));
  const text = showClientProof(unsound);
  assert.match(text, `NOT FOUND  client ${first!.id}  it is not found to break any-ban`);
  assert.match(text, `FALSE FAILURE  client ${failed.id}: any-json: expected`);
  assert.match(text, 'UNPROVEN  no careless client breaks any-ban');
  assert.match(text, '0 of 1 careless clients found and named, 1 false failures over 1 careful ones');
});

test.run();
