/** A failure about a part of an answer points at that part. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { getPet, listPets } from '../../world/requests.ts';
import { failuresIn, type HandMadeAnswer } from './evidence.ts';

const sold = { id: 1, name: 'a', categoryId: 1, status: 'sold' };
const error = { code: 'not_found', message: 'No.', status: 404 };
const page = (query: string, ...entries: readonly unknown[]): HandMadeAnswer => ({
  request: listPets(query),
  body: JSON.stringify(entries),
});
const refusal = (body: object): HandMadeAnswer => ({
  request: getPet(9n),
  status: 404,
  body: JSON.stringify(body),
});

const rows: readonly (readonly [code: string, answer: HandMadeAnswer, pointer: string])[] = [
  ['id-wrong', page('', sold, { ...sold, id: 'x' }), '/1/id'],
  ['name-missing', page('', sold, { id: 2, categoryId: 1, status: 'sold' }), '/1/name'],
  ['categoryId-not-int64', page('', { ...sold, categoryId: 2 ** 70 }), '/0/categoryId'],
  ['id-twice-in-page', page('', sold, { ...sold, id: 2 }, sold), '/2/id'],
  ['other-status', page('status=sold', sold, { ...sold, id: 2, status: 'pending' }), '/1/status'],
  ['not-an-animal', page('', sold, 7), '/1'],
  ['code-missing', refusal({ message: 'No.', status: 404 }), '/code'],
  ['message-empty', refusal({ ...error, message: ' ' }), '/message'],
  ['status-differs', refusal({ ...error, status: 400 }), '/status'],
];

for (const [code, answer, pointer] of rows) {
  test(`${code} points to ${pointer}`, () => {
    const found = failuresIn([answer], /./).filter(({ failure }) => failure.code === code);
    assert.equal(
      found.map(({ failure }) => failure.pointer),
      [pointer],
    );
  });
}

test.run();
