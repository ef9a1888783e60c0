/** Every requirement has a fault, and no fault breaks by itself. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../reference-server/index.ts';
import { BrokenConnection } from '../../reference-server/twin/wraps.ts';
import { requirements } from '../../spec/requirements.ts';
import { faults } from '../faults/index.ts';
import { levelOf } from '../proof/trial.ts';
import { keysOfTrials } from '../services/wraps.ts';

test('every requirement has a fault that breaks it most plainly, an advised one two or more', () => {
  for (const { id: requirement, ...one } of requirements) {
    if ('untested' in one) continue;
    const [first, second] = faults.filter(({ breaks }) => breaks[0] === requirement);
    assert.ok(first, requirement);
    if (levelOf(first) === 'advised') assert.ok(second, requirement);
  }
});

test('a fault breaks requirements of one level', () => {
  const levels = new Map<string, string>(requirements.map(({ id, level }) => [id, level]));
  for (const fault of faults) {
    for (const requirement of fault.breaks) assert.is(levels.get(requirement), levelOf(fault), fault.id);
  }
});

test('no fault breaks on a request, however odd its values are', () => {
  const numbers = ['1e999', '-1e400', '12e2', '-0', '1.5', `1${'0'.repeat(400)}`, '9223372036854775808'];
  const values = [...numbers, 'null', '""', '"\\ud800"', '[]', '{"a":[]}', 'true', `"${'a'.repeat(3_000)}"`];
  const bodies = ['', '{', '[]', '7', '{"__proto__":1,"name":"a","categoryId":1}'].concat(
    values.map((value) => `{"name":${value},"categoryId":3,"status":"sold"}`),
    values.map((value) => `{"name":"a","categoryId":${value},"status":${value},"id":${value}}`),
  );
  const targets = ['?limit=1e999', '?limit=', '?limit=%zz&limit', '?status=%00&limit=-1', '/', '/1e999', '/%', '/-0'];
  const requests = [
    ...bodies.map((body) => ({ method: 'POST', target: '/v1/pets', body: Buffer.from(body) })),
    ...targets.map((target) => ({ method: 'GET', target: `/v1/pets${target}`, body: Buffer.from('') })),
  ];
  const headers = [
    ['Content-Type', 'application/json'],
    ['Authorization', `Bearer ${keysOfTrials.api}`],
  ] as const;
  for (const { id, wrap } of faults) {
    const keys = Object.values(keysOfTrials).map(
      (key) => ({ key, plan: 'enterprise', perMinute: 1_000, perDay: 1_000 }) as const,
    );
    const handle = wrap(createPetStore({ keys }).handle, keysOfTrials);
    for (const request of requests) {
      try {
        handle({ ...request, headers, address: '127.0.0.1' }, 1_800_000_000_000);
      } catch (error) {
        if (!(error instanceof BrokenConnection))
          assert.unreachable(`${id}, ${request.target}, ${request.body}: ${error}`);
      }
    }
  }
});

test.run();
