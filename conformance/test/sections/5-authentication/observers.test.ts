/** How `bearer` in lower case is answered, and whether a 401 names the scheme. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { answer, lenient, listing, observe, type PartialExchange, without } from '../observer-evidence.ts';

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

test.run();
