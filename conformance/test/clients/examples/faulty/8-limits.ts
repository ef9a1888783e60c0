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
  'retries-at-once': [['client-waits'], repeating(2, () => 0)],
  hammers: [['client-no-hammering', 'client-waits', 'any-ban'], repeating(100, () => 10)],
  'reads-retry-after-as-milliseconds': [['client-waits'], repeating(6, (retryAfter) => Number(retryAfter) || 0)],
  'reads-retry-after-as-seconds-only': [
    ['any-retry-after-form', 'client-waits'],
    repeating(3, (retryAfter) => Number(retryAfter) * 1000 || 0),
  ],
  'waits-a-third-of-the-time': [
    ['any-ban', 'client-waits'],
    repeating(4, (retryAfter, now) => askedWait(retryAfter, now) / 3 + 50),
  ],
  'waits-always-the-same': [['client-backs-off'], repeating(9, askedWait)],
  'gives-up': [['client-goes-on'], givingUp],
  'gives-up-later': [
    ['client-goes-on'],
    async (environment) => {
      await browsing()(environment);
      await givingUp(environment);
    },
  ],
  'always-waits-three-seconds': [['client-waits'], repeating(9, () => 3_000)],
  'reads-the-body-of-a-429': [
    ['any-too-many-requests-body'],
    browsing({ readRefusal: ({ text }) => void JSON.parse(text) }),
  ],
  'expects-a-window-of-a-minute': [
    ['any-rate-limit-window'],
    async (environment) => {
      const { headers } = await createSend(environment)();
      expect(Number(headers.get('x-ratelimit-reset')) <= environment.now() / 1000 + 61, 'a reset within a minute');
    },
  ],
  'expects-a-limit-of-its-own': [
    ['any-limit-scope'],
    async (environment) => {
      const send = createSend(environment);
      const before = remainingOf(await send());
      expect(before - remainingOf(await send()) <= 1, 'one request to cost one');
    },
  ],
  'counts-refused-requests': [
    ['any-refused-requests'],
    async (environment) => {
      const send = createSend(environment);
      const before = remainingOf(await send());
      expect(remainingOf(await send({ body: { name: 'Rex' } })) < before, 'fewer requests to remain');
    },
  ],
  'uses-getPet': [
    ['client-deprecated', 'any-after-removal'],
    async (environment) => {
      const send = createSend(environment);
      const id = readIdText(await send({ body: newPet(environment) }));
      expect((await send({ path: `/pets/${id}` })).status === 200, '200');
    },
  ],
  'reads-the-sunset': [
    ['any-deprecation-headers', 'client-deprecated'],
    async (environment) => {
      expect((await createSend(environment)({ path: '/pets/1' })).headers.has('sunset'), 'a sunset');
    },
  ],
};
