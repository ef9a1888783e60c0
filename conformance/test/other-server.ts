/** A server in another style than the reference server, with other legal choices: it keeps the kit honest. */

import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';

/** Ways to break the server, for tests that want a failure of a target that the kit does not know. */
export interface OtherServerOptions {
  readonly key?: string;
  readonly perMinute?: number;
  /** How long an answer takes, milliseconds. */
  readonly delayMs?: number;
  readonly breaks?: (response: { status: number; headers: Record<string, string>; body: string }, path: string) => void;
}

interface Row {
  readonly id: string;
  readonly status: unknown;
  /** As JSON. */
  readonly written: string;
}
interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Numbers as they were sent: ids and categories stay text from end to end. */
class Digits {
  readonly text: string;
  constructor(digits: string) {
    this.text = digits;
  }
}

function parse(body: string): { readonly name?: unknown; readonly categoryId?: unknown; readonly status?: unknown } {
  try {
    const parsed = JSON.parse(body, (_field, value, context?: { source?: string }) =>
      typeof value === 'number' ? new Digits(context?.source ?? '') : value,
    );
    return parsed ?? {};
  } catch {
    return {};
  }
}

const most = 9223372036854775807n;
const error = (status: number, message: string): Answer => ({
  status,
  body: JSON.stringify({ status, message, code: `E${status}`, hint: 'see the interface' }),
});

function list(rows: readonly Row[], query: URLSearchParams): Answer {
  const limit = Number(query.get('limit') ?? 20);
  const size = Number.isInteger(limit) ? Math.min(Math.max(limit, 1), 100) : 20;
  const status = query.get('status');
  const matching = rows.filter((row) => status === null || row.status === status).slice(-size);
  return { status: 200, body: `[${matching.map(({ written }) => written).join(',')}]` };
}

function create(rows: Row[], body: string): Answer {
  const { name, categoryId, status } = parse(body);
  const digits = categoryId instanceof Digits && /^-?\d+$/.test(categoryId.text) ? categoryId.text : undefined;
  const isKnown = status === undefined || ['available', 'pending', 'sold'].includes(status as string);
  if (typeof name !== 'string' || digits === undefined || !isKnown) return error(400, 'that is no animal');
  if (BigInt(digits) > most || BigInt(digits) < -most - 1n) return error(400, 'that is no animal');
  const id = String(most - BigInt(randomInt(2 ** 40)));
  const rest = status === undefined ? '' : `,"status":${JSON.stringify(status)}`;
  const written = `{"name":${JSON.stringify(name)},"id":${id},"categoryId":${digits}${rest}}`;
  rows.push({ id, status, written });
  return { status: 201, body: written };
}

/** Counts the requests of clients in windows of a minute, and never refuses one. */
function createCounter(perMinute: number): (client: string) => Record<string, string> {
  const used = new Map<string, number>();
  let windowEnds = 0;
  return (client) => {
    const now = Math.floor(Date.now() / 1000);
    if (now >= windowEnds) {
      windowEnds = now + 60;
      used.clear();
    }
    used.set(client, (used.get(client) ?? 0) + 1);
    return {
      'x-ratelimit-limit': String(perMinute),
      'x-ratelimit-remaining': String(Math.max(0, perMinute - used.get(client)!)),
      'x-ratelimit-reset': String(windowEnds),
    };
  };
}

/** Starts one on a free port; resolves with its base address. */
export async function startOtherServer({
  key = 'other-server-key',
  perMinute = 5000,
  delayMs,
  breaks,
}: OtherServerOptions = {}): Promise<{ readonly baseUrl: string; readonly key: string; readonly server: Server }> {
  const rows: Row[] = [];
  const count = createCounter(perMinute);
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://other');
    const { authorization = 'nobody' } = request.headers;
    const route = `${request.method} ${pathname}`;
    const row = rows.find(({ id }) => pathname === `/v1/pets/${id}`);
    const given =
      authorization !== `Bearer ${key}`
        ? error(401, 'who are you?')
        : route === 'GET /v1/pets'
          ? list(rows, searchParams)
          : route === 'POST /v1/pets'
            ? create(rows, body)
            : row === undefined
              ? error(404, 'no such thing')
              : { status: 200, body: row.written };
    const answer = { ...given, headers: count(authorization) };
    if (answer.status === 201) answer.headers['Location'] = '/v1/pets';
    breaks?.(answer, pathname);
    if (delayMs !== undefined) await setTimeout(delayMs);
    response.writeHead(answer.status, { 'Content-Type': 'application/json; charset=utf-8', ...answer.headers });
    response.end(answer.body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, key, server };
}
