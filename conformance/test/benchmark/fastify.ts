/**
 * The interface as one writes it with Fastify: its schemas check requests and write answers. Like petstore-server it announces
 * the removal of getPet, and keeps the latest ten thousand requests and answers. Numbers beyond 2^53 lose digits.
 */

import fastify from 'fastify';

const mostKept = 10_000;
const removal = 'Thu, 05 Dec 2030 00:00:00 GMT';
const statuses = ['available', 'pending', 'sold'];
const fields = { name: { type: 'string' }, categoryId: { type: 'integer' }, status: { enum: statuses } };
const newPet = { type: 'object', required: ['name', 'categoryId'], properties: fields };
const pet = { ...newPet, properties: { id: { type: 'integer' }, ...fields } };
const page = { limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 }, status: fields.status };
const ofOne = { params: { type: 'object', properties: { petId: { type: 'integer' } } }, response: { 200: pet } };
const ofPage = { querystring: { type: 'object', properties: page }, response: { 200: { type: 'array', items: pet } } };

interface NewPet {
  readonly name: string;
  readonly categoryId: number;
  readonly status?: string;
}
interface Page {
  readonly limit: number;
  readonly status?: string;
}

/** Serves these animals to one key, whose limits are never reached; resolves with its URL. */
export async function serveFastify(key: string, animals: readonly NewPet[]): Promise<string> {
  const app = fastify();
  const byStatus = new Map(['', ...statuses].map((status) => [status, [] as object[]]));
  const byId = new Map<number, object>();
  const windows = [60_000, 86_400_000].map((length) => ({ length, endsAt: 0, used: 0 }));

  function add({ name, categoryId, status = 'available' }: NewPet): object {
    const animal = { id: byId.size + 1, name, categoryId, status };
    byId.set(animal.id, animal);
    for (const list of ['', status]) byStatus.get(list)!.push(animal);
    return animal;
  }
  for (const animal of animals) add(animal);

  app.setErrorHandler(({ message, statusCode: status = 500 }: Error & { statusCode?: number }, _request, reply) =>
    reply.code(status).send({ code: 'refused', message, status }),
  );
  app.addHook('onRequest', async ({ headers }, reply) => {
    const now = Date.now();
    for (const window of windows) {
      if (now >= window.endsAt) Object.assign(window, { endsAt: now - (now % window.length) + window.length, used: 0 });
      window.used += 1;
    }
    const [{ used, endsAt }] = windows as [(typeof windows)[0]];
    reply.headers({ 'x-ratelimit-limit': 1e9, 'x-ratelimit-remaining': 1e9 - used });
    reply.header('x-ratelimit-reset', Math.ceil(endsAt / 1000));
    const refusal = headers.authorization !== `Bearer ${key}` ? 401 : used > 1e9 ? 429 : undefined;
    if (refusal !== undefined) throw Object.assign(new Error('The request is refused.'), { statusCode: refusal });
  });
  const journal: object[] = [];
  app.addHook('onSend', async ({ method, url, headers, body }, reply, payload) => {
    journal.push({ method, url, headers, body, status: reply.statusCode, sent: reply.getHeaders(), payload });
    if (journal.length > mostKept) journal.shift();
  });
  app.get<{ Querystring: Page }>('/v1/pets', { schema: ofPage }, async ({ query: { limit, status = '' } }) =>
    byStatus.get(status)!.slice(0, limit),
  );
  app.get<{ Params: { petId: number } }>('/v1/pets/:petId', { schema: ofOne }, async ({ params }, reply) => {
    reply.headers({ sunset: removal, link: '</v1/pets>; rel="successor-version"' });
    const animal = byId.get(params.petId);
    return animal ?? reply.code(404).send({ code: 'not_found', message: 'No animal has this id.', status: 404 });
  });
  app.post<{ Body: NewPet }>(
    '/v1/pets',
    { schema: { body: newPet, response: { 201: pet } } },
    async ({ body }, reply) => reply.code(201).send(add(body)),
  );
  return app.listen({ port: 0, host: '127.0.0.1' });
}
