/** How `bearer` in lower case is answered, and whether a 401 names the scheme. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Asked, answer, lenient, listing, observe, without } from '../observed-evidence.ts';

const noError = '"No."';

test('another case of Bearer is accepted, or refused as a key that is none, or otherwise', () => {
  const asked = (status: number, body?: string): Asked => listing('', answer(status, body), { credential: lenient });
  assert.is(observe('bearer-case', [asked(200, '[]')]), 'accepted #1');
  assert.is(observe('bearer-case', [asked(401), asked(400)]), 'refused-401, refused-otherwise #1');
  assert.is(observe('bearer-case', [asked(401, noError), asked(500)]), undefined);
  assert.is(observe('bearer-case', [listing('', answer(200, '[]'))]), undefined);
});

test('a refused key is told how to authenticate, or not', () => {
  const refused = (headers = {}): Asked => listing('', answer(401, undefined, headers), { credential: without });
  assert.is(observe('www-authenticate', [refused({ 'www-authenticate': '' })]), 'sent #1');
  assert.is(observe('www-authenticate', [listing('', answer(400)), refused()]), 'none #2');
  assert.is(observe('www-authenticate', [listing('', answer(200, '[]'))]), undefined);
});

test.run();
