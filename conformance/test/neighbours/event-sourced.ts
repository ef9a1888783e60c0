/**
 * A neighbour that stores events only: every answer is a projection of them as of 80 ms ago.
 *
 * Its team chose: an available animal becomes pending by itself after 5 s; snowflakes as ids; the newest animal first;
 * unknown fields are kept and returned; 422 to a strange limit, and no refusal of a strange filter; the scheme in any case;
 * a token bucket, a 429 of plain text, and none for whoever has no key; no lone surrogates in names.
 */

import { type Asked, isFields, isInt64, type Neighbour, parse, serve, statuses } from './neighbour.ts';

type Fields = Readonly<Record<string, unknown>>;
type StoreEvent = { readonly type: 'registered' | 'reserved'; readonly at: number; readonly id: bigint } & {
  readonly fields: Fields;
};

const lagMs = 80;
const reservedAfterMs = 5_000;

const { rawJSON } = JSON as unknown as { rawJSON: (source: string) => unknown };
const write = (value: unknown): string =>
  JSON.stringify(value, (_field, each) => (typeof each === 'bigint' ? rawJSON(String(each)) : each));

function show({ id, at, fields }: StoreEvent, status: unknown): Fields {
  const audit = { createdAt: new Date(at).toISOString(), history: [{ event: 'PetRegistered', version: 1 }] };
  return { ...fields, status, audit, id };
}

/** Folds the events up to a time into the animals as they were then, the newest first. */
function project(events: readonly StoreEvent[], asOf: number): ReadonlyMap<bigint, Fields> {
  const pets = new Map<bigint, Fields>();
  for (const event of events.filter(({ at }) => at <= asOf)) {
    const status = event.type === 'registered' ? event.fields['status'] : 'pending';
    pets.set(event.id, event.type === 'registered' ? show(event, status) : { ...pets.get(event.id), status });
  }
  return new Map([...pets].reverse());
}

/** What a command is refused for, or its fields. */
function readCommand(bytes: Uint8Array): string | Fields {
  let body: unknown;
  try {
    body = parse(bytes);
  } catch {
    return 'the command is no JSON';
  }
  if (!isFields(body)) return 'no object';
  const { name, categoryId, status = 'available' } = body;
  if (typeof name !== 'string' || !name.isWellFormed()) return 'name: expected a string of characters';
  if (!isInt64(categoryId)) return 'categoryId: expected an int64';
  return statuses.includes(status) ? { ...body, status } : 'status: expected available, pending or sold';
}

type Answer = readonly [status: number, body: unknown];
const error = (status: number, message: string): Answer => [status, { code: `E-${status}`, message, status }];

function createStore(now: () => number) {
  const events: StoreEvent[] = [];
  let sequence = 0n;

  function register(bytes: Uint8Array): Answer {
    const fields = readCommand(bytes);
    if (typeof fields === 'string') return error(400, fields);
    sequence += 1n;
    const id = (BigInt(now() - Date.UTC(2020, 0, 1)) << 20n) | sequence;
    const event: StoreEvent = { type: 'registered', at: now(), id, fields };
    events.push(event);
    if (fields['status'] === 'available') events.push({ ...event, type: 'reserved', at: now() + reservedAfterMs });
    return [201, show(event, fields['status'])];
  }

  function query(parameters: URLSearchParams): Answer {
    const limit = parameters.get('limit') ?? '20';
    if (!/^([1-9]\d?|100)$/.test(limit)) return error(422, 'limit: expected 1 to 100');
    const wanted = parameters.get('status');
    const pets = [...project(events, now() - lagMs).values()];
    const matching = pets.filter(({ status }) => !statuses.includes(wanted) || status === wanted);
    return [200, matching.slice(0, Number(limit))];
  }

  return ({ method, path, query: parameters, body }: Asked): Answer => {
    if (path === '/pets' && method === 'POST') return register(body);
    if (path === '/pets' && method === 'GET') return query(parameters);
    const segment = /^\/pets\/([1-9]\d{0,18})$/.exec(path)?.[1];
    const pet = segment !== undefined && method === 'GET' && project(events, now() - lagMs).get(BigInt(segment));
    return pet ? [200, pet] : error(404, 'nothing here');
  };
}

/** Tokens of one client: `size` of them a minute, never more than `size` at once. */
function createBucket(size: number, now: () => number) {
  let [tokens, filledAt] = [size, now()];
  return () => {
    tokens = Math.min(size, tokens + ((now() - filledAt) / 60_000) * size);
    filledAt = now();
    const isServed = tokens >= 1;
    if (isServed) tokens -= 1;
    const headers = {
      'x-ratelimit-limit': size,
      'x-ratelimit-remaining': Math.floor(tokens),
      'x-ratelimit-reset': Math.ceil((filledAt + ((size - tokens) / size) * 60_000) / 1000),
    };
    return { isServed, headers, waitSeconds: Math.ceil(((1 - tokens) / size) * 60) };
  };
}

const start: Neighbour['start'] = ({ now, keys }) => {
  const handle = createStore(now);
  const buckets = new Map([
    [keys.api, createBucket(1_000, now)],
    [keys.rateLimit, createBucket(60, now)],
  ]);
  const ofNobody = createBucket(1_000, now);
  return serve(now, (asked) => {
    const bucket = buckets.get(/^bearer (.*)$/i.exec(asked.authorization)?.[1] ?? '');
    const { isServed, headers, waitSeconds } = (bucket ?? ofNobody)();
    if (bucket !== undefined && !isServed) {
      const ofRefusal = { 'Content-Type': 'text/plain', 'Retry-After': waitSeconds };
      return { status: 429, headers: { ...headers, ...ofRefusal }, body: 'Slow down.\n' };
    }
    const [status, body] = bucket === undefined ? error(401, 'a valid API key is missing') : handle(asked);
    return { status, headers, body: write(body) };
  });
};

export const eventSourced: Neighbour = { id: 'event-sourced', plan: 'business', start };
