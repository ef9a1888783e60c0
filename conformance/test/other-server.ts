/** A server in another style than the reference server, with other legal choices: it keeps the kit honest. */

import { randomInt } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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
  readonly name: string;
  readonly categoryId: string;
  readonly status: string | undefined;
}

/** Numbers as they were sent: ids and categories stay text from end to end. */
class Digits {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

function asDigits(_field: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? new Digits(context?.source ?? '') : value;
}

const most = 9223372036854775807n;

class OtherServer {
  private readonly rows: Row[] = [];
  private readonly used = new Map<string, number>();
  private readonly options: Required<Pick<OtherServerOptions, 'key' | 'perMinute'>> & OtherServerOptions;
  private windowEnds = 0;

  constructor(options: OtherServerOptions) {
    this.options = { key: 'other-server-key', perMinute: 5000, ...options };
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? '/', 'http://other');
    const client = request.headers.authorization ?? 'nobody';
    const answer = { ...this.answer(request, url, Buffer.concat(chunks).toString()), headers: this.count(client) };
    if (answer.status === 201) answer.headers['Location'] = '/v1/pets';
    this.options.breaks?.(answer, url.pathname);
    if (this.options.delayMs !== undefined) await setTimeout(this.options.delayMs);
    response.writeHead(answer.status, { 'Content-Type': 'application/json; charset=utf-8', ...answer.headers });
    response.end(answer.body);
  }

  private count(client: string): Record<string, string> {
    const now = Math.floor(Date.now() / 1000);
    if (now >= this.windowEnds) {
      this.windowEnds = now + 60;
      this.used.clear();
    }
    const used = (this.used.get(client) ?? 0) + 1;
    this.used.set(client, used);
    return {
      'x-ratelimit-limit': String(this.options.perMinute),
      'x-ratelimit-remaining': String(Math.max(0, this.options.perMinute - used)),
      'x-ratelimit-reset': String(this.windowEnds),
    };
  }

  private answer(request: IncomingMessage, url: URL, body: string): { status: number; body: string } {
    const error = (status: number, message: string) => ({
      status,
      body: JSON.stringify({ status, message, code: `E${status}`, hint: 'see the interface' }),
    });
    if (request.headers.authorization !== `Bearer ${this.options.key}`) return error(401, 'who are you?');
    if (url.pathname === '/v1/pets' && request.method === 'GET') return this.list(url.searchParams);
    if (url.pathname === '/v1/pets' && request.method === 'POST') {
      return this.create(body) ?? error(400, 'that is no animal');
    }
    const row = this.rows.find((candidate) => url.pathname === `/v1/pets/${candidate.id}`);
    return row === undefined ? error(404, 'no such thing') : { status: 200, body: this.write(row) };
  }

  private list(query: URLSearchParams): { status: number; body: string } {
    const limit = Number(query.get('limit') ?? 20);
    const size = Number.isInteger(limit) ? Math.min(Math.max(limit, 1), 100) : 20;
    const status = query.get('status');
    const matching = this.rows.filter((row) => status === null || row.status === status);
    return {
      status: 200,
      body: `[${matching
        .slice(-size)
        .map((row) => this.write(row))
        .join(',')}]`,
    };
  }

  private create(body: string): { status: number; body: string } | undefined {
    let sent: { name?: unknown; categoryId?: unknown; status?: unknown } | null;
    try {
      sent = JSON.parse(body, asDigits);
    } catch {
      return undefined;
    }
    if (typeof sent?.name !== 'string' || !(sent.categoryId instanceof Digits)) return undefined;
    const digits = sent.categoryId.text;
    if (!/^-?\d+$/.test(digits)) return undefined;
    if (BigInt(digits) > most || BigInt(digits) < -most - 1n) return undefined;
    const { status } = sent;
    if (status !== undefined && !['available', 'pending', 'sold'].includes(status as string)) return undefined;
    const id = String(most - BigInt(randomInt(2 ** 40)));
    const row: Row = { id, name: sent.name, categoryId: digits, status: status as string | undefined };
    this.rows.push(row);
    return { status: 201, body: this.write(row) };
  }

  private write({ id, name, categoryId, status }: Row): string {
    const rest = status === undefined ? '' : `,"status":${JSON.stringify(status)}`;
    return `{"name":${JSON.stringify(name)},"id":${id},"categoryId":${categoryId}${rest}}`;
  }
}

/** Starts one on a free port; resolves with its base address. */
export async function startOtherServer(
  options: OtherServerOptions = {},
): Promise<{ readonly baseUrl: string; readonly key: string; readonly server: Server }> {
  const other = new OtherServer(options);
  const server = createServer((request, response) => void other.serve(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}/v1`, key: options.key ?? 'other-server-key', server };
}
