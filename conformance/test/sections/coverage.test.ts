/** What the interface names comes first: sixty requests ask about nearly all of it, and three hundred about everything. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { trialSettings } from '../../proof/trial.ts';
import { namedByInterface } from '../../sections/coverage.ts';
import { createPetFrom, getPet, listPets } from '../../sections/requests.ts';
import { readWorld } from '../../world/world.ts';
import { judged } from '../run/bench.ts';
import { exchangesOf, type HandMadeAnswer } from './evidence.ts';

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
  ] as const)
    assert.equal(coveredBy([answer]), covered);
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
