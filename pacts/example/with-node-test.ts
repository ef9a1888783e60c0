/** Records a consumer's pact in node:test, into the folder PACT_FOLDER. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { petStorePact } from '../index.ts';
import { createAdoptionSite } from './adoption-site.ts';

const folder = process.env['PACT_FOLDER'] ?? 'pacts';
const pact = petStorePact({ consumer: 'adoption-site-in-node-test', folder });

test('finds an animal by its id', async () => {
  const pet = await pact.getPet(7).test(({ baseUrl }) => createAdoptionSite({ baseUrl, key: 'any' }).find(7));
  assert.equal(typeof pet?.name, 'string');
});
