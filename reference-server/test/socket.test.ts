/** The server on a socket: what node:http cannot read, slow and leaving clients, and 2,000 damaged requests. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { seededRandom } from '../../spec/random.ts';
import { createPetStore, type ListenOptions, listen } from '../index.ts';
import { askHandle, askUrl, key, noon, readFields, readHeader, readRate, readRaw, sendRaw, write } from './client.ts';

const keyed = `Authorization: Bearer ${key}\r\n`;
const start = 'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const ending = `${keyed}Connection: close\r\n\r\n`;
const keys = [{ key, plan: 'enterprise', perMinute: 1_000_000, perDay: 1_000_000 }] as const;
const body = write({ name: 'Ünï' });
const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;

const startStore = (options: ListenOptions = {}) =>
  listen(createPetStore({ keys }).handle, { port: 0, now: () => noon, ...options });
async function withServer(run: (url: string) => Promise<void>): Promise<void> {
  const { url, close } = await startStore();
  await run(url).finally(close);
}

test('an answer has the same status, headers and body over a socket as in process', () =>
  withServer(async (url) => {
    const { handle } = createPetStore({ keys });
    const questions = [{ body }, { target: '/v1/pets/1' }, {}, { target: '/x' }, { method: 'PUT' }, { body: '' }];
    for (const question of questions) {
      const [sent, expected] = [await askUrl(url, question), askHandle(handle, question)];
      assert.equal([sent.status, sent.body], [expected.status, expected.body]);
      for (const [name, value] of Object.entries(expected.headers)) assert.is(readHeader(sent, name), value);
      assert.is(readHeader(sent, 'date'), new Date(noon).toUTCString());
    }
  }));

test('requests that node:http would answer itself get the answers of the store', () =>
  withServer(async (url) => {
    for (const [text, status] of [
      [`GET /v1/pets HTTP/1.1\r\n${ending}`, 200],
      [`GET /v1/pets HTTP/1.1\r\nExpect: wonders\r\n${ending}`, 200],
      [`GET http://other/v1/pets HTTP/1.1\r\nHost: x\r\n${ending}`, 200],
      [`GET /v1/pets HTTP/1.1\r\nUpgrade: websocket\r\n${keyed}Connection: close, upgrade\r\n\r\n`, 200],
      ['CONNECT other:443 HTTP/1.1\r\nHost: other\r\n\r\n', 401],
      [`CONNECT other:443 HTTP/1.1\r\n${ending}`, 404],
      [`GET /v1/pets HTTP/1.1\r\n${keyed}${ending}`, 401],
    ] as const)
      assert.is(readRaw(await sendRaw(url, text)).status, status, text);
  }));

/** What cannot be read, and the status that it gets. */
const unreadable = [
  ['nonsense\r\n\r\n', 400],
  ['\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n', 400],
  ['GET /v1/pets HTTP/9.9\r\n\r\n', 400],
  [`GET /v1/pets HTTP/1.1\r\nbad header : x\r\n${keyed}\r\n`, 400],
  [`${start}${keyed}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`, 400],
  [`${start}${keyed}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  [`${start}${keyed}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n`, 400],
  [`nonsense\r\n\r\n${'x'.repeat(4 * 1024 * 1024)}`, 400],
  [`GET /v1/pets HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  [`GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`, 431],
] as const;

test('what cannot be read gets an Error with the headers of the address, however much follows; the server goes on', () =>
  withServer(async (url) => {
    const resets: string[] = [];
    for (const [at, [text, status]] of unreadable.entries()) {
      const response = readRaw(await sendRaw(url, text, { whenReset: () => resets.push(text.slice(0, 50)) }));
      const { code, message, ...rest } = readFields(response);
      assert.equal([response.status, rest], [status, { status: BigInt(status) }], text.slice(0, 50));
      assert.match(`${code} ${message}`, /^[a-z_]+ The request cannot be read\.$/);
      assert.equal(readRate(response), [60, 59 - at, noon / 1000 + 60]);
      assert.is(readHeader(response, 'connection'), 'close');
    }
    assert.equal(resets, []);
    assert.is((await askUrl(url, {})).body, '[]');
  }));

const size = 6 * 1024 * 1024;
const large = [
  `Content-Length: ${size}\r\n\r\n${'x'.repeat(size)}`,
  `Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n${'x'.repeat(size)}\r\n0\r\n\r\n`,
  `Transfer-Encoding: chunked\r\n\r\n10000\r\n${write().padEnd(65_536)}\r\n1\r\n \r\n0\r\n\r\n`,
];

test('a body beyond the limit gets 413, 401 without a key, and is not kept', () =>
  withServer(async (url) => {
    for (const framing of large) {
      const answers = [keyed, ''].map((head) => sendRaw(url, `${start}${head}Connection: close\r\n${framing}`));
      const statuses = (await Promise.all(answers)).map((text) => readRaw(text).status);
      assert.equal(statuses, [413, 401]);
    }
    assert.is((await askUrl(url, { body: write({ name: 'x'.repeat(65_000) }) })).status, 201);
  }));

test('a client that is too slow gets 408 with the headers of its address, wherever it stops, and shuts out nobody', async () => {
  const http = { headersTimeout: 300, requestTimeout: 300, connectionsCheckingInterval: 50 };
  const { url, close } = await startStore({ http });
  const beginnings = ['GET /v1/pets HTTP/1.1\r\nX: ', `${start}${keyed}Content-Length: 500\r\n\r\n{`];
  const slow = beginnings.map((text) => sendRaw(url, text));
  assert.is((await askUrl(url, {})).body, '[]');
  for (const response of (await Promise.all(slow)).map(readRaw))
    assert.equal([response.status, readFields(response)['status'], readRate(response)[0]], [408, 408n, 60]);
  await close();
});

test('closing accepts no request, finishes one whose body was invited, and waits for no client that never ends its own', async () => {
  const { url, close } = await startStore();
  const open = (text: string) => {
    const socket = connect({ port: Number(new URL(url).port), allowHalfOpen: true }).setEncoding('utf8');
    socket.on('error', () => undefined).write(text);
    return socket;
  };
  const invited = open(`${start}${keyed}Expect: 100-continue\r\nConnection: close\r\n${length}\r\n`);
  const endless = ['nonsense\r\n\r\n', `${start}Expect: 100-continue\r\nContent-Length: 99\r\n\r\n`].map(open);
  const [[first]] = (await Promise.all([invited, ...endless].map((socket) => once(socket, 'data')))) as [[string]];
  const closed = close();
  invited.write(body);
  const [last] = await once(invited, 'data');
  assert.match(first + last, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
  assert.is((await askUrl(url, {}).catch(({ cause }) => cause)).code, 'ECONNREFUSED');
  await closed;
  for (const socket of endless) socket.destroy();
});

const [cases, atOnce] = [2_000, 20];
const head = `Host: x\r\n${keyed}`;
const seeds = [
  `GET /v1/pets?limit=5 HTTP/1.1\r\n${head}\r\n`,
  `GET /v1/pets/1 HTTP/1.0\r\n${head}Connection: keep-alive\r\n\r\n`,
  `${start}${keyed}${length}\r\n${body}`,
  `${start}${keyed}Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n2\r\n{}\r\n0\r\nX: y\r\n\r\n`,
  `${start}${keyed}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
  `OPTIONS /v1/pets HTTP/1.1\r\n${head}Origin: http://x\r\nAccess-Control-Request-Method: GET\r\n\r\n`,
  `GET /v1/pets HTTP/1.1\r\n${head}Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n\r\n`,
  'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n',
];

/** Damages a request in one to four places: bytes are changed, dropped, doubled or inserted, or its end is cut off. */
function damage(text: string, random: () => number): string {
  const pick = (below: number): number => Math.floor(random() * below);
  let damaged = text;
  for (let count = pick(4); count >= 0; count -= 1) {
    const [at, size] = [pick(damaged.length + 1), pick(12)];
    const piece = damaged.slice(at, at + size);
    const noise = String.fromCharCode(...Array.from({ length: size }, () => pick(256)));
    const changed = [noise, '', piece + piece, noise + piece, '\r\n', '\0'][pick(6)]!;
    damaged = pick(8) === 0 ? damaged.slice(0, at) : damaged.slice(0, at) + changed + damaged.slice(at + size);
  }
  return damaged;
}

test(`${cases} damaged requests are answered without a 5xx, with the rate-limit headers, and the server goes on`, () =>
  withServer(async (url) => {
    const random = seededRandom(20_301_205);
    let answers = 0;
    for (let done = 0; done < cases; done += atOnce) {
      const sent = Array.from({ length: atOnce }, () => damage(seeds[Math.floor(random() * seeds.length)]!, random));
      const received = await Promise.all(sent.map((bytes) => sendRaw(url, bytes, { ends: true })));
      for (const [at, text] of received.entries()) {
        const [final = ''] = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '').split('\r\n\r\n');
        if (final === '') continue;
        assert.match(final, /^HTTP\/1\.1 [1-4]\d\d .*X-RateLimit-Reset: /s, JSON.stringify(sent[at]));
        answers += 1;
      }
    }
    assert.ok(answers > cases / 2, `${answers} answers`);
    assert.is((await askUrl(url, {})).status, 200);
  }));

test.run();
