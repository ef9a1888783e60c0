/** The worked consumer of pacts/ creates an animal, and lists those that are available. */

import { createAdoptionSite } from '../../../pacts/example/adoption-site.ts';
import type { ExampleClient } from './examples/example-client.ts';
import { expect } from './examples/polite-client.ts';

export const workedConsumer: ExampleClient = {
  id: 'adoption-site',
  run: async ({ baseUrl, key, categoryId, fetch, sleep, now }) => {
    const site = createAdoptionSite({ baseUrl, key, attempts: 6, fetch, sleep, now });
    const offered = await site.offer({ name: 'Hasso', categoryId: Number(categoryId), status: 'available' });
    expect(offered.name === 'Hasso', 'Hasso');
    const available = await site.listAvailable(5);
    expect(available.length <= 5 && available.every(({ status }) => status === 'available'), 'available animals');
  },
};
