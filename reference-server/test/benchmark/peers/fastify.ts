/** A typical service built on Fastify: schemas for requests and answers, hooks for the key and its limits. */

import { timingSafeEqual } from 'node:crypto';
import Fastify from 'fastify';

interface Pet {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number | bigint;
  readonly status: string;
}

const [, , port, count] = process.argv;
const key = Buffer.from(process.env['PETSTORE_API_KEY'] ?? '');
const limits = { perMinute: 1e9, perDay: 1e9 };
const statuses = ['available', 'pending', 'sold'];

const status = { type: 'string', enum: statuses };
const pet = {
  type: 'object',
  properties: { id: { type: 'integer' }, name: { type: 'string' }, categoryId: { type: 'integer' }, status },
};
const newPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  properties: { name: { type: 'string' }, categoryId: { isInt64: true }, status },
};
const query = {
  type: 'object',
  properties: { limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 }, status },
};

const pets = new Map<number, Pet>();
const lists = new Map<string | undefined, Pet[]>([undefined, ...statuses].map((one) => [one, []]));

function add({ name, categoryId, status: given = 'available' }: Omit<Pet, 'id' | 'status'> & { status?: string }): Pet {
  const added = { id: pets.size + 1, name, categoryId, status: given };
  pets.set(added.id, added);
  lists.get(undefined)?.push(added);
  lists.get(given)?.push(added);
  return added;
}

for (let at = 0; at < Number(count); at += 1) {
  add({ name: `Animal ${at + 1}`, categoryId: (at % 10) + 1, status: statuses[at % 3]! });
}

const isInt64 = (value: unknown): boolean =>
  Number.isSafeInteger(value) || (typeof value === 'bigint' && BigInt.asIntN(64, value) === value);
const app = Fastify({
  ajv: {
    plugins: [(ajv) => ajv.addKeyword({ keyword: 'isInt64', validate: (_: true, value: unknown) => isInt64(value) })],
  },
});

/** Keeps integers that a double would change. */
function revive(_field: string, value: unknown, context?: { readonly source: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? BigInt(context?.source ?? '') : value;
}
app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
  try {
    done(null, JSON.parse(String(body), revive));
  } catch (error) {
    done(Object.assign(error as Error, { statusCode: 400 }));
  }
});

const windows = [60_000, 86_400_000].map((lengthMs) => ({ lengthMs, endsAt: 0, used: 0 }));
app.addHook('onRequest', async (request, reply) => {
  const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const sent = Buffer.from(token ?? '');
  const isKnown = sent.length === key.length && timingSafeEqual(sent, key);
  const now = Date.now();
  for (const window of windows) {
    if (now >= window.endsAt)
      Object.assign(window, { used: 0, endsAt: (Math.floor(now / window.lengthMs) + 1) * window.lengthMs });
    window.used += 1;
  }
  const [minute, day] = windows.map(({ used, endsAt }, at) => ({
    endsAt,
    left: [limits.perMinute, limits.perDay][at]! - used,
  }));
  const shown = day!.left < minute!.left ? day! : minute!;
  reply.headers({
    'X-RateLimit-Limit': limits.perMinute,
    'X-RateLimit-Remaining': Math.max(0, shown.left),
    'X-RateLimit-Reset': Math.ceil(shown.endsAt / 1000),
  });
  if (!isKnown) return reply.code(401).send({ code: 'unauthorized', message: 'The API key is missing.', status: 401 });
  if (shown.left < 0) return reply.code(429).send({ code: 'too_many_requests', message: 'Wait.', status: 429 });
});

app.get<{ Querystring: { limit: number; status?: string } }>(
  '/v1/pets',
  { schema: { querystring: query, response: { 200: { type: 'array', items: pet } } } },
  async (request) => lists.get(request.query.status)?.slice(0, request.query.limit),
);
app.post<{ Body: Pet }>('/v1/pets', { schema: { body: newPet, response: { 201: pet } } }, async (request, reply) => {
  reply.code(201);
  return add(request.body);
});
app.get<{ Params: { petId: number } }>(
  '/v1/pets/:petId',
  { schema: { params: { type: 'object', properties: { petId: { type: 'integer' } } }, response: { 200: pet } } },
  async (request, reply) => {
    const found = pets.get(request.params.petId);
    if (found === undefined)
      return reply.code(404).send({ code: 'not_found', message: 'No such animal.', status: 404 });
    reply.headers({ Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT', Link: '</v1/pets>; rel="successor-version"' });
    return found;
  },
);

await app.listen({ port: Number(port), host: '127.0.0.1' });
