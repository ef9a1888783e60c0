/** Every requirement has a fault. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requirements } from '../../spec/requirements.ts';
import { faults } from '../faults/index.ts';
import { levelOf } from '../proof/trial.ts';

test('every requirement has a fault that breaks it most plainly, an advised one two or more', () => {
  for (const { id: requirement, ...one } of requirements) {
    if ('untested' in one) continue;
    const [first, second] = faults.filter(({ breaks }) => breaks[0] === requirement);
    assert.ok(first, requirement);
    if (levelOf(first) === 'advised') assert.ok(second, requirement);
  }
});

test.run();
