/** The worked consumer of pacts/, as it stands there. */

import { setTimeout as sleep } from 'node:timers/promises';
import { createAdoptionSite } from '../../../pacts/example/adoption-site.ts';
import type { Example } from '../example.ts';
import { expect } from '../polite.ts';

export const workedConsumer: Example = {
  id: 'adoption-site',
  title: 'The worked consumer of pacts/: it offers an animal and lists those that are available.',
  run: async ({ baseUrl, key, categoryId }) => {
    const site = createAdoptionSite({ baseUrl, key, attempts: 6, sleep: (ms) => sleep(ms) });
    const offered = await site.offer({ name: 'Hasso', categoryId: Number(categoryId), status: 'available' });
    expect(offered.name === 'Hasso', 'Hasso');
    const available = await site.listAvailable(5);
    expect(available.length <= 5 && available.every(({ status }) => status === 'available'), 'available animals');
  },
};
