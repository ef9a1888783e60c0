/** Members that are undefined are left out. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { defined } from '../defined.ts';

test('a member that is undefined is not there, and every other value is kept', () => {
  const object = defined({ absent: undefined as number | undefined, zero: 0, none: null, empty: '', no: false });
  assert.equal(Object.keys(object), ['zero', 'none', 'empty', 'no']);
  const typed: { readonly absent?: number; readonly zero: number } = object;
  assert.is(typed.zero, 0);
});

test.run();
