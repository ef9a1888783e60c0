/** Faulty clients that do not wait as Retry-After asks (§8), and those that use the deprecated operation (§9). */

import type { ExampleClient, FaultyClients } from '../example-client.ts';
import { type Answer, askedWait, createSend, expect, type Habits, newPet, readIdText } from '../polite-client.ts';

/** A client with one habit of its own, which sends a few requests one after the other. */
function browsing(habits: Partial<Habits> = {}): ExampleClient['run'] {
  return async (environment) => {
    const send = createSend(environment, habits);
    for (const status of ['available', 'pending', 'sold']) {
      expect((await send({ path: `/pets?status=${status}` })).status === 200, '200');
    }
  };
}

/** A client that repeats a refused request so many times, after a wait of its own. */
function repeating(most: number, waitMs: (retryAfter: string, now: number) => number): ExampleClient['run'] {
  return browsing({
    waitAfterRefusal: (retryAfter, attempt, now) => (attempt > most ? undefined : waitMs(retryAfter, now)),
  });
}

const givingUp = browsing({ waitAfterRefusal: () => undefined });

function remainingOf({ headers }: Answer): number {
  return Number(headers.get('x-ratelimit-remaining'));
}

export const limitClients: FaultyClients = {
  'retries-at-once': {
    title: 'It repeats a refused request twice without waiting.',
    breaks: ['client-waits'],
    run: repeating(2, () => 0),
  },
  hammers: {
    title: 'It repeats a refused request without a pause until it is served.',
    breaks: ['client-no-hammering', 'client-waits', 'any-ban'],
    run: repeating(100, () => 10),
  },
  'reads-retry-after-as-milliseconds': {
    title: 'It reads the seconds of Retry-After as milliseconds.',
    breaks: ['client-waits'],
    run: repeating(6, (retryAfter) => Number(retryAfter) || 0),
  },
  'reads-retry-after-as-seconds-only': {
    title: 'It reads Retry-After as a number only, and does not wait if it is a date.',
    breaks: ['any-retry-after-form', 'client-waits'],
    run: repeating(3, (retryAfter) => Number(retryAfter) * 1000 || 0),
  },
  'waits-a-third-of-the-time': {
    title: 'It waits only a third of Retry-After before each repetition.',
    breaks: ['any-ban', 'client-waits'],
    run: repeating(4, (retryAfter, now) => askedWait(retryAfter, now) / 3 + 50),
  },
  'waits-always-the-same': {
    title: 'It waits for exactly Retry-After, however often it is refused.',
    breaks: ['client-backs-off'],
    run: repeating(9, askedWait),
  },
  'gives-up': {
    title: 'It treats a 429 as an error of the service.',
    breaks: ['client-goes-on'],
    run: givingUp,
  },
  'gives-up-later': {
    title: 'It repeats only the first requests of a run after a 429.',
    breaks: ['client-goes-on'],
    async run(environment) {
      await browsing()(environment);
      await givingUp(environment);
    },
  },
  'always-waits-three-seconds': {
    title: 'It waits three seconds after a 429, whatever Retry-After asks.',
    breaks: ['client-waits'],
    run: repeating(9, () => 3_000),
  },
  'reads-the-body-of-a-429': {
    title: 'It reads an Error from every 429.',
    breaks: ['any-too-many-requests-body'],
    run: browsing({ readRefusal: ({ text }) => void JSON.parse(text) }),
  },
  'expects-a-window-of-a-minute': {
    title: 'It expects the limit to reset within a minute.',
    breaks: ['any-rate-limit-window'],
    async run(environment) {
      const { headers } = await createSend(environment)();
      expect(Number(headers.get('x-ratelimit-reset')) <= environment.now() / 1000 + 61, 'a reset within a minute');
    },
  },
  'expects-a-limit-of-its-own': {
    title: 'It expects that nobody else uses up the limit.',
    breaks: ['any-limit-scope'],
    async run(environment) {
      const send = createSend(environment);
      const before = remainingOf(await send());
      expect(before - remainingOf(await send()) <= 1, 'one request to cost one');
    },
  },
  'counts-refused-requests': {
    title: 'It expects a refused creation to cost a request.',
    breaks: ['any-refused-requests'],
    async run(environment) {
      const send = createSend(environment);
      const before = remainingOf(await send());
      expect(remainingOf(await send({ body: { name: 'Rex' } })) < before, 'fewer requests to remain');
    },
  },
  'uses-getPet': {
    title: 'It gets animals by getPet.',
    breaks: ['client-deprecated', 'any-after-removal'],
    async run(environment) {
      const send = createSend(environment);
      const id = readIdText(await send({ body: newPet(environment) }));
      expect((await send({ path: `/pets/${id}` })).status === 200, '200');
    },
  },
  'reads-the-sunset': {
    title: 'It expects a header with the date on which getPet is removed.',
    breaks: ['any-deprecation-headers', 'client-deprecated'],
    async run(environment) {
      expect((await createSend(environment)({ path: '/pets/1' })).headers.has('sunset'), 'a sunset');
    },
  },
};
