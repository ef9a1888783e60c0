/**
 * A neighbour of a few functions and one array, which reads no number: ids and categories stay text from end to end.
 *
 * Its team chose: ids near the largest int64; the newest last; a clamped limit, and no refusal of a strange filter; no status
 * where none is sent; a Location that leads to the list; a field more in Errors; 404 to whatever is not shown; windows of a
 * minute that refuse nobody, one for all clients.
 */

import { randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { keysOfTrials } from '../../services/wraps.ts';
import { listen, type Neighbour } from './neighbour.ts';

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

const perMinute = 5_000;

/** Counts the requests of all clients in windows of a minute, and never refuses one. */
function createCounter(clock: () => number): () => Readonly<Record<string, number>> {
  let [used, windowEnds] = [0, 0];
  return () => {
    const now = Math.floor(clock() / 1000);
    if (now >= windowEnds) [used, windowEnds] = [0, now + 60];
    used += 1;
    return {
      'x-ratelimit-limit': perMinute,
      'x-ratelimit-remaining': perMinute - used,
      'x-ratelimit-reset': windowEnds,
    };
  };
}

export const textOnly: Neighbour = async (now) => {
  const rows: Row[] = [];
  const count = createCounter(now);
  function respond(route: string, query: URLSearchParams, body: string): Answer {
    if (route === 'GET /v1/pets') return list(rows, query);
    if (route === 'POST /v1/pets') return create(rows, body);
    const row = rows.find(({ id }) => route === `GET /v1/pets/${id}`);
    return row === undefined ? error(404, 'no such thing') : { status: 200, body: row.written };
  }
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://other');
    const { authorization } = request.headers;
    const route = `${request.method} ${pathname}`;
    const answer =
      authorization === `Bearer ${keysOfTrials.api}` ? respond(route, searchParams, body) : error(401, 'who are you?');
    const location = answer.status === 201 ? { Location: '/v1/pets' } : {};
    const usual = { Date: new Date(now()).toUTCString(), 'Content-Type': 'application/json; charset=utf-8' };
    response.writeHead(answer.status, { ...usual, ...location, ...count() }).end(answer.body);
  });
  return listen(server);
};
