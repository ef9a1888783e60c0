/** The operations are those of openapi.yaml, and a request is known by its method and path. */

import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { defined } from '../defined.ts';
import { removalDay, removalDayInWords, removalOfGetPet } from '../facts.ts';
import {
  isAllowedLimit,
  listedStatuses,
  operationOf,
  operations,
  pageLimit,
  pageLimitInWords,
  petIdIn,
  petStatuses,
  petStatusesInWords,
} from '../operations.ts';
import { description } from './description.ts';

const described = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
);

test('the operations, their statuses and their parameters are those of openapi.yaml', () => {
  const listed = described.map(({ operationId, method, path, responses, parameters = [] }) => {
    // §7 lists 429 for every operation, and its body is not shown.
    const statuses = Object.keys(responses)
      .map(Number)
      .filter((status) => status !== 429);
    const query = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
    return [operationId, { method, path, statuses, query }];
  });
  assert.equal(operations, Object.fromEntries(listed));
  assert.equal([...petStatuses], description.components.schemas['PetStatus']?.enum);
});

test('a method and a path ask for an operation, and a path parameter is the text of its segment', () => {
  for (const [asked, operation] of Object.entries({
    'GET /pets': 'listPets',
    'POST /pets': 'createPet',
    'GET /pets/-7': 'getPet',
    'GET /pets/a%2Fb': 'getPet',
    'get /pets': 'other',
    'PUT /pets': 'other',
    'GET /pets/': 'other',
    'GET /petshop': 'other',
    'GET /pets/1/photos': 'other',
    'DELETE /pets/1': 'other',
    'GET /x/pets': 'other',
  })) {
    const [method = '', path = ''] = asked.split(' ');
    assert.is(operationOf(method, path), operation, asked);
  }
  assert.equal(['/pets/9223372036854775807', '/pets'].map(petIdIn), ['9223372036854775807', undefined]);
});

test('the limits of a page are those of openapi.yaml', () => {
  const { parameters = [] } = description.paths['/pets']!['get']!;
  const { minimum, maximum, default: usual } = parameters.find(({ name }) => name === 'limit')!.schema;
  assert.equal(pageLimit, { least: minimum, most: maximum, usual });
});

test('the page of the interface says the limits and the day of the removal as the data does', () => {
  const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const limits = `\`limit\`, ${pageLimitInWords}, is the most animals that a page may hold; without it, ${pageLimit.usual}.`;
  assert.ok(page.includes(limits), limits);
  const removal = `is to be removed on ${removalDayInWords}`;
  assert.ok(page.includes(removal), removal);
  const { description: ofGetPet } = description.paths['/pets/{petId}']!['get']!;
  assert.ok(ofGetPet.includes(`to be removed on ${removalDayInWords}`), ofGetPet);
});

test('data reads as a sentence', () => {
  assert.is(pageLimitInWords, `from ${pageLimit.least} to ${pageLimit.most}`);
  assert.is(petStatusesInWords, 'available, pending or sold');
  assert.is(removalDayInWords, '5 December 2030');
});

test('getPet is removed with the beginning of that day, first in the earliest time zone', () => {
  assert.is(removalDay, Date.UTC(2030, 11, 5));
  assert.is(removalDay - removalOfGetPet, 14 * 3_600_000);
});

test('the listed statuses are those of all operations, and 429', () => {
  assert.equal(listedStatuses, [200, 201, 400, 401, 404, 429]);
});

test('a limit is allowed between both ends, in plain digits, or absent', () => {
  const { least, most } = pageLimit;
  for (const limit of [null, `${least}`, '10', `${most - 1}`, `${most}`]) assert.ok(isAllowedLimit(limit), `${limit}`);
  const others = ['', `${least - 1}`, `${most + 1}`, '01', '1.0', '1e1', ' 1', '-1', `${10 * most}`, '9'.repeat(400)];
  for (const limit of others) assert.not(isAllowedLimit(limit), limit);
});

test('a member that is undefined is not there, and every other value is kept', () => {
  const object = defined({ absent: undefined as number | undefined, zero: 0, none: null, empty: '', no: false });
  assert.equal(Object.keys(object), ['zero', 'none', 'empty', 'no']);
});

test.run();
