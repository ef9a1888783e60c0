/** Faulty clients that send requests the interface does not show, or read more into a list than it says (§4). */

import type { FaultyClients } from '../example-client.ts';
import { createSend, expect, expecting, newPet, readIdText, readPets } from '../polite-client.ts';

export const endpointClients: FaultyClients = {
  'asks-for-too-many': [['client-limit-in-range'], expecting(200, () => ({ path: '/pets?limit=1000' }))],
  'expects-400-for-limit-0': [['any-limit-out-of-range'], expecting(400, () => ({ path: '/pets?limit=0' }))],
  'expects-400-for-limit-many': [['any-limit-not-integer'], expecting(400, () => ({ path: '/pets?limit=many' }))],
  'writes-statuses-in-capitals': [['client-status-known'], expecting(200, () => ({ path: '/pets?status=AVAILABLE' }))],
  'expects-400-for-an-unknown-status': [
    ['any-status-filter-unknown'],
    expecting(400, () => ({ path: '/pets?status=all' })),
  ],
  'adds-a-cache-buster': [
    ['any-unknown-query-parameters', 'client-shown-only'],
    expecting(200, () => ({ path: '/pets?limit=5&_=1' })),
  ],
  'uses-a-page-parameter': [
    ['client-shown-only', 'any-unknown-query-parameters'],
    expecting(200, () => ({ path: '/pets?page=2' })),
  ],
  'updates-animals': [
    ['any-other-operations'],
    expecting(405, (environment) => ({ method: 'PUT', body: newPet(environment) })),
  ],
  'deletes-animals': [
    ['client-shown-only'],
    async (environment) => {
      const send = createSend(environment);
      const id = readIdText(await send({ body: newPet(environment) }));
      expect((await send({ method: 'DELETE', path: `/pets/${id}` })).status === 204, '204');
    },
  ],
  'leaves-the-base-address': [
    ['client-shown-only'],
    (environment) => {
      const { origin } = new URL(environment.baseUrl);
      return expecting(200, () => ({ path: '/health' }))({ ...environment, baseUrl: origin });
    },
  ],
  'expects-the-oldest-first': [
    ['any-list-order'],
    async (environment) => {
      const send = createSend(environment);
      const ids: string[] = [];
      for (const name of ['Rex', 'Tom']) ids.push(readIdText(await send({ body: newPet(environment, name) })));
      const page = await send({ path: '/pets?limit=100' });
      const [first, second] = ids.map((id) => page.text.indexOf(`:${id},`));
      expect(first === -1 || second === -1 || first! < second!, 'the oldest first');
    },
  ],
  'expects-all-animals-in-a-page': [
    ['any-page-cap'],
    async (environment) => {
      const send = createSend(environment);
      for (const name of ['a', 'b', 'c', 'd']) await send({ body: newPet(environment, name) });
      expect(readPets(await send({ path: '/pets?limit=100' })).length >= 4, 'four animals');
    },
  ],
  'expects-the-filter-before-the-limit': [
    ['any-short-pages'],
    async (environment) => {
      const send = createSend(environment);
      await send({ body: newPet(environment, 'a', 'available') });
      await send({ body: newPet(environment, 'b', 'sold') });
      expect(readPets(await send({ path: '/pets?limit=1&status=sold' })).length === 1, 'one animal that is sold');
    },
  ],
  'expects-its-animal-at-once': [
    ['any-visibility', 'any-catalogue'],
    async (environment) => {
      const send = createSend(environment);
      const id = readIdText(await send({ body: newPet(environment) }));
      expect((await send({ path: '/pets?limit=100' })).text.includes(id), 'its animal');
    },
  ],
  'rejects-link-headers': [
    ['any-later-pages'],
    async (environment) => {
      const send = createSend(environment);
      for (const name of ['Rex', 'Tom']) await send({ body: newPet(environment, name) });
      expect(!(await send({ path: '/pets?limit=1' })).headers.has('link'), 'no Link header');
    },
  ],
  'sends-plain-text': [
    ['any-other-media-type'],
    expecting(415, (environment) => ({
      body: newPet(environment),
      headers: { 'content-type': 'text/plain' },
    })),
  ],
  'names-no-media-type': [
    ['client-sends-json'],
    expecting(201, (environment) => ({
      body: newPet(environment),
      headers: { 'content-type': 'text/plain' },
    })),
  ],
  'asks-for-five-hundred': [
    ['client-limit-in-range'],
    async (environment) => void (await createSend(environment)({ path: '/pets?limit=500' })),
  ],
  'sends-chunks': [
    ['any-chunked-bodies'],
    expecting(201, (environment) => ({ body: newPet(environment), isStreamed: true })),
  ],
  'sends-more-fields': [
    ['any-extra-body-fields'],
    expecting(201, (environment) => ({ body: { ...newPet(environment), age: 3 } })),
  ],
  'chooses-ids': [
    ['any-client-sent-id'],
    expecting(201, (environment) => ({ body: { ...newPet(environment), id: 77 } })),
  ],
  'writes-integers-as-decimals': [
    ['any-integer-written-as-decimal'],
    expecting(201, ({ categoryId }) => ({ body: `{"name":"Rex","categoryId":${categoryId}.0}` })),
  ],
  'treats-a-location-as-a-redirect': [
    ['any-location-header'],
    async (environment) => {
      const { headers } = await createSend(environment)({ body: newPet(environment) });
      expect(!headers.has('location'), 'no Location');
    },
  ],
  'asks-for-undefined': [['client-id-int64', 'client-deprecated'], expecting(200, () => ({ path: '/pets/undefined' }))],
  'expects-404-for-a-word': [['any-pet-id-not-int64'], expecting(404, () => ({ path: '/pets/abc' }))],
};
