/** The relay passes every byte on unchanged but for Host. */

import { createServer as createHttpServer, get } from 'node:http';
import { connect, createServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type RelayedExchange, startRelay } from '../../traffic/relay.ts';
import { listening, portOf, startFor, startTarget, talk } from './relayed.ts';

const answers: Readonly<Record<string, string>> = {
  'with strange spelling, and headers twice':
    'HTTP/1.1 200 Fine enough\r\nx-RATELIMIT-limit: 7\r\nSet-Cookie: a=b\r\nset-cookie: c=d\r\nContent-Length: 2\r\n\r\n[]',
  'in chunks': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: x\r\n\r\n2\r\n[]\r\n0\r\n\r\n',
  'with a trailer':
    'HTTP/1.1 200 OK\r\nTrailer: X-T\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\nX-T: y\r\n\r\n',
  'that ends with its connection': 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: x\r\n\r\n[\xe4]',
  'with a trailer that no chunk announces': 'HTTP/1.1 200 OK\r\nTrailer: X-T\r\nContent-Length: 2\r\n\r\n[]',
  'with a control byte in its reason': 'HTTP/1.1 200 O\x01\x7fK\r\nContent-Length: 2\r\n\r\n[]',
  'with extensions of chunks and bare line feeds':
    'HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2;a="b"\r\n[]\r\n0\r\n\r\n',
  'to an HTTP/1.0 client': 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n[]',
  'without a body': 'HTTP/1.1 204 No Content\r\nX-A: b\r\nContent-Length: 0\r\n\r\n',
};

for (const [what, answer] of Object.entries(answers)) {
  test(`an answer ${what} comes as the target sent it`, async () => {
    const bytes = Buffer.from(answer, 'latin1');
    const { server, port } = await startTarget(bytes);
    const { relay, passed } = await startFor(port);
    const got = await talk(portOf(relay), 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n', bytes.length);
    await relay.close();
    server.close();
    assert.is(got, answer);
    assert.is(passed[0]?.seen.response?.status, Number(answer.slice(9, 12)));
    assert.is(Buffer.from(passed[0]?.seen.response?.body ?? []).toString('latin1'), /\[.*\]/.exec(answer)?.[0] ?? '');
  });
}

for (const status of ['000', '099']) {
  test(`an answer with the status ${status} passes, is no answer, and ends nothing else`, async () => {
    const { server, port } = await startTarget(`HTTP/1.1 ${status} What\r\nContent-Length: 2\r\n\r\n[]`);
    const { relay, passed } = await startFor(port);
    const line = 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n';
    for (const _time of [1, 2]) assert.match(await talk(portOf(relay), line, 40), `HTTP/1.1 ${status} What`);
    await relay.close();
    server.close();
    const message = `a response with the status ${Number(status)}`;
    assert.equal(
      passed.map(({ seen }) => seen.failure),
      [1, 2].map(() => ({ code: 'broken', message })),
    );
  });
}

const requests: Readonly<Record<string, readonly [head: string, body: string]>> = {
  'with a trailer': [
    'POST /v1/pets HTTP/1.1\r\nHost: x\r\nTrailer: X-T\r\nTransfer-Encoding: chunked\r\n',
    '3\r\n{}E\r\n0\r\nX-T: END',
  ],
  'with a trailer and a length': ['POST /v1/pets HTTP/1.1\r\nhost:x\r\nTrailer: X-T\r\nContent-Length: 5\r\n', '{}END'],
  'that expects 100': ['POST /v1/pets HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n', 'END'],
  'of HTTP/1.0': ['POST /v1/pets HTTP/1.0\r\nContent-Length: 3\r\n', 'END'],
  'without a host': ['POST /v1/pets HTTP/1.1\r\nContent-Length: 3\r\n', 'END'],
  'that upgrades': [
    'POST /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 3\r\n',
    'END',
  ],
};

for (const [what, [head, body]] of Object.entries(requests)) {
  test(`a request ${what} reaches the target as it was sent, with one Host, that of the target`, async () => {
    const { server, port, got } = await startTarget('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]');
    const { relay } = await startFor(port);
    const answer = await talk(portOf(relay), `${head}\r\n${body}`, 40);
    await relay.close();
    server.close();
    assert.match(answer, /^HTTP\/1\.1 200 OK/);
    const [line = '', ...rest] = head.split(/(?<=\n)/).filter((one) => !/^host:/i.test(one));
    // A server that has answered closes, or is asked again by a client: the first bytes are those of the request.
    assert.is(got(), `${line}Host: 127.0.0.1:${port}\r\n${rest.join('')}\r\n${body}`);
  });
}

test('a header section beyond 64 KiB is refused, one below it passes', async () => {
  const { server, port, got } = await startTarget('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]');
  const { relay } = await startFor(port);
  const ask = (length: number): Promise<string> =>
    talk(portOf(relay), `GET /v1/pets HTTP/1.1\r\nX: ${'x'.repeat(length)}\r\n\r\n`, 40);
  assert.match(await ask(60_000), /^HTTP\/1\.1 200/);
  const before = got().length;
  assert.match(await ask(70_000), /^HTTP\/1\.1 431/);
  assert.is(got().length, before);
  await relay.close();
  server.close();
});

test('a target that says nothing for the time limit has failed, and its client is not left waiting', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined));
  const port = await listening(silent);
  const passed: RelayedExchange[] = [];
  const relay = await startRelay({
    baseUrl: `http://127.0.0.1:${port}/v1`,
    host: '127.0.0.1',
    port: 0,
    silenceMs: 50,
    onExchange: (exchange) => passed.push(exchange),
  });
  assert.is(await talk(portOf(relay), 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n'), '');
  await relay.close();
  silent.close();
  assert.equal(
    passed.map(({ seen }) => seen.failure),
    [{ code: 'broken', message: 'ETIMEDOUT' }],
  );
});

