/** A neighbour on a mini-framework in the manner of Express: `use`, `get`, `post`, `next` and error middleware. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Neighbour, NeighbourOptions, RunningNeighbour } from './index.ts';
import { listen } from './listen.ts';

const choices = [
  'only the categories 1 to 5 are known, others are refused with 422',
  'bodies of more than 4 KiB are refused with 413',
  'an unknown path answers 404 with a page of HTML, without headers of the rate limit: it is none of ours',
  'an unknown method on a known path answers 405 with an Error',
  'ids count up from 1, pages begin with the oldest animal',
  'a limit outside 1 to 100, or none that is an integer, is refused with 400',
  'an unknown status filter is refused with 400',
  'unknown query parameters are ignored, repeated ones refused with 400',
  'unknown body fields are dropped, an id in the body is refused with 400',
  'an omitted status becomes pending',
  'Errors also have the fields of problem details',
  'the scheme may be written in any case',
  'a fixed window of a minute for each key; refused requests do not count',
  'requests without a valid key are counted for each address, 300 a minute, and get 429 beyond',
  'the 429 body is empty',
  'after five refusals in a window the key is banned for 70 s: 403 with an Error',
  'header names are in lower case',
];

interface Request extends IncomingMessage {
  path: string;
  query: URLSearchParams;
  params: readonly string[];
  body: unknown;
  limit: number | undefined;
}
interface Response extends ServerResponse {
  json: (status: number, text: string) => void;
}
type Next = (error?: unknown) => void;
type Handler = (request: Request, response: Response, next: Next) => void;
type ErrorHandler = (error: unknown, request: Request, response: Response, next: Next) => void;
interface Layer {
  readonly matches: (request: Request) => boolean;
  readonly handler: Handler | ErrorHandler;
}

/** The framework: layers are tried in order, after an error only those that take four arguments. */
function framework() {
  const layers: Layer[] = [];
  const route = (method: string | undefined, path: RegExp) => (request: Request) => {
    const found = path.exec(request.path);
    if (found === null || (method !== undefined && request.method !== method)) return false;
    request.params = found.slice(1);
    return true;
  };
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const [path = '', query = ''] = (incoming.url ?? '').split('?');
    const request: Request = Object.assign(incoming, {
      path,
      query: new URLSearchParams(query),
      params: [],
      body: undefined,
      limit: undefined,
    });
    const json = (status: number, text: string) => {
      outgoing.statusCode = status;
      outgoing.setHeader('content-type', 'application/json');
      outgoing.end(text);
    };
    const response: Response = Object.assign(outgoing, { json });
    const step = (index: number, error?: unknown): void => {
      const layer = layers[index];
      if (layer === undefined) return;
      const next: Next = (problem) => step(index + 1, problem);
      const { handler } = layer;
      const takesErrors = handler.length === 4;
      try {
        if (takesErrors !== (error !== undefined) || !layer.matches(request)) next(error);
        else if (takesErrors) (handler as ErrorHandler)(error, request, response, next);
        else (handler as Handler)(request, response, next);
      } catch (thrown) {
        next(thrown);
      }
    };
    step(0);
  };
  return Object.assign(handle, {
    use: (handler: Handler | ErrorHandler) => layers.push({ matches: () => true, handler }),
    all: (path: RegExp, handler: Handler) => layers.push({ matches: route(undefined, path), handler }),
    get: (path: RegExp, handler: Handler) => layers.push({ matches: route('GET', path), handler }),
    post: (path: RegExp, handler: Handler) => layers.push({ matches: route('POST', path), handler }),
  });
}

class HttpError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const collection = /^\/v1\/pets$/;
const single = /^\/v1\/pets\/([^/]*)$/;

/** Counts, sets the headers of the rate limit, and lets no one pass who has no key or has used it up. */
function guard(now: () => number, limits: ReadonlyMap<string, number>): Handler {
  const clients = new Map<string, { ends: number; used: number; refused: number; bannedUntil: number }>();
  return (request, response, next) => {
    const key = request.headers.authorization?.replace(/^bearer /i, 'Bearer ') ?? '';
    const limit = limits.get(key);
    const client = limit === undefined ? `${request.socket.remoteAddress}` : key;
    const known = clients.get(client) ?? { ends: 0, used: 0, refused: 0, bannedUntil: 0 };
    clients.set(client, known);
    if (known.ends <= now()) Object.assign(known, { ends: now() + 60_000, used: 0, refused: 0 });
    const most = limit ?? 300;
    const isOver = known.used >= most;
    if (isOver) known.refused += 1;
    else known.used += 1;
    if (limit !== undefined && known.refused === 6) known.bannedUntil = now() + 70_000;
    const isBanned = known.bannedUntil > now();
    const until = isBanned ? known.bannedUntil : known.ends;
    response.setHeader('x-ratelimit-limit', most);
    response.setHeader('x-ratelimit-remaining', isBanned ? 0 : most - known.used);
    response.setHeader('x-ratelimit-reset', Math.ceil(until / 1000));
    if (isOver || isBanned) response.setHeader('retry-after', Math.ceil((until - now()) / 1000));
    if (isBanned) return next(new HttpError(403, 'This key is banned for a while.'));
    if (isOver) {
      response.statusCode = 429;
      response.end();
      return;
    }
    next(limit === undefined ? new HttpError(401, 'An API key is missing, or it is not valid.') : undefined);
  };
}

