/** In which ways a requirement fails is told in words that do not depend on the values of one run. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findCredential } from '../../sections/5-authentication/credentials.ts';
import { createPet, getPet, listPets } from '../../sections/requests.ts';
import { fails } from '../../verdict/finding.ts';
import { readSubjects } from '../../verdict/subjects.ts';
import { newWays, wayOf } from '../../verdict/ways.ts';
import { apiKey, created, exchangesOf, type HandMadeAnswer } from '../sections/evidence.ts';

const credential = findCredential('without-scheme', { api: apiKey })!;
const big = 2n ** 63n;

/** An answer, the name of the input that led to the failure, and the way. */
const rows: readonly (readonly [HandMadeAnswer, input: string | undefined, way: string])[] = [
  [
    { request: createPet({ name: 'Rex', categoryId: big }), status: 201 },
    'categoryId',
    'found: with categoryId beyond int64',
  ],
  [
    { request: createPet({ name: 'Rex', categoryId: big + 7n }), status: 201 },
    'categoryId',
    'found: with categoryId beyond int64',
  ],
  [{ request: createPet({ name: 7n, categoryId: 1n }), status: 201 }, 'name', 'found: with name a number'],
  [
    { request: createPet({ name: 'Rex', status: 'SOLD' }) },
    'status',
    'found: with status one of the three in another spelling',
  ],
  [{ request: listPets('status=x') }, 'status', 'found: with status filter unknown'],
  [{ request: listPets('limit=0') }, 'limit', 'found: with limit 0'],
  [{ request: listPets('limit=0'), status: 500 }, 'query', 'found: with a wrong limit'],
  [{ request: listPets('x=0'), credential }, 'credential', 'found: with the key without a scheme'],
  [{ request: getPet('abc') }, 'petId', 'found: with a petId that is another text'],
  [{ request: getPet('abc'), status: 404 }, undefined, 'found: on 404'],
  [{ request: getPet('abc'), isBroken: true }, undefined, 'found'],
];

test('a way has the code and the class of the input, or the status that came', () => {
  for (const [answer, name, way] of rows) {
    const exchanges = exchangesOf([created(1), answer]);
    const input = name === undefined ? undefined : { name, value: 'of no matter' };
    const failing = fails('get-id-not-int64', 'found', { expected: '', received: '', input }, exchanges[1]!);
    assert.is(wayOf(failing, readSubjects(exchanges)(failing)), way);
  }
});

test('what is known is not new', () => {
  assert.equal(newWays(['a', 'b'], ['b', 'c']), ['a']);
  assert.equal([newWays(undefined, ['b']), newWays(['a'])], [[], ['a']]);
});

test.run();
