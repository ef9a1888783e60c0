/** Clients that leave retries, validation, caching or types to a package: library-kinds.mjs KIND. */

import { load } from './load.ts';
import { check, sendPatiently } from './patience.mjs';

const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key, PETSTORE_CATEGORY_ID: category } = process.env;
const auth = { authorization: `Bearer ${key}` };
const json = { 'content-type': 'application/json' };
const petNamed = (name) => `{"name":"${name}","categoryId":${category},"status":"available"}`;
const body = petNamed('Rex');

async function send(path, init = {}) {
  return sendPatiently(async () => {
    const response = await fetch(base + path, { ...init, headers: { ...auth, ...init.headers } });
    return { status: response.status, text: await response.text(), header: (name) => response.headers.get(name) };
  });
}

/** Creates an animal and lists by its status; gives both as `parse` reads them. */
async function createAndList(parse = JSON.parse) {
  const created = parse((await send('/pets', { method: 'POST', headers: json, body })).text);
  return { created, page: parse((await send('/pets?status=available&limit=50')).text) };
}

const petSchema = {
  type: 'object',
  required: ['id', 'name', 'categoryId'],
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    categoryId: { type: 'integer' },
    status: { enum: ['available', 'pending', 'sold'] },
  },
};

async function validateWithAjv(schema) {
  const { default: Ajv } = await load('ajv');
  const validate = new (Ajv.default ?? Ajv)({ strict: false }).compile({ type: 'array', items: schema });
  const { created, page } = await createAndList();
  check(validate([created, ...page]), `valid animals: ${JSON.stringify(validate.errors)}`);
}

