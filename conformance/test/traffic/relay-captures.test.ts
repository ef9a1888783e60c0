/** Which exchanges the relay captures, and what of them. */

import { createServer as createHttpServer, get, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { captureBody } from '../../traffic/body-capture.ts';
import { listening, portOf, startFor, talk } from './relayed.ts';

test('an early answer is captured together with the whole request', async () => {
  const server = createServer((socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\n{}'));
  });
  const { relay, passed } = await startFor(await listening(server));
  await new Promise<void>((resolve) => {
    const socket = connect(portOf(relay), '127.0.0.1', () =>
      socket.write('POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\n{"a"'),
    );
    socket.once('data', () => {
      assert.equal(passed, []);
      socket.write(':1', () => setImmediate(() => socket.end()));
    });
    socket.on('close', () => resolve());
    server.on('connection', (other) => other.on('end', () => other.end()));
  });
  await relay.close();
  server.close();
  assert.equal(
    passed.map(({ seen }) => [seen.body, seen.response?.status]),
    [['{"a":1', 401]],
  );
});

test('a compressed answer passes unchanged and is captured decompressed', async () => {
  const packed = gzipSync('[1]');
  const server = createHttpServer((_incoming, outgoing) =>
    outgoing.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
  );
  const { relay, passed } = await startFor(await listening(server));
  const got = await new Promise<Buffer>((resolve) => {
    get(`${relay.baseUrl}/pets`, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks)));
    });
  });
  await relay.close();
  server.close();
  assert.equal(got, packed);
  assert.is(String(passed[0]?.seen.response?.body), '[1]');
});

test('a body that cannot be decoded or is too long is not captured', () => {
  const tap = captureBody();
  tap.take(Buffer.from('no gzip'));
  assert.is(tap.decoded('gzip'), undefined);
  assert.is(tap.decoded('unheard-of'), undefined);
  assert.is(String(tap.decoded(undefined)), 'no gzip');
  tap.take(Buffer.alloc(2 * 1024 * 1024));
  assert.is(tap.bytes(), undefined);
  const bomb = captureBody();
  bomb.take(gzipSync(Buffer.alloc(64 * 1024 * 1024)));
  assert.is(bomb.decoded('gzip'), undefined);
});

test('a broken answer breaks for the client too and is captured; a request that the client gives up is not', async () => {
  const breaking = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.destroy());
  });
  const cutting = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[]'));
  });
  const line = 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n';
  for (const [server, expected] of [
    [breaking, ''],
    [cutting, 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[]'],
  ] as const) {
    const { relay, passed } = await startFor(await listening(server));
    assert.is(await talk(portOf(relay), line), expected);
    await relay.close();
    server.close();
    assert.equal(
      passed.map(({ seen: { failure } }) => failure?.code),
      ['broken'],
    );
  }
  const silent = createServer((socket) => socket.on('error', () => undefined));
  const { relay, passed } = await startFor(await listening(silent));
  const left = request(`${relay.baseUrl}/pets`).on('error', () => undefined);
  silent.once('connection', (socket) => {
    socket.once('data', () => left.destroy());
    socket.once('close', () => silent.close());
  });
  left.end();
  await new Promise((resolve) => silent.once('close', resolve));
  await relay.close();
  assert.equal(passed, []);
});

test('an unreachable target is captured as unreachable', async () => {
  const server = createServer();
  const port = await listening(server);
  server.close();
  const { relay, passed } = await startFor(port);
  await talk(portOf(relay), 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n');
  await relay.close();
  assert.is(passed[0]?.seen.failure?.code, 'unreachable');
});

test('a request outside the base address passes and is not captured', async () => {
  const server = createHttpServer(({ url, headers }, outgoing) => outgoing.end(`${url} ${headers.connection}`));
  const { relay, passed } = await startFor(await listening(server));
  const got = await talk(portOf(relay), 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await relay.close();
  server.close();
  assert.match(got, '/health close');
  assert.equal(passed, []);
});

test('a request that is too long to be judged passes and is not captured', async () => {
  const server = createHttpServer(async (incoming, outgoing) => {
    const chunks = await Array.fromAsync(incoming as AsyncIterable<Buffer>);
    outgoing.end(String(chunks.reduce((sum, { length }) => sum + length, 0)));
  });
  const { relay, passed } = await startFor(await listening(server));
  const body = 'x'.repeat(2 * 1024 * 1024 + 1);
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
  assert.match(await talk(portOf(relay), head + body), `\r\n\r\n${body.length}`);
  await relay.close();
  server.close();
  assert.equal(passed, []);
});

test.run();
