/** §2: values are kept, and ids are assigned by the service. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPet, drawUnknownId, getPet, idsIn, isDrawnId, listPets } from '../../../sections/requests.ts';
import { changeAnimals, changeAnswer, changeCreation, keysOfTrials, type Wrap } from '../../../services/wraps.ts';
import { type Bench, createBench } from '../bench.ts';

const pet = { name: 'cf-abc123-01', categoryId: 1n, status: 'sold' };

/** Shows another status from the n-th read on. */
function changesAtRead(nth: number): Wrap {
  return (handle) => {
    let reads = 0;
    return (request, now) => {
      if (request.method === 'GET') reads += 1;
      const hasChanged = request.method === 'GET' && reads >= nth;
      const change = changeAnimals((animal) => (hasChanged ? { ...animal, status: 'pending' } : animal));
      return change(handle, keysOfTrials)(request, now);
    };
  };
}

async function createAndRead(bench: Bench, waitMs = 0, body: object = pet): Promise<void> {
  const [id = 0n] = idsIn(await bench.session.send(createPet({ ...pet, ...body })));
  bench.clock.advance(waitMs);
  await bench.session.send(getPet(id));
  await bench.session.send(listPets('limit=100'));
}

test('a first read with another status than was sent fails', async () => {
  const bench = createBench({ wrap: changesAtRead(1) });
  await createAndRead(bench);
  assert.equal(bench.failures('pet-status-kept').slice(0, 1), ['expected status "sold" in getPet, received "pending"']);
  assert.is(bench.failures('pet-status-kept').length, 1);
});

test('a status that changes after the first read is a transition, which is not judged', async () => {
  const bench = createBench({ wrap: changesAtRead(2) });
  await createAndRead(bench);
  assert.equal(bench.failures('pet-status-kept'), []);
  assert.is(bench.findings('pet-status-kept').length, 2);
});

test('a first read that ends after the settle time since the creation began is not judged either', async () => {
  for (const [waitMs, failures] of [
    // Each answer takes 3 ms.
    [1_994, 1],
    [1_995, 0],
    [2_010, 0],
  ] as const) {
    const bench = createBench({ wrap: changesAtRead(1) });
    await createAndRead(bench, waitMs);
    assert.is(bench.failures('pet-status-kept').length, failures, String(waitMs));
  }
});

test('a 201 with another status than was sent, or with none, fails', async () => {
  for (const answer of ['"status":"pending"', '"state":"sold"']) {
    const wrap = changeCreation((created) => ({ ...created, body: created.body.replace('"status":"sold"', answer) }));
    const bench = createBench({ wrap });
    await createAndRead(bench);
    assert.is(bench.failures('pet-status-kept').length, 1, answer);
  }
});

test('an animal that was created without a status may have any', async () => {
  const bench = createBench({ wrap: changesAtRead(2) });
  const { status: _status, ...rest } = pet;
  const [id = 0n] = idsIn(await bench.session.send(createPet(rest)));
  await bench.session.send(getPet(id));
  await bench.session.send(getPet(id));
  assert.equal(bench.failures('pet-status-kept'), []);
  assert.equal(bench.failures('pet-status'), []);
});

test('a name must never change; the message names the first difference by code point', async () => {
  const wrap: Wrap = (handle) => {
    const upper = changeAnimals((animal) => ({ ...animal, name: String(animal['name']).toUpperCase() }), 'listPets');
    return upper(handle, keysOfTrials);
  };
  const bench = createBench({ wrap });
  await createAndRead(bench, 60_000);
  assert.equal(bench.failures('pet-name-kept'), ['expected name "cf-abc123-01" in a page, received "CF-ABC123-01"']);
});

