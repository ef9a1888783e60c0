/** What earlier runs have left behind is no failure of a later one: nothing can be deleted through the interface. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore, listen } from '../../../reference-server/index.ts';
import { judge } from '../../index.ts';
import { failuresIn, type Told } from './evidence.ts';

test('three runs, one after the other on one server, all conform', async () => {
  const apiKey = 'a-key-for-many-runs';
  const server = await listen(createPetStore({ keys: [{ key: apiKey, plan: 'business' }] }).handle, { port: 0 });
  try {
    for (const seed of [1, 2, 3]) {
      const report = await judge({ baseUrl: `${server.url}/v1`, apiKey, maxRequests: 60, seed });
      const failed = report.requirements.filter(({ verdict }) => verdict === 'fail');
      assert.equal(
        failed.flatMap(({ failures }) => failures.map(({ code, message }) => `${code}: ${message}`)),
        [],
      );
      assert.is(report.verdict, 'conforms', report.reason);
    }
  } finally {
    await server.close();
  }
});

/** A creation, and a page that shows two animals of its name. */
function listedTwice(name: string): readonly Told[] {
  const pet = (id: number) => ({ id, name, categoryId: 1 });
  const body = JSON.stringify({ name, categoryId: 1 });
  return [
    {
      request: { operation: 'createPet', method: 'POST', target: '/pets', body, contentType: 'application/json' },
      status: 201,
      body: JSON.stringify(pet(9)),
    },
    { request: { operation: 'listPets', target: '/pets' }, body: JSON.stringify([pet(2), pet(9)]) },
  ];
}

test('a name that no other run has shows a creation that was carried out twice; any other name shows nothing', () => {
  const codes = (name: string) => failuresIn(listedTwice(name), /^create-answer$/).map(({ failure }) => failure.code);
  assert.equal(codes('cf-1a2b3c-01'), ['created-twice']);
  assert.equal(codes('0'), []);
});

test.run();
