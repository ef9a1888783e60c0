/** Careful clients, each in its own style: no legal service may fail one. */

import createClient from 'openapi-fetch';
import { createAdoptionSite } from '../../../pacts/example/adoption-site.ts';
import type { paths } from '../../../spec/openapi.ts';
import type { Run } from './bench.ts';
import { askedWait, createSend, expect, newPet, readIdText, readPet, readPets, withoutKey } from './polite-client.ts';

const clients: Readonly<Record<string, Run>> = {
  async 'tests-refusals'(environment) {
    const send = createSend(environment);
    for (const body of [{ name: 1 }, { name: 'Rex' }, 'no JSON', { ...newPet(environment), status: 'lost' }]) {
      expect((await send({ body })).status === 400, '400');
    }
    const refused = await createSend(environment, withoutKey)();
    expect(refused.status === 401, '401');
    expect(typeof (JSON.parse(refused.text) as { code: unknown }).code === 'string', 'a code');
    const { status } = await send({ path: '/pets?limit=0' });
    expect(status === 200 || (status >= 400 && status < 500), '200 or a refusal');
    // White space and escapes are legal JSON.
    const body = `{ "status" : "available",\n "categoryId" : ${environment.categoryId}, "name" : "Gr\\u0065ta" }`;
    const answer = await send({ body });
    expect(answer.status === 201 && readPet(answer).name === 'Greta', 'Greta');
  },
  /** An animal may be listed late, and a page may be full of other animals: that is no failure. */
  async 'looks-for-its-animal'(environment) {
    const send = createSend(environment);
    const id = readIdText(await send({ body: newPet(environment, 'Mohr', 'pending') }));
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const page = await send({ path: '/pets?status=pending&limit=100' });
      expect(page.status === 200, '200');
      if (page.text.includes(id)) return;
      await environment.sleep(50);
    }
  },
  async 'lists-concurrently'(environment) {
    const send = createSend(environment);
    const later = environment.sleep(10).then(() => send({ path: '/pets?limit=1' }));
    const answers = await Promise.all([send({ path: '/pets?limit=1' }), send({ path: '/pets?limit=3' }), later]);
    expect(
      answers.every(({ status }) => status === 200),
      '200',
    );
  },
  /** It uses getPet and cleans up, and goes on if an operation is gone or the animal is not there yet. */
  async 'knows-getPet-goes'(environment) {
    const send = createSend(environment);
    const id = readIdText(await send({ body: newPet(environment, 'Emil') }));
    const answer = await send({ path: `/pets/${id}` });
    if (answer.status === 200) expect(readIdText(answer) === id, 'its id');
    await send({ method: 'DELETE', path: `/pets/${id}` });
  },
  /** It works with an animal that is there, and fails if there is none. */
  async 'follows-links-at-the-base-address'(environment) {
    const { baseUrl } = environment;
    const send = createSend(environment);
    const page = await send({ path: '/pets?limit=1' });
    expect(typeof readPets(page)[0]?.name === 'string', 'an animal');
    const link = page.headers.get('link') ?? '';
    const next = /<([^>]+)>;\s*rel="?next"?/.exec(link)?.[1];
    const address = next === undefined ? '' : new URL(next, baseUrl).href;
    if (address.startsWith(`${baseUrl}/`)) await send({ path: address.slice(baseUrl.length) });
  },
  /** The worked consumer of pacts/ creates an animal, and lists those that are available. */
  async 'adoption-site'({ categoryId, ...environment }) {
    const site = createAdoptionSite({ ...environment, attempts: 6 });
    const offered = await site.offer({ name: 'Hasso', categoryId: Number(categoryId), status: 'available' });
    expect(offered.name === 'Hasso', 'Hasso');
    const available = await site.listAvailable(5);
    expect(available.length <= 5 && available.every(({ status }) => status === 'available'), 'available animals');
  },
  /** Its code is generated from the description and knows nothing of limits, so that its fetch waits. */
  async 'openapi-fetch'({ baseUrl, key, categoryId, fetch, sleep, now }) {
    const patientFetch = async (sent: Request): Promise<Response> => {
      for (let attempt = 0; ; attempt += 1) {
        const response = await fetch(sent.clone());
        if (response.status !== 429 || attempt === 5) return response;
        await sleep(askedWait(response.headers.get('retry-after') ?? '1', now()) + 200 * 2 ** attempt);
      }
    };
    const headers = { Authorization: `Bearer ${key}` };
    const client = createClient<paths>({ baseUrl, fetch: patientFetch, headers });
    const body = { name: 'Ida', categoryId: Number(categoryId), status: 'available' } as const;
    expect((await client.POST('/pets', { body })).data?.name === 'Ida', 'Ida');
    const query = { status: 'available', limit: 10 } as const;
    const { data = [], error } = await client.GET('/pets', { params: { query } });
    expect(error === undefined && data.length <= 10, 'a page');
    expect(
      data.every(({ status }) => status === 'available'),
      'available animals',
    );
  },
};

export const carefulClients = Object.entries(clients);
