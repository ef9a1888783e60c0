/** Slow clients, and more clients than the server has connections for: all others are still served. */

import { connect, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore, type ListenOptions, listen, type NewPet } from '../index.ts';
import { askUrl, key, noon, readFields, readRate, readRaw } from './client.ts';

const keyed = `Authorization: Bearer ${key}\r\n`;
const start = `POST /v1/pets HTTP/1.1\r\n${keyed}Content-Type: application/json\r\n`;
const slow = {
  silent: '',
  'in the middle of a header': 'GET /v1/pets HTTP/1.1\r\nX: ',
  'in the middle of a body': `${start}Content-Length: 500\r\n\r\n{`,
  'in the middle of a chunk': `${start}Transfer-Encoding: chunked\r\n\r\nff\r\n{`,
};

/** Short timeouts that still leave a busy machine time for a request. */
const hasty = { headersMs: 1_000, requestMs: 1_500 };

interface Client {
  readonly socket: Socket;
  readonly closed: Promise<string>;
}

async function withServer(
  options: ListenOptions,
  run: (url: string) => Promise<void>,
  animals: readonly NewPet[] = [],
): Promise<void> {
  const { handle } = createPetStore({ keys: [{ key, plan: 'business' }], animals });
  const { url, close } = await listen(handle, { port: 0, now: () => noon, ...options });
  await run(url).finally(close);
}

/** Connects and sends the start of a request. `closed` resolves with all that came back, or says that the server never closed. */
async function open(url: string, beginning: string): Promise<Client> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
  });
  const closed = new Promise<string>((resolve) => {
    const patience = setTimeout(() => {
      received = 'The server left the connection open.';
      socket.destroy();
    }, 8_000);
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

test('a client that stops gets 408 when its time is over, counted by its key once that has arrived', () =>
  withServer({ timeouts: hasty }, async (url) => {
    const clients = Object.entries(slow).map(async ([where, beginning]) => {
      const response = readRaw(await (await open(url, beginning)).closed);
      assert.is(response.status, 408, where);
      assert.is(readFields(response)['code'], 'request_timeout');
      assert.is(readRate(response)[0], beginning.startsWith('POST') ? 1000 : 60, where);
    });
    await Promise.all(clients);
    assert.is((await askUrl(url, {})).body, '[]');
  }));

test('headers have a shorter timeout of their own', () =>
  withServer({ timeouts: { headersMs: 100 } }, async (url) => {
    for (const beginning of [slow.silent, slow['in the middle of a header']]) {
      assert.is(readRaw(await (await open(url, beginning)).closed).status, 408);
    }
  }));

test('a client that sends byte by byte gets 408 when its time is over', () =>
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

test('beyond the greatest number of connections the slowest clients get 408, the oldest first, and shut out nobody', () =>
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

test('within the greatest number of connections slow clients get 408 when their time is over', () =>
  withServer({ maxConnections: 10, timeouts: hasty }, async (url) => {
    const clients = await Promise.all(Array.from({ length: 10 }, () => open(url, slow['in the middle of a header'])));
    for (const { closed } of clients) assert.is(readRaw(await closed).status, 408);
    assert.is((await askUrl(url, {})).status, 200);
  }));

test('a connection with a recent request outlasts older and newer ones without', () =>
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

test('of many clients that connect at once and stay silent, only the greatest number stays connected', () =>
  withServer({ maxConnections: 10 }, async (url) => {
    const clients = await Promise.all(Array.from({ length: 30 }, () => open(url, '')));
    const dropped: string[] = [];
    await new Promise<void>((resolve) => {
      for (const { closed } of clients) closed.then((text) => dropped.push(text) === 20 && resolve());
    });
    for (const text of dropped) assert.is(readRaw(text).status, 408);
    assert.is((await askUrl(url, {})).status, 200);
    for (const { socket } of clients) socket.end();
  }));

test('closed connections do not count', () =>
  withServer({ maxConnections: 5 }, async (url) => {
    const silent = await open(url, '');
    for (let at = 0; at < 20; at += 1) await askUrl(url, {});
    silent.socket.write(`GET /v1/pets HTTP/1.1\r\n${keyed}Connection: close\r\n\r\n`);
    assert.is(readRaw(await silent.closed).status, 200);
  }));

test('a connection that has had its last answer is dropped without another answer', () =>
  withServer({ maxConnections: 2, timeouts: { lingerMs: 60_000 } }, async (url) => {
    for (const [status, text] of [
      [413, `${start}Content-Length: 99999999999\r\n\r\n`],
      [401, 'CONNECT other:443 HTTP/1.1\r\nHost: other\r\n\r\n'],
      [400, 'nonsense\r\n\r\n'],
    ] as const) {
      const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
      let received = '';
      socket.setEncoding('utf8').on('data', (chunk) => {
        received += chunk;
      });
      const ended = new Promise((resolve) => socket.once('end', resolve));
      await new Promise((resolve) => socket.once('connect', resolve));
      const silent = await open(url, '');
      socket.write(text);
      await new Promise((resolve) => socket.once('data', resolve));
      const asking = await open(url, `GET /v1/pets HTTP/1.1\r\nConnection: close\r\n\r\n`);
      const [limit, remaining] = readRate(readRaw(await asking.closed));
      // Requests without a readable key are counted by address.
      assert.equal([limit, remaining], [60, { 413: 59, 401: 57, 400: 55 }[status]]);
      await ended;
      assert.is(readRaw(received).status, status);
      silent.socket.write(`GET /v1/pets HTTP/1.1\r\n${keyed}Connection: close\r\n\r\n`);
      assert.is(readRaw(await silent.closed).status, 200);
      socket.destroy();
    }
  }));

test('a refused client that keeps its half of the connection open is cut off', async () => {
  const { handle } = createPetStore();
  const { url, close } = await listen(handle, { port: 0, timeouts: { lingerMs: 50, closeMs: 2 ** 31 - 1 } });
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined).write('nonsense\r\n\r\n');
  await new Promise((resolve) => socket.resume().once('end', resolve));
  await close();
  socket.destroy();
});

test('a connection without a further request is closed, before one that has had none', () =>
  withServer({ timeouts: { keepAliveMs: 50, headersMs: 3_500 } }, async (url) => {
    const order: string[] = [];
    const silent = await open(url, '');
    const served = await open(url, `GET /v1/pets HTTP/1.1\r\n${keyed}\r\n`);
    await Promise.all([
      silent.closed.then((text) => order.push(text.slice(9, 12))),
      served.closed.then((text) => order.push(text.slice(9, 12))),
    ]);
    assert.equal(order, ['200', '408']);
  }));

test('closing ends open requests after its timeout', async () => {
  const { handle } = createPetStore();
  const { url, close } = await listen(handle, { port: 0, timeouts: { closeMs: 50 } });
  const { closed } = await open(url, slow['in the middle of a body']);
  await close();
  assert.is(await closed, '');
});

test('a client that does not read its answer is cut off', () =>
  withServer(
    { timeouts: { unreadMs: 50, headersMs: 400 } },
    async (url) => {
      const { socket, closed } = await open(url, '');
      socket.pause().write(`GET /v1/pets HTTP/1.1\r\n${keyed}\r\n`);
      // Three silent clients, one after the other, measure the time: each is closed by its timeout.
      for (let at = 0; at < 3; at += 1) await (await open(url, '')).closed;
      socket.resume();
      assert.ok((await closed).length < 16_000_000);
    },
    Array.from({ length: 16 }, () => ({ name: 'x'.repeat(1_000_000), categoryId: 1n })),
  ));

test.run();
