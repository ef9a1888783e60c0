/** Careful clients that use node:http or a socket. */

import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import type { ClientEnvironment } from '../client.ts';
import type { ExampleClient, ExampleEnvironment } from '../example-client.ts';
import { expect } from '../polite-client.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function sendOnce(
  { baseUrl, key }: ClientEnvironment,
  agent: Agent,
  path: string,
  body: string | undefined,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const options = {
    agent,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json; charset=utf-8' }),
    },
  };
  const outgoing = request(baseUrl + path, options, (incoming) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text: Buffer.concat(chunks).toString() });
    });
    incoming.on('error', reject);
  });
  outgoing.on('error', reject).end(body);
  return promise;
}

/** Waits for Retry-After and a little longer each time, up to a limit. */
async function send(environment: ExampleEnvironment, agent: Agent, path: string, body?: string): Promise<Answer> {
  const { hold, sleep, now } = environment;
  let backoffMs = 200;
  for (;;) {
    const answer = await hold(() => sendOnce(environment, agent, path, body));
    const reset = Number(answer.headers['x-ratelimit-reset']) * 1000;
    if (answer.status !== 429) {
      if (answer.headers['x-ratelimit-remaining'] === '0') await sleep(reset - now());
      return answer;
    }
    const retryAfter = answer.headers['retry-after'] ?? '';
    const seconds = Number.parseInt(retryAfter, 10);
    const asked = /^\d+$/.test(retryAfter) ? seconds * 1000 : new Date(retryAfter).getTime() - now();
    await sleep(Math.max(0, asked) + backoffMs);
    backoffMs *= 2;
    if (backoffMs > 5_000) throw new Error('the service is too busy');
  }
}

async function withAgent(options: { readonly keepAlive: boolean }, use: (agent: Agent) => Promise<void>) {
  const agent = new Agent(options);
  await use(agent).finally(() => agent.destroy());
}

function newPetText({ categoryId }: ClientEnvironment, name: string): string {
  return JSON.stringify({ name, categoryId: Number(categoryId), status: 'sold' });
}

/** Writes one request to a connection of its own, and reads until that ends. */
function sendRaw({ baseUrl, key }: ClientEnvironment): Promise<string> {
  const { hostname, port, pathname } = new URL(baseUrl);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const lines = [`GET ${pathname}/pets?limit=3 HTTP/1.1`, `Host: ${hostname}:${port}`, `authorization: Bearer ${key}`];
  let received = '';
  const socket = connect(Number(port), hostname);
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  socket.on('error', reject).on('close', () => resolve(received));
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`);
  return promise;
}

async function listBySocket(environment: ExampleEnvironment): Promise<void> {
  const { hold, sleep, now } = environment;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const received = await hold(() => sendRaw(environment));
    const status = received.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
    if (status === '200') return;
    expect(status === '429', '200 or 429');
    const retryAfter = /^retry-after: (.*)\r$/im.exec(received)?.[1] ?? '';
    const asked = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now();
    await sleep(Math.max(0, asked) + 250 * 2 ** attempt);
  }
  throw new Error('the service is too busy');
}

export const clientsWithNode: readonly ExampleClient[] = [
  {
    id: 'callbacks-and-one-connection',
    title: 'node:http with an agent that keeps its connection open.',
    run: (environment) =>
      withAgent({ keepAlive: true }, async (agent) => {
        expect((await send(environment, agent, '/pets', newPetText(environment, 'Felix'))).status === 201, '201');
        expect((await send(environment, agent, '/pets?status=sold')).status === 200, '200');
      }),
  },
  {
    id: 'a-connection-each-time',
    title: 'node:http without keep-alive; it reads only the status.',
    run: (environment) =>
      withAgent({ keepAlive: false }, async (agent) => {
        for (const path of ['/pets', '/pets?limit=100'])
          expect((await send(environment, agent, path)).status === 200, '200');
      }),
  },
  { id: 'by-hand', title: 'It writes its request to a socket itself.', run: listBySocket },
  {
    id: 'counts-and-caches',
    title: 'It caches pages, counts animals by status, and counts those without one as unknown.',
    run: (environment) =>
      withAgent({ keepAlive: true }, async (agent) => {
        const pages = new Map<string, readonly { readonly status?: string }[]>();
        for (const path of ['/pets?limit=20', '/pets', '/pets?limit=20']) {
          const page =
            pages.get(path) ?? (JSON.parse((await send(environment, agent, path)).text) as { status?: string }[]);
          pages.set(path, page);
          const counts = Object.groupBy(page, ({ status }) => status ?? 'unknown');
          expect(Object.values(counts).flat().length === page.length, 'every animal counted');
        }
      }),
  },
  {
    id: 'writes-what-it-was-environment',
    title: 'It writes JSON by hand, with white space, escapes and another order of fields.',
    run: (environment) =>
      withAgent({ keepAlive: true }, async (agent) => {
        const text = `{ "status" : "available",\n "categoryId" : ${environment.categoryId}, "name" : "Gr\\u0065ta" }`;
        const answer = await send(environment, agent, '/pets', text);
        expect(answer.status === 201 && (JSON.parse(answer.text) as { name: string }).name === 'Greta', 'Greta');
      }),
  },
];
