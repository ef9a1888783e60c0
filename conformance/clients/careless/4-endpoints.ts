/** Clients that ask for what is not shown, or take listings for more than they are (§4). */

import type { CarelessClient } from '../example.ts';
import { createAsk, expect, idTextIn, newPet, petsIn } from '../polite.ts';

export const endpointClients: readonly CarelessClient[] = [
  {
    id: 'asks-for-too-many',
    title: 'It asks for a thousand animals at once, and is content with what it gets.',
    breaks: ['client-limit-in-range'],
    run: async (given) => {
      await createAsk(given)({ path: '/pets?limit=1000' });
    },
  },
  {
    id: 'wants-limit-0-refused',
    title: 'It expects 400 for limit=0.',
    breaks: ['any-limit-out-of-range', 'client-limit-in-range'],
    run: async (given) => expect((await createAsk(given)({ path: '/pets?limit=0' })).status === 400, '400'),
  },
  {
    id: 'wants-limit-of-words-refused',
    title: 'It expects 400 for limit=many.',
    breaks: ['any-limit-not-integer', 'client-limit-in-range'],
    run: async (given) => expect((await createAsk(given)({ path: '/pets?limit=many' })).status === 400, '400'),
  },
  {
    id: 'writes-statuses-in-capitals',
    title: 'It asks for animals that are AVAILABLE.',
    breaks: ['client-status-known'],
    run: async (given) => {
      await createAsk(given)({ path: '/pets?status=AVAILABLE' });
    },
  },
  {
    id: 'wants-unknown-statuses-refused',
    title: 'It expects 400 for status=all.',
    breaks: ['any-status-filter-unknown', 'client-status-known'],
    run: async (given) => expect((await createAsk(given)({ path: '/pets?status=all' })).status === 400, '400'),
  },
  {
    id: 'breaks-caches',
    title: 'It adds a parameter that nothing knows, so that no cache answers.',
    breaks: ['any-unknown-query-parameters', 'client-shown-only'],
    run: async (given) => expect((await createAsk(given)({ path: '/pets?limit=5&_=1' })).status === 200, '200'),
  },
  {
    id: 'pages-beyond-what-is-shown',
    title: 'It asks for the second page by a parameter that it has seen elsewhere.',
    breaks: ['client-shown-only'],
    run: async (given) => {
      await createAsk(given)({ path: '/pets?page=2' });
    },
  },
  {
    id: 'updates-animals',
    title: 'It changes an animal by PUT and expects to be told that it may not.',
    breaks: ['client-shown-only', 'any-other-operations'],
    run: async (given) => {
      const { status } = await createAsk(given)({ method: 'PUT', body: newPet(given) });
      expect(status === 405, '405');
    },
  },
  {
    id: 'cleans-up',
    title: 'It deletes what it created, and does not mind that nothing is.',
    breaks: ['client-shown-only'],
    run: async (given) => {
      const ask = createAsk(given);
      const id = idTextIn(await ask({ body: newPet(given) }));
      await ask({ method: 'DELETE', path: `/pets/${id}` });
    },
  },
  {
    id: 'leaves-the-base-address',
    title: 'It looks whether the host is well.',
    breaks: ['client-shown-only'],
    run: async (given) => {
      await createAsk({ ...given, baseUrl: new URL(given.baseUrl).origin })({ path: '/health' });
      await createAsk(given)();
    },
  },
  {
    id: 'takes-the-first-for-the-oldest',
    title: 'It creates two animals and expects them in that order.',
    breaks: ['any-list-order'],
    run: async (given) => {
      const ask = createAsk(given);
      const ids: string[] = [];
      for (const name of ['Rex', 'Tom']) ids.push(idTextIn(await ask({ body: newPet(given, name) })));
      const page = await ask({ path: '/pets?limit=100' });
      const [first, second] = ids.map((id) => page.text.indexOf(`:${id},`));
      expect(first === -1 || second === -1 || first! < second!, 'the oldest first');
    },
  },
  {
    id: 'takes-the-page-for-the-whole',
    title: 'It creates four animals and counts on a page with all of them.',
    breaks: ['any-page-cap'],
    run: async (given) => {
      const ask = createAsk(given);
      for (const name of ['a', 'b', 'c', 'd']) await ask({ body: newPet(given, name) });
      expect(petsIn(await ask({ path: '/pets?limit=100' })).length >= 4, 'four animals');
    },
  },
  {
    id: 'takes-the-limit-for-that-of-matches',
    title: 'It asks for one animal that is sold, behind others that are not, and expects to get it.',
    breaks: ['any-short-pages'],
    run: async (given) => {
      const ask = createAsk(given);
      for (const [name, status] of [
        ['a', 'available'],
        ['b', 'sold'],
      ])
        await ask({ body: newPet(given, name, status) });
      expect(petsIn(await ask({ path: '/pets?limit=1&status=sold' })).length === 1, 'one animal that is sold');
    },
  },
  {
    id: 'wants-to-see-at-once',
    title: 'It creates an animal and expects it in the next listing.',
    breaks: ['any-visibility', 'any-catalogue'],
    run: async (given) => {
      const ask = createAsk(given);
      const id = idTextIn(await ask({ body: newPet(given) }));
      expect((await ask({ path: '/pets?limit=100' })).text.includes(id), 'its animal');
    },
  },
  {
    id: 'fears-links',
    title: 'It takes any Link header for an error of a proxy.',
    breaks: ['any-later-pages'],
    run: async (given) => {
      const ask = createAsk(given);
      for (const name of ['Rex', 'Tom']) await ask({ body: newPet(given, name) });
      expect((await ask({ path: '/pets?limit=1' })).headers.get('link') === null, 'no Link header');
    },
  },
  {
    id: 'sends-plain-text',
    title: 'It sends JSON as text/plain and expects 415.',
    breaks: ['client-sends-json', 'any-other-media-type'],
    run: async (given) => {
      const question = { body: newPet(given), headers: { 'content-type': 'text/plain' } };
      expect((await createAsk(given)(question)).status === 415, '415');
    },
  },
  {
    id: 'sends-more-fields',
    title: 'It sends the age of an animal too.',
    breaks: ['any-extra-body-fields'],
    run: async (given) =>
      expect((await createAsk(given)({ body: { ...newPet(given), age: 3 } })).status === 201, '201'),
  },
  {
    id: 'chooses-ids',
    title: 'It sends an id with an animal.',
    breaks: ['any-client-sent-id'],
    run: async (given) =>
      expect((await createAsk(given)({ body: { ...newPet(given), id: 77 } })).status === 201, '201'),
  },
  {
    id: 'writes-integers-with-a-point',
    title: 'It writes categoryId as a decimal.',
    breaks: ['any-integer-written-as-decimal'],
    run: async (given) => {
      const body = `{"name":"Rex","categoryId":${given.categoryId}.0}`;
      expect((await createAsk(given)({ body })).status === 201, '201');
    },
  },
  {
    id: 'trusts-no-location',
    title: 'It takes a Location header for a redirection.',
    breaks: ['any-location-header'],
    run: async (given) =>
      expect((await createAsk(given)({ body: newPet(given) })).headers.get('location') === null, 'no Location'),
  },
  {
    id: 'asks-for-undefined',
    title: 'It asks for an animal whose id it never read.',
    breaks: ['client-id-int64', 'client-deprecated'],
    run: async (given) => {
      await createAsk(given)({ path: '/pets/undefined' });
    },
  },
  {
    id: 'wants-words-not-found',
    title: 'It expects 404 for a petId that is a word.',
    breaks: ['any-pet-id-not-int64', 'client-id-int64'],
    run: async (given) => expect((await createAsk(given)({ path: '/pets/abc' })).status === 404, '404'),
  },
];
