/** Records the pact of the worked consumer in uvu: `npm run pacts:record`. PACT_FOLDER names another folder. */

import { rmSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type MockService, petStorePact } from '../index.ts';
import { createAdoptionSite, PetStoreError } from './adoption-site.ts';

const folder = process.env['PACT_FOLDER'] ?? new URL('..', import.meta.url).pathname;
// The library adds to an existing file.
rmSync(`${folder}/adoption-site-pet-store.json`, { force: true });
const pact = petStorePact({ consumer: 'adoption-site', folder });

const site = ({ baseUrl }: MockService) => createAdoptionSite({ baseUrl, key: 'a-key', attempts: 1 });

/** The status with which the client is refused. */
function refusedWith(answer: Promise<unknown>): Promise<unknown> {
  return answer.catch((error: unknown) => (error instanceof PetStoreError ? error.status : error));
}

test('lists available animals', async () => {
  const page = { status: 'available', limit: 5 } as const;
  const pets = await pact.listPets(page).test((service) => site(service).listAvailable(5));
  assert.ok(pets.every(({ status }) => status === 'available'));
  const keyless = ({ baseUrl }: MockService) => refusedWith(createAdoptionSite({ baseUrl }).listAvailable(5));
  assert.is(await pact.withoutKey(page).test(keyless), 401);
  const refused = (service: MockService) => refusedWith(site(service).listAvailable(5));
  assert.is(await pact.withInvalidKey(page).test(refused), 401);
  assert.is(await pact.rateLimitExceeded(page).test(refused), 429);
});

test('offers an animal', async () => {
  const pet = { name: 'Rex', categoryId: 1, status: 'available' } as const;
  assert.is((await pact.createPet(pet).test((service) => site(service).offer(pet))).name, 'Rex');
  const incomplete = { name: 'Rex' } as never;
  const offer = (service: MockService) => refusedWith(site(service).offer(incomplete));
  assert.is(await pact.createPetRefused(incomplete).test(offer), 400);
});

test('finds an animal by its id, if there is one', async () => {
  assert.is((await pact.getPet(7).test((service) => site(service).find(7)))?.id, 7);
  assert.is(await pact.getUnknownPet(404).test((service) => site(service).find(404)), undefined);
});

test.run();