test('bytes after an upgrade pass both ways and are no exchange', async () => {
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n');
      socket.on('data', (chunk) => socket.end(`echo ${chunk}`));
    });
  });
  const { relay, passed } = await startFor(await listening(server));
  const got = await new Promise<string>((resolve) => {
    let all = '';
    const socket = connect(portOf(relay), '127.0.0.1', () =>
      socket.write('GET /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    );
    socket.once('data', () => socket.write('GET /no HTTP/9\r\n'));
    socket.on('data', (chunk) => {
      all += chunk;
    });
    socket.on('close', () => resolve(all));
  });
  await relay.close();
  server.close();
  assert.match(got, /^HTTP\/1\.1 101 .*echo GET \/no HTTP\/9\r\n$/s);
  assert.equal(
    passed.map(({ seen }) => seen.response?.status),
    [101],
  );
});

test('a request reaches the target as it was sent, with the host of the target', async () => {
  const { server, port, got } = await startTarget('HTTP/1.1 201 OK\r\nContent-Length: 2\r\n\r\n{}');
  const { relay, passed } = await startFor(port);
  const head = 'POST /v1/pets?a=%zz&b HTTP/1.1\r\n';
  const headers =
    'authorization: Bearer  k\r\nX-Odd:  \r\nx-odd: 2\r\nContent-Type: application/json\r\nContent-Length: 6\r\n';
  await talk(portOf(relay), `${head}Host: here\r\n${headers}\r\n{"\xe4END`, 30);
  await relay.close();
  server.close();
  assert.is(got(), `${head}Host: 127.0.0.1:${port}\r\n${headers}\r\n{"\xe4END`);
  const { method, target, headers: read, body } = passed[0]!.seen;
  assert.equal([method, target, read['x-odd'], body?.length], ['POST', '/pets?a=%zz&b', ', 2', 6]);
});

test('an answer is passed on while it arrives', async () => {
  let finish = (): void => undefined;
  const server = createHttpServer((_incoming, outgoing) => {
    outgoing.write('first');
    finish = () => outgoing.end('last');
  });
  const { relay, passed } = await startFor(await listening(server));
  const text = await new Promise<string>((resolve) => {
    get(`${relay.baseUrl}/pets`, (response) => {
      let all = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        if (all === '') assert.is(chunk, 'first');
        all += chunk;
        finish();
      });
      response.on('end', () => resolve(all));
    });
  });
  assert.is(text, 'firstlast');
  await relay.close();
  server.close();
  assert.is(String(passed[0]?.seen.response?.body), 'firstlast');
});

test('requests on one connection share one to the target, and events are in order', async () => {
  let connections = 0;
  const server = createHttpServer((_incoming, outgoing) => outgoing.end('[]')).on('connection', () => {
    connections += 1;
  });
  const { relay, passed } = await startFor(await listening(server));
  const line = 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n';
  const got = await talk(portOf(relay), line.repeat(3), 3 * 100);
  await relay.close();
  server.close();
  assert.is(got.split('HTTP/1.1 200').length, 4);
  assert.is(connections, 1);
  assert.equal(
    passed.map(({ number }) => number),
    [1, 2, 3],
  );
  assert.ok(passed.every(({ sent, answered }) => answered > sent));
});

test.run();
