/** The network between a run and its target: private certificate authorities, reused connections. */

import { createServer } from 'node:http';
import { createServer as createRawServer, type Server as RawServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fetchTransport, type TransportError } from '../../http/transport.ts';
import { jumpingTime, run, runProcess } from '../cli/command.ts';
import { startOtherServer } from '../other-server.ts';
import { listening, startProxy, startTls, tls } from './servers.ts';

test('a body is sent with its length, or in chunks that cut characters if the request asks for that, and with no media type of its own', async () => {
  const received: unknown[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks: readonly Buffer[] = await Array.fromAsync(incoming);
    const { 'content-length': length, 'transfer-encoding': coding, 'content-type': type } = incoming.headers;
    received.push([length, coding, type, Buffer.concat(chunks).toString(), chunks.length]);
    outgoing.end('{}');
  });
  const url = `http://127.0.0.1:${await listening(server)}/`;
  const transport = fetchTransport(2_000);
  const type = { 'content-type': 'application/json' };
  for (const headers of [{}, type, { ...type, 'transfer-encoding': 'chunked' }] satisfies Record<string, string>[]) {
    await transport({ method: 'POST', url, headers, body: '{"name":"é"}' });
  }
  assert.equal(received, [
    ['13', undefined, undefined, '{"name":"é"}', 1],
    ['13', undefined, 'application/json', '{"name":"é"}', 1],
    [undefined, 'chunked', 'application/json', '{"name":"é"}', 2],
  ]);
  transport.close();
  server.close();
});

/** Serves one request on each connection, and resets the connection when another one comes. */
async function startForgetful(): Promise<{
  readonly url: string;
  readonly served: string[];
  readonly server: RawServer;
}> {
  const served: string[] = [];
  const server = createRawServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', (bytes) => {
        served.push(bytes.toString().split(' ')[0]!);
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
        socket.on('data', () => socket.resetAndDestroy());
      });
  });
  return { url: `http://127.0.0.1:${await listening(server)}/`, served, server };
}

test('connections that are closed silently cost no request, and nothing that creates is sent twice', async () => {
  const { url, served, server } = await startForgetful();
  const transport = fetchTransport(2_000);
  const methods = ['GET', 'GET', 'POST', 'GET', 'POST', 'POST', 'GET'];
  for (const method of methods) {
    const body = method === 'POST' ? { body: '{}' } : {};
    assert.is((await transport({ method, url, headers: {}, ...body })).status, 200);
  }
  transport.close();
  server.close();
  assert.equal(served, methods);
});

test('a connection that serves several requests is used for them, and one that breaks twice is broken', async () => {
  let connections = 0;
  let isBreaking = false;
  const server = createServer((incoming, outgoing) => {
    if (isBreaking) incoming.socket.resetAndDestroy();
    else outgoing.end('{}');
  }).on('connection', () => {
    connections += 1;
  });
  const url = `http://127.0.0.1:${await listening(server)}/`;
  const transport = fetchTransport(2_000);
  const get = () => transport({ method: 'GET', url, headers: {} });
  for (let at = 0; at < 5; at += 1) await get();
  assert.is(connections, 1);
  isBreaking = true;
  let failure: unknown;
  await get().catch((error) => {
    failure = error;
  });
  assert.equal(
    [(failure as TransportError).code, (failure as TransportError).message, connections],
    ['broken', 'ECONNRESET', 2],
  );
  // No connection is left to be reused, and a new one that breaks says enough.
  await get().catch(() => undefined);
  assert.is(connections, 3);
  transport.close();
  server.close();
});

test('of a long body only as many bytes are read as a run can use, and the connection ends there', async () => {
  let isClosed: Promise<unknown> = Promise.resolve();
  const server = createServer((incoming, outgoing) => {
    isClosed = new Promise((resolve) => incoming.socket.once('close', resolve));
    outgoing.write('x'.repeat(60));
    if (incoming.url === '/long') outgoing.write('y'.repeat(60));
    else outgoing.end('y'.repeat(40));
  });
  const base = `http://127.0.0.1:${await listening(server)}`;
  const transport = fetchTransport(2_000, {}, 100);
  const long = await transport({ method: 'GET', url: `${base}/long`, headers: {} });
  assert.equal([Buffer.from(long.body).toString(), long.isCut], ['x'.repeat(60) + 'y'.repeat(40), true]);
  await isClosed;
  const whole = await transport({ method: 'GET', url: `${base}/whole`, headers: {} });
  assert.equal([whole.body.length, whole.isCut], [100, undefined]);
  transport.close();
  server.close();
});

test('a whole answer is read whatever follows it in the same packet, and a part of one is none', async () => {
  const answers = ['Content-Length: 2\r\n\r\n{}<p>Bad request', 'Content-Length: 9\r\n\r\n{}'];
  const server = createRawServer((socket) => {
    socket.once('data', () => socket.end(`HTTP/1.1 400 Bad Request\r\n${answers.shift()}`));
  });
  const url = `http://127.0.0.1:${await listening(server)}/`;
  const transport = fetchTransport(2_000);
  const send = () => transport({ method: 'POST', url, headers: {}, body: '{}' });
  const { status, body } = await send();
  const error: unknown = await send().catch((thrown) => thrown);
  transport.close();
  server.close();
  assert.equal([status, Buffer.from(body).toString()], [400, '{}']);
  assert.is((error as TransportError).code, 'broken');
});

