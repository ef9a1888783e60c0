/** A neighbour whose every request flows through generators: the first stage that yields an answer ends it. */

import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { Neighbour, NeighbourOptions, RunningNeighbour } from './index.ts';
import { listen } from './listen.ts';

const choices = [
  'names have letters and spaces only, others are refused with 400',
  'only the categories 1 to 5 are known, others are refused with 409',
  'ids are cut from UUIDs, of either sign',
  'pages are in another random order each time',
  'a limit outside 1 to 100, or none that is an integer, is refused with 422',
  'an unknown status filter is ignored',
  'of repeated query parameters the first wins',
  'unknown body fields are dropped, an id in the body too; 1.0 is an integer',
  'an omitted status stays away: the animal has none',
  'keys are the same in upper and lower case',
  'the scheme is Bearer, written so',
  'answers are chunked',
  'a leaky bucket for each key, empty after a minute; Reset is when it is empty, and moves with each request',
  'requests without a valid key drip into a bucket of their address, 1000 a minute, and overflow with 429',
  'Retry-After is an HTTP date',
  'the 429 body is a plain sentence',
  'an unknown path or method answers 404 with an Error',
];

interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string;
  readonly address: string;
  readonly body: Uint8Array;
}
interface Answer {
  readonly status: number;
  readonly chunks: Iterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
}
type Stage = (call: Call) => Generator<Answer, void>;

interface Pet {
  readonly id: string;
  readonly name: string;
  readonly categoryId: string;
  readonly status: string | undefined;
}

const statuses = ['available', 'pending', 'sold'];

const refusal = (status: number, message: string): Answer => ({
  status,
  chunks: [JSON.stringify({ code: `${status}`, status, message })],
});

function* write({ id, name, categoryId, status }: Pet): Generator<string> {
  yield `{"status":${JSON.stringify(status)},`.replace('"status":undefined,', '');
  yield `"categoryId":${categoryId},`;
  yield `"name":${JSON.stringify(name)},"id":${id}}`;
}

