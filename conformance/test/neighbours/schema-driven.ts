/** A neighbour that describes parameters and bodies by small schemas, and lets one validator judge them all. */

import { createServer } from 'node:http';
import type { Neighbour, NeighbourOptions, RunningNeighbour } from './index.ts';
import { listen } from './listen.ts';

const choices = [
  'names have 1 to 12 characters, and each can be written in UTF-8; others are refused with 400',
  'lists run 200 ms behind, reads do not',
  'animals are visible to the key that created them only; to another key they are a 404',
  'ids are random, of 53 to 62 bits',
  'pages begin with the oldest animal',
  'a limit outside 1 to 100, or none that is an integer, is refused with 404: there is no such page',
  'an unknown status filter is refused with 400, and so are unknown and repeated query parameters',
  'unknown body fields are refused with 400, an id in the body too',
  '1.0 is an integer',
  'an omitted status becomes pending',
  'a media type other than application/json is refused with 415',
  'a body beyond 4 KiB resets the connection',
  'a sliding window of a minute for each key, Reset is when its newest request leaves it; refused requests count',
  'requests without a valid key are counted for each address, 2,000 a minute, and get 429 beyond',
  'other methods and paths answer 404 with an Error, which lists its violations',
  'the 429 body is an Error',
];

/** A value as JSON gives it; numbers are kept by their source. */
interface NumberText {
  readonly source: string;
}
type Rule = (value: unknown) => string | undefined;
interface Field {
  readonly rules: readonly Rule[];
  readonly isRequired?: true;
  readonly initially?: string;
}
type Schema = Readonly<Record<string, Field>>;

const numberTexts = new WeakSet<object>();
const isNumberText = (value: unknown): value is NumberText =>
  typeof value === 'object' && value !== null && numberTexts.has(value);

const text: Rule = (value) => (typeof value === 'string' ? undefined : 'must be a string');
const oneOf =
  (...allowed: readonly unknown[]): Rule =>
  (value) =>
    allowed.includes(value) ? undefined : `must be one of ${allowed.join(', ')}`;
const length =
  (least: number, most: number): Rule =>
  (value) =>
    [...String(value)].length < least || [...String(value)].length > most
      ? `must have ${least} to ${most} characters`
      : undefined;
const wellFormed: Rule = (value) => (String(value).isWellFormed() ? undefined : 'must be well-formed');
const integer = (digits: string): bigint | undefined => {
  const whole = /^(-?\d{1,40})(\.0{1,40})?$/.exec(digits)?.[1];
  return whole === undefined ? undefined : BigInt(whole);
};
const int64: Rule = (value) => {
  const number = isNumberText(value) ? integer(value.source) : undefined;
  return number !== undefined && BigInt.asIntN(64, number) === number ? undefined : 'must be an int64';
};
const within =
  (least: number, most: number): Rule =>
  (value) =>
    /^\d{1,9}$/.test(String(value)) && Number(value) >= least && Number(value) <= most
      ? undefined
      : `must be an integer from ${least} to ${most}`;

const petStatus = oneOf('available', 'pending', 'sold');
const newPet: Schema = {
  name: { rules: [text, length(1, 12), wellFormed], isRequired: true },
  categoryId: { rules: [int64], isRequired: true },
  status: { rules: [petStatus], initially: 'pending' },
};
const listQuery: Schema = { limit: { rules: [within(1, 100)] }, status: { rules: [petStatus] } };

interface Violation {
  readonly field: string;
  readonly problem: string;
}

function violationsOf(schema: Schema, entries: readonly (readonly [string, unknown])[]): readonly Violation[] {
  const given = new Map(entries);
  const missing = Object.entries(schema)
    .filter(([field, { isRequired }]) => isRequired && !given.has(field))
    .map(([field]) => ({ field, problem: 'is required' }));
  const wrong = entries.flatMap(([field, value]) => {
    const rules = Object.hasOwn(schema, field) ? schema[field]?.rules : undefined;
    if (rules === undefined) return [{ field, problem: 'is not known' }];
    const problem = rules.map((rule) => rule(value)).find((found) => found !== undefined);
    return problem === undefined ? [] : [{ field, problem }];
  });
  const names = entries.map(([field]) => field);
  const repeated = names.filter((field, index) => names.indexOf(field) !== index);
  return [...missing, ...wrong, ...repeated.map((field) => ({ field, problem: 'is repeated' }))];
}

function readJson(bytes: Uint8Array): unknown {
  return JSON.parse(
    new TextDecoder('utf-8', { fatal: true }).decode(bytes),
    (_field, value, context?: { source: string }) => {
      if (typeof value !== 'number') return value;
      const number: NumberText = { source: context?.source ?? '' };
      numberTexts.add(number);
      return number;
    },
  );
}

interface Pet {
  readonly owner: string;
  readonly listedAt: number;
  readonly id: bigint;
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: string;
}
interface Result {
  readonly status: number;
  readonly body: string;
}

