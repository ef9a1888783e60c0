/** Faulty clients that send an invalid NewPet, or read more into an animal than the interface says (§2). */

import type { FaultyClient } from '../example-client.ts';
import { createSend, expect, newPet, readIdText, readPet, readPets } from '../polite-client.ts';

export const resourceClients: readonly FaultyClient[] = [
  {
    id: 'forgets-a-field',
    title: 'It sends a NewPet without categoryId and expects it to be accepted.',
    breaks: ['client-required-fields'],
    run: async (environment) => {
      const { status } = await createSend(environment)({ body: { name: 'Rex' } });
      expect(status === 201, '201');
    },
  },
  {
    id: 'sends-no-json',
    title: 'It sends the fields of a form as application/json.',
    breaks: ['client-required-fields'],
    run: async (environment) => {
      const { status } = await createSend(environment)({ body: `name=Rex&categoryId=${environment.categoryId}` });
      expect(status === 201, '201');
    },
  },
  {
    id: 'writes-numbers-as-text',
    title: 'It sends categoryId as a string.',
    breaks: ['client-values-in-range'],
    run: async (environment) => {
      const { status } = await createSend(environment)({
        body: { name: 'Rex', categoryId: String(environment.categoryId) },
      });
      expect(status === 201, '201');
    },
  },
  {
    id: 'has-statuses-of-its-own',
    title: 'It sends a status of its own, and expects it to be accepted.',
    breaks: ['client-values-in-range'],
    run: async (environment) => {
      const { status } = await createSend(environment)({ body: newPet(environment, 'Rex', 'reserved') });
      expect(status === 201, '201');
    },
  },
  {
    id: 'knows-a-category',
    title: 'It uses a fixed category instead of the one that it is given.',
    breaks: ['any-known-categories'],
    run: async (environment) => {
      const { status } = await createSend(environment)({ body: { name: 'Rex', categoryId: 1 } });
      expect(status === 201, '201');
    },
  },
  {
    id: 'gives-long-names',
    title: 'It creates an animal with a name of 200 characters.',
    breaks: ['any-name-limits'],
    run: async (environment) => {
      const { status } = await createSend(environment)({ body: newPet(environment, 'x'.repeat(200)) });
      expect(status === 201, '201');
    },
  },
  {
    id: 'uses-a-name-twice',
    title: 'It creates two animals with the same name.',
    breaks: ['any-duplicate-names'],
    run: async (environment) => {
      const send = createSend(environment);
      for (let count = 0; count < 2; count += 1) {
        expect((await send({ body: newPet(environment) })).status === 201, '201');
      }
    },
  },
  {
    id: 'expects-new-animals-to-be-available',
    title: 'It creates an animal without a status and expects it to be available.',
    breaks: ['any-status-omitted'],
    run: async (environment) => {
      const { status: _status, ...pet } = newPet(environment);
      expect(
        readPet(await createSend(environment)({ body: pet })).status === 'available',
        'an animal that is available',
      );
    },
  },
  {
    id: 'rounds-ids',
    title: 'It reads ids by JSON.parse, which rounds them, and gets the animal by its id.',
    breaks: ['client-id-exact', 'any-id-form'],
    run: async (environment) => {
      const send = createSend(environment);
      const { id } = readPet(await send({ body: newPet(environment) }));
      const { status } = await send({ path: `/pets/${BigInt(id)}` });
      expect(status === 200 || status === 410, '200');
    },
  },
  {
    id: 'expects-small-ids',
    title: 'It expects ids to be positive and short.',
    breaks: ['any-id-form'],
    run: async (environment) => {
      const id = readIdText(await createSend(environment)({ body: newPet(environment) }));
      expect(/^\d{1,10}$/.test(id), 'a short id');
    },
  },
  {
    id: 'crashes-on-unknown-fields',
    title: 'It rejects an animal with an unknown field.',
    breaks: ['any-extra-response-fields'],
    run: async (environment) => {
      const fields = Object.keys(readPet(await createSend(environment)({ body: newPet(environment) })));
      expect(
        fields.every((field) => ['id', 'name', 'categoryId', 'status'].includes(field)),
        'known fields only',
      );
    },
  },
  {
    id: 'reads-json-by-pattern',
    title: 'It finds the name of an animal by a regular expression that knows the order of fields.',
    breaks: ['any-json'],
    run: async (environment) => {
      const { text } = await createSend(environment)({ body: newPet(environment) });
      expect(/"id":-?\d+,"name":"Rex"/.test(text), 'an animal');
    },
  },
  {
    id: 'compares-the-media-type-as-text',
    title: 'It reads a body only if Content-Type is exactly application/json.',
    breaks: ['any-json'],
    run: async (environment) => {
      const { headers } = await createSend(environment)();
      expect(headers.get('content-type') === 'application/json', 'application/json');
    },
  },
  {
    id: 'expects-an-empty-store',
    title: 'It creates an animal and expects the list to hold no other.',
    breaks: ['any-catalogue'],
    run: async (environment) => {
      const send = createSend(environment);
      expect((await send({ body: newPet(environment) })).status === 201, '201');
      expect(readPets(await send()).length <= 1, 'one animal');
    },
  },
];
