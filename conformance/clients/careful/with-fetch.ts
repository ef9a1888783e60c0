/** Careful clients that use fetch, each in its own style. */

import type { ExampleClient, ExampleEnvironment } from '../example-client.ts';
import { createSend, expect, newPet } from '../polite-client.ts';

/** The fields of an animal that these clients read. */
interface Animal {
  readonly id: bigint;
  readonly name: string;
  readonly status: string | undefined;
}

/** Reads ids of 64 bits from the text of the number, since a double would round them. */
function readAnimals(text: string): readonly Animal[] {
  const exact = (_field: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' && /^-?\d+$/.test(context?.source ?? '') ? BigInt(context!.source!) : value;
  return [JSON.parse(text, exact as (field: string, value: unknown) => unknown)].flat() as Animal[];
}

function isAnimal({ id, name }: Animal): boolean {
  return typeof id === 'bigint' && typeof name === 'string';
}

/** How long a client waits after a 429, milliseconds. */
function waitAfter(response: Response, attempt: number, now: number): number {
  const header = response.headers.get('retry-after') ?? '1';
  const asked = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Math.max(asked, 300 * 2 ** attempt);
}

class Shop {
  readonly #environment: ExampleEnvironment;
  #notBefore = 0;

  constructor(environment: ExampleEnvironment) {
    this.#environment = environment;
  }

  async #send(path: string, init: RequestInit = {}): Promise<Response> {
    const { baseUrl, key, fetch, sleep, now } = this.#environment;
    for (let attempt = 1; ; attempt += 1) {
      await sleep(this.#notBefore - now());
      const headers = { authorization: `Bearer ${key}`, ...init.headers };
      const response = await fetch(baseUrl + path, { ...init, headers });
      if (response.headers.get('x-ratelimit-remaining') === '0' && response.status !== 429) {
        this.#notBefore = Number(response.headers.get('x-ratelimit-reset')) * 1000;
      }
      if (response.status !== 429 || attempt > 5) return response;
      await response.body?.cancel();
      this.#notBefore = now() + waitAfter(response, attempt, now());
    }
  }

  async offer(name: string): Promise<Animal> {
    const body = `{"name":${JSON.stringify(name)},"categoryId":${this.#environment.categoryId},"status":"pending"}`;
    const response = await this.#send('/pets', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    if (response.status !== 201) throw new Error(`the creation was answered with ${response.status}`);
    return readAnimals(await response.text())[0]!;
  }

  async list(query: string): Promise<readonly Animal[]> {
    const response = await this.#send(`/pets${query}`);
    if (!response.ok) throw new Error(`the listing was answered with ${response.status}`);
    return readAnimals(await response.text());
  }
}

async function listOnce({ baseUrl, key, fetch, sleep, now }: ExampleEnvironment): Promise<void> {
  const headers = { Authorization: `Bearer ${key}` };
  let response = await fetch(`${baseUrl}/pets`, { headers });
  for (let attempt = 1; response.status === 429 && attempt < 6; attempt += 1) {
    await response.text();
    await sleep(waitAfter(response, attempt, now()));
    response = await fetch(`${baseUrl}/pets`, { headers });
  }
  expect(response.status === 200, '200');
  expect(Array.isArray(await response.json()), 'an array');
}

/** An animal may be listed late, and a page may be full of other animals: that is no failure. */
async function lookFor(shop: Shop, id: bigint, { sleep }: ExampleEnvironment): Promise<void> {
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const page = await shop.list('?status=pending&limit=100');
    if (page.some((one) => one.id === id)) return;
    await sleep(50);
  }
}

