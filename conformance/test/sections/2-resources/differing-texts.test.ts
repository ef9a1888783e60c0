/** Messages name the first difference of two values. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { roundingHint, showDifference } from '../../../sections/2-resources/differing-texts.ts';
import { sentenceOf } from '../../../verdict/finding.ts';

const [a, b] = ['a'.repeat(12), 'b'.repeat(23)];
const id = 2n ** 53n + 1n;

/** What was sent, what came back, and the sentence. */
const rows = [
  ['Ze\u0301', 'Z\u00e9', 'name "Ze\u0301" in the 201, received "Z\u00e9": U+0065 and U+00E9 at character 2'],
  ['\ufeffR', 'R', 'name "\ufeffR" in the 201, received "R": U+FEFF and U+0052 at character 1'],
  ['a🦄', 'a??', 'name "a🦄" in the 201, received "a??": U+1F984 and U+003F at character 2'],
  ['Rex ', 'Rex', 'name "Rex " in the 201, received "Rex": U+0020 and the end at character 4'],
  ['Rex', 'Rex!', 'name "Rex" in the 201, received "Rex!": the end and U+0021 at character 4'],
  [`a${a}X${b}b`, `a${a}Y${b}b`, `name …"${a}X${b}"… in the 201, received …"${a}Y${b}"…`],
  [id, undefined, 'name 9007199254740993 in the 201, received nothing'],
] as const;

test('the first difference is named by code point and position, within its surroundings', () => {
  for (const [expected, received, sentence] of rows) {
    assert.is(sentenceOf(showDifference('name', 'the 201', expected, received)), `expected ${sentence}`);
  }
});

test('an id that was rounded to a double is told from that of a neighbour', () => {
  const long = 1574418335171346456n;
  for (const rounded of [1574418335171346432n, 1574418335171346400n]) {
    assert.match(roundingHint(long, rounded), /rounded to a double$/);
    assert.match(roundingHint(rounded, long), /rounded to a double$/);
  }
  assert.is(roundingHint(long, long - 8n), '');
});

test.run();
