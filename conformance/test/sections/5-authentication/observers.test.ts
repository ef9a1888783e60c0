/** How `bearer` in lower case is answered, whether a 401 names the scheme, and which animals a key sees. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  accepted,
  animal,
  answer,
  exhaustible,
  lenient,
  listing,
  observe,
  type PartialExchange,
  without,
} from '../observer-evidence.ts';

test('another case of Bearer is accepted or refused, and a 401 names the authentication scheme, or not', () => {
  const asked = (status: number, body?: string, headers = {}, credential = lenient): PartialExchange =>
    listing('', answer(status, body, headers), { credential });
  assert.is(observe('bearer-case', [asked(200, '[]')]), 'accepted #1');
  assert.is(observe('bearer-case', [asked(401), asked(400)]), 'refused-401, refused-otherwise #1');
  assert.is(observe('bearer-case', [asked(401, '"No."'), asked(500)]), undefined);
  assert.is(observe('bearer-case', [listing('', answer(200, '[]'))]), undefined);
  assert.is(observe('www-authenticate', [asked(401, undefined, { 'www-authenticate': '' }, without)]), 'sent #1');
  assert.is(observe('www-authenticate', [asked(400), asked(401)]), 'none #2');
});

const page = (...ids: readonly number[]): PartialExchange['response'] =>
  answer(200, `[${ids.map((id) => animal(id)).join(',')}]`);
const ours = (...ids: readonly number[]): PartialExchange => listing('', page(...ids));
const theirs = (query: string, ...ids: readonly number[]): PartialExchange =>
  listing(query, page(...ids), { credential: exhaustible });
const createdByTheirs = { ...accepted(7), credential: exhaustible };

test('a second key sees an animal that the first has listed', () => {
  assert.is(observe('key-scope', [ours(1), theirs('', 1)]), 'shared #2');
  assert.is(observe('key-scope', [theirs('', 1), ours(1)]), undefined);
  assert.is(observe('key-scope', [createdByTheirs, ours(7), theirs('', 7)]), undefined, 'each may count from 1');
});

test('a second key sees no animal where the first lists one before and after', () => {
  const [before, after] = [
    [accepted(1), ours(1)],
    [ours(1), ours(1)],
  ];
  assert.is(observe('key-scope', [...before, theirs(''), ...after]), 'per-key #3');
  assert.is(observe('key-scope', [...before, theirs('')]), undefined, 'the animal may have been removed');
  assert.is(
    observe('key-scope', [...before, theirs('?status=sold'), ...after]),
    undefined,
    'the filter may leave none',
  );
  assert.is(observe('key-scope', [createdByTheirs, ours(7), theirs(''), ours(7)]), undefined, 'the page may be late');
});

test.run();
