/** A neighbour in layers, as large Java applications have them: filter, controller, service, repository, mapper. */

import { createServer } from 'node:http';
import type { Neighbour, NeighbourOptions, RunningNeighbour } from './index.ts';
import { listen } from './listen.ts';

const choices = [
  'only the categories 1 to 5 are known, others are refused with 400',
  'names are unique, one that is taken is refused with 400; the category is looked at first',
  'ids are snowflakes: milliseconds, a worker, a sequence',
  'pages begin with the newest animal',
  'animals carry links and their category as nested objects',
  'a limit above 100 is cut to 100, one below 1 or none that is an integer is refused with 400',
  'an unknown status filter is refused with 422',
  'unknown query parameters are refused with 400; of repeated ones the first wins',
  'unknown body fields are dropped, an id in the body too',
  'an omitted status stays away: the animal has none',
  'names are at most 255 characters of well-formed text, others are refused with 400',
  'a media type other than application/json is refused with 415',
  'the scheme is Bearer, written so',
  'the headers show the minute or the day, of which fewer requests are left; refused requests do not count',
  'the limits of an account are shared by its keys; our two keys are of two accounts, Pro and Free',
  'requests without a valid key are counted for each address as of the Business plan',
  'the 429 body is a problem of another shape',
  'other methods answer 405, other paths 404, with an Error',
];

// ---- domain

class PetEntity {
  readonly id: bigint;
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: string | undefined;
  readonly createdAt: Date;
  constructor(id: bigint, name: string, categoryId: bigint, status: string | undefined, createdAt: Date) {
    this.id = id;
    this.name = name;
    this.categoryId = categoryId;
    this.status = status;
    this.createdAt = createdAt;
  }
}
interface NewPetDto {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: string | undefined;
}

class ApiException extends Error {
  readonly httpStatus: number;
  readonly errorCode: string;
  constructor(httpStatus: number, errorCode: string, message: string) {
    super(message);
    this.httpStatus = httpStatus;
    this.errorCode = errorCode;
  }
}

// ---- persistence

interface PetRepository {
  save(pet: PetEntity): void;
  findById(id: string): PetEntity | undefined;
  existsByName(name: string): boolean;
  findNewestFirst(): readonly PetEntity[];
}

class InMemoryPetRepository implements PetRepository {
  private readonly rows = new Map<string, PetEntity>();
  private readonly names = new Set<string>();
  save(pet: PetEntity): void {
    this.rows.set(pet.id.toString(), pet);
    this.names.add(pet.name);
  }
  findById(id: string): PetEntity | undefined {
    return this.rows.get(id);
  }
  existsByName(name: string): boolean {
    return this.names.has(name);
  }
  findNewestFirst(): readonly PetEntity[] {
    return [...this.rows.values()].toReversed();
  }
}

class SnowflakeIdGenerator {
  private readonly worker = 7n;
  private sequence = 0n;
  next(now: number): bigint {
    this.sequence += 1n;
    return (BigInt(now - Date.UTC(2015, 0, 1)) << 22n) | (this.worker << 17n) | (this.sequence % 131_072n);
  }
}

// ---- service

class PetService {
  private readonly repository: PetRepository;
  private readonly ids: SnowflakeIdGenerator;
  private readonly now: () => number;
  constructor(repository: PetRepository, ids: SnowflakeIdGenerator, now: () => number) {
    this.repository = repository;
    this.ids = ids;
    this.now = now;
  }
  create({ name, categoryId, status }: NewPetDto): PetEntity {
    if (categoryId < 1n || categoryId > 5n) throw new ApiException(400, 'CATEGORY_UNKNOWN', 'No such category.');
    if (this.repository.existsByName(name)) throw new ApiException(400, 'NAME_IN_USE', 'This name is in use.');
    const pet = new PetEntity(this.ids.next(this.now()), name, categoryId, status, new Date(this.now()));
    this.repository.save(pet);
    return pet;
  }
  list(limit: number, status: string | undefined): readonly PetEntity[] {
    const all = this.repository.findNewestFirst();
    return all.filter((pet) => status === undefined || pet.status === status).slice(0, limit);
  }
  get(id: string): PetEntity {
    const pet = this.repository.findById(id);
    if (pet === undefined) throw new ApiException(404, 'PET_NOT_FOUND', 'No such animal.');
    return pet;
  }
}

// ---- presentation

