/** How operations that are not shown are answered. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { answer, observe, type PartialExchange, reading } from '../observer-evidence.ts';

const noError = '"No."';

test('the answer to another method is observed, that to an unknown path is not', () => {
  const other = (status: number, body?: string, method = 'DELETE'): PartialExchange => ({
    operation: 'other',
    request: { method, target: '/pets/1', headers: {} },
    response: answer(status, body),
  });
  const gap = 'other-operations';
  assert.is(observe(gap, [other(405, '')]), 'refused-405 #1');
  assert.is(observe(gap, [other(501, '')]), 'refused-501 #1');
  assert.is(observe(gap, [other(200)]), 'answered #1');
  assert.is(observe(gap, [other(299)]), 'answered #1');
  assert.is(observe(gap, [other(404)]), 'refused-404 #1');
  assert.is(observe(gap, [other(404, noError), other(301)]), 'refused-otherwise #1');
  assert.is(observe(gap, [other(404, undefined, 'GET'), other(401), other(500)]), undefined);
  assert.is(observe(gap, [reading('1', answer(404))]), undefined);
});

test.run();
