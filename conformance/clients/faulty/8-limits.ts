/** Faulty clients that do not wait as Retry-After asks (§8), and those that use the deprecated operation (§9). */

import type { FaultyClient } from '../example-client.ts';
import {
  type Answer,
  askedWait,
  createSend,
  expect,
  type Habits,
  newPet,
  readIdText,
  type Send,
} from '../polite-client.ts';

/** Sends a few requests one after the other. */
async function browse(send: Send): Promise<void> {
  for (const status of ['available', 'pending', 'sold']) {
    expect((await send({ path: `/pets?status=${status}` })).status === 200, '200');
  }
}

function remainingOf({ headers }: Answer): number {
  return Number(headers.get('x-ratelimit-remaining'));
}

const fewAttempts = 6;
const upTo =
  (most: number, waitMs: (retryAfter: string, now: number) => number): Habits['waitAfterRefusal'] =>
  (retryAfter, attempt, now) =>
    attempt > most ? undefined : waitMs(retryAfter, now);

export const limitClients: readonly FaultyClient[] = [
  {
    id: 'retries-at-once',
    title: 'It repeats a refused request twice without waiting.',
    breaks: ['client-waits'],
    run: (environment) => browse(createSend(environment, { waitAfterRefusal: upTo(2, () => 0) })),
  },
  {
    id: 'hammers',
    title: 'It repeats a refused request without a pause until it is served.',
    breaks: ['client-no-hammering', 'client-waits', 'any-ban'],
    run: (environment) => browse(createSend(environment, { waitAfterRefusal: upTo(100, () => 10) })),
  },
  {
    id: 'reads-retry-after-as-milliseconds',
    title: 'It reads the seconds of Retry-After as milliseconds.',
    breaks: ['client-waits'],
    run: (environment) =>
      browse(createSend(environment, { waitAfterRefusal: upTo(fewAttempts, (retryAfter) => Number(retryAfter) || 0) })),
  },
  {
    id: 'reads-retry-after-as-seconds-only',
    title: 'It reads Retry-After as a number only, and does not wait if it is a date.',
    breaks: ['any-retry-after-form', 'client-waits'],
    run: (environment) =>
      browse(createSend(environment, { waitAfterRefusal: upTo(3, (retryAfter) => Number(retryAfter) * 1000 || 0) })),
  },
  {
    id: 'waits-a-third-of-the-time',
    title: 'It waits only a third of Retry-After before each repetition.',
    breaks: ['any-ban', 'client-waits'],
    run: (environment) =>
      browse(
        createSend(environment, {
          waitAfterRefusal: upTo(4, (retryAfter, now) => askedWait(retryAfter, now) / 3 + 50),
        }),
      ),
  },
  {
    id: 'waits-always-the-same',
    title: 'It waits for exactly Retry-After, however often it is refused.',
    breaks: ['client-backs-off'],
    run: (environment) => browse(createSend(environment, { waitAfterRefusal: upTo(9, askedWait) })),
  },
  {
    id: 'gives-up',
    title: 'It treats a 429 as an error of the service.',
    breaks: ['client-goes-on'],
    run: (environment) => browse(createSend(environment, { waitAfterRefusal: () => undefined })),
  },
  {
    id: 'gives-up-later',
    title: 'It repeats only the first requests of a run after a 429.',
    breaks: ['client-goes-on'],
    run: async (environment) => {
      await browse(createSend(environment));
      await browse(createSend(environment, { waitAfterRefusal: () => undefined }));
    },
  },
  {
    id: 'always-waits-three-seconds',
    title: 'It waits three seconds after a 429, whatever Retry-After asks.',
    breaks: ['client-waits'],
    run: (environment) => browse(createSend(environment, { waitAfterRefusal: upTo(9, () => 3_000) })),
  },
  {
    id: 'reads-the-body-of-a-429',
    title: 'It reads an Error from every 429.',
    breaks: ['any-too-many-requests-body'],
    run: (environment) => browse(createSend(environment, { readRefusal: ({ text }) => void JSON.parse(text) })),
  },
  {
    id: 'ignores-remaining',
    title: 'It sends requests although none remains, and waits only after a 429.',
    breaks: ['client-remaining'],
    run: (environment) => browse(createSend(environment, { waitAfterAnswer: () => 0 })),
  },
  {
    id: 'expects-a-window-of-a-minute',
    title: 'It expects the limit to reset within a minute.',
    breaks: ['any-rate-limit-window'],
    run: async (environment) => {
      const { headers } = await createSend(environment)();
      expect(Number(headers.get('x-ratelimit-reset')) <= environment.now() / 1000 + 61, 'a reset within a minute');
    },
  },
  {
    id: 'expects-a-limit-of-its-own',
    title: 'It expects that nobody else uses up the limit.',
    breaks: ['any-limit-scope'],
    run: async (environment) => {
      const send = createSend(environment);
      const left = [remainingOf(await send()), remainingOf(await send())];
      expect(left[0]! - left[1]! <= 1, 'one request to cost one');
    },
  },
  {
    id: 'counts-refused-requests',
    title: 'It expects a refused creation to cost a request.',
    breaks: ['any-refused-requests'],
    run: async (environment) => {
      const send = createSend(environment);
      const before = remainingOf(await send());
      expect(remainingOf(await send({ body: { name: 'Rex' } })) < before, 'fewer requests to remain');
    },
  },
  {
    id: 'uses-getPet',
    title: 'It gets animals by getPet.',
    breaks: ['client-deprecated', 'any-after-removal'],
    run: async (environment) => {
      const send = createSend(environment);
      const id = readIdText(await send({ body: newPet(environment) }));
      expect((await send({ path: `/pets/${id}` })).status === 200, '200');
    },
  },
  {
    id: 'reads-the-sunset',
    title: 'It expects a header with the date on which getPet is removed.',
    breaks: ['any-deprecation-headers', 'client-deprecated'],
    run: async (environment) =>
      expect((await createSend(environment)({ path: '/pets/1' })).headers.has('sunset'), 'a sunset'),
  },
];
