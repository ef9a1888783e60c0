/** Every faulty client is found and named, no careful one fails, and no requirement is unproven. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clientRequirements } from '../../../spec/client-requirements.ts';
import { carefulClients } from '../../clients/careful/index.ts';
import { faultyClients } from '../../clients/faulty/index.ts';
import { isClientProofSound, proveClients, showClientProof, tryCareful } from '../../clients/proof.ts';
import { variations } from '../../clients/variations/index.ts';
import { workedConsumer } from './worked-consumer.ts';

const proof = await proveClients();
const levels = new Map(clientRequirements.map(({ id, level }) => [id, level]));

for (const { id, complaint, found } of proof.faulty) {
  test(`the faulty client ${id} is found and named`, () => {
    assert.is(complaint, undefined);
    assert.ok(found.size > 0);
  });
}

// The worked consumer of pacts/ is a careful client too; the published kit does without it.
for (const { id, complaint, found } of [...proof.careful, await tryCareful(workedConsumer)]) {
  test(`no service variant fails the careful client ${id}`, () => {
    assert.is(complaint, undefined);
    for (const requirement of found.keys()) assert.is(levels.get(requirement), 'advised', requirement);
  });
}

test('there are 60 faulty clients or more, and 15 careful ones, with ids of their own', () => {
  assert.ok(faultyClients.length >= 60, String(faultyClients.length));
  assert.ok(carefulClients.length >= 15, String(carefulClients.length));
  const ids = [...faultyClients, ...carefulClients].map(({ id }) => id);
  assert.is(new Set(ids).size, ids.length);
});

test('every requirement that can be shown is broken by a faulty client', () => {
  assert.equal(proof.unproven, []);
  assert.ok(isClientProofSound(proof));
  assert.not.ok(isClientProofSound({ ...proof, unproven: ['any-ban'] }));
});

test('ids of requirements are unique, and those of variations', () => {
  for (const ids of [clientRequirements.map(({ id }) => id), variations.map(({ id }) => id)]) {
    assert.is(new Set<string>(ids).size, ids.length);
  }
});

test('a missed faulty client and a failed careful one are reported, and unsound', () => {
  const [first] = proof.faulty;
  const broken = { ...first!, complaint: 'it is not found to break any-ban' };
  const failed = { ...proof.careful[0]!, complaint: 'any-json: expected' };
  const unsound = { faulty: [broken], careful: [failed], unproven: ['any-ban'] } as const;
  assert.not.ok(isClientProofSound({ ...unsound, unproven: [] }));
  const text = showClientProof(unsound);
  assert.match(text, `NOT FOUND  client ${first!.id}  it is not found to break any-ban`);
  assert.match(text, `FALSE FAILURE  client ${failed.id}: any-json: expected`);
  assert.match(text, 'UNPROVEN  no faulty client breaks any-ban');
  assert.match(text, '0 of 1 faulty clients found and named, 1 false failures over 1 careful ones');
});

test.run();
