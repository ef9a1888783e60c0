/** Careful clients that use node:http or a socket. */

import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { ClientEnvironment } from '../../../../clients/client-run.ts';
import type { ExampleClient, ExampleEnvironment } from '../example-client.ts';
import { askedWait, expect } from '../polite-client.ts';

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function sendOnce({ baseUrl, key }: ClientEnvironment, agent: Agent, path: string, body?: string): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const type = body === undefined ? {} : { 'Content-Type': 'application/json; charset=utf-8' };
  const options = {
    agent,
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${key}`, ...type },
  };
  request(baseUrl + path, options, (incoming) => {
    const { statusCode: status, headers } = incoming;
    readText(incoming).then((text) => resolve({ status, headers, text }), reject);
  })
    .on('error', reject)
    .end(body);
  return promise;
}

/** Waits for Retry-After and a little longer each time, up to a limit. */
async function send(environment: ExampleEnvironment, agent: Agent, path: string, body?: string): Promise<Answer> {
  const { hold, sleep, now } = environment;
  for (let backoffMs = 200; backoffMs <= 5_000; backoffMs *= 2) {
    const answer = await hold(() => sendOnce(environment, agent, path, body));
    const { 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset, 'retry-after': asked } = answer.headers;
    if (answer.status !== 429) {
      if (remaining === '0') await sleep(Number(reset) * 1000 - now());
      return answer;
    }
    await sleep(Math.max(0, askedWait(asked ?? '', now())) + backoffMs);
  }
  throw new Error('the service is too busy');
}

function withAgent(
  keepAlive: 'keeps-connections' | 'closes-connections',
  use: (agent: Agent, environment: ExampleEnvironment) => Promise<void>,
): ExampleClient['run'] {
  return async (environment) => {
    const agent = new Agent({ keepAlive: keepAlive === 'keeps-connections' });
    await use(agent, environment).finally(() => agent.destroy());
  };
}

/** Writes one request to a connection of its own, and reads until that ends. */
async function sendRaw({ baseUrl, key }: ClientEnvironment): Promise<string> {
  const { hostname, port, pathname } = new URL(baseUrl);
  const lines = [`GET ${pathname}/pets?limit=3 HTTP/1.1`, `Host: ${hostname}:${port}`, `authorization: Bearer ${key}`];
  const socket = connect(Number(port), hostname);
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`);
  return readText(socket);
}

export const clientsWithNode: Readonly<Record<string, ExampleClient['run']>> = {
  'callbacks-and-one-connection': withAgent('keeps-connections', async (agent, environment) => {
    const body = JSON.stringify({ name: 'Felix', categoryId: Number(environment.categoryId), status: 'sold' });
    expect((await send(environment, agent, '/pets', body)).status === 201, '201');
    expect((await send(environment, agent, '/pets?status=sold')).status === 200, '200');
  }),
  'a-connection-each-time': withAgent('closes-connections', async (agent, environment) => {
    for (const path of ['/pets', '/pets?limit=100'])
      expect((await send(environment, agent, path)).status === 200, '200');
  }),
  async 'writes-to-a-socket'(environment) {
    const { hold, sleep, now } = environment;
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const received = await hold(() => sendRaw(environment));
      const status = received.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
      if (status === '200') return;
      expect(status === '429', '200 or 429');
      const retryAfter = /^retry-after: (.*)\r$/im.exec(received)?.[1] ?? '';
      await sleep(Math.max(0, askedWait(retryAfter, now())) + 250 * 2 ** attempt);
    }
    throw new Error('the service is too busy');
  },
  /** It counts animals by status, and those without one as unknown. */
  'counts-and-caches': withAgent('keeps-connections', async (agent, environment) => {
    const pages = new Map<string, readonly { readonly status?: string }[]>();
    for (const path of ['/pets?limit=20', '/pets', '/pets?limit=20']) {
      const page =
        pages.get(path) ?? (JSON.parse((await send(environment, agent, path)).text) as { status?: string }[]);
      pages.set(path, page);
      const counts = Object.groupBy(page, ({ status }) => status ?? 'unknown');
      expect(Object.values(counts).flat().length === page.length, 'every animal counted');
    }
  }),
  /** White space, escapes and another order of fields are legal JSON. */
  'writes-json-by-hand': withAgent('keeps-connections', async (agent, environment) => {
    const body = `{ "status" : "available",\n "categoryId" : ${environment.categoryId}, "name" : "Gr\\u0065ta" }`;
    const { status, text } = await send(environment, agent, '/pets', body);
    expect(status === 201 && (JSON.parse(text) as { name: string }).name === 'Greta', 'Greta');
  }),
};
