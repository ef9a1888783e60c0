/** Records the pact of the worked consumer: `npm run pacts:record`. Recording twice gives the same file. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defined } from '../../spec/defined.ts';
import { petStorePact } from '../index.ts';
import { createAdoptionSite, PetStoreError } from './adoption-site.ts';

const consumer = 'adoption-site';

export function pactFileIn(folder: string): string {
  return join(folder, `${consumer}-pet-store.json`);
}

async function isRefusedWith(status: number, answer: Promise<unknown>): Promise<void> {
  const error = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof PetStoreError) || error.status !== status) {
    throw new Error(`expected the client to be refused with ${status}, received ${String(error)}`);
  }
}

/** Runs the client through every interaction; the pact appears in the folder. */
export async function record(folder: string): Promise<string> {
  // The library adds to an existing file.
  rmSync(pactFileIn(folder), { force: true });
  const pact = petStorePact({ consumer, folder });
  const sleep = (): Promise<void> => Promise.resolve();
  const site = (baseUrl: string, key?: string) =>
    createAdoptionSite({ baseUrl, sleep, attempts: 1, ...defined({ key }) });
  await pact.listPets({ status: 'available', limit: 5 }).test(({ baseUrl }) => site(baseUrl, 'a-key').listAvailable(5));
  await pact
    .createPet({ name: 'Rex', categoryId: 1, status: 'available' })
    .test(({ baseUrl }) => site(baseUrl, 'a-key').offer({ name: 'Rex', categoryId: 1, status: 'available' }));
  await pact
    .createPetRefused({ name: 'Rex' })
    .test(({ baseUrl }) => isRefusedWith(400, site(baseUrl, 'a-key').offer({ name: 'Rex' } as never)));
  await pact.getPet(7).test(({ baseUrl }) => site(baseUrl, 'a-key').find(7));
  await pact.getUnknownPet(404).test(({ baseUrl }) => site(baseUrl, 'a-key').find(404));
  await pact
    .withoutKey({ status: 'available', limit: 5 })
    .test(({ baseUrl }) => isRefusedWith(401, site(baseUrl).listAvailable(5)));
  await pact
    .withInvalidKey({ status: 'available', limit: 5 })
    .test(({ baseUrl }) => isRefusedWith(401, site(baseUrl, 'wrong').listAvailable(5)));
  await pact
    .rateLimitExceeded({ status: 'available', limit: 5 })
    .test(({ baseUrl }) => isRefusedWith(429, site(baseUrl, 'a-key').listAvailable(5)));
  return pactFileIn(folder);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.stdout.write(`${await record(new URL('..', import.meta.url).pathname)}\n`);
}
