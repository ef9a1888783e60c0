/**
 * A neighbour that keeps all of its state, the counters of the rate limit included, in SQLite.
 *
 * Its team chose: ids from 2^53 + 1 on; the limit before the filter; names of 1 to 20 characters without controls, each of
 * them once, else 400 and 409; no status where none is sent; no refusal of a strange limit or filter; one account for both
 * keys, 120 a minute of the clock; 120 for whoever has no key, and 429 beyond; a field more in Errors.
 */

import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { buffer } from 'node:stream/consumers';
import { keysOfTrials } from '../../services/wraps.ts';
import { listen, type Neighbour } from './neighbour.ts';

const perMinute = 120;

const schema = `
  CREATE TABLE pets (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, category INTEGER NOT NULL,
    status TEXT CHECK (status IN ('available', 'pending', 'sold'))) STRICT;
  INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', 9007199254740992);
  CREATE TABLE windows (account TEXT, minute INTEGER, used INTEGER NOT NULL, PRIMARY KEY (account, minute)) STRICT;
`;
const queries = {
  count: `INSERT INTO windows VALUES (?, ?, 1)
    ON CONFLICT DO UPDATE SET used = used + 1 WHERE used < ${perMinute} RETURNING used`,
  insert: 'INSERT INTO pets (name, category, status) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING *',
  get: 'SELECT * FROM pets WHERE id = ?',
  list: 'SELECT * FROM (SELECT * FROM pets ORDER BY id LIMIT :limit) WHERE :status IS NULL OR status = :status',
} as const;

function open() {
  const database = new DatabaseSync(':memory:');
  database.exec(schema);
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement;
  };
  const { count, insert, get, list } = queries;
  return { count: prepare(count), insert: prepare(insert), get: prepare(get), list: prepare(list) };
}
type Store = ReturnType<typeof open>;

/** An answer that is no success, thrown wherever it is noticed. */
class Refusal extends Error {
  readonly status: number;
  readonly field: string | undefined;
  constructor(status: number, message: string, field?: string) {
    super(message);
    this.status = status;
    this.field = field;
  }
}

function show({ id, name, category, status }: Readonly<Record<string, unknown>>): string {
  const last = status === null ? '' : `,"status":${JSON.stringify(status)}`;
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${category}${last}}`;
}

const isInt64 = (value: unknown): value is bigint => typeof value === 'bigint' && BigInt.asIntN(64, value) === value;

/** Reads JSON in UTF-8: integers become bigints by their digits; every other number stays a number. */
function readJson(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return JSON.parse(text, (_field, value, context?: { source: string }) =>
      typeof value === 'number' && /^-?\d+$/.test(context?.source ?? '') ? BigInt(context?.source ?? '') : value,
    );
  } catch {
    throw new Refusal(400, 'The body cannot be read as JSON.');
  }
}

function create(store: Store, bytes: Uint8Array): string {
  const body = readJson(bytes);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal(400, 'The body is no object.');
  const { name, categoryId, status } = body as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || !name.isWellFormed() || !/^[^\p{Cc}]{1,20}$/u.test(name))
    throw new Refusal(400, 'The name has 1 to 20 characters, and no controls.', 'name');
  if (!isInt64(categoryId)) throw new Refusal(400, 'The category is an int64.', 'categoryId');
  if (status !== undefined && !['available', 'pending', 'sold'].includes(status as string))
    throw new Refusal(400, 'No such status.', 'status');
  const row = store.insert.get(name, categoryId, status === undefined ? null : String(status));
  if (row === undefined) throw new Refusal(409, 'Another animal has this name.', 'name');
  return show(row);
}

function list(store: Store, query: URLSearchParams): string {
  const { limit = '', status = null } = Object.fromEntries(query);
  const size = /^([1-9]\d?|100)$/.test(limit) ? Number(limit) : 20;
  return `[${store.list.all({ limit: size, status }).map(show).join()}]`;
}

function get(store: Store, segment: string): string {
  const id = /^-?\d{1,19}$/.test(segment) ? BigInt(segment) : undefined;
  const row = isInt64(id) ? store.get.get(id) : undefined;
  if (row === undefined) throw new Refusal(404, 'No animal has this id.', 'petId');
  return show(row);
}

function route(store: Store, line: string, query: URLSearchParams, body: Uint8Array) {
  const [, method, segment] = /^(\w+) \/v1\/pets(?:\/([^/]*))?$/.exec(line) ?? [];
  if (method === undefined) throw new Refusal(404, 'There is nothing here.');
  if (segment === undefined && method === 'GET') return [200, list(store, query)] as const;
  if (segment === undefined && method === 'POST') return [201, create(store, body)] as const;
  if (segment === undefined || method !== 'GET') throw new Refusal(405, 'Animals know GET and POST.');
  // A minus may come as %2D, a digit as %3x: the same segment by RFC 3986.
  return [200, get(store, segment.replace(/%(2d|3\d)/gi, decodeURIComponent))] as const;
}

export const sqlite: Neighbour = async (now) => {
  const store = open();
  const server = createServer(async (request, response) => {
    const asked = await buffer(request);
    const isKnown = Object.values(keysOfTrials).some((key) => request.headers.authorization === `Bearer ${key}`);
    const minute = Math.floor(now() / 60_000);
    const used = store.count.get(isKnown ? 'ours' : 'nobody', minute)?.['used'];
    const headers = {
      Date: new Date(now()).toUTCString(),
      'X-RateLimit-Limit': perMinute,
      'X-RateLimit-Remaining': perMinute - Number(used ?? perMinute),
      'X-RateLimit-Reset': (minute + 1) * 60,
      'Content-Type': 'application/json; charset=utf-8',
      ...(used === undefined && { 'Retry-After': Math.ceil((minute + 1) * 60 - now() / 1000) }),
    };
    try {
      if (used === undefined) throw new Refusal(429, 'That was too much for a minute.');
      if (!isKnown) throw new Refusal(401, 'A valid API key is needed.');
      const [path, query] = (request.url ?? '').split('?');
      const [status, body] = route(store, `${request.method} ${path}`, new URLSearchParams(query), asked);
      response.writeHead(status, headers).end(body);
    } catch (error) {
      const { status, message, field = null } = error instanceof Refusal ? error : new Refusal(500, 'Something broke.');
      response.writeHead(status, headers).end(JSON.stringify({ code: `pets-${status}`, message, status, field }));
    }
  });
  return listen(server);
};