class PetMapper {
  toJson({ id, name, categoryId, status, createdAt }: PetEntity): string {
    const links = JSON.stringify({ self: { href: `/v1/pets/${id}` }, collection: { href: '/v1/pets' } });
    const fields = [
      `"_links":${links}`,
      `"category":{"id":${categoryId},"createdAt":${JSON.stringify(createdAt)}}`,
      `"categoryId":${categoryId}`,
      `"id":${id}`,
      `"name":${JSON.stringify(name)}`,
      ...(status === undefined ? [] : [`"status":"${status}"`]),
    ];
    return `{${fields.join(',')}}`;
  }
}

class PetValidator {
  private readonly statuses: readonly string[] = ['available', 'pending', 'sold'];
  isStatus(value: unknown): value is string {
    return typeof value === 'string' && this.statuses.includes(value);
  }
  parse(bytes: Buffer): NewPetDto {
    const { name, categoryId, status } = this.readObject(bytes);
    if (typeof name !== 'string' || name.length > 255 || !name.isWellFormed()) {
      throw new ApiException(400, 'NAME_INVALID', 'The name is not valid.');
    }
    if (typeof categoryId !== 'bigint' || BigInt.asIntN(64, categoryId) !== categoryId) {
      throw new ApiException(400, 'CATEGORY_INVALID', 'The category is not valid.');
    }
    if (status === undefined) return { name, categoryId, status };
    if (!this.isStatus(status)) throw new ApiException(400, 'STATUS_INVALID', 'The status is not valid.');
    return { name, categoryId, status };
  }
  private readObject(bytes: Buffer): Readonly<Record<string, unknown>> {
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      const body: unknown = JSON.parse(text, (_field, value, context?: { source: string }) => {
        const source = context?.source ?? '';
        return typeof value === 'number' && /^-?\d{1,19}$/.test(source) ? BigInt(source) : value;
      });
      if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
    } catch {
      throw new ApiException(400, 'BODY_UNREADABLE', 'The body cannot be read.');
    }
    throw new ApiException(400, 'BODY_INVALID', 'The body is no object.');
  }
}

interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly mediaType: string | undefined;
  readonly authorization: string;
  readonly address: string;
  readonly body: Buffer;
}
interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

class PetController {
  private readonly service: PetService;
  private readonly validator = new PetValidator();
  private readonly mapper = new PetMapper();
  constructor(service: PetService) {
    this.service = service;
  }
  dispatch(request: HttpRequest): HttpResponse {
    const { method, path } = request;
    const id = /^\/v1\/pets\/([^/]+)$/.exec(path)?.[1];
    if (method === 'GET' && path === '/v1/pets') return this.listPets(request);
    if (method === 'POST' && path === '/v1/pets') return this.createPet(request);
    if (method === 'GET' && id !== undefined) return this.getPet(id);
    if (path === '/v1/pets' || id !== undefined) throw new ApiException(405, 'METHOD_UNKNOWN', 'Not by this method.');
    throw new ApiException(404, 'PATH_UNKNOWN', 'There is nothing at this path.');
  }
  private listPets({ query }: HttpRequest): HttpResponse {
    const surplus = query.keys().find((name) => name !== 'limit' && name !== 'status');
    if (surplus !== undefined) throw new ApiException(400, 'PARAMETER_UNKNOWN', 'A parameter is not known.');
    const limit = query.get('limit') ?? '20';
    if (!/^\d+$/.test(limit) || Number(limit) < 1) throw new ApiException(400, 'LIMIT_INVALID', 'limit is 1 to 100.');
    const status = query.get('status') ?? undefined;
    if (status !== undefined && !this.validator.isStatus(status)) {
      throw new ApiException(422, 'STATUS_INVALID', 'There is no such status.');
    }
    const pets = this.service.list(Math.min(100, Number(limit)), status);
    return { status: 200, headers: {}, body: `[${pets.map((pet) => this.mapper.toJson(pet)).join(',')}]` };
  }
  private createPet({ mediaType, body }: HttpRequest): HttpResponse {
    if (mediaType !== 'application/json') throw new ApiException(415, 'MEDIA_TYPE', 'Only application/json is read.');
    const pet = this.service.create(this.validator.parse(body));
    return { status: 201, headers: { Location: `/v1/pets/${pet.id}` }, body: this.mapper.toJson(pet) };
  }
  private getPet(id: string): HttpResponse {
    const unescaped = id.replace(/%3([0-9])/g, '$1');
    return { status: 200, headers: {}, body: this.mapper.toJson(this.service.get(unescaped)) };
  }
}

