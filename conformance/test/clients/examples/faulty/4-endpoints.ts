/** Faulty clients that send requests the interface does not show, or read more into a list than it says (§4). */

import type { FaultyClients } from '../example-client.ts';
import { createSend, expect, expecting, newPet, readIdText, readPets } from '../polite-client.ts';

export const endpointClients: FaultyClients = {
  'asks-for-too-many': {
    title: 'It asks for a thousand animals at once, and expects a page.',
    breaks: ['client-limit-in-range'],
    run: expecting(200, () => ({ path: '/pets?limit=1000' })),
  },
  'expects-400-for-limit-0': {
    title: 'It expects 400 for limit=0.',
    breaks: ['any-limit-out-of-range'],
    run: expecting(400, () => ({ path: '/pets?limit=0' })),
  },
  'expects-400-for-limit-many': {
    title: 'It expects 400 for limit=many.',
    breaks: ['any-limit-not-integer'],
    run: expecting(400, () => ({ path: '/pets?limit=many' })),
  },
  'writes-statuses-in-capitals': {
    title: 'It filters by AVAILABLE, and expects a page.',
    breaks: ['client-status-known'],
    run: expecting(200, () => ({ path: '/pets?status=AVAILABLE' })),
  },
  'expects-400-for-an-unknown-status': {
    title: 'It expects 400 for status=all.',
    breaks: ['any-status-filter-unknown'],
    run: expecting(400, () => ({ path: '/pets?status=all' })),
  },
  'adds-a-cache-buster': {
    title: 'It adds an unknown parameter so that no cache answers.',
    breaks: ['any-unknown-query-parameters', 'client-shown-only'],
    run: expecting(200, () => ({ path: '/pets?limit=5&_=1' })),
  },
  'uses-a-page-parameter': {
    title: 'It asks for the second page by a parameter of another interface.',
    breaks: ['client-shown-only', 'any-unknown-query-parameters'],
    run: expecting(200, () => ({ path: '/pets?page=2' })),
  },
  'updates-animals': {
    title: 'It changes an animal by PUT and expects 405.',
    breaks: ['any-other-operations'],
    run: expecting(405, (environment) => ({ method: 'PUT', body: newPet(environment) })),
  },
  'deletes-animals': {
    title: 'It deletes the animal that it created, and expects 204.',
    breaks: ['client-shown-only'],
    async run(environment) {
      const send = createSend(environment);
      const id = readIdText(await send({ body: newPet(environment) }));
      expect((await send({ method: 'DELETE', path: `/pets/${id}` })).status === 204, '204');
    },
  },
  'leaves-the-base-address': {
    title: 'It asks for a health page outside the base address, and expects 200.',
    breaks: ['client-shown-only'],
    run(environment) {
      const { origin } = new URL(environment.baseUrl);
      return expecting(200, () => ({ path: '/health' }))({ ...environment, baseUrl: origin });
    },
  },
  'expects-the-oldest-first': {
    title: 'It creates two animals and expects the list in that order.',
    breaks: ['any-list-order'],
    async run(environment) {
      const send = createSend(environment);
      const ids: string[] = [];
      for (const name of ['Rex', 'Tom']) ids.push(readIdText(await send({ body: newPet(environment, name) })));
      const page = await send({ path: '/pets?limit=100' });
      const [first, second] = ids.map((id) => page.text.indexOf(`:${id},`));
      expect(first === -1 || second === -1 || first! < second!, 'the oldest first');
    },
  },
  'expects-all-animals-in-a-page': {
    title: 'It creates four animals and expects a page with all of them.',
    breaks: ['any-page-cap'],
    async run(environment) {
      const send = createSend(environment);
      for (const name of ['a', 'b', 'c', 'd']) await send({ body: newPet(environment, name) });
      expect(readPets(await send({ path: '/pets?limit=100' })).length >= 4, 'four animals');
    },
  },
  'expects-the-filter-before-the-limit': {
    title: 'It creates a sold animal after an available one, and expects a filtered page of one to hold it.',
    breaks: ['any-short-pages'],
    async run(environment) {
      const send = createSend(environment);
      await send({ body: newPet(environment, 'a', 'available') });
      await send({ body: newPet(environment, 'b', 'sold') });
      expect(readPets(await send({ path: '/pets?limit=1&status=sold' })).length === 1, 'one animal that is sold');
    },
  },
  'expects-its-animal-at-once': {
    title: 'It creates an animal and expects it in the next list.',
    breaks: ['any-visibility', 'any-catalogue'],
    async run(environment) {
      const send = createSend(environment);
      const id = readIdText(await send({ body: newPet(environment) }));
      expect((await send({ path: '/pets?limit=100' })).text.includes(id), 'its animal');
    },
  },
  'rejects-link-headers': {
    title: 'It treats a Link header as an error.',
    breaks: ['any-later-pages'],
    async run(environment) {
      const send = createSend(environment);
      for (const name of ['Rex', 'Tom']) await send({ body: newPet(environment, name) });
      expect(!(await send({ path: '/pets?limit=1' })).headers.has('link'), 'no Link header');
    },
  },
  'sends-plain-text': {
    title: 'It sends JSON as text/plain and expects 415.',
    breaks: ['any-other-media-type'],
    run: expecting(415, (environment) => ({
      body: newPet(environment),
      headers: { 'content-type': 'text/plain' },
    })),
  },
  'names-no-media-type': {
    title: 'It sends JSON as text/plain and expects 201.',
    breaks: ['client-sends-json'],
    run: expecting(201, (environment) => ({
      body: newPet(environment),
      headers: { 'content-type': 'text/plain' },
    })),
  },
  'asks-for-five-hundred': {
    title: 'It asks for 500 animals, and is content with whatever comes.',
    breaks: ['client-limit-in-range'],
    run: async (environment) => void (await createSend(environment)({ path: '/pets?limit=500' })),
  },
  'sends-chunks': {
    title: 'It sends an animal in chunks, as streaming does, and expects 201.',
    breaks: ['any-chunked-bodies'],
    run: expecting(201, (environment) => ({ body: newPet(environment), isStreamed: true })),
  },
  'sends-more-fields': {
    title: 'It sends a field that the interface does not have.',
    breaks: ['any-extra-body-fields'],
    run: expecting(201, (environment) => ({ body: { ...newPet(environment), age: 3 } })),
  },
  'chooses-ids': {
    title: 'It sends an id with an animal.',
    breaks: ['any-client-sent-id'],
    run: expecting(201, (environment) => ({ body: { ...newPet(environment), id: 77 } })),
  },
  'writes-integers-as-decimals': {
    title: 'It writes categoryId as a decimal.',
    breaks: ['any-integer-written-as-decimal'],
    run: expecting(201, ({ categoryId }) => ({ body: `{"name":"Rex","categoryId":${categoryId}.0}` })),
  },
  'treats-a-location-as-a-redirect': {
    title: 'It treats a Location header as a redirect.',
    breaks: ['any-location-header'],
    async run(environment) {
      const { headers } = await createSend(environment)({ body: newPet(environment) });
      expect(!headers.has('location'), 'no Location');
    },
  },
  'asks-for-undefined': {
    title: 'It gets an animal by an id that it never read, and expects it.',
    breaks: ['client-id-int64', 'client-deprecated'],
    run: expecting(200, () => ({ path: '/pets/undefined' })),
  },
  'expects-404-for-a-word': {
    title: 'It expects 404 for a petId that is a word.',
    breaks: ['any-pet-id-not-int64'],
    run: expecting(404, () => ({ path: '/pets/abc' })),
  },
};
