/** Faulty clients that send an invalid NewPet, or read more into an animal than the interface says (§2). */

import type { FaultyClients } from '../example-client.ts';
import { createSend, expect, expecting, newPet, readIdText, readPet, readPets } from '../polite-client.ts';

export const resourceClients: FaultyClients = {
  'forgets-a-field': {
    title: 'It sends a NewPet without categoryId and expects it to be accepted.',
    breaks: ['client-required-fields'],
    run: expecting(201, () => ({ body: { name: 'Rex' } })),
  },
  'sends-no-json': {
    title: 'It sends the fields of a form as application/json.',
    breaks: ['client-required-fields'],
    run: expecting(201, ({ categoryId }) => ({ body: `name=Rex&categoryId=${categoryId}` })),
  },
  'writes-numbers-as-text': {
    title: 'It sends categoryId as a string.',
    breaks: ['client-values-in-range'],
    run: expecting(201, ({ categoryId }) => ({ body: { name: 'Rex', categoryId: String(categoryId) } })),
  },
  'has-statuses-of-its-own': {
    title: 'It sends a status of its own, and expects it to be accepted.',
    breaks: ['client-values-in-range'],
    run: expecting(201, (environment) => ({ body: newPet(environment, 'Rex', 'reserved') })),
  },
  'knows-a-category': {
    title: 'It uses a fixed category instead of the one that it is given.',
    breaks: ['any-known-categories'],
    run: expecting(201, () => ({ body: { name: 'Rex', categoryId: 1 } })),
  },
  'gives-long-names': {
    title: 'It creates an animal with a name of 200 characters.',
    breaks: ['any-name-limits'],
    run: expecting(201, (environment) => ({ body: newPet(environment, 'x'.repeat(200)) })),
  },
  'uses-a-name-twice': {
    title: 'It creates two animals with the same name.',
    breaks: ['any-duplicate-names'],
    async run(environment) {
      const create = expecting(201, () => ({ body: newPet(environment) }));
      await create(environment);
      await create(environment);
    },
  },
  'expects-new-animals-to-be-available': {
    title: 'It creates an animal without a status and expects it to be available.',
    breaks: ['any-status-omitted'],
    async run(environment) {
      const { status: _status, ...pet } = newPet(environment);
      const created = readPet(await createSend(environment)({ body: pet }));
      expect(created.status === 'available', 'an animal that is available');
    },
  },
  'rounds-ids': {
    title: 'It reads ids by JSON.parse, which rounds them, and gets the animal by its id.',
    breaks: ['client-id-exact', 'any-id-form'],
    async run(environment) {
      const send = createSend(environment);
      const { id } = readPet(await send({ body: newPet(environment) }));
      const { status } = await send({ path: `/pets/${BigInt(id)}` });
      expect(status === 200 || status === 410, '200');
    },
  },
  'expects-small-ids': {
    title: 'It expects ids to be positive and short.',
    breaks: ['any-id-form'],
    async run(environment) {
      const id = readIdText(await createSend(environment)({ body: newPet(environment) }));
      expect(/^\d{1,10}$/.test(id), 'a short id');
    },
  },
  'crashes-on-unknown-fields': {
    title: 'It rejects an animal with an unknown field.',
    breaks: ['any-extra-response-fields'],
    async run(environment) {
      const pet = readPet(await createSend(environment)({ body: newPet(environment) }));
      const isKnown = (field: string): boolean => ['id', 'name', 'categoryId', 'status'].includes(field);
      expect(Object.keys(pet).every(isKnown), 'known fields only');
    },
  },
  'reads-json-by-pattern': {
    title: 'It finds the name of an animal by a regular expression that knows the order of fields.',
    breaks: ['any-json'],
    async run(environment) {
      const { text } = await createSend(environment)({ body: newPet(environment) });
      expect(/"id":-?\d+,"name":"Rex"/.test(text), 'an animal');
    },
  },
  'compares-the-media-type-as-text': {
    title: 'It reads a body only if Content-Type is exactly application/json.',
    breaks: ['any-json'],
    async run(environment) {
      const { headers } = await createSend(environment)();
      expect(headers.get('content-type') === 'application/json', 'application/json');
    },
  },
  'expects-an-empty-store': {
    title: 'It creates an animal and expects the list to hold no other.',
    breaks: ['any-catalogue'],
    async run(environment) {
      const send = createSend(environment);
      expect((await send({ body: newPet(environment) })).status === 201, '201');
      expect(readPets(await send()).length <= 1, 'one animal');
    },
  },
};
