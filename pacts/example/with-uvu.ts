/** Records a consumer's pact in uvu, into the folder PACT_FOLDER. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { petStorePact } from '../index.ts';
import { createAdoptionSite } from './adoption-site.ts';

const folder = process.env['PACT_FOLDER'] ?? 'pacts';
const pact = petStorePact({ consumer: 'adoption-site-in-uvu', folder });
const sleep = (): Promise<void> => Promise.resolve();

test('finds an animal by its id', async () => {
  const pet = await pact.getPet(7).test(({ baseUrl }) => createAdoptionSite({ baseUrl, key: 'any', sleep }).find(7));
  assert.type(pet?.name, 'string');
});

test('knows that an animal is not there', async () => {
  const pet = await pact
    .getUnknownPet(404)
    .test(({ baseUrl }) => createAdoptionSite({ baseUrl, key: 'any', sleep }).find(404));
  assert.is(pet, undefined);
});

test.run();
