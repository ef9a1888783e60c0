/**
 * A neighbour that stores events only: every answer is a projection of them as of 80 ms ago.
 *
 * Its team chose: an available animal becomes pending by itself after 5 s; snowflakes as ids; the newest animal first;
 * unknown fields are kept and returned; 422 to a strange limit, and no refusal of a strange filter; the scheme in any case;
 * a token bucket, a 429 of plain text, and none for whoever has no key; no lone surrogates in names.
 */

import { createServer } from 'node:http';
import type { Neighbour, NeighbourOptions, RunningNeighbour } from './index.ts';
import { listen } from './listen.ts';

const { rawJSON } = JSON as unknown as { rawJSON: (source: string) => { rawJSON: string } };
const { isRawJSON } = JSON as unknown as { isRawJSON: (value: unknown) => value is { rawJSON: string } };

type Fields = Readonly<Record<string, unknown>>;
interface PetRegistered {
  readonly type: 'PetRegistered';
  readonly at: number;
  readonly id: bigint;
  readonly fields: Fields;
}
interface PetReserved {
  readonly type: 'PetReserved';
  readonly at: number;
  readonly id: bigint;
}
type StoreEvent = PetRegistered | PetReserved;

const lagMs = 80;
const reservedAfterMs = 5_000;
const statuses: readonly unknown[] = ['available', 'pending', 'sold'];

function show({ id, at, fields }: PetRegistered, status: unknown): object {
  const audit = { createdAt: new Date(at).toISOString(), history: [{ event: 'PetRegistered', version: 1 }] };
  return { ...fields, status, audit, id: rawJSON(`${id}`) };
}

/** Folds the events up to a time into the animals as they were then, by their ids. */
function project(events: readonly StoreEvent[], asOf: number): ReadonlyMap<bigint, { status: unknown; shown: object }> {
  const pets = new Map<bigint, { event: PetRegistered; status: unknown }>();
  for (const event of events.filter(({ at }) => at <= asOf)) {
    if (event.type === 'PetRegistered') pets.set(event.id, { event, status: event.fields['status'] });
    const reserved = event.type === 'PetReserved' ? pets.get(event.id) : undefined;
    if (reserved !== undefined) reserved.status = 'pending';
  }
  return new Map(
    [...pets].map(([id, { event, status }]) => [id, { status, shown: show(event, status) }] as const).reverse(),
  );
}

function isInt64(value: unknown): boolean {
  if (!isRawJSON(value) || !/^-?\d{1,19}$/.test(value.rawJSON)) return false;
  const number = BigInt(value.rawJSON);
  return -(2n ** 63n) <= number && number < 2n ** 63n;
}

/** What a command is refused for, or its fields. */
function readCommand(bytes: Uint8Array): string | Fields {
  let body: unknown;
  try {
    body = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(bytes),
      (_field, value, context?: { source: string }) =>
        typeof value === 'number' ? rawJSON(context?.source ?? '') : value,
    );
  } catch {
    return 'the command is no JSON';
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body) || isRawJSON(body)) return 'no object';
  const fields: Fields = { status: 'available', ...body };
  const { name, categoryId, status } = fields;
  if (typeof name !== 'string' || !name.isWellFormed()) return 'name: expected a string of characters';
  if (!isInt64(categoryId)) return 'categoryId: expected an int64';
  return statuses.includes(status) ? fields : 'status: expected available, pending or sold';
}