const show = ({ id, name, categoryId, status }: Pet): string =>
  [`{"id":${id}`, `"name":${JSON.stringify(name)}`, `"categoryId":${categoryId}`, `"status":"${status}"}`].join();

const error = (status: number, message: string, violations: readonly Violation[] = []): Result => ({
  status,
  body: JSON.stringify({ code: violations.length > 0 ? 'invalid' : 'refused', message, status, violations }),
});

class Operations {
  private readonly pets: Pet[] = [];
  private readonly now: () => number;
  constructor(now: () => number) {
    this.now = now;
  }

  listPets(owner: string, query: URLSearchParams): Result {
    const violations = violationsOf(listQuery, [...query]);
    const isLimitWrong = violations.some(({ field }) => field === 'limit');
    if (violations.length > 0) return error(isLimitWrong ? 404 : 400, 'The query is not valid.', violations);
    const status = query.get('status');
    const visible = this.pets.filter((pet) => pet.owner === owner && pet.listedAt <= this.now());
    const page = visible.filter((pet) => status === null || pet.status === status);
    return { status: 200, body: `[${page.slice(0, Number(query.get('limit') ?? 20)).map(show)}]` };
  }

  createPet(owner: string, bytes: Uint8Array): Result {
    let body: unknown;
    try {
      body = readJson(bytes);
    } catch {
      return error(400, 'The body is no JSON.');
    }
    if (typeof body !== 'object' || body === null || Array.isArray(body) || isNumberText(body)) {
      return error(400, 'The body is no object.');
    }
    const violations = violationsOf(newPet, Object.entries(body));
    if (violations.length > 0) return error(400, 'The animal is not valid.', violations);
    const valid = body as { name: string; categoryId: NumberText; status?: string };
    const pet: Pet = {
      owner,
      listedAt: this.now() + 200,
      id: 2n ** 53n + BigInt(Math.floor(Math.random() * 2 ** 52)) * 512n + BigInt(this.pets.length % 512),
      name: valid.name,
      categoryId: integer(valid.categoryId.source) ?? 0n,
      status: valid.status ?? newPet['status']?.initially ?? '',
    };
    this.pets.push(pet);
    return { status: 201, body: show(pet) };
  }

  getPet(owner: string, segment: string): Result {
    const pet = this.pets.find((candidate) => candidate.owner === owner && String(candidate.id) === segment);
    return pet === undefined ? error(404, 'There is no such animal.') : { status: 200, body: show(pet) };
  }
}

/** Each request leaves at a whole second, a minute later; `leaving` holds those seconds by client. */
function createWindow(now: () => number) {
  const leaving = new Map<string, readonly number[]>();
  return (client: string, limit: number) => {
    const leaves = Math.ceil(now() / 1000) + 60;
    const inside = [...(leaving.get(client) ?? []).filter((second) => second * 1000 > now()), leaves].slice(-limit - 1);
    leaving.set(client, inside);
    const isOver = inside.length > limit;
    return {
      isOver,
      headers: {
        'X-Ratelimit-Limit': limit,
        'X-Ratelimit-Remaining': Math.max(0, limit - inside.length),
        'X-Ratelimit-Reset': leaves,
        ...(isOver ? { 'Retry-After': Math.ceil(leaves - now() / 1000) } : {}),
      },
    };
  };
}

function start({ now, keys }: NeighbourOptions): Promise<RunningNeighbour> {
  const operations = new Operations(now);
  const count = createWindow(now);
  const limits = new Map([
    [`Bearer ${keys.api}`, 1_000],
    [`Bearer ${keys.rateLimit}`, 60],
  ]);
  const server = createServer(async (request, response) => {
    const bytes = Buffer.concat(await Array.fromAsync(request));
    if (bytes.length > 4096) return request.socket.resetAndDestroy();
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const owner = request.headers.authorization ?? '';
    const limit = limits.get(owner);
    const client = limit === undefined ? `${request.socket.remoteAddress}` : owner;
    const { isOver, headers } = count(client, limit ?? 2_000);
    const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
    const operate = (): Result => {
      const single = /^\/v1\/pets\/([^/]+)$/.exec(path)?.[1];
      if (isOver) return error(429, 'Too many requests.');
      if (limit === undefined) return error(401, 'A valid API key is required.');
      if (request.method === 'GET' && path === '/v1/pets')
        return operations.listPets(owner, new URLSearchParams(query));
      if (request.method === 'GET' && single !== undefined) return operations.getPet(owner, single);
      if (request.method !== 'POST' || path !== '/v1/pets') return error(404, 'There is no such operation.');
      return type === 'application/json' ? operations.createPet(owner, bytes) : error(415, 'Send application/json.');
    };
    const { status, body } = operate();
    const date = new Date(now()).toUTCString();
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers, Date: date }).end(body);
  });
  return listen(server);
}

export const schemaDriven: Neighbour = { id: 'schema-driven', choices, plan: 'business', start };
