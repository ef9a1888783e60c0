/** A neighbour with a primary, a queue and a read replica that applies each write a second later. */

import { createServer } from 'node:http';
import type { Neighbour, NeighbourOptions, RunningNeighbour } from './index.ts';
import { listen } from './listen.ts';

const choices = [
  'reads come from a replica one second behind: until then an animal is not listed, and a 404',
  'a sandbox: only the newest 30 animals are kept, older ones are gone from lists and reads',
  'ids are random, below 2^31, of either sign',
  'pages are in the order of creation',
  'a limit outside 1 to 100, or none that is an integer, is refused with 400; so is an unknown status filter',
  'unknown query parameters are ignored; of repeated ones the first wins',
  'unknown body fields are dropped, an id in the body too',
  'an omitted status becomes available',
  'names have no control characters and no lone surrogates, they are refused with 400',
  'the headers speak of the day of the plan, 100,000 until midnight UTC; 1,000 a minute are enforced beside it',
  'a 429 by the minute speaks of the minute; refused requests do not count; its body is an Error',
  'requests without a valid key count for their address and day, 10,000',
  'the eleventh request is answered 503 with Retry-After, once',
  'the connection closes after each response',
  'other methods answer 405, other paths 404, with an Error',
];

interface Pet {
  readonly id: number;
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: string;
}
interface Job {
  readonly dueAt: number;
  readonly pet: Pet;
}
interface Reply {
  readonly status: number;
  readonly json: string;
  readonly retryAfterSeconds?: number;
}

const lagMs = 1_000;
const kept = 30;
const statuses: readonly unknown[] = ['available', 'pending', 'sold'];

const problem = (status: number, code: string, message: string): Reply => ({
  status,
  json: JSON.stringify({ code, message, status }),
});

const show = ({ id, name, categoryId, status }: Pet): string =>
  `{"id":${id},"categoryId":${categoryId},"status":"${status}","name":${JSON.stringify(name)}}`;

/** Writes go to the primary and into the queue; the worker moves what is due to the replica. */
class Primary {
  private readonly taken = new Set<number>();
  private readonly queue: Job[] = [];
  private readonly now: () => number;
  constructor(now: () => number) {
    this.now = now;
  }
  insert(pet: Omit<Pet, 'id'>): Pet {
    let id = 0;
    while (id === 0 || this.taken.has(id)) id = Math.trunc((Math.random() * 2 - 1) * 2 ** 31);
    this.taken.add(id);
    const made = { ...pet, id };
    this.queue.push({ dueAt: this.now() + lagMs, pet: made });
    return made;
  }
  /** The jobs that are due, each once. */
  *due(): Generator<Job> {
    for (let job = this.queue[0]; job !== undefined && job.dueAt <= this.now(); job = this.queue[0]) {
      this.queue.shift();
      yield job;
    }
  }
}

class Replica {
  private pets: readonly Pet[] = [];
  private readonly primary: Primary;
  constructor(primary: Primary) {
    this.primary = primary;
  }
  private work(): readonly Pet[] {
    for (const { pet } of this.primary.due()) this.pets = [...this.pets, pet].slice(-kept);
    return this.pets;
  }
  page(limit: number, status: string | null): readonly Pet[] {
    return this.work()
      .filter((pet) => status === null || pet.status === status)
      .slice(0, limit);
  }
  find(id: string): Pet | undefined {
    return this.work().find((pet) => String(pet.id) === id);
  }
}

/** A message for the queue, or the reason why a body is none. */
function toMessage(body: Uint8Array): Omit<Pet, 'id'> | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(body),
      (_field, value, context?: { source: string }) => {
        const source = context?.source ?? '';
        return typeof value === 'number' && /^-?\d{1,19}$/.test(source) ? BigInt(source) : value;
      },
    );
  } catch {
    return 'no JSON';
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return 'no object';
  const message = { status: 'available', ...parsed } as Readonly<Record<string, unknown>>;
  const { name, categoryId, status } = message;
  if (typeof name !== 'string' || /[\p{Cc}\p{Cs}]/u.test(name)) return 'no name, or one that cannot be kept';
  if (typeof categoryId !== 'bigint' || BigInt.asIntN(64, categoryId) !== categoryId) return 'no int64 categoryId';
  if (!statuses.includes(status)) return 'no status';
  return { name, categoryId, status: String(status) };
}

