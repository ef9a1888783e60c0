/** How a petId that is no int64 is answered. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../../../../spec/facts.ts';
import { answer, observe, type PartialExchange, reading, without } from '../observer-evidence.ts';

const noError = '"No."';

test('only plain reads with the key before the removal show how a petId that is no int64 is answered', () => {
  const gap = 'pet-id-not-int64';
  assert.is(observe(gap, [reading('x', answer(404))]), 'not-found-404 #1');
  assert.is(observe(gap, [reading('x', answer(404, noError))]), 'refused-otherwise #1');
  assert.is(observe(gap, [reading('x', answer(400)), reading('y', answer(422))]), 'refused-400, refused-422 #1');
  assert.is(observe(gap, [reading('1.5', answer(400, noError))]), 'refused-otherwise #1');
  assert.is(observe(gap, [reading('9223372036854775808', answer(400))]), 'refused-400 #1');
  const silent: readonly PartialExchange[] = [
    reading('7', answer(404)),
    reading('%20', answer(400)),
    reading('x', answer(404), { credential: without }),
    reading('x', answer(404, undefined, { date: new Date(removalOfGetPet).toUTCString() })),
    reading('x', answer(500)),
    { ...reading('x', answer(404)), operation: 'other' },
  ];
  assert.is(observe(gap, silent), undefined);
  const theDayBefore = { date: new Date(removalOfGetPet - 1_000).toUTCString() };
  assert.is(observe(gap, [reading('x', answer(404, undefined, theDayBefore))]), 'not-found-404 #1');
});

test.run();