/** Reads the body as JSON, in which integers are bigint and other numbers stay numbers. */
const jsonBody: Handler = (request, _response, next) => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= 4096) chunks.push(chunk);
  });
  request.on('end', () => {
    if (bytes > 4096) return next(new HttpError(413, 'The body is too large.'));
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
      request.body = JSON.parse(text, (_field, value, context?: { source: string }) =>
        typeof value === 'number' && /^-?\d+$/.test(context?.source ?? '') ? BigInt(context!.source) : value,
      );
    } catch {
      return next(new HttpError(400, 'The body is no JSON.'));
    }
    next();
  });
};

interface Pet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: string;
  readonly id: number;
}
const statuses: readonly unknown[] = ['available', 'pending', 'sold'];

function toNewPet(body: unknown): Omit<Pet, 'id'> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new HttpError(400, 'Send an object.');
  const { name, categoryId, status = 'pending', id } = body as Record<string, unknown>;
  if (id !== undefined) throw new HttpError(400, 'The id is ours to give.');
  if (typeof name !== 'string') throw new HttpError(400, 'name must be a string.');
  if (typeof categoryId !== 'bigint' || categoryId !== BigInt.asIntN(64, categoryId)) {
    throw new HttpError(400, 'categoryId must be an int64.');
  }
  if (!statuses.includes(status)) throw new HttpError(400, 'status must be available, pending or sold.');
  if (categoryId < 1n || categoryId > 5n) throw new HttpError(422, 'There is no such category.');
  return { name, categoryId, status: String(status) };
}

const show = ({ id, name, categoryId, status }: Pet) => ({ id, name, categoryId: Number(categoryId), status });

function buildApplication({ now, keys }: NeighbourOptions) {
  const pets: Pet[] = [];
  const application = framework();
  const first: Handler = (request, response, next) => {
    response.setHeader('date', new Date(now()).toUTCString());
    if (collection.test(request.path) || single.test(request.path)) {
      next();
      return;
    }
    response.statusCode = 404;
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>404</title><p>No such page.');
  };
  application.use(first);
  application.use(
    guard(
      now,
      new Map([
        [`Bearer ${keys.api}`, 1000],
        [`Bearer ${keys.rateLimit}`, 12],
      ]),
    ),
  );
  application.get(collection, ({ query }, response) => {
    for (const name of ['limit', 'status']) {
      if (query.getAll(name).length > 1) throw new HttpError(400, `${name} must be given once.`);
    }
    const limit = query.get('limit') ?? '20';
    const status = query.get('status');
    if (!/^\d{1,3}$/.test(limit) || +limit < 1 || +limit > 100) throw new HttpError(400, 'limit must be 1 to 100.');
    if (status !== null && !statuses.includes(status)) throw new HttpError(400, 'There is no such status.');
    const found = pets.filter((pet) => status === null || pet.status === status);
    response.json(200, JSON.stringify(found.slice(0, +limit).map(show)));
  });
  application.post(collection, jsonBody);
  application.post(collection, (request, response) => {
    const pet = { id: pets.length + 1, ...toNewPet(request.body) };
    pets.push(pet);
    response.json(201, JSON.stringify(show(pet)));
  });
  application.get(single, ({ params: [segment = ''] }, response) => {
    const id = /^(\d|%3\d)+$/.test(segment) ? decodeURIComponent(segment) : '';
    const pet = pets.find((candidate) => String(candidate.id) === id);
    if (pet === undefined) throw new HttpError(404, 'There is no such pet.');
    response.json(200, JSON.stringify(show(pet)));
  });
  application.all(/./, (request, _response, next) => next(new HttpError(405, `${request.method} is not for here.`)));
  const errors: ErrorHandler = (error, request, response, _next) => {
    const { status, message } = error instanceof HttpError ? error : new HttpError(500, 'Something broke.');
    const problem = { type: 'about:blank', title: message, detail: message, instance: request.path };
    response.json(status, JSON.stringify({ code: `http.${status}`, message, status, ...problem }));
  };
  application.use(errors);
  return application;
}

function start(options: NeighbourOptions): Promise<RunningNeighbour> {
  const server = createServer(buildApplication(options));
  return listen(server);
}

export const miniFramework: Neighbour = {
  id: 'mini-framework',
  choices,
  plan: 'business',
  categoryIds: [1n, 2n, 3n, 4n, 5n],
  start,
};
