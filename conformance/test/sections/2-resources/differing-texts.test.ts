/** Messages name the first difference of two texts. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { roundingHint, showDifference } from '../../../sections/2-resources/differing-texts.ts';
import { sentenceOf } from '../../../verdict/finding.ts';

const difference = (expected: string, received: string): string =>
  sentenceOf(showDifference('name', 'the 201', expected, received));

test('the first difference is named by code point and position', () => {
  assert.is(
    difference('Ze\u0301', 'Z\u00e9'),
    'expected name "Ze\u0301" in the 201, received "Z\u00e9": U+0065 and U+00E9 at character 2',
  );
  assert.match(difference('\ufeffRex', 'Rex'), /: U\+FEFF and U\+0052 at character 1$/);
  assert.match(difference('a🦄', 'a??'), /: U\+1F984 and U\+003F at character 2$/);
});

test('the end of the shorter text is named', () => {
  assert.match(difference('Rex ', 'Rex'), /: U\+0020 and the end at character 4$/);
  assert.match(difference('Rex', 'Rex!'), /: the end and U\+0021 at character 4$/);
});

test('long texts are cut to the surroundings of the difference', () => {
  const text = `${'a'.repeat(500)}X${'b'.repeat(500)}`;
  assert.is(
    difference(text, text.replace('X', 'Y')),
    `expected name …"${'a'.repeat(12)}X${'b'.repeat(23)}"… in the 201, received …"${'a'.repeat(12)}Y${'b'.repeat(23)}"…: character 501 differs`,
  );
});

test('other values are shown as JSON', () => {
  assert.is(
    sentenceOf(showDifference('categoryId', 'getPet', 2n ** 53n + 1n, undefined)),
    'expected categoryId 9007199254740993 in getPet, received nothing',
  );
});

test('an id that was rounded to a double is told from that of a neighbour', () => {
  const id = 1574418335171346456n;
  for (const rounded of [1574418335171346432n, 1574418335171346400n]) {
    assert.match(roundingHint(id, rounded), /rounded to a double$/);
    assert.match(roundingHint(rounded, id), /rounded to a double$/);
  }
  assert.is(roundingHint(id, id - 8n), '');
});

test.run();
