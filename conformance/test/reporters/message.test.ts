/** Messages of failures, taken apart: what was expected, what was received, and from where they differ. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { contrastOf, fromWhereTheyDiffer } from '../../reporters/message.ts';

test('a message is split into the expected and the received value', () => {
  assert.equal(contrastOf('expected at most 20 animals, received 25'), {
    expected: 'at most 20 animals',
    received: '25',
  });
  assert.is(contrastOf('it broke'), undefined);
});

test('strings of a target that read like our words do not part a message', () => {
  assert.equal(contrastOf('expected name "x, received \\"y", received "z, received w"'), {
    expected: 'name "x, received \\"y"',
    received: '"z, received w"',
  });
});

test('a string that was cut in the middle parts a message all the same', () => {
  assert.equal(contrastOf('expected name "abc..., received "ab"'), { expected: 'name "abc...', received: '"ab"' });
});

test('the common beginning of two strings is cut, up to a little before they differ', () => {
  const lead = 'a'.repeat(100);
  assert.equal(fromWhereTheyDiffer({ expected: `name "${lead}X"`, received: `"${lead}Y"` }), {
    expected: `name "…${'a'.repeat(30)}X"`,
    received: `"…${'a'.repeat(30)}Y"`,
  });
});

test('short strings, and texts without strings, stay as they are', () => {
  const short = { expected: 'name "Rex"', received: '"rex"' };
  assert.equal(fromWhereTheyDiffer(short), short);
  const without = { expected: 'b'.repeat(100), received: 'b'.repeat(90) };
  assert.equal(fromWhereTheyDiffer(without), without);
});

test.run();