function* writeAll(pets: Iterable<Pet>): Generator<string> {
  let separator = '[';
  for (const pet of pets) {
    yield separator;
    yield* write(pet);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** The tokens of one object whose values are strings, numbers or anything else, by their own text. */
function* readFields(text: string): Generator<readonly [field: string, value: unknown, source: string | undefined]> {
  const sources = new Map<unknown, string>();
  const body = JSON.parse(text, (_field, value, context?: { source?: string }) => {
    if (typeof value !== 'number') return value;
    const number = Object(value);
    sources.set(number, context?.source ?? '');
    return number;
  });
  if (typeof body !== 'object' || body === null || Array.isArray(body) || sources.has(body)) throw new TypeError();
  for (const [field, value] of Object.entries(body)) yield [field, value, sources.get(value)];
}

function readInt64(source: string | undefined): string | undefined {
  const digits = /^(-?\d+)(\.0+)?$/.exec(source ?? '')?.[1];
  return digits !== undefined && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits) ? `${BigInt(digits)}` : undefined;
}

/** Yields what is wrong with a body, or leaves the animal in `made`. */
function* readNewPet(bytes: Uint8Array, made: Pet[]): Generator<string> {
  let name: unknown;
  let status: unknown;
  let categoryId: string | undefined;
  try {
    for (const [field, value, source] of readFields(new TextDecoder('utf-8', { fatal: true }).decode(bytes))) {
      if (field === 'name') name = value;
      if (field === 'status') status = value ?? 'none';
      if (field === 'categoryId') categoryId = readInt64(source);
    }
  } catch {
    yield 'the body is no JSON object';
  }
  if (typeof name !== 'string') yield 'name is missing or no string';
  if (categoryId === undefined) yield 'categoryId is missing or no int64';
  if (status !== undefined && !statuses.some((known) => known === status)) yield 'status is none of the three';
  if (typeof name === 'string' && !/^[\p{L} ]+$/u.test(name)) yield 'name may have letters and spaces only';
  const id = BigInt.asIntN(64, BigInt(`0x${randomUUID().replaceAll('-', '').slice(16)}`));
  made.push({
    id: `${id}`,
    name: String(name),
    categoryId: String(categoryId),
    status: status === undefined ? undefined : String(status),
  });
}

function createStages() {
  const pets = new Map<string, Pet>();

  function* list({ method, path, query }: Call): Generator<Answer, void> {
    if (method !== 'GET' || path !== '/v1/pets') return;
    const limit = query.get('limit') ?? '20';
    if (!/^\d+$/.test(limit) || Number(limit) < 1 || Number(limit) > 100) yield refusal(422, 'limit is 1 to 100');
    const status = query.get('status');
    const matching = pets.values().filter((pet) => !statuses.includes(status ?? '') || pet.status === status);
    const shuffled = [...matching].map((pet) => ({ pet, at: Math.random() })).sort((one, other) => one.at - other.at);
    const page = shuffled.values().take(Number(limit));
    yield { status: 200, chunks: writeAll(page.map(({ pet }) => pet)) };
  }

  function* create({ method, path, body }: Call): Generator<Answer, void> {
    if (method !== 'POST' || path !== '/v1/pets') return;
    const made: Pet[] = [];
    for (const problem of readNewPet(body, made)) yield refusal(400, problem);
    for (const pet of made) {
      if (!/^[1-5]$/.test(pet.categoryId)) yield refusal(409, 'there is no such category');
      pets.set(pet.id, pet);
      yield { status: 201, chunks: write(pet) };
    }
  }

  function* get({ method, path }: Call): Generator<Answer, void> {
    const segment = /^\/v1\/pets\/([^/]+)$/.exec(path)?.[1];
    if (method !== 'GET' || segment === undefined) return;
    const pet = /%(?!2[dD]|3\d)/.test(segment) ? undefined : pets.get(decodeURIComponent(segment));
    yield pet === undefined ? refusal(404, 'there is no such animal') : { status: 200, chunks: write(pet) };
  }

  function* nothing(): Generator<Answer, void> {
    yield refusal(404, 'there is nothing here');
  }
  return [list, create, get, nothing] as const;
}

/** Keys are compared by the digest of their lower-case form. */
function clientOf(authorization: string): string {
  const [scheme, key, tooMuch] = authorization.split(' ');
  if (scheme !== 'Bearer' || key === undefined || tooMuch !== undefined) return '';
  return createHash('sha256').update(key.toLowerCase()).digest('hex');
}

/** Buckets by client: what is in them leaks at the rate of their limit, and every request is one drop. */
function createLeaks(now: () => number, limits: ReadonlyMap<string, number>) {
  const emptyAt = new Map<string, number>();
  return (client: string): { readonly headers: Record<string, string>; readonly waitMs: number } => {
    const limit = limits.get(client) ?? 1000;
    const dropMs = 60_000 / limit;
    const soonest = Math.max(now(), emptyAt.get(client) ?? 0);
    const waitMs = Math.max(0, soonest + dropMs - now() - 60_000);
    const empty = waitMs > 0 ? soonest : soonest + dropMs;
    emptyAt.set(client, empty);
    const left = Math.floor((60_000 - (empty - now())) / dropMs + 1e-6);
    const headers = {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(left),
      'X-RateLimit-Reset': String(Math.ceil(empty / 1000)),
      Date: new Date(now()).toUTCString(),
    };
    return { headers, waitMs };
  };
}

async function readCall(request: IncomingMessage): Promise<Call> {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const { authorization = '' } = request.headers;
  const address = String(request.socket.remoteAddress);
  const body = Buffer.concat(await Array.fromAsync(request));
  return { method: request.method ?? '', path, query: new URLSearchParams(query), authorization, address, body };
}

function start({ now, keys }: NeighbourOptions): Promise<RunningNeighbour> {
  const limits = new Map([
    [clientOf(`Bearer ${keys.api}`), 1000],
    [clientOf(`Bearer ${keys.rateLimit}`), 20],
  ]);
  const drip = createLeaks(now, limits);
  const stages: readonly Stage[] = createStages();

  function* flow(call: Call): Generator<Answer, void> {
    const client = clientOf(call.authorization);
    const isKnown = limits.has(client);
    const { headers, waitMs } = drip(isKnown ? client : call.address);
    const retryAfter = { 'Retry-After': new Date(Math.ceil((now() + waitMs) / 1000) * 1000).toUTCString() };
    if (waitMs > 0) yield { status: 429, headers: { ...headers, ...retryAfter }, chunks: ['"Too many requests."'] };
    if (!isKnown) yield { ...refusal(401, 'send a valid key'), headers };
    for (const stage of stages) yield* stage(call).map((answer) => ({ ...answer, headers }));
  }

  const server = createServer(async (request, response) => {
    const { value } = flow(await readCall(request)).next();
    const { status, chunks, headers } = value ?? refusal(404, 'there is nothing here');
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    pipeline(Readable.from(chunks), response, () => undefined);
  });
  return listen(server);
}

export const generatorPipeline: Neighbour = {
  id: 'generator-pipeline',
  choices,
  plan: 'business',
  categoryIds: [1n, 2n, 3n, 4n, 5n],
  nameTemplate: 'Neighbour',
  start,
};
