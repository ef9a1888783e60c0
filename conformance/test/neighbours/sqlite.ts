/**
 * A neighbour that keeps all of its state, the counters of the rate limit included, in SQLite.
 *
 * Its team chose: ids from 2^53 + 1 on; the limit before the filter; names of 1 to 20 characters without controls, each of
 * them once, else 400 and 409; no status where none is sent; no refusal of a strange limit or filter; one account for both
 * keys, 120 a minute of the clock; 120 for whoever has no key, and 429 beyond; a field more in Errors.
 */

import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import type { Neighbour, NeighbourOptions, RunningNeighbour } from './index.ts';
import { listen } from './listen.ts';

const perMinute = 120;

const schema = `
  CREATE TABLE pets (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, category INTEGER NOT NULL,
    status TEXT CHECK (status IN ('available', 'pending', 'sold'))) STRICT;
  INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', 9007199254740992);
  CREATE TABLE accounts (key TEXT PRIMARY KEY, account TEXT NOT NULL) STRICT;
  CREATE TABLE windows (account TEXT, minute INTEGER, used INTEGER NOT NULL, PRIMARY KEY (account, minute)) STRICT;
`;

const queries = {
  account: 'SELECT account FROM accounts WHERE key = ?',
  count: `INSERT INTO windows VALUES (?, ?, 1)
    ON CONFLICT DO UPDATE SET used = used + 1 WHERE used < ${perMinute} RETURNING used`,
  insert: 'INSERT INTO pets (name, category, status) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING *',
  get: 'SELECT * FROM pets WHERE id = ?',
  list: 'SELECT * FROM (SELECT * FROM pets ORDER BY id LIMIT :limit) WHERE :status IS NULL OR status = :status',
} as const;

function open(keys: readonly string[]) {
  const database = new DatabaseSync(':memory:');
  database.exec(schema);
  for (const key of keys) database.prepare("INSERT INTO accounts VALUES (?, 'ours')").run(key);
  const prepare = (sql: string) => {
    const requirement = database.prepare(sql);
    requirement.setReadBigInts(true);
    return requirement;
  };
  return {
    account: prepare(queries.account),
    count: prepare(queries.count),
    insert: prepare(queries.insert),
    get: prepare(queries.get),
    list: prepare(queries.list),
    close: () => database.close(),
  };
}
type Store = ReturnType<typeof open>;
type Row = Record<string, unknown>;

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

function show({ id, name, category, status }: Row): string {
  const last = status === null ? '' : `,"status":${JSON.stringify(status)}`;
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${category}${last}}`;
}

/** A number of a JSON text as it was written; nothing else in a body can be one. */
class Digits {
  readonly digits: string;
  constructor(digits: string) {
    this.digits = digits;
  }
}

function readJson(bytes: Buffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return JSON.parse(text, (_field, value, context?: { source: string }) =>
      typeof value === 'number' ? new Digits(context?.source ?? '') : value,
    );
  } catch {
    throw new Refusal(400, 'The body cannot be read as JSON.');
  }
}

function readCategory(value: unknown): bigint {
  if (!(value instanceof Digits) || !/^-?\d{1,19}$/.test(value.digits)) {
    throw new Refusal(400, 'The category is an integer.', 'categoryId');
  }
  const category = BigInt(value.digits);
  if (BigInt.asIntN(64, category) !== category) throw new Refusal(400, 'The category is an int64.', 'categoryId');
  return category;
}

function create(store: Store, bytes: Buffer): string {
  const body = readJson(bytes);
  if (typeof body !== 'object' || body === null || Array.isArray(body) || body instanceof Digits) {
    throw new Refusal(400, 'The body is no object.');
  }
  const { name, categoryId, status } = body as Row;
  if (typeof name !== 'string') throw new Refusal(400, 'The name is a string.', 'name');
  const length = [...name].length;
  if (length < 1 || length > 20) throw new Refusal(400, 'The name has 1 to 20 characters.', 'name');
  if (!name.isWellFormed() || /\p{Cc}/u.test(name)) throw new Refusal(400, 'The name has no controls.', 'name');
  const category = readCategory(categoryId);
  if (status !== undefined && !['available', 'pending', 'sold'].some((known) => known === status)) {
    throw new Refusal(400, 'The status is available, pending or sold.', 'status');
  }
  const row = store.insert.get(name, category, status === undefined ? null : String(status));
  if (row === undefined) throw new Refusal(409, 'Another animal has this name.', 'name');
  return show(row);
}

function list(store: Store, query: URLSearchParams): string {
  const { limit = '', status } = Object.fromEntries(query);
  const wanted = /^\d{1,3}$/.test(limit) ? Number(limit) : 0;
  const size = wanted >= 1 && wanted <= 100 ? wanted : 20;
  return `[${store.list
    .all({ limit: size, status: status ?? null })
    .map(show)
    .join()}]`;
}

function get(store: Store, segment: string): string {
  if (!/^-?\d{1,19}$/.test(segment)) throw new Refusal(404, 'That is no id.', 'petId');
  const id = BigInt(segment);
  const row = BigInt.asIntN(64, id) === id ? store.get.get(id) : undefined;
  if (row === undefined) throw new Refusal(404, 'No animal has this id.', 'petId');
  return show(row);
}

function route(store: Store, method: string, target: string, body: Buffer): readonly [number, string] {
  const [path = '', query = ''] = target.split('?');
  if (path === '/v1/pets') {
    if (method === 'GET') return [200, list(store, new URLSearchParams(query))];
    if (method === 'POST') return [201, create(store, body)];
    throw new Refusal(405, 'The collection knows GET and POST.');
  }
  const segment = /^\/v1\/pets\/([^/]*)$/.exec(path)?.[1];
  if (segment === undefined) throw new Refusal(404, 'There is nothing here.');
  if (method !== 'GET') throw new Refusal(405, 'An animal knows GET.');
  // A minus may come as %2D, a digit as %3x: the same segment by RFC 3986.
  return [200, get(store, segment.replace(/%(2d|3\d)/gi, decodeURIComponent))];
}

const start = async ({ now, keys }: NeighbourOptions): Promise<RunningNeighbour> => {
  const store = open([keys.api, keys.rateLimit]);
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request));
    const key = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    const account = key === undefined ? undefined : store.account.get(key)?.['account'];
    const minute = Math.floor(now() / 60_000);
    const used = store.count.get(String(account ?? 'nobody'), minute)?.['used'];
    response.setHeader('X-RateLimit-Limit', perMinute);
    response.setHeader('X-RateLimit-Remaining', perMinute - Number(used ?? perMinute));
    response.setHeader('X-RateLimit-Reset', (minute + 1) * 60);
    response.setHeader('Date', new Date(now()).toUTCString());
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    try {
      if (used === undefined) {
        response.setHeader('Retry-After', Math.ceil((minute + 1) * 60 - now() / 1000));
        throw new Refusal(429, 'That was too much for a minute.');
      }
      if (account === undefined) throw new Refusal(401, 'A valid API key is needed.');
      const [status, text] = route(store, request.method ?? '', request.url ?? '', body);
      response.writeHead(status).end(text);
    } catch (error) {
      const { status, message, field } = error instanceof Refusal ? error : new Refusal(500, 'Something broke.');
      response.writeHead(status).end(JSON.stringify({ code: `pets-${status}`, message, status, field: field ?? null }));
    }
  });
  const { baseUrl, close } = await listen(server);
  return { baseUrl, close: () => close().then(store.close) };
};

export const sqlite: Neighbour = { id: 'sqlite', start };
