/** The requests of the three operations, as far as they may be sent. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../../../spec/facts.ts';
import type { Session } from '../../run/session.ts';
import { readOf } from '../../sections/requests.ts';

function sessionOn(today: number): Session {
  return { settings: { today }, exchanges: [] } as unknown as Session;
}

test('an animal is read until getPet is removed, and none without an id', () => {
  const before = sessionOn(removalOfGetPet - 1);
  assert.equal(readOf(before, -7n), [{ operation: 'getPet', target: '/pets/-7' }]);
  assert.equal(readOf(before, undefined), []);
  assert.equal(readOf(sessionOn(removalOfGetPet), -7n), []);
});

test.run();
