/** A neighbour of classes: an application with a chain of middleware, a router and a controller. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Neighbour, NeighbourOptions, RunningNeighbour } from './index.ts';
import { listen } from './listen.ts';

const choices = [
  'names match ^[\\w-]+$, others are refused with 422',
  'pages are capped at 50, whatever limit says',
  'ids are negative and count down from -1',
  'pages begin with the newest animal',
  'a limit outside 1 to 100 is clamped, one that is no integer is ignored',
  'an unknown status filter is refused with 422',
  'unknown and repeated query parameters are refused with 400',
  'unknown body fields are refused with 400, an id in the body too',
  'a media type other than application/json is refused with 415',
  'an omitted status becomes pending',
  'the scheme is Bearer, written so',
  'answers are compressed for who accepts gzip',
  'a sliding window of a minute for each key, Reset is when its oldest request leaves it; refused requests do not count',
  'requests without a valid key are not counted: they always see 60 of 60',
  'an unknown path or method answers 404 with an Error',
];

class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

class Context {
  readonly request: IncomingMessage;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Record<string, string> = { 'Content-Type': 'application/json' };
  status = 200;
  body: string | Buffer = '';
  key: string | undefined;
  constructor(request: IncomingMessage) {
    const [path = '', query = ''] = (request.url ?? '/').split('?');
    this.request = request;
    this.path = path;
    this.query = new URLSearchParams(query);
  }
  async text(): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.request) chunks.push(chunk);
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    } catch {
      throw new HttpError(400, 'NOT_UTF8', 'The body is not UTF-8.');
    }
  }
}

type Next = () => Promise<void>;
interface Middleware {
  handle(context: Context, next: Next): Promise<void>;
}

class Compression implements Middleware {
  async handle(context: Context, next: Next): Promise<void> {
    await next();
    if (!/\bgzip\b/.test(String(context.request.headers['accept-encoding']))) return;
    context.body = gzipSync(context.body);
    context.headers['Content-Encoding'] = 'gzip';
    context.headers['Vary'] = 'Accept-Encoding';
  }
}

class Errors implements Middleware {
  async handle(context: Context, next: Next): Promise<void> {
    try {
      await next();
    } catch (error) {
      const known = error instanceof HttpError ? error : new HttpError(500, 'INTERNAL', 'Something broke.');
      context.status = known.status;
      Object.assign(context.headers, known.headers);
      context.body = JSON.stringify({ status: known.status, code: known.code, message: known.message });
    }
  }
}

class Authentication implements Middleware {
  private readonly known: ReadonlySet<string>;
  constructor(known: ReadonlySet<string>) {
    this.known = known;
  }
  handle(context: Context, next: Next): Promise<void> {
    const [scheme, key, ...rest] = (context.request.headers.authorization ?? '').split(' ');
    if (scheme === 'Bearer' && key !== undefined && rest.length === 0 && this.known.has(key)) context.key = key;
    return next();
  }
}

/** Each request leaves the window at a whole second, so that Reset and Remaining move together. */
class SlidingWindow implements Middleware {
  private readonly leaving = new Map<string, number[]>();
  private readonly limits: ReadonlyMap<string, number>;
  private readonly now: () => number;
  constructor(limits: ReadonlyMap<string, number>, now: () => number) {
    this.limits = limits;
    this.now = now;
  }
  handle(context: Context, next: Next): Promise<void> {
    const second = Math.ceil(this.now() / 1000);
    const limit = this.limits.get(context.key ?? '') ?? 60;
    const left = (this.leaving.get(context.key ?? '') ?? []).filter((leaves) => leaves * 1000 > this.now());
    const isOver = left.length >= limit;
    if (context.key !== undefined && !isOver) left.push(second + 60);
    this.leaving.set(context.key ?? '', left);
    const reset = left[0] ?? second + 60;
    context.headers['X-RateLimit-Limit'] = `${limit}`;
    context.headers['X-RateLimit-Remaining'] = `${limit - left.length}`;
    context.headers['X-RateLimit-Reset'] = `${reset}`;
    if (context.key === undefined) throw new HttpError(401, 'UNAUTHORIZED', 'This needs a valid API key.');
    const wait = Math.ceil(reset - this.now() / 1000);
    if (isOver) throw new HttpError(429, 'RATE_LIMITED', 'Too many requests.', { 'Retry-After': `${wait}` });
    return next();
  }
}

class Pet {
  readonly id: bigint;
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: string;
  constructor(id: bigint, name: string, categoryId: bigint, status: string) {
    this.id = id;
    this.name = name;
    this.categoryId = categoryId;
    this.status = status;
  }
  toString(): string {
    return `{"id":${this.id},"name":"${this.name}","categoryId":${this.categoryId},"status":"${this.status}"}`;
  }
}

