/** Faulty servers answer in the words of a service: a client cannot tell that a fault is on purpose. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { faults } from '../../../conformance/faults/index.ts';
import { keysOfTrials } from '../../../conformance/services/wraps.ts';
import { createPetStore } from '../../index.ts';
import { BrokenConnection } from '../../twin/wraps.ts';
import { askHandle, type Question, write } from '../client.ts';

const questions: readonly Question[] = [
  { body: write() },
  {},
  { target: '/v1/pets/1' },
  { target: '/v1/pets/9' },
  { body: '{}' },
  { target: '/v1/pets?limit=0' },
  { authorization: 'Bearer wrong' },
  { method: 'DELETE' },
];

test('no answer of any fault of the kit mentions a fault', () => {
  for (const { id, wrap } of faults) {
    const { handle } = createPetStore({ keys: Object.values(keysOfTrials).map((key) => ({ key, plan: 'business' })) });
    const faulty = wrap(handle, keysOfTrials);
    for (const question of questions) {
      try {
        const { headers, body } = askHandle(faulty, { authorization: `Bearer ${keysOfTrials.api}`, ...question });
        assert.not.match(`${JSON.stringify(headers)} ${body}`, /\bfault/i, id);
      } catch (error) {
        assert.instance(error, BrokenConnection, id);
      }
    }
  }
});

test.run();