// ---- security and limits

interface Account {
  readonly name: string;
  readonly perMinute: number;
  readonly perDay: number;
}

class QuotaService {
  private readonly used = new Map<string, number>();
  private readonly now: () => number;
  constructor(now: () => number) {
    this.now = now;
  }
  /** Counts a request of an account, and tells of its tighter window. */
  consume({ name, perMinute, perDay }: Account) {
    const windows = [
      { seconds: 60, limit: perMinute },
      { seconds: 86_400, limit: perDay },
    ].map(({ seconds, limit }) => {
      const number = Math.floor(this.now() / 1000 / seconds);
      const counter = `${name}/${seconds}/${number}`;
      return { counter, limit, used: this.used.get(counter) ?? 0, resetsAt: (number + 1) * seconds };
    });
    const isExceeded = windows.some(({ used, limit }) => used >= limit);
    const counted = isExceeded ? 0 : 1;
    for (const { counter, used } of windows) this.used.set(counter, used + counted);
    const states = windows.map(({ limit, used, resetsAt }) => ({ limit, left: limit - used - counted, resetsAt }));
    const tightest = states.sort((one, other) => one.left - other.left || other.resetsAt - one.resetsAt)[0]!;
    return { ...tightest, isExceeded };
  }
}

class GatewayFilter {
  private readonly accounts: ReadonlyMap<string, Account>;
  private readonly quotas: QuotaService;
  private readonly controller: PetController;
  private readonly now: () => number;
  constructor(accounts: ReadonlyMap<string, Account>, controller: PetController, now: () => number) {
    this.accounts = accounts;
    this.controller = controller;
    this.quotas = new QuotaService(now);
    this.now = now;
  }
  filter(request: HttpRequest): HttpResponse {
    const account = this.accounts.get(request.authorization);
    const anyone = { name: request.address, perMinute: 1_000, perDay: 100_000 };
    const { limit, left, resetsAt, isExceeded } = this.quotas.consume(account ?? anyone);
    const headers = {
      'Content-Type': 'application/json',
      'X-RateLimit-Limit': limit,
      'X-RateLimit-Remaining': left,
      'X-RateLimit-Reset': resetsAt,
      Date: new Date(this.now()).toUTCString(),
    };
    if (isExceeded) {
      const wait = Math.ceil(resetsAt - this.now() / 1000);
      const body = JSON.stringify({ title: 'Quota exceeded', retry: { seconds: wait } });
      return { status: 429, headers: { ...headers, 'Retry-After': wait }, body };
    }
    try {
      if (account === undefined) throw new ApiException(401, 'UNAUTHENTICATED', 'A valid API key is required.');
      const response = this.controller.dispatch(request);
      return { ...response, headers: { ...headers, ...response.headers } };
    } catch (exception) {
      if (!(exception instanceof ApiException)) throw exception;
      const { errorCode: code, message, httpStatus: status } = exception;
      return { status, headers, body: JSON.stringify({ code, message, status, timestamp: this.now() }) };
    }
  }
}

function start({ now, keys }: NeighbourOptions): Promise<RunningNeighbour> {
  const accounts = new Map<string, Account>([
    [`Bearer ${keys.api}`, { name: 'account-1', perMinute: 300, perDay: 10_000 }],
    [`Bearer ${keys.rateLimit}`, { name: 'account-2', perMinute: 60, perDay: 1_000 }],
  ]);
  const service = new PetService(new InMemoryPetRepository(), new SnowflakeIdGenerator(), now);
  const gateway = new GatewayFilter(accounts, new PetController(service), now);
  const server = createServer(async (request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const { status, headers, body } = gateway.filter({
      method: request.method ?? '',
      path,
      query: new URLSearchParams(query),
      mediaType: request.headers['content-type']?.split(';')[0]?.trim().toLowerCase(),
      authorization: request.headers.authorization ?? '',
      address: `address ${request.socket.remoteAddress}`,
      body: Buffer.concat(await Array.fromAsync(request)),
    });
    response.writeHead(status, { ...headers }).end(body);
  });
  return listen(server);
}

export const enterpriseLayers: Neighbour = {
  id: 'enterprise-layers',
  choices,
  plan: 'pro',
  categoryIds: [1n, 2n, 3n, 4n, 5n],
  start,
};
