/** Clients that take their time, or more connections than there are: others are served all the same. */

import { connect, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore, type ListenOptions, listen } from '../index.ts';
import { askUrl, key, noon, readFields, readRate, readRaw } from './client.ts';

const keyed = `Authorization: Bearer ${key}\r\n`;
const start = `POST /v1/pets HTTP/1.1\r\n${keyed}Content-Type: application/json\r\n`;
const slow = {
  silent: '',
  'in the middle of a header': 'GET /v1/pets HTTP/1.1\r\nX: ',
  'in the middle of a body': `${start}Content-Length: 500\r\n\r\n{`,
  'in the middle of a chunk': `${start}Transfer-Encoding: chunked\r\n\r\nff\r\n{`,
};

interface Client {
  readonly socket: Socket;
  readonly closed: Promise<string>;
}

async function withServer(options: ListenOptions, run: (url: string) => Promise<void>): Promise<void> {
  const { handle } = createPetStore({ keys: [{ key, plan: 'business' }] });
  const { url, close } = await listen(handle, { port: 0, now: () => noon, ...options });
  await run(url).finally(close);
}

/** Connects, and sends a beginning; `closed` is all that came back. A server that closes nothing leaves it empty. */
async function open(url: string, beginning: string): Promise<Client> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
  });
  const closed = new Promise<string>((resolve) => {
    const patience = setTimeout(() => socket.destroy(), 8_000);
    socket
      .on('error', () => undefined)
      .on('close', () => {
        clearTimeout(patience);
        resolve(received);
      });
  });
  await new Promise((resolve) => socket.once('connect', resolve));
  if (beginning !== '') await new Promise((resolve) => socket.write(beginning, resolve));
  return { socket, closed };
}

for (const [where, beginning] of Object.entries(slow)) {
  test(`a client that stops gets 408 when its time is over: ${where}`, () =>
    withServer({ timeouts: { headersMs: 100, requestMs: 200 } }, async (url) => {
      const response = readRaw(await (await open(url, beginning)).closed);
      assert.is(response.status, 408);
      assert.is(readFields(response)['code'], 'request_timeout');
      assert.is(readRate(response)[0], where.includes('body') || where.includes('chunk') ? 1000 : 60);
      assert.is((await askUrl(url, {})).body, '[]');
    }));
}

test('a client that drips gets 408 when its time is over', () =>
  withServer({ timeouts: { headersMs: 100, requestMs: 200 } }, async (url) => {
    for (const beginning of [slow['in the middle of a header'], slow['in the middle of a body']]) {
      const { socket, closed } = await open(url, beginning);
      const drip = setInterval(() => socket.write('x'), 10);
      assert.is(readRaw(await closed).status, 408);
      clearInterval(drip);
    }
  }));

test('a body that stops gets 401 where its key is wrong', () =>
  withServer({ timeouts: { headersMs: 100, requestMs: 200 } }, async (url) => {
    const text = slow['in the middle of a body'].replace(key, 'wrong');
    assert.is(readRaw(await (await open(url, text)).closed).status, 401);
  }));

test('slow clients beyond the greatest number get 408, the oldest first, and shut out nobody', () =>
  withServer({ maxConnections: 10 }, async (url) => {
    const texts = Object.values(slow);
    const clients: Client[] = [];
    for (let at = 0; at < 30; at += 1) clients.push(await open(url, texts[at % texts.length]!));
    for (const { closed } of clients.slice(0, 20)) assert.is(readRaw(await closed).status, 408);
    assert.equal(clients.map(({ socket }) => socket.readyState === 'open').indexOf(true), 20);
    const fresh = await Promise.all(
      Array.from({ length: 8 }, () => open(url, `GET /v1/pets HTTP/1.1\r\n${keyed}\r\n`)),
    );
    for (const { closed } of clients.slice(20, 28)) assert.is(readRaw(await closed).status, 408);
    for (const { socket } of [...clients, ...fresh]) socket.end();
    for (const { closed } of fresh) assert.is(readRaw(await closed).body, '[]');
  }));

test('slow clients within the greatest number leave when their time is over', () =>
  withServer({ maxConnections: 10, timeouts: { headersMs: 100, requestMs: 200 } }, async (url) => {
    const clients = await Promise.all(Array.from({ length: 10 }, () => open(url, slow['in the middle of a header'])));
    for (const { closed } of clients) assert.is(readRaw(await closed).status, 408);
    assert.is((await askUrl(url, {})).status, 200);
  }));

test('a connection with a request since is kept before older and newer ones without', () =>
  withServer({ maxConnections: 3 }, async (url) => {
    const asking = await open(url, '');
    const silent = await open(url, '');
    const other = await open(url, '');
    const request = `GET /v1/pets HTTP/1.1\r\n${keyed}\r\n`;
    asking.socket.write(request);
    await new Promise((resolve) => asking.socket.once('data', resolve));
    const third = await open(url, '');
    assert.is(readRaw(await silent.closed).status, 408);
    asking.socket.write(request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    assert.match(await asking.closed, /^HTTP\/1\.1 200 [\s\S]*\[\]HTTP\/1\.1 200 [\s\S]*\[\]$/);
    for (const { socket } of [other, third]) socket.destroy();
  }));

test('a client that does not read its answer is cut off', async () => {
  const animals = Array.from({ length: 30 }, () => ({ name: 'x'.repeat(1_000_000), categoryId: 1n }));
  const { handle } = createPetStore({ keys: [{ key, plan: 'business' }], animals });
  const { url, close } = await listen(handle, { port: 0, timeouts: { unreadMs: 100, closeMs: 2 ** 31 - 1 } });
  const { socket, closed } = await open(url, '');
  socket.pause().write(`GET /v1/pets?limit=30 HTTP/1.1\r\n${keyed}\r\n`);
  await close();
  socket.resume();
  assert.ok((await closed).length < 30_000_000);
});

test.run();
