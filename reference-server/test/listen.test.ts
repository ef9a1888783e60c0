/** Behaviour that only a socket shows: requests that node:http would answer itself, Date, closing. */

import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore, type Handle, type Listening, listen } from '../index.ts';
import { askHandle, askUrl, key, noon, readFields, readRaw, sendRaw, write } from './client.ts';

const authorization = `Authorization: Bearer ${key}\r\n`;

async function withServer(run: (listening: Listening, handle: Handle) => Promise<void>): Promise<void> {
  const { handle } = createPetStore({ keys: [{ key, plan: 'business' }] });
  const listening = await listen(handle, { port: 0, now: () => noon });
  await run(listening, handle).finally(listening.close);
}

function isAnswer(text: string, status: number): void {
  const response = readRaw(text);
  assert.is(response.status, status, text);
  if (status >= 400) assert.is(readFields(response)['status'], BigInt(status));
}

test('requests that node:http would answer itself get the answers of the store', () =>
  withServer(async ({ url }) => {
    const end = `${authorization}Connection: close\r\n\r\n`;
    isAnswer(await sendRaw(url, `GET /v1/pets HTTP/1.1\r\n${end}`), 200);
    isAnswer(await sendRaw(url, `GET /v1/pets HTTP/1.0\r\n${end}`), 200);
    isAnswer(await sendRaw(url, `GET /v1/pets HTTP/1.1\r\nExpect: wonders\r\n${end}`), 200);
    isAnswer(await sendRaw(url, `GET http://other/v1/pets HTTP/1.1\r\nHost: x\r\n${end}`), 200);
    isAnswer(
      await sendRaw(
        url,
        `GET /v1/pets HTTP/1.1\r\nUpgrade: websocket\r\n${authorization}Connection: close, upgrade\r\n\r\n`,
      ),
      200,
    );
    isAnswer(await sendRaw(url, 'CONNECT other:443 HTTP/1.1\r\nHost: other\r\n\r\n'), 401);
    isAnswer(await sendRaw(url, `CONNECT other:443 HTTP/1.1\r\n${end}`), 404);
    isAnswer(await sendRaw(url, `GET /v1/pets HTTP/1.1\r\n${authorization}${end}`), 401);
    isAnswer(await sendRaw(url, `GET /v1/pets HTTP/1.1\r\n${'x: y\r\n'.repeat(2_500)}${authorization}${end}`), 401);
  }));

test('HEAD has no body, the length of one, and the connection goes on', () =>
  withServer(async ({ url }) => {
    const text = await sendRaw(
      url,
      `HEAD /v1/pets HTTP/1.1\r\n${authorization}\r\nGET /v1/pets HTTP/1.1\r\n${authorization}Connection: close\r\n\r\n`,
    );
    assert.match(text, /^HTTP\/1.1 405 [\s\S]*Allow: GET, POST[\s\S]*\r\n\r\nHTTP\/1.1 200 [\s\S]*\r\n\r\n\[\]$/);
  }));

test('a client that disconnects in the middle of its body stores nothing', () =>
  withServer(async ({ url }) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const head = `POST /v1/pets HTTP/1.1\r\n${authorization}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n`;
    await new Promise((resolve) => socket.write(head + write(), resolve));
    await new Promise((resolve) => socket.once('close', resolve).destroy());
    assert.is((await askUrl(url, {})).body, '[]');
  }));

test('Date comes from the clock of the store', () =>
  withServer(async ({ url }) => {
    assert.is((await askUrl(url, {})).headers['date'], 'Sat, 21 Nov 2026 12:00:00 GMT');
  }));

test('an answer has the same headers and body over a socket as in process', () =>
  withServer(async ({ url }, handle) => {
    for (const question of [{ body: write({ name: 'Ünï' }) }, { target: '/v1/pets/1' }, { target: '/x' }, {}]) {
      const { handle: other } = createPetStore({ keys: [{ key, plan: 'business' }] });
      askHandle(other, { body: write({ name: 'Ünï' }) });
      const sent = await askUrl(url, question);
      if (question.body !== undefined) continue;
      assert.is(sent.body, askHandle(other, question).body);
      const names = Object.keys(askHandle(handle, question).headers).map((name) => name.toLowerCase());
      const added = ['content-length', 'date', 'connection'];
      assert.equal(Object.keys(sent.headers).sort(), [...names, ...added].sort());
    }
  }));

test('a port in use rejects with the error code of node:net', () =>
  withServer(async ({ url }) => {
    const { handle } = createPetStore();
    const error = await listen(handle, { port: Number(new URL(url).port) }).catch((reason) => reason);
    assert.is(error.code, 'EADDRINUSE');
  }));

test('closing finishes an open request and accepts no other', async () => {
  const { handle } = createPetStore({ keys: [{ key, plan: 'business' }] });
  const { url, close } = await listen(handle, { port: 0 });
  const body = write();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
  });
  const head = `POST /v1/pets HTTP/1.1\r\n${authorization}Content-Type: application/json\r\nExpect: 100-continue\r\n`;
  socket.write(`${head}Content-Length: ${body.length}\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  const closed = close();
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.write(body);
  await Promise.all([closed, ended]);
  assert.match(received, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 [\s\S]*\r\nConnection: close\r\n/);
  assert.is((await askUrl(url, {}).catch((error) => error)).code, 'ECONNREFUSED');
});

test('closing leaves no timer behind once all connections have ended', async () => {
  const { handle } = createPetStore();
  const countTimers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = countTimers();
  const { close } = await listen(handle, { port: 0, timeouts: { closeMs: 2 ** 31 - 1 } });
  await close();
  assert.is(countTimers(), before);
});

test.run();
