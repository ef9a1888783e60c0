/**
 * A neighbour that is a handful of plain functions and one Map, with nothing between request and answer.
 *
 * Its team chose: random positive int64 ids; pages ordered by name; 400 to a limit outside 1 to 100 and to an unknown
 * status; the last of repeated parameters; any string as a name; no 1.0 as an integer; the scheme in any case; 405 to other
 * methods; pretty-printed JSON; for each key a window of a minute that the first request starts and refused ones fill; 600
 * requests a minute without a key, and 429 beyond.
 */

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { Neighbour, NeighbourOptions, RunningNeighbour } from './index.ts';
import { listen } from './listen.ts';

interface Pet {
  readonly id: bigint;
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: string;
}
interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const statuses = ['available', 'pending', 'sold'];

const fail = (status: number, code: string, message: string, headers = {}): Answer => ({
  status,
  headers,
  body: JSON.stringify({ code, message, status }, null, 2),
});

const write = ({ id, name, categoryId, status }: Pet): string =>
  `{\n  "id": ${id},\n  "name": ${JSON.stringify(name)},\n  "categoryId": ${categoryId},\n  "status": "${status}"\n}`;

/** Integers become bigint by their digits; every other number stays a number, and is refused. */
const parse = (text: string): unknown =>
  JSON.parse(text, (_field, value, context?: { source: string }) =>
    typeof value === 'number' && /^-?\d+$/.test(context?.source ?? '') ? BigInt(context?.source ?? '') : value,
  );

const isInt64 = (value: unknown): value is bigint => typeof value === 'bigint' && BigInt.asIntN(64, value) === value;

function readPet(text: string): Omit<Pet, 'id'> | undefined {
  const body = parse(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const { name, categoryId, status = 'available' } = body as Record<string, unknown>;
  if (typeof name !== 'string' || !isInt64(categoryId)) return undefined;
  return typeof status === 'string' && statuses.includes(status) ? { name, categoryId, status } : undefined;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}

function list(pets: ReadonlyMap<string, Pet>, query: URLSearchParams): Answer {
  const limit = query.getAll('limit').at(-1) ?? '20';
  const status = query.getAll('status').at(-1);
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 100) {
    return fail(400, 'bad_limit', 'limit is an integer from 1 to 100');
  }
  if (status !== undefined && !statuses.includes(status)) return fail(400, 'bad_status', 'no such status');
  const page = [...pets.values()]
    .filter((pet) => status === undefined || pet.status === status)
    .sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
    .slice(0, Number(limit));
  return { status: 200, body: `[${page.map(write).join(',\n')}]` };
}

function create(pets: Map<string, Pet>, text: string): Answer {
  const newPet = readPet(text);
  if (newPet === undefined) return fail(400, 'bad_pet', 'a pet has a name, a categoryId and perhaps a status');
  const pet = { ...newPet, id: BigInt.asUintN(63, randomBytes(8).readBigUInt64BE()) };
  pets.set(String(pet.id), pet);
  return { status: 201, body: write(pet) };
}

function get(pets: ReadonlyMap<string, Pet>, segment: string): Answer {
  const pet = pets.get(decodeURIComponent(segment));
  return pet === undefined ? fail(404, 'no_such_pet', 'no pet has this id') : { status: 200, body: write(pet) };
}

async function answer(pets: Map<string, Pet>, request: IncomingMessage): Promise<Answer> {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const single = /^\/v1\/pets\/([^/]+)$/.exec(path)?.[1];
  if (path !== '/v1/pets' && single === undefined) return fail(404, 'no_such_path', 'there is nothing here');
  if (request.method === 'GET') {
    return single === undefined ? list(pets, new URLSearchParams(query)) : get(pets, single);
  }
  if (request.method === 'POST' && single === undefined) return create(pets, await readBody(request));
  return fail(405, 'no_such_method', 'not here', { Allow: single === undefined ? 'GET, POST' : 'GET' });
}

/** What cannot be read, by us or by the parsers, is the client's fault: here is nothing else that throws. */
const refuse = (request: IncomingMessage): Answer =>
  request.method === 'POST'
    ? fail(400, 'unreadable', 'the body is no JSON')
    : fail(404, 'no_such_pet', 'no pet has this id');

function createLimiter(now: () => number) {
  const windows = new Map<string, { ends: number; used: number }>();
  return (client: string, limit: number) => {
    const open = windows.get(client);
    const current = open !== undefined && open.ends > now() ? open : { ends: now() + 60_000, used: 0 };
    current.used += 1;
    windows.set(client, current);
    const seconds = Math.ceil((current.ends - now()) / 1000);
    const headers = {
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(Math.max(0, limit - current.used)),
      'X-RateLimit-Reset': String(Math.ceil(current.ends / 1000)),
    };
    return { headers, retryAfter: current.used > limit ? { 'Retry-After': String(seconds) } : undefined };
  };
}

/** How a language writes JSON, and whether the server repeats a refused credential, as some do in development. */
interface Style {
  /** Writes a JSON text in another way with the same meaning. */
  readonly rewrite: (json: string) => string;
  readonly echoesCredential: boolean;
}

const plainStyle: Style = { rewrite: (json) => json, echoesCredential: false };

function start({ now, keys }: NeighbourOptions, { rewrite, echoesCredential } = plainStyle): Promise<RunningNeighbour> {
  const pets = new Map<string, Pet>();
  const limits = new Map([
    [keys.api, 1000],
    [keys.rateLimit, 10],
  ]);
  const count = createLimiter(now);
  const server = createServer(async (request, response) => {
    const key = /^bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const limit = limits.get(key);
    const { headers, retryAfter } =
      limit === undefined ? count(`from ${request.socket.remoteAddress}`, 600) : count(key, limit);
    const given =
      retryAfter !== undefined
        ? fail(429, 'too_many', 'slow down', retryAfter)
        : limit === undefined
          ? fail(
              401,
              'who_are_you',
              echoesCredential ? `not a key: ${key || request.url}, one is ${keys.api}` : 'send your API key',
              { 'WWW-Authenticate': 'Bearer' },
            )
          : await answer(pets, request).catch(() => refuse(request));
    const date = new Date(now()).toUTCString();
    response.writeHead(given.status, {
      'Content-Type': 'application/json',
      ...headers,
      ...given.headers,
      Date: date,
    });
    response.end(rewrite(given.body));
  });
  return listen(server);
}

export const oneFile: Neighbour = { id: 'one-file', plan: 'business', start: (options) => start(options) };

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** System.Text.Json escapes all but letters and digits of ASCII and some punctuation, in upper case. */
const asDotNet = (json: string): string =>
  json.replace(/[+&<>'`]|[^\0-\x7f]/g, (character) => escaped(character).toUpperCase().replace('U', 'u'));
/** json_encode escapes slashes and all that is not ASCII. */
const asPhp = (json: string): string => json.replaceAll('/', '\\/').replace(/[^\0-\x7f]/g, escaped);

/** The same in the words of other languages; in development, they repeat the credential that they refuse. */
export const inOtherLanguages = Object.entries({ 'dot-net': asDotNet, php: asPhp }).map(
  ([id, rewrite]): Neighbour => ({
    id: `one-file-as-${id}`,
    plan: 'business',
    start: (options) => start(options, { rewrite, echoesCredential: true }),
  }),
);