class PetController {
  private readonly pets = new Map<bigint, Pet>();
  private static readonly statuses: readonly unknown[] = ['available', 'pending', 'sold'];

  list({ query }: Context): string {
    for (const name of query.keys()) {
      if (name !== 'limit' && name !== 'status') throw new HttpError(400, 'BAD_QUERY', `There is no ${name}.`);
      if (query.getAll(name).length > 1) throw new HttpError(400, 'BAD_QUERY', `${name} comes once.`);
    }
    const status = query.get('status');
    if (status !== null && !PetController.statuses.includes(status)) {
      throw new HttpError(422, 'BAD_STATUS', 'There is no such status.');
    }
    const asked = query.get('limit') ?? '';
    const limit = /^[+-]?\d+$/.test(asked) ? Math.min(Math.max(Number(asked), 1), 50) : 20;
    const newest = [...this.pets.values()].reverse().filter((pet) => status === null || pet.status === status);
    return `[${newest.slice(0, limit).join(',')}]`;
  }

  async create(context: Context): Promise<string> {
    const type = context.request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
    if (type !== 'application/json') throw new HttpError(415, 'BAD_TYPE', 'Send application/json.');
    const { name, categoryId, status = 'pending' } = this.parse(await context.text());
    if (typeof name !== 'string') throw new HttpError(400, 'BAD_NAME', 'The name is a string.');
    if (typeof categoryId !== 'bigint' || categoryId < -(2n ** 63n) || categoryId >= 2n ** 63n) {
      throw new HttpError(400, 'BAD_CATEGORY', 'The categoryId is an int64.');
    }
    if (!PetController.statuses.includes(status)) throw new HttpError(400, 'BAD_STATUS', 'There is no such status.');
    if (!/^[\w-]+$/.test(name)) throw new HttpError(422, 'NAME_REFUSED', 'Names have letters, digits, _ and - only.');
    const pet = new Pet(BigInt(-this.pets.size - 1), name, categoryId, String(status));
    this.pets.set(pet.id, pet);
    context.status = 201;
    return `${pet}`;
  }

  get(id: string): string {
    const pet = /^-?[1-9]\d{0,18}$/.test(id) ? this.pets.get(BigInt(id)) : undefined;
    if (pet === undefined) throw new HttpError(404, 'NO_PET', 'There is no such animal.');
    return `${pet}`;
  }

  private parse(text: string): Record<string, unknown> {
    let body: unknown;
    try {
      body = JSON.parse(text, (_field, value, context?: { source: string }) =>
        context !== undefined && /^-?\d+$/.test(context.source ?? '') ? BigInt(context.source) : value,
      );
    } catch {
      throw new HttpError(400, 'NO_JSON', 'The body is no JSON.');
    }
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new HttpError(400, 'NO_OBJECT', 'The body is no JSON object.');
    }
    const unknown = Object.keys(body).find((field) => !['name', 'categoryId', 'status'].includes(field));
    if (unknown !== undefined) throw new HttpError(400, 'UNKNOWN_FIELD', 'The body has a field too many.');
    return body as Record<string, unknown>;
  }
}

class Router implements Middleware {
  private readonly pets = new PetController();
  async handle(context: Context): Promise<void> {
    const { path } = context;
    const { method } = context.request;
    if (method === 'GET' && path === '/v1/pets') context.body = this.pets.list(context);
    else if (method === 'POST' && path === '/v1/pets') context.body = await this.pets.create(context);
    else if (method === 'GET' && path.startsWith('/v1/pets/')) context.body = this.pets.get(this.segment(path));
    else throw new HttpError(404, 'NO_ROUTE', 'There is nothing here.');
  }
  private segment(path: string): string {
    try {
      return decodeURIComponent(path.slice('/v1/pets/'.length));
    } catch {
      return '';
    }
  }
}

class Application {
  private readonly chain: readonly Middleware[];
  private readonly now: () => number;
  constructor(chain: readonly Middleware[], now: () => number) {
    this.chain = chain;
    this.now = now;
  }
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const context = new Context(request);
    const run = (index: number): Promise<void> =>
      this.chain[index]?.handle(context, () => run(index + 1)) ?? Promise.resolve();
    await run(0);
    response.writeHead(context.status, { ...context.headers, Date: new Date(this.now()).toUTCString() });
    response.end(context.body);
  }
}

function start({ now, keys }: NeighbourOptions): Promise<RunningNeighbour> {
  const limits = new Map([
    [keys.api, 300],
    [keys.rateLimit, 60],
  ]);
  const application = new Application(
    [
      new Compression(),
      new Errors(),
      new Authentication(new Set(limits.keys())),
      new SlidingWindow(limits, now),
      new Router(),
    ],
    now,
  );
  const server = createServer((request, response) => application.serve(request, response));
  return listen(server);
}

export const middlewareClasses: Neighbour = { id: 'middleware-classes', choices, plan: 'pro', start };
