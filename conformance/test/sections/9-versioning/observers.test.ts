/** How the removal of getPet is announced, and what is answered afterwards. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../../../../spec/facts.ts';
import {
  accepted,
  animal,
  answer,
  listing,
  observe,
  type PartialExchange,
  pageOf,
  reading,
} from '../observer-evidence.ts';

const noError = '"No."';

test('reads of known animals show what is answered after the removal', () => {
  const after = { date: new Date(removalOfGetPet).toUTCString() };
  const page = listing('', answer(200, pageOf(1)));
  const asked = (status: number, body?: string) => [page, reading('1', answer(status, body, after))];
  const gap = 'after-removal';
  assert.is(observe(gap, asked(200, animal(1))), 'continues #2');
  assert.is(observe(gap, asked(410)), 'gone-410 #2');
  assert.is(observe(gap, asked(410, noError)), 'refused-otherwise #2');
  assert.is(observe(gap, asked(404)), 'not-found-404 #2');
  assert.is(observe(gap, asked(404, noError)), 'refused-otherwise #2');
  assert.is(observe(gap, asked(300, noError)), 'redirected #2');
  assert.is(observe(gap, asked(308, '')), 'redirected #2');
  assert.is(observe(gap, asked(400)), 'refused-otherwise #2');
  assert.is(observe(gap, asked(500)), undefined);
  assert.is(observe(gap, [page, reading('2', answer(410, undefined, after))]), undefined);
  assert.is(observe(gap, [page, reading('x', answer(410, undefined, after))]), undefined);
  assert.is(observe(gap, [page, reading('1', answer(410))]), undefined);
});

test('Deprecation, Sunset with or without a link, or another header announces the removal', () => {
  const asked = (headers: Readonly<Record<string, string>>, status = 200): readonly PartialExchange[] => [
    reading('1', answer(status, status === 200 ? animal(1) : undefined, headers)),
  ];
  const gap = 'deprecation-headers';
  const link = '<https://host/x>; rel="successor-version"';
  const sunset = 'Thu, 05 Dec 2030 00:00:00 GMT';
  assert.is(observe(gap, asked({ deprecation: '@1', sunset, link })), 'deprecation #1');
  for (const rel of ['"successor-version"', 'deprecation', 'SUNSET', '"help deprecation"']) {
    assert.is(observe(gap, asked({ sunset, link: `</x>; rel=${rel}` })), 'sunset #1', rel);
    assert.is(observe(gap, asked({ link: `</x>; rel=${rel}` })), 'other-header #1', rel);
  }
  assert.is(observe(gap, asked({ sunset })), 'sunset-only #1');
  assert.is(observe(gap, asked({ sunset, link: '</sunset>; rel="next"' })), 'sunset-only #1');
  assert.is(observe(gap, asked({ warning: '299 - "x"' })), 'other-header #1');
  assert.is(observe(gap, asked({ link: '</x>; rel="next", <successor-version>' })), 'none #1');
  assert.is(observe(gap, asked({}, 404)), 'none #1');
  assert.is(observe(gap, [...asked({ sunset, link }, 400), ...asked({}, 410), accepted(1)]), undefined);
});

test.run();
