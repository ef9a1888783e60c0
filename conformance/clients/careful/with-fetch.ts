/** Careful clients that ask by fetch, each in its own style. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientEnvironment } from '../attempt.ts';
import type { Example } from '../example.ts';
import { createAsk, expect, newPet } from '../polite.ts';

/** What a body of JSON holds, whatever else it holds. */
interface Animal {
  readonly id: bigint;
  readonly name: string;
  readonly status: string | undefined;
}

/** Ids of 64 bits need the text of the number. */
function readAnimals(text: string): readonly Animal[] {
  const exact = (_field: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' && /^-?\d+$/.test(context?.source ?? '') ? BigInt(context!.source!) : value;
  return [JSON.parse(text, exact as (field: string, value: unknown) => unknown)].flat() as Animal[];
}

function isAnimal({ id, name }: Animal): boolean {
  return typeof id === 'bigint' && typeof name === 'string';
}

/** How long a client waits that is refused for its number, milliseconds. */
function waitFor(response: Response, attempt: number): number {
  const header = response.headers.get('retry-after') ?? '1';
  const asked = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Math.max(asked, 300 * 2 ** attempt);
}

class Shop {
  readonly #given: ClientEnvironment;
  #notBefore = 0;

  constructor(given: ClientEnvironment) {
    this.#given = given;
  }

  async #send(path: string, init: RequestInit = {}): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      await sleep(Math.max(0, this.#notBefore - Date.now()));
      const headers = { authorization: `Bearer ${this.#given.key}`, ...init.headers };
      const response = await fetch(this.#given.baseUrl + path, { ...init, headers });
      if (response.headers.get('x-ratelimit-remaining') === '0' && response.status !== 429) {
        this.#notBefore = Number(response.headers.get('x-ratelimit-reset')) * 1000;
      }
      if (response.status !== 429 || attempt > 5) return response;
      await response.body?.cancel();
      this.#notBefore = Date.now() + waitFor(response, attempt);
    }
  }

  async offer(name: string): Promise<Animal> {
    const body = `{"name":${JSON.stringify(name)},"categoryId":${this.#given.categoryId},"status":"pending"}`;
    const response = await this.#send('/pets', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    if (response.status !== 201) throw new Error(`it was refused with ${response.status}`);
    return readAnimals(await response.text())[0]!;
  }

  async list(query: string): Promise<readonly Animal[]> {
    const response = await this.#send(`/pets${query}`);
    if (!response.ok) throw new Error(`the listing was answered with ${response.status}`);
    return readAnimals(await response.text());
  }
}

async function askTwice(given: ClientEnvironment): Promise<void> {
  const headers = { Authorization: `Bearer ${given.key}` };
  let response = await fetch(`${given.baseUrl}/pets`, { headers });
  for (let attempt = 1; response.status === 429 && attempt < 6; attempt += 1) {
    await response.text();
    await sleep(waitFor(response, attempt));
    response = await fetch(`${given.baseUrl}/pets`, { headers });
  }
  expect(response.status === 200, '200');
  expect(Array.isArray(await response.json()), 'an array');
}

/** An animal may be late, and a page may be full of others: then nothing is said. */
async function lookFor(shop: Shop, id: bigint): Promise<void> {
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const page = await shop.list('?status=pending&limit=100');
    if (page.some((one) => one.id === id)) return;
    await sleep(50);
  }
}

export const clientsWithFetch: readonly Example[] = [
  { id: 'one-request', title: 'It lists once, in plain fetch.', run: askTwice },
  {
    id: 'class-with-a-gate',
    title: 'A class that keeps its turn by what remains, and reads ids digit for digit.',
    run: async (given) => {
      const shop = new Shop(given);
      const animal = await shop.offer('Minka');
      expect(isAnimal(animal) && animal.name === 'Minka' && animal.status === 'pending', 'its animal');
      expect((await shop.list('?limit=10')).every(isAnimal), 'animals');
    },
  },
  {
    id: 'looks-until-it-sees',
    title: 'It waits for its animal to be listed, and does without where it is not.',
    run: async (given) => {
      const shop = new Shop(given);
      await lookFor(shop, (await shop.offer('Mohr')).id);
    },
  },
  {
    id: 'one-status-after-the-other',
    title: 'It goes through the statuses and trusts the filter.',
    run: async (given) => {
      const shop = new Shop(given);
      for (const status of ['available', 'pending', 'sold']) {
        const page = await shop.list(`?status=${status}&limit=50`);
        expect(page.length <= 50 && page.every((one) => one.status === status), status);
      }
    },
  },
  {
    id: 'imports-a-list',
    title: 'It creates three animals of names of their own, one after the other.',
    run: async (given) => {
      const shop = new Shop(given);
      const ids = new Set<bigint>();
      for (const name of ['Anton', 'Berta', 'Caesar']) ids.add((await shop.offer(name)).id);
      expect(ids.size === 3, 'three ids');
    },
  },
  {
    id: 'asserts-shapes',
    title: 'A test suite that looks at shapes alone, and at errors by their status.',
    run: async (given) => {
      const ask = createAsk(given);
      const refused = await createAsk(given, { credential: () => ({}), heed: () => 0 })();
      expect(refused.status === 401, '401');
      expect(typeof (JSON.parse(refused.text) as { code: unknown }).code === 'string', 'a code');
      const { status, text } = await ask({ body: newPet(given, 'Dora') });
      expect(status === 201 && readAnimals(text).every(isAnimal), 'an animal');
    },
  },
  {
    id: 'takes-turns-in-the-dark',
    title: 'Three listings at a time, which all wait when one is refused.',
    run: async (given) => {
      const shop = new Shop(given);
      await Promise.all(['?limit=1', '?limit=2', '?limit=3'].map((query) => shop.list(query)));
    },
  },
  {
    id: 'knows-getPet-goes',
    title: 'It reads by getPet, and does without where that is gone or the animal not there yet.',
    run: async (given) => {
      const ask = createAsk(given);
      const { id } = readAnimals((await ask({ body: newPet(given, 'Emil') })).text)[0]!;
      const { status, text } = await ask({ path: `/pets/${id}` });
      if (status === 200) expect(readAnimals(text)[0]!.id === id, 'its id');
    },
  },
  {
    id: 'stays-at-home',
    title: 'It follows a link to the next page only where that is at the base address.',
    run: async (given) => {
      const ask = createAsk(given);
      const link = (await ask({ path: '/pets?limit=1' })).headers.get('link') ?? '';
      const next = /<([^>]+)>;\s*rel="?next"?/.exec(link)?.[1];
      const address = next === undefined ? undefined : new URL(next, given.baseUrl).href;
      if (address?.startsWith(`${given.baseUrl}/`)) await ask({ path: address.slice(given.baseUrl.length) });
    },
  },
];
