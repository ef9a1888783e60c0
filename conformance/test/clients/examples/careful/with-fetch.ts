/** Careful clients that use fetch, each in its own style. */

import type { ExampleClient, ExampleEnvironment } from '../example-client.ts';
import { askedWait, createSend, expect, expecting, newPet, withoutKey } from '../polite-client.ts';

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

function waitAfter({ headers }: Response, attempt: number, now: number): number {
  return Math.max(askedWait(headers.get('retry-after') ?? '1', now), 300 * 2 ** attempt);
}

/** All requests of one client, which share a wait. */
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
    const headers = { 'content-type': 'application/json' };
    const response = await this.#send('/pets', { method: 'POST', body, headers });
    expect(response.status === 201, '201');
    return readAnimals(await response.text())[0]!;
  }

  async list(query: string): Promise<readonly Animal[]> {
    const response = await this.#send(`/pets${query}`);
    expect(response.ok, '200');
    return readAnimals(await response.text());
  }
}

export const clientsWithFetch: Readonly<Record<string, ExampleClient['run']>> = {
  async 'tests-refusals'(environment) {
    const send = createSend(environment);
    for (const body of [{ name: 1 }, { name: 'Rex' }, 'no JSON', { ...newPet(environment), status: 'lost' }]) {
      expect((await send({ body })).status === 400, '400');
    }
    expect((await createSend(environment, withoutKey)()).status === 401, '401');
    const { status } = await send({ path: '/pets?limit=0' });
    expect(status === 200 || (status >= 400 && status < 500), '200 or a refusal');
  },
  /** It goes on if no animal can be deleted. */
  async 'cleans-up'(environment) {
    const send = createSend(environment);
    const { id } = readAnimals((await send({ body: newPet(environment, 'Vita') })).text)[0]!;
    await send({ method: 'DELETE', path: `/pets/${id}` });
  },
  /** It repeats listings after a 429, and leaves the creation out. */
  async 'never-repeats-creations'(environment) {
    const never = createSend(environment, { waitAfterRefusal: () => undefined });
    await never({ body: newPet(environment, 'Olga') }).catch(() => undefined);
    await expecting(200, () => ({}))(environment);
  },
  async 'one-request'({ baseUrl, key, fetch, sleep, now }) {
    const list = (): Promise<Response> => fetch(`${baseUrl}/pets`, { headers: { Authorization: `Bearer ${key}` } });
    let response = await list();
    for (let attempt = 1; response.status === 429 && attempt < 6; attempt += 1) {
      await response.text();
      await sleep(waitAfter(response, attempt, now()));
      response = await list();
    }
    expect(response.status === 200, '200');
    expect(Array.isArray(await response.json()), 'an array');
  },
  async 'class-with-a-shared-wait'(environment) {
    const shop = new Shop(environment);
    const animal = await shop.offer('Minka');
    expect(isAnimal(animal) && animal.name === 'Minka' && animal.status === 'pending', 'its animal');
    expect((await shop.list('?limit=10')).every(isAnimal), 'animals');
  },
  /** An animal may be listed late, and a page may be full of other animals: that is no failure. */
  async 'looks-for-its-animal'(environment) {
    const shop = new Shop(environment);
    const { id } = await shop.offer('Mohr');
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const page = await shop.list('?status=pending&limit=100');
      if (page.some((one) => one.id === id)) return;
      await environment.sleep(50);
    }
  },
  async 'one-status-after-the-other'(environment) {
    const shop = new Shop(environment);
    for (const status of ['available', 'pending', 'sold']) {
      const page = await shop.list(`?status=${status}&limit=50`);
      expect(page.length <= 50 && page.every((one) => one.status === status), status);
    }
  },
  async 'imports-a-list'(environment) {
    const shop = new Shop(environment);
    const ids = new Set<bigint>();
    for (const name of ['Anton', 'Berta', 'Caesar']) ids.add((await shop.offer(name)).id);
    expect(ids.size === 3, 'three ids');
  },
  /** It checks shapes only, and errors by their status. */
  async 'asserts-shapes'(environment) {
    const refused = await createSend(environment, withoutKey)();
    expect(refused.status === 401, '401');
    expect(typeof (JSON.parse(refused.text) as { code: unknown }).code === 'string', 'a code');
    const { status, text } = await createSend(environment)({ body: newPet(environment, 'Dora') });
    expect(status === 201 && readAnimals(text).every(isAnimal), 'an animal');
  },
  /** All lists wait after a 429 to one of them. */
  async 'lists-concurrently'(environment) {
    const shop = new Shop(environment);
    await Promise.all(['?limit=1', '?limit=2', '?limit=3'].map((query) => shop.list(query)));
  },
  /** It works with an animal that is there, and fails if there is none. */
  async 'needs-an-animal'(environment) {
    const [first] = await new Shop(environment).list('?limit=5');
    expect(first !== undefined && isAnimal(first), 'an animal');
  },
  /** It uses getPet, and goes on if the operation is gone or the animal is not there yet. */
  async 'knows-getPet-goes'(environment) {
    const send = createSend(environment);
    const { id } = readAnimals((await send({ body: newPet(environment, 'Emil') })).text)[0]!;
    const { status, text } = await send({ path: `/pets/${id}` });
    if (status === 200) expect(readAnimals(text)[0]!.id === id, 'its id');
  },
  async 'follows-links-at-the-base-address'(environment) {
    const { baseUrl } = environment;
    const send = createSend(environment);
    const link = (await send({ path: '/pets?limit=1' })).headers.get('link') ?? '';
    const next = /<([^>]+)>;\s*rel="?next"?/.exec(link)?.[1];
    const address = next === undefined ? '' : new URL(next, baseUrl).href;
    if (address.startsWith(`${baseUrl}/`)) await send({ path: address.slice(baseUrl.length) });
  },
};
