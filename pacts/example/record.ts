/** Records the pact of the worked consumer: `npm run pacts:record`. Recording twice gives the same file. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defined } from '../../spec/defined.ts';
import { type MockService, petStorePact } from '../index.ts';
import { createAdoptionSite, PetStoreError } from './adoption-site.ts';

const consumer = 'adoption-site';

export function pactFileIn(folder: string): string {
  return join(folder, `${consumer}-pet-store.json`);
}

async function isRefusedWith(status: number, answer: Promise<unknown>): Promise<void> {
  const error: unknown = await answer.catch((reason) => reason);
  if (error instanceof PetStoreError && error.status === status) return;
  throw new Error(`expected the client to be refused with ${status}, received ${String(error)}`);
}

/** Runs the client through every interaction; the pact appears in the folder. */
export async function record(folder: string): Promise<string> {
  // The library adds to an existing file.
  rmSync(pactFileIn(folder), { force: true });
  const pact = petStorePact({ consumer, folder });
  const sleep = (): Promise<void> => Promise.resolve();
  const site = ({ baseUrl }: MockService, key?: string) =>
    createAdoptionSite({ baseUrl, sleep, attempts: 1, ...defined({ key }) });
  const pet = { name: 'Rex', categoryId: 1, status: 'available' } as const;
  const page = { status: 'available', limit: 5 } as const;
  const list = (service: MockService, key?: string) => site(service, key).listAvailable(page.limit);
  await pact.listPets(page).test((service) => list(service, 'a-key'));
  await pact.createPet(pet).test((service) => site(service, 'a-key').offer(pet));
  const incomplete = { name: 'Rex' } as never;
  await pact
    .createPetRefused(incomplete)
    .test((service) => isRefusedWith(400, site(service, 'a-key').offer(incomplete)));
  await pact.getPet(7).test((service) => site(service, 'a-key').find(7));
  await pact.getUnknownPet(404).test((service) => site(service, 'a-key').find(404));
  await pact.withoutKey(page).test((service) => isRefusedWith(401, list(service)));
  await pact.withInvalidKey(page).test((service) => isRefusedWith(401, list(service, 'wrong')));
  await pact.rateLimitExceeded(page).test((service) => isRefusedWith(429, list(service, 'a-key')));
  return pactFileIn(folder);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.stdout.write(`${await record(new URL('..', import.meta.url).pathname)}\n`);
}
