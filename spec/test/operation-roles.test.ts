/** The roles of operations agree with openapi.yaml, and getPet is removed on the day of §9. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../facts.ts';
import { animalsShownBy, effectOf, isRemovedAt } from '../operation-roles.ts';
import { type OperationName, operations } from '../operations.ts';

const names = Object.keys(operations) as OperationName[];

test('an operation that creates is a POST, and the others are GETs', () => {
  for (const name of names) {
    const hint = `${name}: if it changes or removes animals, mayBeGone in verdict/history.ts must know`;
    assert.is(operations[name].method, effectOf(name) === 'creates' ? 'POST' : 'GET', hint);
  }
  assert.is(effectOf('other'), 'unknown');
});

test('an operation shows a page exactly if its 200 has the schema Pets', () => {
  for (const name of names) {
    const schemas: readonly (string | null)[] = Object.values(operations[name].answers);
    assert.is(animalsShownBy(name) === 'page', schemas.includes('Pets'), name);
  }
  assert.is(animalsShownBy('other'), undefined);
});

test('only getPet is removed, and only from the removal on', () => {
  const after = names.filter((name) => isRemovedAt(name, removalOfGetPet));
  assert.equal(after, ['getPet']);
  for (const name of [...names, 'other'] as const) assert.not.ok(isRemovedAt(name, removalOfGetPet - 1), name);
});

test.run();
