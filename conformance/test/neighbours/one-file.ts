/**
 * A neighbour that is a handful of plain functions and one Map, with nothing between request and answer.
 *
 * Its team chose: random positive int64 ids; pages ordered by name; 400 to a limit outside 1 to 100 and to an unknown
 * status; the last of repeated parameters; any string as a name; no 1.0 as an integer; the scheme in any case; 405 to other
 * methods; pretty-printed JSON; for each key a window of a minute that the first request starts and refused ones fill; 600
 * requests a minute without a key, and 429 beyond.
 */

import { randomBytes } from 'node:crypto';
import {
  type Asked,
  type Given,
  isFields,
  isInt64,
  type Neighbour,
  type NeighbourOptions,
  parse,
  serve,
  statuses,
} from './neighbour.ts';

interface Pet {
  readonly id: bigint;
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: string;
}
type Pets = Map<string, Pet>;

const fail = (status: number, code: string, message: string, headers = {}): Given => ({
  status,
  headers,
  body: JSON.stringify({ code, message, status }, null, 2),
});
const give = (status: number, body: string): Given => ({ status, headers: {}, body });
const write = ({ id, name, categoryId, status }: Pet): string =>
  `{\n  "id": ${id},\n  "name": ${JSON.stringify(name)},\n  "categoryId": ${categoryId},\n  "status": "${status}"\n}`;

function list(pets: Pets, query: URLSearchParams): Given {
  const [limit = '20', status] = [query.getAll('limit').at(-1), query.getAll('status').at(-1)];
  if (!/^([1-9]\d?|100)$/.test(limit)) return fail(400, 'bad_limit', 'limit is an integer from 1 to 100');
  if (status !== undefined && !statuses.includes(status)) return fail(400, 'bad_status', 'no such status');
  const page = [...pets.values()]
    .filter((pet) => status === undefined || pet.status === status)
    .sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0))
    .slice(0, Number(limit));
  return give(200, `[${page.map(write).join(',\n')}]`);
}

function create(pets: Pets, bytes: Uint8Array): Given {
  const body = parse(bytes);
  const { name, categoryId, status = 'available' } = isFields(body) ? body : {};
  if (typeof name !== 'string' || !isInt64(categoryId) || typeof status !== 'string' || !statuses.includes(status))
    return fail(400, 'bad_pet', 'a pet has a name, a categoryId and perhaps a status');
  const pet = { id: BigInt.asUintN(63, randomBytes(8).readBigUInt64BE()), name, categoryId, status };
  pets.set(String(pet.id), pet);
  return give(201, write(pet));
}

function get(pets: Pets, segment: string): Given {
  const pet = pets.get(decodeURIComponent(segment));
  return pet === undefined ? fail(404, 'no_such_pet', 'no pet has this id') : give(200, write(pet));
}

function answer(pets: Pets, { method, path, query, body }: Asked): Given {
  const single = /^\/pets\/([^/]+)$/.exec(path)?.[1];
  if (path !== '/pets' && single === undefined) return fail(404, 'no_such_path', 'there is nothing here');
  if (method === 'GET') return single === undefined ? list(pets, query) : get(pets, single);
  if (method === 'POST' && single === undefined) return create(pets, body);
  return fail(405, 'no_such_method', 'not here', { Allow: single === undefined ? 'GET, POST' : 'GET' });
}

function createLimiter(now: () => number) {
  const windows = new Map<string, { ends: number; used: number }>();
  return (client: string, limit: number) => {
    const open = windows.get(client);
    const current = open !== undefined && open.ends > now() ? open : { ends: now() + 60_000, used: 0 };
    current.used += 1;
    windows.set(client, current);
    const headers = {
      'X-RateLimit-Limit': limit,
      'X-RateLimit-Remaining': Math.max(0, limit - current.used),
      'X-RateLimit-Reset': Math.ceil(current.ends / 1000),
    };
    return { headers, waitSeconds: current.used > limit ? Math.ceil((current.ends - now()) / 1000) : undefined };
  };
}

function start({ now, keys }: NeighbourOptions) {
  const pets: Pets = new Map();
  const limits = new Map([
    [keys.api, 1000],
    [keys.rateLimit, 10],
  ]);
  const count = createLimiter(now);

  function respond(asked: Asked, key: string, waitSeconds: number | undefined): Given {
    if (waitSeconds !== undefined) return fail(429, 'too_many', 'slow down', { 'Retry-After': waitSeconds });
    if (!limits.has(key)) return fail(401, 'who_are_you', 'send your API key');
    try {
      return answer(pets, asked);
    } catch {
      // What cannot be read, by us or by the parsers, is the client's fault: here is nothing else that throws.
      return asked.method === 'POST'
        ? fail(400, 'unreadable', 'the body is no JSON')
        : fail(404, 'no_such_pet', 'no pet has this id');
    }
  }
  return serve(now, (asked) => {
    const key = /^bearer (.+)$/i.exec(asked.authorization)?.[1] ?? '';
    const { headers, waitSeconds } = count(limits.has(key) ? key : 'no key', limits.get(key) ?? 600);
    const given = respond(asked, key, waitSeconds);
    return { ...given, headers: { ...headers, ...given.headers } };
  });
}

export const oneFile: Neighbour = { plan: 'business', start };
