/** Requests that cannot be read to their end: each gets a complete answer and stores nothing. */

import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore, type Handle, type ListenOptions, listen, type PetStoreOptions } from '../index.ts';
import { askUrl, key, noon, readFields, readHeader, readRate, readRaw, sendRaw, write } from './client.ts';

const keyed = `Authorization: Bearer ${key}\r\n`;
const start = 'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const hugeLength = 'Content-Length: 99999999999\r\n';
/** Short timeouts: a request that is not answered at once fails its test by a 408. */
const timeouts = { headersMs: 1_000, requestMs: 2_000, lingerMs: 100 };

async function withServer(
  run: (url: string) => Promise<void>,
  options: PetStoreOptions = {},
  limits: ListenOptions = { timeouts },
): Promise<void> {
  const { handle } = createPetStore({ keys: [{ key, plan: 'business' }], ...options });
  const { url, close } = await listen(handle, { port: 0, now: () => noon, ...limits });
  await run(url).finally(close);
}

const notHttp = [
  'nonsense\r\n\r\n',
  '\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n',
  'GET /v1/pets HTTP/9.9\r\n\r\n',
  'GET /v1/p\u0000ets HTTP/1.1\r\n\r\n',
  `GET /v1/pets HTTP/1.1\r\nbad header : x\r\n${keyed}\r\n`,
  `${start}${keyed}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`,
  `${start}${keyed}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `${start}${keyed}Content-Length: -1\r\n\r\n`,
];
const largeHeads = [
  `GET /v1/pets HTTP/1.1\r\n${keyed}X: ${'x'.repeat(20_000)}\r\n\r\n`,
  `GET /v1/pets HTTP/1.1\r\n${'x: y\r\n'.repeat(9_000)}\r\n`,
  `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
];

test('bytes that are not HTTP get 400, too large headers 431, counted by address; the server goes on', () =>
  withServer(async (url) => {
    let remaining = 60;
    for (const [status, texts] of [
      [400, notHttp],
      [431, largeHeads],
    ] as const) {
      for (const text of texts) {
        const response = readRaw(await sendRaw(url, text));
        remaining -= 1;
        assert.is(response.status, status, text.slice(0, 50));
        assert.equal(readRate(response), [60, remaining, noon / 1000 + 60]);
        const code = status === 400 ? 'invalid_request' : 'request_header_fields_too_large';
        const { message, ...fields } = readFields(response);
        assert.type(message, 'string');
        assert.equal(fields, { code, status: BigInt(status) });
        assert.is(readHeader(response, 'connection'), 'close');
        assert.is(readHeader(response, 'www-authenticate'), undefined);
      }
    }
    assert.is((await askUrl(url, {})).body, '[]');
  }));

test('answers to unreadable requests follow the gap choices', () =>
  withServer(
    async (url) => {
      for (const text of [notHttp[0]!, largeHeads[0]!, `${start}${keyed}${hugeLength}\r\n`]) {
        const response = readRaw(await sendRaw(url, text));
        const { code, kind, status } = readFields(response);
        assert.is(code, String(1_000n + BigInt(response.status)));
        assert.equal([kind, status], ['extra', BigInt(response.status)]);
      }
    },
    { gaps: { 'error-codes': 'numeric', 'extra-response-fields': 'extra' } },
  ));

test('a broken body gets 400 counted by its key, 401 without a key, and stores nothing', () =>
  withServer(async (url) => {
    const body = `Transfer-Encoding: chunked\r\n\r\n${write().length.toString(16)}\r\n${write()}\r\nzz\r\n`;
    const broken = readRaw(await sendRaw(url, `${start}${keyed}${body}`));
    assert.is(broken.status, 400);
    assert.equal(readRate(broken).slice(0, 2), [1000, 999]);
    assert.is(readRaw(await sendRaw(url, start + body)).status, 401);
    assert.is((await askUrl(url, {})).body, '[]');
  }));

test('an answer arrives however much the client sends after unreadable bytes', () =>
  withServer(async (url) => {
    let resets = 0;
    const text = await sendRaw(url, `nonsense\r\n\r\n${'x'.repeat(4 * 1024 * 1024)}`, () => {
      resets += 1;
    });
    assert.is(resets, 0);
    assert.is(readRaw(text).status, 400);
  }));

test('a too large chunk extension gets 413', () =>
  withServer(async (url) => {
    const text = `${start}${keyed}Transfer-Encoding: chunked\r\n\r\n1;x=${'x'.repeat(20_000)}\r\n{\r\n`;
    assert.is(readRaw(await sendRaw(url, text)).status, 413);
  }));

