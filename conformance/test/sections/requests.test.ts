/** What a run knows when it builds a request: categories that the target may know, and the animals that it may ask for. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pageLimit } from '../../../spec/operations.ts';
import type { Session } from '../../run/session.ts';
import {
  createdIds,
  createPet,
  createPetFrom,
  drawUnknownId,
  getPet,
  hardestOf,
  isDrawnId,
  knownIds,
  likelyCategories,
  listPets,
  listPetsInTurn,
  plainCategory,
  plainPet,
} from '../../sections/requests.ts';
import { makeName } from '../../world/names.ts';
import type { Settings } from '../../world/settings.ts';
import { animalOf, created, type HandMadeAnswer, page, sessionOf } from './evidence.ts';

const sessionAfter = (answers: readonly HandMadeAnswer[], changes: Partial<Settings> = {}): Session =>
  sessionOf(answers, [], changes).session;

test('a request has the method, the path and the body of its operation', () => {
  assert.equal(listPets(), { operation: 'listPets', target: '/pets' });
  assert.equal(listPets('limit=1'), { operation: 'listPets', target: '/pets?limit=1' });
  assert.equal(getPet(-5n), { operation: 'getPet', target: '/pets/-5' });
  const creation = { operation: 'createPet', method: 'POST', target: '/pets', body: '{"id":1}' };
  assert.equal(createPet({ id: 1n }), { ...creation, contentType: 'application/json' });
  assert.equal(createPetFrom('{"id":1}', 'text/plain'), { ...creation, contentType: 'text/plain' });
});

test('listings in turn have every limit that is allowed, and then the first again', () => {
  const { least, most } = pageLimit;
  const targets = [0, 1, most - least, most].map((count) => listPetsInTurn(count).target);
  assert.equal(
    targets,
    [least, least + 1, most, least].map((limit) => `/pets?limit=${limit}`),
  );
});

const listed = page(
  '',
  animalOf(1, { categoryId: 2n ** 60n }),
  animalOf(2, { categoryId: 7n }),
  animalOf(3, { categoryId: 'x' }),
  animalOf(4, { categoryId: 7n }),
);

test('likely are the categories of the user, those of the first page that every parser reads, the others, and 1', () => {
  assert.equal(likelyCategories(sessionAfter([])), [1n]);
  assert.equal(likelyCategories(sessionAfter([listed])), [7n, 2n ** 60n, 1n]);
  assert.equal(likelyCategories(sessionAfter([listed], { categoryIds: [70n, 1n] })), [70n, 1n, 7n, 2n ** 60n]);
  assert.equal(likelyCategories(sessionAfter([page(''), listed])), [1n]);
});

const creation = (at: number, categoryId: bigint, status: number): HandMadeAnswer => ({
  request: createPet({ name: makeName('abc123', at), categoryId }),
  status,
  ...(status === 201 && { body: `{"id":${at}}` }),
});

test('a plain animal has the likeliest category that is accepted, or else one that is not refused', () => {
  const categoryAfter = (...answers: readonly HandMadeAnswer[]) => plainCategory(sessionAfter([listed, ...answers]));
  assert.is(categoryAfter(), 7n);
  assert.is(categoryAfter(creation(1, 1n, 201), creation(2, 2n ** 60n, 201)), 2n ** 60n);
  assert.is(categoryAfter(creation(1, 7n, 400)), 2n ** 60n);
  assert.is(categoryAfter(...[7n, 2n ** 60n, 1n].map((id, at) => creation(at, id, 400))), 7n);
  assert.is(categoryAfter(creation(1, 99n, 201)), 7n);
  const session = sessionAfter([listed]);
  const pet = { name: session.newName(), categoryId: 7n };
  assert.equal([plainPet(session), plainPet(session, 'sold')], [pet, { ...pet, status: 'sold' }]);
});

test('an id that is drawn is known for one, and lies far from both ends of int64', () => {
  const drawnWith = (random: number) => drawUnknownId({ random: () => random });
  const largest = drawnWith(1 - 2 ** -50);
  assert.is(drawnWith(0), 2n ** 61n);
  assert.is(largest, 2n ** 61n + (2n ** 48n - 1n) * 8_191n);
  assert.ok([drawnWith(0), drawnWith(0.5), largest].every(isDrawnId));
  const others = [2n ** 61n - 8_191n, 2n ** 61n + 1n, largest + 8_191n, 0n];
  assert.not.ok(others.some(isDrawnId));
});

test('the animals of the run come first, each once, in the order of their creation', () => {
  const answers = [page('', animalOf(9)), created(5), created(3), created(5), page('', animalOf(3), animalOf(8))];
  assert.equal(createdIds(sessionAfter(answers)), [5n, 3n]);
  assert.equal(knownIds(sessionAfter(answers)), [5n, 3n, 9n, 8n]);
});

test('the hardest animal has the longest name', () => {
  const long = { name: `${makeName('abc123', 6)} is long` };
  assert.is(hardestOf(sessionAfter([created(5), created(6, long), created(7)])), 6n);
  assert.is(hardestOf(sessionAfter([created(5), created(6)])), 5n);
  assert.is(hardestOf(sessionAfter([page('', animalOf(9))])), undefined);
});

test.run();
