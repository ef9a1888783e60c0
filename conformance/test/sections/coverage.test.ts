/** What the interface names comes first: sixty requests ask about nearly all of it, and three hundred about everything. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rateLimitKey } from '../../http/credentials.ts';
import { trialSettings } from '../../proof/trial.ts';
import { findCredential } from '../../sections/5-authentication/credentials.ts';
import { namedByInterface } from '../../sections/coverage.ts';
import { createPetFrom, getPet, listPets } from '../../sections/requests.ts';
import { readWorld } from '../../world/world.ts';
import { judged } from '../run/bench.ts';
import { animalOf, apiKey, created, exchangesOf, type HandMadeAnswer, page, pending, read, sold } from './evidence.ts';

const titles = namedByInterface.map(({ title }) => title);

/** What the interface names and these exchanges leave out, or ask about. */
const coveredBy = (answers: readonly HandMadeAnswer[]): readonly string[] => {
  const world = readWorld(exchangesOf(answers), trialSettings(60));
  return namedByInterface.filter(({ isCovered }) => isCovered(world)).map(({ title }) => title);
};

test('each thing that the interface names stands once, and nothing covers it without a request', () => {
  assert.is(new Set(titles).size, titles.length);
  assert.equal(coveredBy([]), []);
});

test('a request covers what it asks about, with the key', () => {
  for (const [answer, ...covered] of [
    [{ request: listPets() }, 'a listing without parameters'],
    [{ request: listPets('limit=1&status=sold') }, 'a listing with limit=1 and status=sold'],
    [{ request: listPets('status=pending') }, 'a listing with status=pending'],
    [{ request: listPets('limit=0') }],
    [
      { request: createPetFrom('{"name":"Rex","categoryId":0}'), status: 201 },
      'an animal without status',
      'the categoryId 0',
    ],
    [{ request: createPetFrom('{"categoryId":1}'), status: 400 }, 'a body without name'],
    [{ request: createPetFrom('{"name":7,"categoryId":1}'), status: 400 }, 'a body with a wrong name'],
    [{ request: createPetFrom(''), status: 400 }, 'an empty body'],
    [{ request: createPetFrom('[]'), status: 400 }, 'a body that is no JSON object'],
    [{ request: getPet(7n), status: 404 }, 'a read of an id that no animal has'],
    [{ request: getPet('abc'), status: 404 }, 'a read of a petId that is no int64'],
    [read(7, animalOf(7)), 'a read of an animal'],
    [{ request: getPet(7n), status: 500 }],
    [created(1, { ...sold, categoryId: 2n ** 63n - 1n }), 'an animal that is sold', 'the categoryId 2^63 - 1'],
    [created(1, { ...pending, categoryId: -(2n ** 63n) }), 'an animal that is pending', 'the categoryId -2^63'],
    [{ request: createPetFrom('{"name":"Rex"}'), status: 400 }, 'a body without categoryId'],
    [{ request: createPetFrom('{"name":"Rex","categoryId":"x"}'), status: 400 }, 'a body with a wrong categoryId'],
    [
      { request: createPetFrom('{"name":"Rex","categoryId":1,"status":"gone"}'), status: 400 },
      'a body with a wrong status',
    ],
    [page('limit=1', animalOf(1)), 'a listing with limit=1', 'a page of all animals that its limit cuts off'],
    [page('limit=2&status=sold', animalOf(1, sold), animalOf(2, sold)), 'a page by sold that its limit cuts off'],
    [page('limit=2', animalOf(1))],
    // No request without the key, or with another body than that of a creation.
    [{ ...read(7, animalOf(7)), credential: rateLimitKey('Key-2') }],
    [{ request: { ...listPets('limit=2'), body: '{"categoryId":1}' } }],
  ] as const)
    assert.equal(coveredBy([answer]), covered);
});

test('each least, largest and default limit is asked for with every status, and each operation with every wrong key', () => {
  for (const limit of ['limit=1', 'limit=100', '']) {
    for (const status of ['status=available', 'status=pending', 'status=sold', '']) {
      const parameters = [limit, status].filter((one) => one !== '');
      const title =
        parameters.length === 0 ? 'a listing without parameters' : `a listing with ${parameters.join(' and ')}`;
      assert.equal(coveredBy([{ request: listPets(parameters.join('&')) }]), [title]);
    }
  }
  const credential = (id: string) => findCredential(id, { api: apiKey })!;
  for (const [words, id] of [
    ['without a key', 'none'],
    ['with a wrong key', 'never-issued'],
    ['with the key elsewhere or in another scheme', 'scheme-token'],
  ] as const) {
    for (const request of [listPets('limit=1'), createPetFrom('{}'), getPet(7n)]) {
      const title = `${request.operation} ${words}`;
      assert.equal(coveredBy([{ request, status: 401, credential: credential(id) }]), [title]);
    }
  }
});

test('three hundred requests ask about everything that the interface names, and sixty about all but one int64', async () => {
  for (const [requests, left] of [
    [60, ['the categoryId -2^63']],
    [300, []],
  ] as const) {
    for (const seed of [1, 2, 3]) {
      const { exchanges } = await judged({}, requests, { seed, hasRateLimitKey: false });
      const world = readWorld(exchanges, trialSettings(requests));
      const open = namedByInterface.filter(({ isCovered }) => !isCovered(world)).map(({ title }) => title);
      assert.equal(open, left, `seed ${seed}`);
    }
  }
});

test.run();