test('bytes that are not HTTP are counted by address, also after a request with a key on the same connection', () =>
  withServer(async (url) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
    socket.write(`${start}${keyed}Content-Length: ${write().length}\r\n\r\n${write()}`);
    const created = await new Promise<string>((resolve) => socket.once('data', resolve));
    assert.is(readRaw(created).status, 201);
    socket.write('nonsense\r\n\r\n');
    const refused = await new Promise<string>((resolve) => socket.once('data', resolve));
    assert.equal(readRate(readRaw(refused)), [60, 59, noon / 1000 + 60]);
    assert.is(readRate(await askUrl(url, { authorization: null }))[1], 58);
  }));

test('a client that resets its connection in the middle of a request never reaches the store', async () => {
  const store = createPetStore();
  let asked = 0;
  const handle: Handle = (request, now) => {
    asked += 1;
    return store.handle(request, now);
  };
  const { url, close } = await listen(handle, { port: 0 });
  try {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await new Promise((resolve) => socket.write('GET /v1/pets HTTP/1.1\r\nX: ', resolve));
    await new Promise((resolve) => socket.once('close', resolve).resetAndDestroy());
    await askUrl(url, {});
    assert.is(asked, 1);
  } finally {
    await close();
  }
});

test('a declared length beyond a mebibyte gets 413 before a byte of the body is there, and no 100', () =>
  withServer(async (url) => {
    for (const expect of ['', 'Expect: 100-continue\r\n']) {
      const response = readRaw(await sendRaw(url, `${start}${keyed}${expect}${hugeLength}\r\n`));
      assert.is(response.status, 413);
      assert.is(readFields(response)['code'], 'payload_too_large');
      assert.is(readRate(response)[0], 1000);
      assert.is(readHeader(response, 'connection'), 'close');
    }
    const exactly = `${start}${keyed}Expect: 100-continue\r\nConnection: close\r\nContent-Length: 1048576\r\n\r\n`;
    assert.match(
      await sendRaw(url, exactly + 'x'.repeat(1024 * 1024)),
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /,
    );
    const fits = write({ name: 'x'.repeat(1024 * 1024 - 50) });
    assert.is((await askUrl(url, { body: fits })).status, 201);
  }));

test('a declared length beyond a mebibyte gets 401 without a key, and 429 beyond the limit', () =>
  withServer(
    async (url) => {
      const rest = `Expect: 100-continue\r\n${hugeLength}\r\n`;
      assert.is(readRaw(await sendRaw(url, `${start}Authorization: Bearer wrong\r\n${rest}`)).status, 401);
      assert.is(readRaw(await sendRaw(url, `${start}${keyed}${rest}`)).status, 413);
      assert.is(readRaw(await sendRaw(url, `${start}${keyed}${rest}`)).status, 429);
    },
    { keys: [{ key, plan: 'free', perMinute: 1 }] },
  ));

test('a chunked body gets 413 at the first byte beyond a mebibyte, whether or not it ends', () =>
  withServer(async (url) => {
    const chunk = `200000\r\n${'x'.repeat(1024 * 1024 + 1)}`;
    assert.is(readRaw(await sendRaw(url, `${start}${keyed}Transfer-Encoding: chunked\r\n\r\n${chunk}`)).status, 413);
  }));

test('the 413 for a body beyond a mebibyte arrives, however much the client still sends', () =>
  withServer(
    async (url) => {
      const size = 6 * 1024 * 1024;
      for (const framing of [`Content-Length: ${size}`, 'Transfer-Encoding: chunked']) {
        const body = 'x'.repeat(size);
        const sent = framing.startsWith('C') ? body : `${size.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
        let resets = 0;
        // Bytes after an answer with Connection: close are not a request.
        const next = `${start}${keyed}Content-Length: ${write().length}\r\n\r\n${write()}`;
        const text = await sendRaw(url, `${start}${keyed}${framing}\r\n\r\n${sent}${next}`, () => {
          resets += 1;
        });
        // A reset could make a slower client lose the answer.
        assert.is(resets, 0);
        assert.is(readRaw(text).status, 413);
        assert.is(readHeader(readRaw(text), 'connection'), 'close');
      }
      assert.is((await askUrl(url, {})).body, '[]');
    },
    {},
    { timeouts: { lingerMs: 60_000 } },
  ));

test('a request that is completed after its 408 stores nothing', () =>
  withServer(
    async (url) => {
      const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
      let received = '';
      socket.setEncoding('utf8').on('data', (chunk) => {
        received += chunk;
      });
      socket.write(`${start}${keyed}Content-Length: ${write().length}\r\n\r\n`);
      await new Promise((resolve) => socket.once('end', resolve));
      await new Promise((resolve) => socket.once('close', resolve).end(write()));
      assert.is(readRaw(received).status, 408);
      assert.is((await askUrl(url, {})).body, '[]');
    },
    {},
    { timeouts: { headersMs: 100, requestMs: 100 } },
  ));

test.run();
