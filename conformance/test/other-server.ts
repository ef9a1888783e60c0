/** A service at an address, for tests of commands: it makes other legal choices than the reference server, or is broken. */

import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createTwin } from '../../reference-server/twin/gaps.ts';
import { listening } from './http/servers.ts';

export interface OtherServerOptions {
  readonly perMinute?: number;
  /** Breaks an answer on its way out. */
  readonly breaks?: (response: { status: number; headers: Record<string, string>; body: string }, path: string) => void;
}

const key = 'other-server-key';
const gaps = {
  'list-order': 'newest-first',
  'id-form': 'large',
  'limit-out-of-range': 'clamped',
  'status-omitted': 'absent',
} as const;

/** Starts one on a free port; resolves with its base address, its key, and the server for those who watch requests. It ends with the process. */
export async function startOtherServer({ perMinute = 5000, breaks }: OtherServerOptions = {}) {
  const { handle } = createTwin({ keys: [{ key, plan: 'enterprise', perMinute, perDay: 1_000_000 }], gaps });
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers, socket } = request;
    const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
    const body = await buffer(request);
    const asked = { method, target: url, headers: pairs, body, address: String(socket.remoteAddress) };
    const { status, headers: sent, body: text } = handle(asked, Date.now());
    const answer = { status, headers: { ...sent }, body: text };
    breaks?.(answer, url.split('?')[0]!);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  return { baseUrl: `http://127.0.0.1:${await listening(server)}/v1`, key, server };
}