test('a drawn id that a client sends becomes the id of no animal', async () => {
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

test('a drawn id in a header or in the query becomes the id of no animal either', async () => {
  const bench = createBench({
    wrap: changeCreation((answer, { request, query }) => {
      const id = request.headers.find(([name]) => name === 'idempotency-key')?.[1] ?? query.get('id');
      return { ...answer, body: answer.body.replace(/"id":\d+/, `"id":${id}`) };
    }),
  });
  const id = drawUnknownId(bench.session);
  await bench.session.send({ ...createPet(pet), headers: { 'idempotency-key': `${id}` } });
  assert.is(bench.failures('pet-id-assigned').length, 1);
  const request = createPet(pet);
  await bench.session.send({ ...request, target: `${request.target}?id=${drawUnknownId(bench.session)}` });
  assert.is(bench.failures('pet-id-assigned').length, 2);
});

test('a body with an id may be refused; a body without one proves nothing about who assigns ids', async () => {
  const bench = createBench({ gaps: { 'client-sent-id': 'refused-400' } });
  await bench.session.send(createPet(pet));
  assert.is(bench.findings('pet-id-assigned').length, 0);
  await bench.session.send(createPet({ ...pet, id: 5n }));
  assert.is(bench.findings('pet-id-assigned').length, 0);
  await bench.session.send(createPet({ ...pet, id: drawUnknownId(bench.session) }));
  assert.is(bench.findings('pet-id-assigned').length, 1);
  assert.equal(bench.failures('pet-id-assigned'), []);
});

test('an Error with 200 in place of a refusal fails for its status alone, and in place of an animal for the answer', async () => {
  const withOk = changeAnswer(
    (answer) => ({ ...answer, status: 200 }),
    (_call, { status }) => status >= 400,
  );
  const bench = createBench({ wrap: withOk });
  await bench.session.send(createPet({ name: 7n, categoryId: 1n }));
  await bench.session.send(getPet(drawUnknownId(bench.session)));
  await bench.session.send(getPet('abc'));
  for (const field of ['pet-id', 'pet-name', 'pet-category-id', 'pet-status'] as const) {
    assert.equal(bench.failures(field), [], field);
  }
  const broken = ['create-invalid-values', 'get-not-found', 'get-id-not-int64'] as const;
  assert.equal(
    broken.map((requirement) => bench.failures(requirement).length),
    [1, 1, 1],
  );
  const lost = createBench({
    wrap: changeAnswer((answer, { operation }) =>
      operation === 'listPets' ? undefined : { ...answer, body: '{"code":"a","message":"b","status":500}' },
    ),
  });
  await lost.session.send(createPet(pet));
  await lost.session.send(listPets());
  lost.clock.advance(60_000);
  await lost.session.send(getPet(1n));
  assert.equal(lost.failures('pet-id'), []);
  const received = 'received {"code":"a","message":"b","status":500}';
  assert.equal(lost.failures('create-answer'), [`expected an animal in the 201, ${received}`]);
  assert.equal(lost.failures('get-answer'), [`expected an animal from getPet, ${received}`]);
});

test('the fields of an animal are judged where one is there, and those of an invalid body are not', async () => {
  const upperCase = changeAnimals((animal) => ({ ...animal, status: 'SOLD' }));
  const bench = createBench({ wrap: upperCase });
  await createAndRead(bench);
  assert.is(bench.failures('pet-status').length, 3);
  // A service that accepts any status shows it, too.
  const accepting: Wrap = (handle) => (request, now) => {
    const body = new TextDecoder().decode(request.body).replace('"SOLD"', '"sold"');
    return upperCase(handle, keysOfTrials)({ ...request, body: new TextEncoder().encode(body) }, now);
  };
  const accepted = createBench({ wrap: accepting });
  await createAndRead(accepted, 0, { status: 'SOLD' });
  assert.is(accepted.failures('create-invalid-values').length, 1);
  assert.equal(accepted.failures('pet-status'), []);
  await createAndRead(accepted);
  assert.is(accepted.failures('pet-status').length, 3);
});

test('a page that is under way with a creation may be the first to show the animal', async () => {
  const failuresAfter = async (isConcurrent: boolean): Promise<readonly string[]> => {
    const { session, failures } = createBench({ wrap: changesAtRead(2) });
    const [creation, listing] = [createPet(pet), listPets('limit=100')];
    await (isConcurrent ? Promise.all([session.send(creation), session.send(listing)]) : session.send(listing));
    if (!isConcurrent) await session.send(creation);
    await session.send(listing);
    return failures('pet-status-kept');
  };
  assert.equal(await failuresAfter(true), []);
  assert.is((await failuresAfter(false)).length, 1);
});

test.run();