/** Tokens of one client: `size` of them a minute, never more than `size` at once. */
class Bucket {
  private tokens: number;
  private filledAt: number;
  readonly size: number;
  constructor(size: number, now: number) {
    this.size = size;
    this.tokens = size;
    this.filledAt = now;
  }
  take(now: number): boolean {
    this.tokens = Math.min(this.size, this.tokens + ((now - this.filledAt) / 60_000) * this.size);
    this.filledAt = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
  headers(): Record<string, string> {
    const fullAt = this.filledAt + ((this.size - this.tokens) / this.size) * 60_000;
    return {
      'x-ratelimit-limit': `${this.size}`,
      'x-ratelimit-remaining': `${Math.floor(this.tokens)}`,
      'x-ratelimit-reset': `${Math.ceil(fullAt / 1000)}`,
    };
  }
  secondsToNext(): number {
    return Math.ceil(((1 - this.tokens) / this.size) * 60);
  }
}

type Answer = readonly [status: number, body: unknown];
const error = (status: number, message: string): Answer => [status, { code: `E-${status}`, message, status }];

function createStore(now: () => number) {
  const events: StoreEvent[] = [];
  const epoch = Date.UTC(2020, 0, 1);
  let sequence = 0n;

  function register(bytes: Uint8Array): Answer {
    const fields = readCommand(bytes);
    if (typeof fields === 'string') return error(400, fields);
    sequence += 1n;
    const id = (BigInt(now() - epoch) << 20n) | (sequence % 1_048_576n);
    const event: PetRegistered = { type: 'PetRegistered', at: now(), id, fields };
    events.push(event);
    if (fields['status'] === 'available') events.push({ type: 'PetReserved', at: now() + reservedAfterMs, id });
    return [201, show(event, fields['status'])];
  }

  function query(parameters: URLSearchParams): Answer {
    const limit = parameters.get('limit') ?? '20';
    if (!/^([1-9]\d?|100)$/.test(limit)) return error(422, 'limit: expected 1 to 100');
    const wanted = parameters.get('status');
    const pets = project(events, now() - lagMs).values();
    const matching = pets.filter(({ status }) => !statuses.includes(wanted) || status === wanted);
    return [200, [...matching.take(Number(limit)).map(({ shown }) => shown)]];
  }

  function find(segment: string): Answer {
    const pet = /^[1-9]\d{0,18}$/.test(segment) ? project(events, now() - lagMs).get(BigInt(segment)) : undefined;
    return pet === undefined ? error(404, 'no such animal') : [200, pet.shown];
  }

  return (method: string, target: string, bytes: Uint8Array): Answer => {
    const [path = '', parameters = ''] = target.split('?');
    if (path === '/v1/pets' && method === 'POST') return register(bytes);
    if (path === '/v1/pets' && method === 'GET') return query(new URLSearchParams(parameters));
    const segment = /^\/v1\/pets\/([^/]+)$/.exec(path)?.[1];
    return segment !== undefined && method === 'GET' ? find(decode(segment)) : error(404, 'nothing here');
  };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}

function start({ now, keys }: NeighbourOptions): Promise<RunningNeighbour> {
  const sizes = new Map([
    [keys.api, 1000],
    [keys.rateLimit, 60],
  ]);
  const handle = createStore(now);
  const buckets = new Map<string, Bucket>();
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request));
    const [scheme, key = ''] = (request.headers.authorization ?? '').split(/ (.*)/);
    const isKnown = scheme?.toLowerCase() === 'bearer' && sizes.has(key);
    const client = isKnown ? `key ${key}` : `address ${request.socket.remoteAddress}`;
    const bucket = buckets.get(client) ?? new Bucket((isKnown && sizes.get(key)) || 1000, now());
    buckets.set(client, bucket);
    const isServed = bucket.take(now());
    const headers = { ...bucket.headers(), Date: new Date(now()).toUTCString() };
    if (isKnown && !isServed) {
      const wait = `${bucket.secondsToNext()}`;
      response.writeHead(429, { ...headers, 'Content-Type': 'text/plain', 'Retry-After': wait }).end('Slow down.\n');
      return;
    }
    const [status, answer] = isKnown
      ? handle(request.method ?? '', request.url ?? '', body)
      : error(401, 'a valid API key is missing');
    response.writeHead(status, { ...headers, 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  });
  return listen(server);
}

export const eventSourced: Neighbour = { id: 'event-sourced', plan: 'business', start };
