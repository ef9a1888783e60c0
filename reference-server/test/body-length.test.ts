/** The length of a body is that of its UTF-8, the first time and when it is kept. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createBodyLength } from '../body-length.ts';

const test = suite('body-length');

test('bodies of every length and script are counted in bytes, again and again', () => {
  const lengthOf = createBodyLength();
  for (const letter of ['a', 'é', '犬', '🐕']) {
    for (const times of [0, 1, 511, 512, 1_023, 1_024, 1_025, 32_768, 65_536, 65_537]) {
      const body = letter.repeat(times);
      const bytes = new TextEncoder().encode(body).length;
      assert.equal([lengthOf(body), lengthOf(body)], [bytes, bytes], `${times} × ${letter}`);
    }
  }
});

test('more bodies than are kept are counted all the same', () => {
  const lengthOf = createBodyLength();
  const bodies = Array.from({ length: 600 }, (_nothing, at) => 'é'.repeat(1_024 + at));
  for (const body of [...bodies, ...bodies]) assert.is(lengthOf(body), 2 * body.length);
});

test.run();
