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

const noError = '"No."';

test('another case of Bearer is accepted, refused with 401, or refused otherwise', () => {
  const asked = (status: number, body?: string): PartialExchange =>
    listing('', answer(status, body), { credential: lenient });
  assert.is(observe('bearer-case', [asked(200, '[]')]), 'accepted #1');
  assert.is(observe('bearer-case', [asked(401), asked(400)]), 'refused-401, refused-otherwise #1');
  assert.is(observe('bearer-case', [asked(401, noError), asked(500)]), undefined);
  assert.is(observe('bearer-case', [listing('', answer(200, '[]'))]), undefined);
});

test('a 401 names the authentication scheme, or not', () => {
  const refused = (headers = {}): PartialExchange =>
    listing('', answer(401, undefined, headers), { credential: without });
  assert.is(observe('www-authenticate', [refused({ 'www-authenticate': '' })]), 'sent #1');
  assert.is(observe('www-authenticate', [listing('', answer(400)), refused()]), 'none #2');
  assert.is(observe('www-authenticate', [listing('', answer(200, '[]'))]), undefined);
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
