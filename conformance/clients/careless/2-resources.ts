/** Clients that send what is no NewPet, or take an animal for more than it says (§2). */

import type { CarelessClient } from '../example.ts';
import { createAsk, expect, idTextIn, newPet, petIn, petsIn } from '../polite.ts';

export const resourceClients: readonly CarelessClient[] = [
  {
    id: 'forgets-a-field',
    title: 'It sends a NewPet without categoryId and expects to be refused.',
    breaks: ['client-required-fields'],
    run: async (given) => {
      const { status } = await createAsk(given)({ body: { name: 'Rex' } });
      expect(status === 400, '400');
    },
  },
  {
    id: 'sends-no-json',
    title: 'It sends the fields of a form under the name of JSON.',
    breaks: ['client-required-fields'],
    run: async (given) => {
      const { status } = await createAsk(given)({ body: `name=Rex&categoryId=${given.categoryId}` });
      expect(status === 400, '400');
    },
  },
  {
    id: 'writes-numbers-as-text',
    title: 'It sends categoryId as a string.',
    breaks: ['client-values-in-range'],
    run: async (given) => {
      await createAsk(given)({ body: { name: 'Rex', categoryId: String(given.categoryId) } });
    },
  },
  {
    id: 'has-statuses-of-its-own',
    title: 'It sends a status that is none of the three.',
    breaks: ['client-values-in-range'],
    run: async (given) => {
      await createAsk(given)({ body: newPet(given, 'Rex', 'reserved') });
    },
  },
  {
    id: 'knows-a-category',
    title: 'It uses a category that it has always used.',
    breaks: ['any-known-categories'],
    run: async (given) => {
      const { status } = await createAsk(given)({ body: { name: 'Rex', categoryId: 1 } });
      expect(status === 201, '201');
    },
  },
  {
    id: 'gives-long-names',
    title: 'It creates an animal with a name of 200 characters.',
    breaks: ['any-name-limits'],
    run: async (given) => {
      const { status } = await createAsk(given)({ body: newPet(given, 'x'.repeat(200)) });
      expect(status === 201, '201');
    },
  },
  {
    id: 'uses-a-name-twice',
    title: 'It creates two animals of one name.',
    breaks: ['any-duplicate-names'],
    run: async (given) => {
      const ask = createAsk(given);
      for (let count = 0; count < 2; count += 1) {
        expect((await ask({ body: newPet(given) })).status === 201, '201');
      }
    },
  },
  {
    id: 'takes-new-animals-for-available',
    title: 'It creates an animal without a status and expects it to be available.',
    breaks: ['any-status-omitted'],
    run: async (given) => {
      const { status: _status, ...pet } = newPet(given);
      expect(petIn(await createAsk(given)({ body: pet })).status === 'available', 'an animal that is available');
    },
  },
  {
    id: 'rounds-ids',
    title: 'It reads ids by JSON.parse, and asks for the animal.',
    breaks: ['client-id-exact', 'any-id-form'],
    run: async (given) => {
      const ask = createAsk(given);
      const { id } = petIn(await ask({ body: newPet(given) }));
      const { status } = await ask({ path: `/pets/${BigInt(id)}` });
      expect(status === 200 || status === 410, '200');
    },
  },
  {
    id: 'takes-ids-for-small',
    title: 'It wants ids to be positive and short.',
    breaks: ['any-id-form'],
    run: async (given) => {
      const id = idTextIn(await createAsk(given)({ body: newPet(given) }));
      expect(/^\d{1,10}$/.test(id), 'a short id');
    },
  },
  {
    id: 'crashes-on-unknown-fields',
    title: 'It reads animals strictly: a field that it does not know is an error.',
    breaks: ['any-extra-response-fields'],
    run: async (given) => {
      const fields = Object.keys(petIn(await createAsk(given)({ body: newPet(given) })));
      expect(
        fields.every((field) => ['id', 'name', 'categoryId', 'status'].includes(field)),
        'known fields alone',
      );
    },
  },
  {
    id: 'reads-json-by-pattern',
    title: 'It finds the name of an animal by a regular expression that knows the order of fields.',
    breaks: ['any-json'],
    run: async (given) => {
      const { text } = await createAsk(given)({ body: newPet(given) });
      expect(/"id":-?\d+,"name":"Rex"/.test(text), 'an animal');
    },
  },
  {
    id: 'reads-the-media-type-by-letter',
    title: 'It reads a body only where the media type is application/json and nothing more.',
    breaks: ['any-json'],
    run: async (given) => {
      const { headers } = await createAsk(given)();
      expect(headers.get('content-type') === 'application/json', 'application/json');
    },
  },
  {
    id: 'wants-the-store-for-itself',
    title: 'It creates an animal and expects it to be the only one.',
    breaks: ['any-catalogue'],
    run: async (given) => {
      const ask = createAsk(given);
      expect((await ask({ body: newPet(given) })).status === 201, '201');
      expect(petsIn(await ask()).length <= 1, 'one animal');
    },
  },
];