export const clientsWithFetch: readonly ExampleClient[] = [
  {
    id: 'tests-refusals',
    title: 'A test suite that sends invalid requests on purpose, and accepts every legal refusal.',
    run: async (environment) => {
      const send = createSend(environment);
      for (const body of [{ name: 1 }, { name: 'Rex' }, 'no JSON', { ...newPet(environment), status: 'lost' }]) {
        expect((await send({ body })).status === 400, '400');
      }
      const withoutKey = createSend(environment, { credential: () => ({}), waitAfterAnswer: () => 0 });
      expect((await withoutKey()).status === 401, '401');
      const { status } = await send({ path: '/pets?limit=0' });
      expect(status === 200 || (status >= 400 && status < 500), '200 or a refusal');
    },
  },
  {
    id: 'cleans-up',
    title: 'It tries to delete the animal that it created, and goes on if it cannot.',
    run: async (environment) => {
      const send = createSend(environment);
      const { id } = readAnimals((await send({ body: newPet(environment, 'Vita') })).text)[0]!;
      await send({ method: 'DELETE', path: `/pets/${id}` });
    },
  },
  {
    id: 'never-repeats-creations',
    title: 'It repeats listings after a 429 and no creation, which it leaves out instead.',
    run: async (environment) => {
      const never = createSend(environment, { waitAfterRefusal: () => undefined });
      await never({ body: newPet(environment, 'Olga') }).catch(() => undefined);
      expect((await createSend(environment)()).status === 200, '200');
    },
  },
  { id: 'one-request', title: 'It lists once, in plain fetch.', run: listOnce },
  {
    id: 'class-with-a-shared-wait',
    title: 'A class that waits when no request remains, and reads ids exactly.',
    run: async (environment) => {
      const shop = new Shop(environment);
      const animal = await shop.offer('Minka');
      expect(isAnimal(animal) && animal.name === 'Minka' && animal.status === 'pending', 'its animal');
      expect((await shop.list('?limit=10')).every(isAnimal), 'animals');
    },
  },
  {
    id: 'looks-for-its-animal',
    title: 'It waits for its animal to be listed, and goes on if it is not.',
    run: async (environment) => {
      const shop = new Shop(environment);
      await lookFor(shop, (await shop.offer('Mohr')).id, environment);
    },
  },
  {
    id: 'one-status-after-the-other',
    title: 'It lists by each status and relies on the filter.',
    run: async (environment) => {
      const shop = new Shop(environment);
      for (const status of ['available', 'pending', 'sold']) {
        const page = await shop.list(`?status=${status}&limit=50`);
        expect(page.length <= 50 && page.every((one) => one.status === status), status);
      }
    },
  },
  {
    id: 'imports-a-list',
    title: 'It creates three animals with different names, one after the other.',
    run: async (environment) => {
      const shop = new Shop(environment);
      const ids = new Set<bigint>();
      for (const name of ['Anton', 'Berta', 'Caesar']) ids.add((await shop.offer(name)).id);
      expect(ids.size === 3, 'three ids');
    },
  },
  {
    id: 'asserts-shapes',
    title: 'A test suite that checks shapes only, and errors by their status.',
    run: async (environment) => {
      const send = createSend(environment);
      const refused = await createSend(environment, { credential: () => ({}), waitAfterAnswer: () => 0 })();
      expect(refused.status === 401, '401');
      expect(typeof (JSON.parse(refused.text) as { code: unknown }).code === 'string', 'a code');
      const { status, text } = await send({ body: newPet(environment, 'Dora') });
      expect(status === 201 && readAnimals(text).every(isAnimal), 'an animal');
    },
  },
  {
    id: 'lists-concurrently',
    title: 'It sends three lists at a time, which all wait after a 429 to one.',
    run: async (environment) => {
      const shop = new Shop(environment);
      await Promise.all(['?limit=1', '?limit=2', '?limit=3'].map((query) => shop.list(query)));
    },
  },
  {
    id: 'knows-getPet-goes',
    title: 'It uses getPet, and goes on if the operation is gone or the animal is not there yet.',
    run: async (environment) => {
      const send = createSend(environment);
      const { id } = readAnimals((await send({ body: newPet(environment, 'Emil') })).text)[0]!;
      const { status, text } = await send({ path: `/pets/${id}` });
      if (status === 200) expect(readAnimals(text)[0]!.id === id, 'its id');
    },
  },
  {
    id: 'follows-links-at-the-base-address',
    title: 'It follows the link to the next page only at the base address.',
    run: async (environment) => {
      const send = createSend(environment);
      const link = (await send({ path: '/pets?limit=1' })).headers.get('link') ?? '';
      const next = /<([^>]+)>;\s*rel="?next"?/.exec(link)?.[1];
      const address = next === undefined ? undefined : new URL(next, environment.baseUrl).href;
      if (address?.startsWith(`${environment.baseUrl}/`))
        await send({ path: address.slice(environment.baseUrl.length) });
    },
  },
];