/** Counts what a client sends by minute and by day. */
class Meter {
  private readonly counts = new Map<string, number>();
  private readonly now: () => number;
  constructor(now: () => number) {
    this.now = now;
  }
  private count(client: string, seconds: number): { key: string; used: number; endsAt: number } {
    const window = Math.floor(this.now() / 1000 / seconds);
    const key = `${client} ${seconds} ${window}`;
    return { key, used: this.counts.get(key) ?? 0, endsAt: (window + 1) * seconds };
  }
  /** The limit that applies, after this request was counted if it is within its limits. */
  take(client: string, perMinute: number, perDay: number) {
    const minute = this.count(client, 60);
    const day = this.count(client, 86_400);
    const tight = day.used >= perDay ? { ...day, limit: perDay } : { ...minute, limit: perMinute };
    if (tight.used >= tight.limit) return { limit: tight.limit, left: 0, resetsAt: tight.endsAt, isExceeded: true };
    this.counts.set(minute.key, minute.used + 1);
    this.counts.set(day.key, day.used + 1);
    return { limit: perDay, left: perDay - day.used - 1, resetsAt: day.endsAt, isExceeded: false };
  }
}

function createReplies(now: () => number) {
  const primary = new Primary(now);
  const replica = new Replica(primary);

  const collection: Readonly<Record<string, (query: URLSearchParams, body: Uint8Array) => Reply>> = {
    GET(query) {
      const limit = query.get('limit') ?? '20';
      const status = query.get('status');
      if (!/^(100|[1-9]?[0-9])$/.test(limit) || limit === '0') return problem(400, 'limit', 'limit is 1 to 100');
      if (status !== null && !statuses.includes(status)) return problem(400, 'status', 'no such status');
      return { status: 200, json: `[${replica.page(Number(limit), status).map(show)}]` };
    },
    POST(_query, body) {
      const message = toMessage(body);
      if (typeof message === 'string') return problem(400, 'body', message);
      return { status: 201, json: show(primary.insert(message)) };
    },
  };

  return (method: string, target: string, body: Uint8Array): Reply => {
    const [path = '', query = ''] = target.split('?');
    if (path === '/v1/pets') {
      const serve = Object.hasOwn(collection, method) ? collection[method] : undefined;
      return serve?.(new URLSearchParams(query), body) ?? problem(405, 'method', 'GET or POST');
    }
    if (!path.startsWith('/v1/pets/')) return problem(404, 'path', 'nothing is here');
    if (method !== 'GET') return problem(405, 'method', 'GET only');
    const pet = replica.find(path.slice('/v1/pets/'.length).replace(/%3(\d)|%2[dD]/g, (_all, digit) => digit ?? '-'));
    return pet === undefined ? problem(404, 'pet', 'no such animal') : { status: 200, json: show(pet) };
  };
}

function start({ now, keys }: NeighbourOptions): Promise<RunningNeighbour> {
  const reply = createReplies(now);
  const meter = new Meter(now);
  const plans = new Map<string | undefined, readonly [perMinute: number, perDay: number]>([
    [`Bearer ${keys.api}`, [1_000, 100_000]],
    [`Bearer ${keys.rateLimit}`, [60, 1_000]],
  ]);
  let requests = 0;
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request));
    const { authorization } = request.headers;
    const plan = plans.get(authorization);
    const client = plan === undefined ? String(request.socket.remoteAddress) : String(authorization);
    const { limit, left, resetsAt, isExceeded } = meter.take(client, ...(plan ?? ([10_000, 10_000] as const)));
    requests += 1;
    const seconds = Math.ceil(resetsAt - now() / 1000);
    const { status, json, retryAfterSeconds }: Reply =
      plan === undefined
        ? problem(401, 'key', 'no valid key')
        : isExceeded
          ? { ...problem(429, 'limit', 'too many requests'), retryAfterSeconds: seconds }
          : requests === 11
            ? { ...problem(503, 'busy', 'the worker restarts'), retryAfterSeconds: 1 }
            : reply(request.method ?? '', request.url ?? '', body);
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(json),
      'X-RateLimit-Limit': limit,
      'X-RateLimit-Remaining': left,
      'X-RateLimit-Reset': resetsAt,
      ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': retryAfterSeconds }),
      Date: new Date(now()).toUTCString(),
      Connection: 'close',
    });
    response.end(json);
  });
  return listen(server);
}

export const laggingReplica: Neighbour = {
  id: 'lagging-replica',
  choices,
  plan: 'business',
  start,
};
