/** Careful clients, each in its own style: no legal service may fail one. */

import createClient from 'openapi-fetch';
import { createAdoptionSite } from '../../../../pacts/example/adoption-site.ts';
import type { paths } from '../../../../spec/openapi.ts';
import type { ExampleClient, ExampleEnvironment } from './example-client.ts';
import { askedWait, createSend, expect, newPet, withoutKey } from './polite-client.ts';

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
      const asked = askedWait(response.headers.get('retry-after') ?? '1', now());
      this.#notBefore = now() + Math.max(asked, 300 * 2 ** attempt);
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

const clients: Readonly<Record<string, ExampleClient['run']>> = {
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
  /** An animal may be listed late, and a page may be full of other animals: that is no failure. */
  async 'looks-for-its-animal'(environment) {
    const shop = new Shop(environment);
    const animal = await shop.offer('Mohr');
    expect(isAnimal(animal) && animal.name === 'Mohr' && animal.status === 'pending', 'its animal');
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const page = await shop.list('?status=pending&limit=100');
      if (page.some((one) => one.id === animal.id)) return;
      await environment.sleep(50);
    }
  },
  /** It checks shapes only, and errors by their status. White space and escapes are legal JSON. */
  async 'asserts-shapes'(environment) {
    const refused = await createSend(environment, withoutKey)();
    expect(refused.status === 401, '401');
    expect(typeof (JSON.parse(refused.text) as { code: unknown }).code === 'string', 'a code');
    const body = `{ "status" : "available",\n "categoryId" : ${environment.categoryId}, "name" : "Gr\\u0065ta" }`;
    const { status, text } = await createSend(environment)({ body });
    expect(status === 201 && readAnimals(text).every((one) => isAnimal(one) && one.name === 'Greta'), 'Greta');
  },
  /** All lists wait after a 429 to one of them. */
  async 'lists-concurrently'(environment) {
    const shop = new Shop(environment);
    const later = environment.sleep(10).then(() => shop.list('?limit=1'));
    await Promise.all([shop.list('?limit=1'), shop.list('?limit=3'), later]);
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
  /** The worked consumer of pacts/ creates an animal, and lists those that are available. */
  async 'adoption-site'({ categoryId, ...environment }) {
    const site = createAdoptionSite({ ...environment, attempts: 6 });
    const offered = await site.offer({ name: 'Hasso', categoryId: Number(categoryId), status: 'available' });
    expect(offered.name === 'Hasso', 'Hasso');
    const available = await site.listAvailable(5);
    expect(available.length <= 5 && available.every(({ status }) => status === 'available'), 'available animals');
  },
  /** Its code is generated from the description and knows nothing of limits, so that its fetch waits. */
  async 'openapi-fetch'({ baseUrl, key, categoryId, fetch, sleep, now }) {
    const patientFetch = async (sent: Request): Promise<Response> => {
      for (let attempt = 0; ; attempt += 1) {
        const response = await fetch(sent.clone());
        if (response.status !== 429 || attempt === 5) return response;
        await sleep(askedWait(response.headers.get('retry-after') ?? '1', now()) + 200 * 2 ** attempt);
      }
    };
    const headers = { Authorization: `Bearer ${key}` };
    const client = createClient<paths>({ baseUrl, fetch: patientFetch, headers });
    const body = { name: 'Ida', categoryId: Number(categoryId), status: 'available' } as const;
    expect((await client.POST('/pets', { body })).data?.name === 'Ida', 'Ida');
    const query = { status: 'available', limit: 10 } as const;
    const { data = [], error } = await client.GET('/pets', { params: { query } });
    expect(error === undefined && data.length <= 10, 'a page');
    expect(
      data.every(({ status }) => status === 'available'),
      'available animals',
    );
  },
};

export const carefulClients: readonly ExampleClient[] = Object.entries(clients).map(([id, run]) => ({ id, run }));
