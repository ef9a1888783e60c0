/** Clients that do not wait, or not as they are told (§8), and those that live with what is deprecated (§9). */

import type { CarelessClient } from '../example.ts';
import { type Answer, type Ask, askedWait, createAsk, expect, idTextIn, newPet, politeHabits } from '../polite.ts';

/** Some requests one after the other: enough to meet every limit. */
async function browse(ask: Ask): Promise<void> {
  for (const status of ['available', 'pending', 'sold']) {
    expect((await ask({ path: `/pets?status=${status}` })).status === 200, '200');
  }
}

function remainingOf({ headers }: Answer): number {
  return Number(headers.get('x-ratelimit-remaining'));
}

const fewAttempts = 6;
const upTo =
  (most: number, waitMs: (retryAfter: string) => number) =>
  (retryAfter: string, attempt: number): number | undefined =>
    attempt > most ? undefined : waitMs(retryAfter);

export const limitClients: readonly CarelessClient[] = [
  {
    id: 'retries-at-once',
    title: 'It sends a refused request again without waiting, twice.',
    breaks: ['client-waits'],
    run: (given) => browse(createAsk(given, { patience: upTo(2, () => 0) })),
  },
  {
    id: 'hammers',
    title: 'It sends a refused request again and again until it is served.',
    breaks: ['client-no-hammering', 'client-waits', 'any-ban'],
    run: (given) => browse(createAsk(given, { patience: upTo(100, () => 10) })),
  },
  {
    id: 'reads-retry-after-as-milliseconds',
    title: 'It takes the seconds of Retry-After for milliseconds.',
    breaks: ['client-waits'],
    run: (given) => browse(createAsk(given, { patience: upTo(fewAttempts, (retryAfter) => Number(retryAfter) || 0) })),
  },
  {
    id: 'reads-retry-after-as-seconds-alone',
    title: 'It knows Retry-After as a number, and does not wait for a date.',
    breaks: ['any-retry-after-form', 'client-waits'],
    run: (given) => browse(createAsk(given, { patience: upTo(3, (retryAfter) => Number(retryAfter) * 1000 || 0) })),
  },
  {
    id: 'waits-a-third-of-the-time',
    title: 'It waits a third as long as it is asked to, and then once more.',
    breaks: ['any-ban', 'client-waits'],
    run: (given) => browse(createAsk(given, { patience: upTo(4, (retryAfter) => askedWait(retryAfter) / 3 + 50) })),
  },
  {
    id: 'waits-always-the-same',
    title: 'It waits for what it is asked to, however often it is refused.',
    breaks: ['client-backs-off'],
    run: (given) => browse(createAsk(given, { patience: upTo(9, askedWait) })),
  },
  {
    id: 'gives-up',
    title: 'It takes a refusal for its number as an error of the service.',
    breaks: ['client-goes-on'],
    run: (given) => browse(createAsk(given, { patience: () => undefined })),
  },
  {
    id: 'reads-the-body-of-a-429',
    title: 'It reads an Error out of every refusal.',
    breaks: ['any-too-many-requests-body'],
    run: (given) => browse(createAsk(given, { look: ({ text }) => void JSON.parse(text) })),
  },
  {
    id: 'ignores-what-remains',
    title: 'It goes on although nothing remains, and waits only when it is refused.',
    breaks: ['client-remaining'],
    run: (given) => browse(createAsk(given, { heed: () => 0 })),
  },
  {
    id: 'takes-the-window-for-a-minute',
    title: 'It expects the limit to reset within a minute.',
    breaks: ['any-rate-limit-window'],
    run: async (given) => {
      const { headers } = await createAsk(given)();
      expect(Number(headers.get('x-ratelimit-reset')) <= Date.now() / 1000 + 61, 'a reset within a minute');
    },
  },
  {
    id: 'takes-the-limit-for-its-own',
    title: 'It expects that nobody but itself uses the limit up.',
    breaks: ['any-limit-scope'],
    run: async (given) => {
      const ask = createAsk(given);
      const left = [remainingOf(await ask()), remainingOf(await ask())];
      expect(left[0]! - left[1]! <= 1, 'one request to cost one');
    },
  },
  {
    id: 'counts-what-is-refused',
    title: 'It expects that a creation that is refused costs a request.',
    breaks: ['any-refused-requests', 'client-required-fields'],
    run: async (given) => {
      const ask = createAsk(given);
      const before = remainingOf(await ask());
      expect(remainingOf(await ask({ body: { name: 'Rex' } })) < before, 'fewer requests to remain');
    },
  },
  {
    id: 'lives-on-what-is-deprecated',
    title: 'It reads animals by getPet.',
    breaks: ['client-deprecated', 'any-after-removal'],
    run: async (given) => {
      const ask = createAsk(given, politeHabits);
      const id = idTextIn(await ask({ body: newPet(given) }));
      expect((await ask({ path: `/pets/${id}` })).status === 200, '200');
    },
  },
  {
    id: 'waits-for-the-sunset',
    title: 'It reads from a header when getPet is removed.',
    breaks: ['any-deprecation-headers', 'client-deprecated'],
    run: async (given) => expect((await createAsk(given)({ path: '/pets/1' })).headers.has('sunset'), 'a sunset'),
  },
];
