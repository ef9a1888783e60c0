/** A report is a stranger's file: only requests that the kit makes are sent again. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findSteps } from '../../cli/saved-failure.ts';
import type { Operation } from '../../http/exchange.ts';
import { sampleReport } from '../reporters/sample-report.ts';

const rows: readonly (readonly [operation: Operation, method: string, target: string, isSent: boolean])[] = [
  ['listPets', 'GET', '/pets?limit=5', true],
  ['getPet', 'GET', '/pets/7', true],
  ['createPet', 'POST', '/pets', true],
  ['other', 'GET', '/no-such-path', true],
  ['other', 'POST', '/pets/-7', true],
  ['listPets', 'GET', '/pets/7', false],
  ['other', 'GET', '/pets', false],
  ['other', 'GET', '/admin', false],
  ['other', 'POST', '/pets/x', false],
  ['other', 'POST', '/no-such-path', false],
  ['other', 'DELETE', '/pets/7', false],
  ['listPets', 'GET', '/pets/..', false],
  ['listPets', 'GET', '//evil/pets', false],
  ['listPets', 'GET', '@evil/pets', false],
];

for (const [operation, method, target, isSent] of rows) {
  test(`${operation} as ${method} ${target} is ${isSent ? '' : 'not '}sent again`, () => {
    const recorded = sampleReport.exchanges[0]!;
    const exchange = {
      ...recorded,
      number: 1,
      operation,
      credentialId: 'key',
      request: { method, target, headers: {} },
    };
    const failure = { code: 'c', expected: 'a', received: 'b', exchanges: [1], curl: '' };
    const found = findSteps({ ...sampleReport, exchanges: [exchange] }, failure);
    assert.is(found !== undefined, isSent);
  });
}

test.run();
