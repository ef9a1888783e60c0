/** Faulty clients that send requests the interface does not show, or read more into a list than it says (§4). */

import type { FaultyClient } from '../example-client.ts';
import { createSend, expect, newPet, readIdText, readPets } from '../polite-client.ts';

export const endpointClients: readonly FaultyClient[] = [
  {
    id: 'asks-for-too-many',
    title: 'It asks for a thousand animals at once, and expects a page.',
    breaks: ['client-limit-in-range'],
    run: async (environment) => {
      expect((await createSend(environment)({ path: '/pets?limit=1000' })).status === 200, '200');
    },
  },
  {
    id: 'expects-400-for-limit-0',
    title: 'It expects 400 for limit=0.',
    breaks: ['any-limit-out-of-range', 'client-limit-in-range'],
    run: async (environment) =>
      expect((await createSend(environment)({ path: '/pets?limit=0' })).status === 400, '400'),
  },
  {
    id: 'expects-400-for-limit-many',
    title: 'It expects 400 for limit=many.',
    breaks: ['any-limit-not-integer', 'client-limit-in-range'],
    run: async (environment) =>
      expect((await createSend(environment)({ path: '/pets?limit=many' })).status === 400, '400'),
  },
  {
    id: 'writes-statuses-in-capitals',
    title: 'It filters by AVAILABLE, and expects a page.',
    breaks: ['client-status-known'],
    run: async (environment) => {
      expect((await createSend(environment)({ path: '/pets?status=AVAILABLE' })).status === 200, '200');
    },
  },
  {
    id: 'expects-400-for-an-unknown-status',
    title: 'It expects 400 for status=all.',
    breaks: ['any-status-filter-unknown', 'client-status-known'],
    run: async (environment) =>
      expect((await createSend(environment)({ path: '/pets?status=all' })).status === 400, '400'),
  },
  {
    id: 'adds-a-cache-buster',
    title: 'It adds an unknown parameter so that no cache answers.',
    breaks: ['any-unknown-query-parameters', 'client-shown-only'],
    run: async (environment) =>
      expect((await createSend(environment)({ path: '/pets?limit=5&_=1' })).status === 200, '200'),
  },
  {
    id: 'uses-a-page-parameter',
    title: 'It asks for the second page by a parameter of another interface.',
    breaks: ['client-shown-only', 'any-unknown-query-parameters'],
    run: async (environment) => {
      expect((await createSend(environment)({ path: '/pets?page=2' })).status === 200, '200');
    },
  },
  {
    id: 'updates-animals',
    title: 'It changes an animal by PUT and expects 405.',
    breaks: ['client-shown-only', 'any-other-operations'],
    run: async (environment) => {
      const { status } = await createSend(environment)({ method: 'PUT', body: newPet(environment) });
      expect(status === 405, '405');
    },
  },
  {
    id: 'deletes-animals',
    title: 'It deletes the animal that it created, and expects 204.',
    breaks: ['client-shown-only'],
    run: async (environment) => {
      const send = createSend(environment);
      const id = readIdText(await send({ body: newPet(environment) }));
      expect((await send({ method: 'DELETE', path: `/pets/${id}` })).status === 204, '204');
    },
  },
  {
    id: 'leaves-the-base-address',
    title: 'It asks for a health page outside the base address, and expects 200.',
    breaks: ['client-shown-only'],
    run: async (environment) => {
      const { origin } = new URL(environment.baseUrl);
      expect((await createSend({ ...environment, baseUrl: origin })({ path: '/health' })).status === 200, '200');
    },
  },
  {
    id: 'expects-the-oldest-first',
    title: 'It creates two animals and expects the list in that order.',
    breaks: ['any-list-order'],
    run: async (environment) => {
      const send = createSend(environment);
      const ids: string[] = [];
      for (const name of ['Rex', 'Tom']) ids.push(readIdText(await send({ body: newPet(environment, name) })));
      const page = await send({ path: '/pets?limit=100' });
      const [first, second] = ids.map((id) => page.text.indexOf(`:${id},`));
      expect(first === -1 || second === -1 || first! < second!, 'the oldest first');
    },
  },
  {
    id: 'expects-all-animals-in-a-page',
    title: 'It creates four animals and expects a page with all of them.',
    breaks: ['any-page-cap'],
    run: async (environment) => {
      const send = createSend(environment);
      for (const name of ['a', 'b', 'c', 'd']) await send({ body: newPet(environment, name) });
      expect(readPets(await send({ path: '/pets?limit=100' })).length >= 4, 'four animals');
    },
  },
  {
    id: 'expects-the-filter-before-the-limit',
    title: 'It creates a sold animal after an available one, and expects a filtered page of one to hold it.',
    breaks: ['any-short-pages'],
    run: async (environment) => {
      const send = createSend(environment);
      for (const [name, status] of [
        ['a', 'available'],
        ['b', 'sold'],
      ])
        await send({ body: newPet(environment, name, status) });
      expect(readPets(await send({ path: '/pets?limit=1&status=sold' })).length === 1, 'one animal that is sold');
    },
  },
  {
    id: 'expects-its-animal-at-once',
    title: 'It creates an animal and expects it in the next list.',
    breaks: ['any-visibility', 'any-catalogue'],
    run: async (environment) => {
      const send = createSend(environment);
      const id = readIdText(await send({ body: newPet(environment) }));
      expect((await send({ path: '/pets?limit=100' })).text.includes(id), 'its animal');
    },
  },
  {
    id: 'rejects-link-headers',
    title: 'It treats a Link header as an error.',
    breaks: ['any-later-pages'],
    run: async (environment) => {
      const send = createSend(environment);
      for (const name of ['Rex', 'Tom']) await send({ body: newPet(environment, name) });
      expect((await send({ path: '/pets?limit=1' })).headers.get('link') === null, 'no Link header');
    },
  },
  {
    id: 'sends-plain-text',
    title: 'It sends JSON as text/plain and expects 415.',
    breaks: ['client-sends-json', 'any-other-media-type'],
    run: async (environment) => {
      const request = { body: newPet(environment), headers: { 'content-type': 'text/plain' } };
      expect((await createSend(environment)(request)).status === 415, '415');
    },
  },
  {
    id: 'sends-chunks',
    title: 'It sends an animal in chunks, as streaming does, and expects 201.',
    breaks: ['any-chunked-bodies'],
    run: async (environment) =>
      expect((await createSend(environment)({ body: newPet(environment), isStreamed: true })).status === 201, '201'),
  },
  {
    id: 'sends-more-fields',
    title: 'It sends a field that the interface does not have.',
    breaks: ['any-extra-body-fields'],
    run: async (environment) =>
      expect((await createSend(environment)({ body: { ...newPet(environment), age: 3 } })).status === 201, '201'),
  },
  {
    id: 'chooses-ids',
    title: 'It sends an id with an animal.',
    breaks: ['any-client-sent-id'],
    run: async (environment) =>
      expect((await createSend(environment)({ body: { ...newPet(environment), id: 77 } })).status === 201, '201'),
  },
  {
    id: 'writes-integers-as-decimals',
    title: 'It writes categoryId as a decimal.',
    breaks: ['any-integer-written-as-decimal'],
    run: async (environment) => {
      const body = `{"name":"Rex","categoryId":${environment.categoryId}.0}`;
      expect((await createSend(environment)({ body })).status === 201, '201');
    },
  },
  {
    id: 'treats-a-location-as-a-redirect',
    title: 'It treats a Location header as a redirect.',
    breaks: ['any-location-header'],
    run: async (environment) =>
      expect(
        (await createSend(environment)({ body: newPet(environment) })).headers.get('location') === null,
        'no Location',
      ),
  },
  {
    id: 'asks-for-undefined',
    title: 'It gets an animal by an id that it never read, and expects it.',
    breaks: ['client-id-int64', 'client-deprecated'],
    run: async (environment) => {
      expect((await createSend(environment)({ path: '/pets/undefined' })).status === 200, '200');
    },
  },
  {
    id: 'expects-404-for-a-word',
    title: 'It expects 404 for a petId that is a word.',
    breaks: ['any-pet-id-not-int64', 'client-id-int64'],
    run: async (environment) => expect((await createSend(environment)({ path: '/pets/abc' })).status === 404, '404'),
  },
];
