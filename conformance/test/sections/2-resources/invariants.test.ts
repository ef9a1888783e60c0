/** What is concluded from animals that come back: their status once, their id never the client's. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { changeAnimals, changeCreation, type Wrap } from '../../../sections/fault.ts';
import { createPet, drawUnknownId, getPet, idsIn, isDrawnId, listPets } from '../../../sections/requests.ts';
import { type Bench, createBench } from '../bench.ts';

const pet = { name: 'cf-abc123-01', categoryId: 1n, status: 'sold' };

/** Shows another status from a read on, counted from 1. */
function changesAtRead(turn: number): Wrap {
  return (handle) => {
    let reads = 0;
    return (request, now) => {
      if (request.method === 'GET') reads += 1;
      const hasChanged = request.method === 'GET' && reads >= turn;
      const change = changeAnimals((animal) => (hasChanged ? { ...animal, status: 'pending' } : animal));
      return change(handle)(request, now);
    };
  };
}

async function createAndRead(bench: Bench, waitMs = 0, body: object = pet): Promise<void> {
  const [id = 0n] = idsIn(await bench.session.send(createPet({ ...pet, ...body })));
  bench.clock.advance(waitMs);
  await bench.session.send(getPet(id));
  await bench.session.send(listPets('limit=100'));
}

test('a status that the first read shows otherwise than it was sent is not kept', async () => {
  const bench = createBench({ wrap: changesAtRead(1) });
  await createAndRead(bench);
  assert.equal(bench.failures('pet-status-kept').slice(0, 1), [
    'expected status "sold" in getPet, received "pending": U+0073 and U+0070 at character 1',
  ]);
  assert.is(bench.failures('pet-status-kept').length, 1);
});

test('a status that was seen kept and later differs is a transition, which is not judged', async () => {
  const bench = createBench({ wrap: changesAtRead(2) });
  await createAndRead(bench);
  assert.equal(bench.failures('pet-status-kept'), []);
  assert.is(bench.findings('pet-status-kept').length, 2);
});

test('neither is a first read that comes after the time to settle', async () => {
  for (const [waitMs, failures] of [
    [1_990, 1],
    [2_010, 0],
  ] as const) {
    const bench = createBench({ wrap: changesAtRead(1) });
    await createAndRead(bench, waitMs);
    assert.is(bench.failures('pet-status-kept').length, failures, String(waitMs));
  }
});

test('a 201 with another status than was sent is never right, one without is no better', async () => {
  for (const answer of ['"status":"pending"', '"state":"sold"']) {
    const wrap = changeCreation((created) => ({ ...created, body: created.body.replace('"status":"sold"', answer) }));
    const bench = createBench({ wrap });
    await createAndRead(bench);
    assert.is(bench.failures('pet-status-kept').length, 1, answer);
  }
});

test('which status an animal gets without one, and whether it changes, is open', async () => {
  const bench = createBench({ wrap: changesAtRead(2) });
  const { status: _status, ...rest } = pet;
  const [id = 0n] = idsIn(await bench.session.send(createPet(rest)));
  await bench.session.send(getPet(id));
  await bench.session.send(getPet(id));
  assert.equal(bench.failures('pet-status-kept'), []);
  assert.equal(bench.failures('pet-status'), []);
});

test('a name stays for good: the code points of the first difference are told', async () => {
  const wrap: Wrap = (handle) => {
    const upper = changeAnimals((animal) => ({ ...animal, name: String(animal['name']).toUpperCase() }), 'listPets');
    return upper(handle);
  };
  const bench = createBench({ wrap });
  await createAndRead(bench, 60_000);
  assert.equal(bench.failures('pet-name-kept'), [
    'expected name "cf-abc123-01" in a page, received "CF-ABC123-01": U+0063 and U+0043 at character 1',
  ]);
});

test('a drawn id that a client sends is told from others, and no animal may have it', async () => {
  const ofTheClient = changeCreation((answer, { request }) => {
    const id = /"id":(\d+)/.exec(new TextDecoder().decode(request.body))?.[1];
    return { ...answer, body: answer.body.replace(/"id":\d+/, `"id":${id}`) };
  });
  const [own, others] = [createBench({ wrap: ofTheClient }), createBench()];
  const id = drawUnknownId(own.session);
  assert.is(isDrawnId(id), true);
  for (const other of [id + 1n, 1n, 2n ** 63n - 1n, 2n ** 61n - 8_191n]) assert.is(isDrawnId(other), false);
  for (const { session } of [own, others]) await session.send(createPet({ ...pet, id }));
  assert.equal(own.failures('pet-id-assigned'), [
    `expected an id that the service assigned, received ${id}, which the client had sent`,
  ]);
  assert.is(others.findings('pet-id-assigned').length, 1);
  assert.equal(others.failures('pet-id-assigned'), []);
});

test('a body with an id may be refused, and one without says nothing of who assigns it', async () => {
  const bench = createBench({ gaps: { 'client-sent-id': 'refused-400' } });
  await bench.session.send(createPet(pet));
  assert.is(bench.findings('pet-id-assigned').length, 0);
  await bench.session.send(createPet({ ...pet, id: 5n }));
  assert.is(bench.findings('pet-id-assigned').length, 0);
  await bench.session.send(createPet({ ...pet, id: drawUnknownId(bench.session) }));
  assert.is(bench.findings('pet-id-assigned').length, 1);
  assert.equal(bench.failures('pet-id-assigned'), []);
});

test.run();
