/** Faulty clients that send an invalid NewPet, or read more into an animal than the interface says (§2). */

import type { FaultyClients } from '../example-client.ts';
import { createSend, expect, expecting, newPet, readIdText, readPet, readPets } from '../polite-client.ts';

export const resourceClients: FaultyClients = {
  'forgets-a-field': [['client-required-fields'], expecting(201, () => ({ body: { name: 'Rex' } }))],
  'sends-no-json': [
    ['client-required-fields'],
    expecting(201, ({ categoryId }) => ({ body: `name=Rex&categoryId=${categoryId}` })),
  ],
  'writes-numbers-as-text': [
    ['client-values-in-range'],
    expecting(201, ({ categoryId }) => ({ body: { name: 'Rex', categoryId: String(categoryId) } })),
  ],
  'has-statuses-of-its-own': [
    ['client-values-in-range'],
    expecting(201, (environment) => ({ body: newPet(environment, 'Rex', 'reserved') })),
  ],
  'knows-a-category': [['any-known-categories'], expecting(201, () => ({ body: { name: 'Rex', categoryId: 1 } }))],
  'gives-long-names': [
    ['any-name-limits'],
    expecting(201, (environment) => ({ body: newPet(environment, 'x'.repeat(200)) })),
  ],
  'uses-a-name-twice': [
    ['any-duplicate-names'],
    async (environment) => {
      const create = expecting(201, () => ({ body: newPet(environment) }));
      await create(environment);
      await create(environment);
    },
  ],
  'expects-new-animals-to-be-available': [
    ['any-status-omitted'],
    async (environment) => {
      const { status: _status, ...pet } = newPet(environment);
      const created = readPet(await createSend(environment)({ body: pet }));
      expect(created.status === 'available', 'an animal that is available');
    },
  ],
  'rounds-ids': [
    ['client-id-exact', 'any-id-form'],
    async (environment) => {
      const send = createSend(environment);
      const { id } = readPet(await send({ body: newPet(environment) }));
      const { status } = await send({ path: `/pets/${BigInt(id)}` });
      expect(status === 200 || status === 410, '200');
    },
  ],
  'expects-small-ids': [
    ['any-id-form'],
    async (environment) => {
      const id = readIdText(await createSend(environment)({ body: newPet(environment) }));
      expect(/^\d{1,10}$/.test(id), 'a short id');
    },
  ],
  'crashes-on-unknown-fields': [
    ['any-extra-response-fields'],
    async (environment) => {
      const pet = readPet(await createSend(environment)({ body: newPet(environment) }));
      const isKnown = (field: string): boolean => ['id', 'name', 'categoryId', 'status'].includes(field);
      expect(Object.keys(pet).every(isKnown), 'known fields only');
    },
  ],
  'reads-json-by-pattern': [
    ['any-json'],
    async (environment) => {
      const { text } = await createSend(environment)({ body: newPet(environment) });
      expect(/"id":-?\d+,"name":"Rex"/.test(text), 'an animal');
    },
  ],
  'compares-the-media-type-as-text': [
    ['any-json'],
    async (environment) => {
      const { headers } = await createSend(environment)();
      expect(headers.get('content-type') === 'application/json', 'application/json');
    },
  ],
  'expects-an-empty-store': [
    ['any-catalogue'],
    async (environment) => {
      const send = createSend(environment);
      expect((await send({ body: newPet(environment) })).status === 201, '201');
      expect(readPets(await send()).length <= 1, 'one animal');
    },
  ],
};