const kinds = {
  /** Exponential delays with jitter, never shorter than Retry-After. */
  'axios-retry': async () => {
    const { default: axios } = await load('axios');
    const { default: axiosRetry, exponentialDelay } = await load('axios-retry');
    const client = axios.create({ baseURL: base, headers: auth, timeout: 30_000 });
    const retryCondition = (error) => error.response?.status === 429;
    axiosRetry(client, { retries: 6, retryDelay: exponentialDelay, retryCondition });
    check((await client.post('/pets', { name: 'Rex', categoryId: Number(category) })).status === 201, '201');
    check((await client.get('/pets', { params: { status: 'available', limit: 10 } })).status === 200, '200');
  },
  /** Exponential delays with jitter, which do not look at Retry-After. */
  'p-retry': async () => {
    const { default: pRetry } = await load('p-retry');
    const attempt = async (path, init) => {
      const response = await fetch(base + path, { ...init, headers: { ...auth, ...init?.headers } });
      await response.text();
      if (response.status === 429) throw new Error('429');
      return response.status;
    };
    const options = { retries: 7, minTimeout: 200, factor: 2, randomize: true };
    check((await pRetry(() => attempt('/pets', { method: 'POST', headers: json, body }), options)) === 201, '201');
    check((await pRetry(() => attempt('/pets'), options)) === 200, '200');
  },
  /** A breaker that opens on the first failure and tries again after a fixed time. */
  opossum: async () => {
    const { default: CircuitBreaker } = await load('opossum');
    const breaker = new CircuitBreaker(
      async (path, init) => {
        const response = await fetch(base + path, { ...init, headers: { ...auth, ...init?.headers } });
        await response.text();
        if (response.status === 429) throw new Error('429');
        return response.status;
      },
      { errorThresholdPercentage: 1, resetTimeout: 1_500, timeout: false },
    );
    const fire = async (...words) => {
      for (let tries = 0; tries < 60; tries += 1) {
        const status = await breaker.fire(...words).catch(() => undefined);
        if (status !== undefined) return status;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      throw new Error('the circuit stays open');
    };
    check((await fire('/pets', { method: 'POST', headers: json, body })) === 201, '201');
    check((await fire('/pets')) === 200, '200');
  },
  /** An HTTP cache on disk, which retries nothing by itself. */
  'make-fetch-happen': async () => {
    const { mkdtempSync, rmSync } = await import('node:fs');
    const { tmpdir } = await import('node:os');
    const { default: makeFetchHappen } = await load('make-fetch-happen');
    const cachePath = mkdtempSync(`${tmpdir()}/petstore-cache-`);
    const cached = makeFetchHappen.defaults({ cachePath, headers: auth, retry: false });
    try {
      const ask = (path, init) =>
        sendPatiently(async () => {
          const response = await cached(base + path, init);
          return { status: response.status, text: await response.text(), header: (name) => response.headers.get(name) };
        });
      for (const name of ['Rex', 'Tom']) {
        const creation = { method: 'POST', headers: { ...auth, ...json }, body: petNamed(name) };
        check((await ask('/pets', creation)).status === 201, '201');
        check((await ask('/pets?limit=10')).status === 200, '200');
        check((await ask('/pets?limit=10')).status === 200, '200');
      }
    } finally {
      rmSync(cachePath, { recursive: true, force: true });
    }
  },
  'zod-strict-object': async () => {
    const { z } = await load('zod');
    const status = z.enum(['available', 'pending', 'sold']).optional();
    const pet = z.strictObject({ id: z.number(), name: z.string(), categoryId: z.number(), status });
    const { created, page } = await createAndList();
    z.array(pet).parse([created, ...page]);
  },
  'zod-safe-integers': async () => {
    const { z } = await load('zod');
    const status = z.enum(['available', 'pending', 'sold']).optional();
    const pet = z.object({ id: z.number().int(), name: z.string(), categoryId: z.number(), status });
    const { created, page } = await createAndList();
    z.array(pet).parse([created, ...page]);
  },
  'zod-status-required': async () => {
    const { z } = await load('zod');
    const pet = z.object({ name: z.string(), status: z.enum(['available', 'pending', 'sold']) });
    z.array(pet).parse(JSON.parse((await send('/pets?limit=100')).text));
  },
  ajv: () => validateWithAjv(petSchema),
  'ajv-strict': () => validateWithAjv({ ...petSchema, additionalProperties: false }),
  /** Every integer as BigInt, from the package; ids are sent back with all their digits. */
  'json-bigint': async () => {
    const { default: JSONbig } = await load('json-bigint');
    const { parse } = JSONbig({ useNativeBigInt: true, alwaysParseAsBig: true });
    const { created, page } = await createAndList(parse);
    check(typeof created.id === 'bigint' && page.every(({ id }) => typeof id === 'bigint'), 'ids');
    check([200, 404].includes((await send(`/pets/${created.id}`)).status), '200 or 404');
  },
  'lossless-json': async () => {
    const { parse, stringify } = await load('lossless-json');
    const { created } = await createAndList(parse);
    // LosslessNumber keeps the text of a number.
    check([200, 404].includes((await send(`/pets/${stringify(created.id)}`)).status), '200 or 404');
  },
  /** A client whose types are generated from openapi.yaml. */
  'openapi-fetch': async () => {
    const { default: createClient } = await load('openapi-fetch');
    const client = createClient({ baseUrl: base, headers: auth });
    const ask = (call) =>
      sendPatiently(async () => {
        const { response, data, error } = await call();
        return { status: response.status, data, error, header: (name) => response.headers.get(name) };
      });
    const pet = { name: 'Rex', categoryId: Number(category) };
    check((await ask(() => client.POST('/pets', { body: pet }))).status === 201, '201');
    const params = { query: { status: 'available', limit: 10 } };
    check(Array.isArray((await ask(() => client.GET('/pets', { params }))).data), 'a page');
  },
  /** A queue with a rate of its own, four requests a second. */
  'p-queue': async () => {
    const { default: PQueue } = await load('p-queue');
    const queue = new PQueue({ concurrency: 1, interval: 250, intervalCap: 1 });
    const jobs = ['/pets?status=sold', '/pets?status=pending', '/pets?limit=3', '/pets'].map((path) =>
      queue.add(() => send(path)),
    );
    check(
      (await Promise.all(jobs)).every(({ status }) => status === 200),
      '200',
    );
  },
  wretch: async () => {
    const { default: wretch } = await load('wretch');
    const client = wretch(base).auth(`Bearer ${key}`).content('application/json');
    const refused = (error) => error.response ?? Promise.reject(error);
    const ask = (call) =>
      sendPatiently(async () => {
        const response = await call().catch(refused);
        return { status: response.status, header: (name) => response.headers.get(name) };
      });
    check((await ask(() => client.url('/pets').body(body).post().res())).status === 201, '201');
    check((await ask(() => client.url('/pets').get().res())).status === 200, '200');
  },
};

await kinds[process.argv[2]]();
