/** What sticks to a connection shows over sockets alone: a run keeps those of requests that may be repeated, and sends every kind of them on each. */

import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { fetchTransport } from '../../http/transport.ts';
import { trialSettings } from '../../proof/trial.ts';
import { trialApiKeys } from '../../services/wraps.ts';
import type { Report } from '../../verdict/report.ts';
import { listening, patienceMs } from '../http/servers.ts';
import { runOver } from './bench.ts';

interface Asked {
  readonly socket: Socket;
  /** What `remember` may change. */
  readonly headers: Record<string, string>;
}

/** Judges a service over sockets with sixty requests; `remember` may change what was asked by what its connection has seen. */
async function judgeOverSockets(remember: (asked: Asked) => void): Promise<Report> {
  const { handle } = createPetStore({ keys: trialApiKeys });
  const server = createServer(async (request: IncomingMessage, response) => {
    const { method = '', url = '', socket } = request;
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const asked: Asked = { socket, headers };
    remember(asked);
    const pairs = Object.entries(asked.headers);
    const body = await buffer(request);
    const answer = handle({ method, target: url, headers: pairs, body, address: '127.0.0.1' }, Date.now());
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const baseUrl = `http://127.0.0.1:${await listening(server)}/v1`;
  const transport = fetchTransport(patienceMs, {}, { mostOpen: 1 });
  try {
    return await runOver(transport, trialSettings(60, { baseUrl, today: Date.now(), hasRateLimitKey: false }));
  } finally {
    transport.close();
    server.closeAllConnections();
    server.close();
  }
}

function failingIn({ requirements }: Report): readonly string[] {
  return requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
}

test('a service over sockets that remembers nothing conforms', async () => {
  assert.equal(failingIn(await judgeOverSockets(() => undefined)), []);
});

test('a key that counts for the rest of its connection is found', async () => {
  const authorizations = new WeakMap<Socket, string>();
  const report = await judgeOverSockets(({ socket, headers }) => {
    const known = authorizations.get(socket);
    const { authorization } = headers;
    const isRight = trialApiKeys.some(({ key }) => authorization === `Bearer ${key}`);
    if (isRight) authorizations.set(socket, authorization!);
    else if (known !== undefined) headers['authorization'] = known;
  });
  assert.ok(failingIn(report).includes('auth-missing-key'), failingIn(report).join());
});

test.run();