test('an answer in chunks may end with trailers or extensions before the connection closes, and a cut one is broken', async () => {
  const packed = gzipSync('{}');
  const headers = 'Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\nConnection: close';
  const chunk = [`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${packed.length.toString(16)}\r\n`, packed, '\r\n'];
  const ends = ['0\r\n\r\n', '0\r\nChecksum: 1\r\n\r\n', '0;last=1\r\n\r\n', '', '0\r\n', '0\r\nChecksum: 1\r\n'];
  const server = createRawServer((socket) => {
    socket.once('data', () => {
      for (const part of [...chunk, ends.shift()!]) socket.write(part);
      socket.end();
    });
  });
  const url = `http://127.0.0.1:${await listening(server)}/`;
  const transport = fetchTransport(2_000);
  const received: unknown[] = [];
  for (const _ of [...ends]) {
    const answer = transport({ method: 'POST', url, headers: {} });
    received.push(
      await answer.then(
        ({ headers, body }) => `${headers['transfer-encoding']} ${Buffer.from(body)}`,
        (error: unknown) => (error as TransportError).code,
      ),
    );
  }
  transport.close();
  server.close();
  assert.equal(received, [...Array(3).fill('chunked {}'), ...Array(3).fill('broken')]);
});

/** Serves one connection at a time until its client closes it, as a server with a single blocking thread does. */
async function startSingleThread() {
  const sockets: Socket[] = [];
  const serve = (socket: Socket): void => {
    socket
      .on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'))
      .on('close', () => {
        sockets.shift();
        if (sockets[0] !== undefined) serve(sockets[0]);
      });
  };
  const server = createRawServer((socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
    if (sockets[0] === socket) serve(socket);
  });
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: `http://127.0.0.1:${await listening(server)}/`, close };
}

test('a server with a single thread answers every request, one after another and several at once', async () => {
  const { url, close } = await startSingleThread();
  const transport = fetchTransport(5_000);
  const send = (method: string): Promise<number> =>
    transport({ method, url, headers: {}, ...(method === 'POST' ? { body: '{}' } : {}) }).then(
      ({ status }) => status,
      () => 0,
    );
  const statuses: number[] = [];
  for (const method of ['GET', 'POST', 'POST', 'GET', 'POST']) statuses.push(await send(method));
  statuses.push(...(await Promise.all(['GET', 'POST', 'GET', 'POST'].map(send))), await send('GET'));
  transport.close();
  close();
  assert.equal(statuses, Array(10).fill(200));
});

for (const [mostOpen, expected] of [
  [1, 1],
  [4, 4],
] as const) {
  test(`after many requests at most ${expected} connections are kept where ${mostOpen} are allowed`, async () => {
    const open = new Set<Socket>();
    const server = createServer((_incoming, outgoing) => outgoing.end('{}')).on('connection', (socket: Socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
    });
    const url = `http://127.0.0.1:${await listening(server)}/`;
    const transport = fetchTransport(5_000, {}, undefined, mostOpen);
    for (let at = 0; at < 30; at += 1) await transport({ method: 'POST', url, headers: {}, body: '{}' });
    const group = Array.from({ length: 6 }, () => transport({ method: 'GET', url, headers: {} }));
    await Promise.all(group);
    // A connection that the client has closed is seen closed after the next answer.
    for (let at = 0; at < 3; at += 1) await transport({ method: 'GET', url, headers: {} });
    assert.ok(open.size >= 1 && open.size <= expected, String(open.size));
    transport.close();
    server.close();
  });
}

test('a certificate of a private authority works if it is trusted, and is refused otherwise', async () => {
  const { baseUrl, key, server } = await startOtherServer();
  const front = await startTls(baseUrl);
  const args = ['run', `https://localhost:${front.port}/v1`, '--max-requests', '30'];
  const trusted = await runProcess(args, { PETSTORE_API_KEY: key, NODE_EXTRA_CA_CERTS: tls('ca.pem') });
  assert.is(trusted.code, 0, trusted.stdout + trusted.stderr);
  const untrusted = await run(args, { PETSTORE_API_KEY: key }, { time: jumpingTime() });
  front.server.closeAllConnections();
  front.server.close();
  server.close();
  assert.is(untrusted.code, 3);
  assert.match(untrusted.stdout, /UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED/);
  assert.match(untrusted.stdout, /NODE_EXTRA_CA_CERTS/);
});

test('a certificate for another host is named, and no authority is asked for', async () => {
  const front = await startTls('http://127.0.0.1:9/v1');
  const proxy = await startProxy();
  const { code, stdout } = await runProcess(['run', `https://other.example:${front.port}/v1`], {
    PETSTORE_API_KEY: 'some-key',
    NODE_EXTRA_CA_CERTS: tls('ca.pem'),
    HTTPS_PROXY: proxy.url,
  });
  for (const { server } of [front, proxy]) server.close();
  assert.is(code, 3);
  assert.match(stdout.replace(/\s+/g, ' '), 'ERR_TLS_CERT_ALTNAME_INVALID, its certificate is for another host');
  assert.not.match(stdout, 'NODE_EXTRA_CA_CERTS');
});

test('HTTPS to a port that speaks HTTP only says so', async () => {
  const { baseUrl, key, server } = await startOtherServer();
  const args = ['run', baseUrl.replace('http:', 'https:')];
  const { code, stdout } = await run(args, { PETSTORE_API_KEY: key }, { time: jumpingTime() });
  server.close();
  assert.is(code, 3);
  assert.match(stdout.replace(/\s+/g, ' '), 'no TLS is spoken there: does the address begin with http://?');
});

test.run();
