/** Careful clients, each in its own style: no legal service may fail one. */

import { createAdoptionSite } from '../../../pacts/example/adoption-site.ts';
import type { Run } from './bench.ts';
import { createSend, expect, newPet, readIdText, readPet, withoutKey } from './polite-client.ts';

const clients: Readonly<Record<string, Run>> = {
  async 'tests-refusals'(environment) {
    const send = createSend(environment);
    for (const body of [{ name: 1 }, { name: 'Rex' }, 'no JSON', { ...newPet(environment), status: 'lost' }]) {
      expect((await send({ body })).status === 400, '400');
    }
    const refused = await send({ headers: withoutKey });
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
    for (const { status } of answers) expect(status === 200, '200');
  },
  /** Two files of tests at the same time: while one waits, the other tests the refusal of a missing key. */
  async 'asks-without-a-key-meanwhile'(environment) {
    const send = createSend(environment);
    const keyless = environment.sleep(600).then(() => send({ headers: withoutKey }));
    const [page, refused] = await Promise.all([send({ path: '/pets?limit=1' }), keyless]);
    expect(page.status === 200 && refused.status === 401, 'a page and a refusal');
  },
  /** It uses getPet and cleans up, and goes on if an operation is gone or the animal is not there yet. */
  async 'knows-getPet-goes'(environment) {
    const send = createSend(environment);
    const id = readIdText(await send({ body: newPet(environment, 'Emil') }));
    const answer = await send({ path: `/pets/${id}` });
    if (answer.status === 200) expect(readIdText(answer) === id, 'its id');
    await send({ method: 'DELETE', path: `/pets/${id}` });
  },
  /** The worked consumer of pacts/ creates an animal, and lists those that are available. */
  async 'adoption-site'({ categoryId, ...environment }) {
    const site = createAdoptionSite({ ...environment, attempts: 6 });
    const offered = await site.offer({ name: 'Hasso', categoryId: Number(categoryId), status: 'available' });
    expect(offered.name === 'Hasso', 'Hasso');
    const available = await site.listAvailable(5);
    expect(available.length <= 5 && available.every(({ status }) => status === 'available'), 'available animals');
  },
};

export const carefulClients = Object.entries(clients);
