/** Every faulty client is found and named, no careful one fails, and no requirement is unproven. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clientRequirements } from '../../../spec/client-requirements.ts';
import { amongOthers, services } from '../../clients/services.ts';
import { carefulClients } from './examples/careful/index.ts';
import { faultyClients } from './examples/faulty/index.ts';
import { proveClients, tryCareful } from './examples/proof.ts';
import { workedConsumer } from './worked-consumer.ts';

const proof = await proveClients();

for (const { id, complaint, found } of proof.faulty) {
  test(`the faulty client ${id} is found and named`, () => {
    assert.is(complaint, undefined);
    assert.ok(found.size > 0);
  });
}

// The worked consumer of pacts/ is a careful client too; the published kit does without it.
for (const { id, complaint } of [...proof.careful, await tryCareful(workedConsumer)]) {
  test(`no service fails the careful client ${id}`, () => assert.is(complaint, undefined));
}

test('there are 60 faulty clients or more, and 15 careful ones, with ids of their own', () => {
  assert.ok(faultyClients.length >= 60, String(faultyClients.length));
  assert.ok(carefulClients.length >= 15, String(carefulClients.length));
  const ids = [...faultyClients, ...carefulClients].map(({ id }) => id);
  assert.is(new Set(ids).size, ids.length);
});

test('every requirement that can be shown is broken by a faulty client', () => {
  assert.equal(proof.unproven, []);
});

test('ids of requirements are unique, and those of services', () => {
  for (const ids of [clientRequirements.map(({ id }) => id), [amongOthers, ...services].map(({ id }) => id)]) {
    assert.is(new Set<string>(ids).size, ids.length);
  }
});

test.run();
