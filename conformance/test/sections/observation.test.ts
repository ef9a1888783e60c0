/** An observation names the first exchange that shows its first answer. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { answer, listing, observe, without } from './observer-evidence.ts';

test('the example of an answer is the first exchange that shows it, not a later one', () => {
  const refused = listing('', answer(401), { credential: without });
  assert.is(observe('www-authenticate', [refused, refused, refused]), 'none #1');
  const named = listing('', answer(401, undefined, { 'www-authenticate': 'Bearer' }), { credential: without });
  assert.is(observe('www-authenticate', [refused, named, refused, named]), 'none, sent #1');
});

test.run();
