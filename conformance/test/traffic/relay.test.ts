/** The relay passes requests and answers on, with their headers as written, and captures each exchange. */

import { createServer as createHttpServer, type RequestListener, request } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CapturedExchange, decodeBody } from '../../traffic/captured-exchange.ts';
import { listening, portOf, startFor, startTarget, talk } from './relayed.ts';

const get = 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const fine = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]';

/** What a client gets for some bytes from a target that answers with these, and what is captured. */
async function passed(answer: string | Buffer, bytes = get) {
  const { server, port, got } = await startTarget(answer);
  const { relay, passed: captured } = await startFor(port);
  const received = await talk(portOf(relay), bytes);
  await relay.close();
  server.close();
  return { port, received, got: got(), seen: captured.map(({ seen }) => seen) };
}

const answers: Readonly<Record<string, readonly [answer: string, body: string]>> = {
  'with strange spelling, and headers twice': [
    'HTTP/1.1 200 Fine enough\r\nx-RATELIMIT-limit: 7\r\nSet-Cookie: a=b\r\nset-cookie: c=d\r\nContent-Length: 2\r\n',
    '[]',
  ],
  'in chunks': ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: x\r\n', '2\r\n[]\r\n0\r\n\r\n'],
  'without a body': ['HTTP/1.1 204 No Content\r\nX-A: b\r\n', ''],
};

for (const [what, [head, body]] of Object.entries(answers)) {
  test(`an answer ${what} keeps its status line, its headers and its body`, async () => {
    const { received, seen } = await passed(`${head}\r\n${body}`);
    assert.ok(received.startsWith(head), received);
    assert.ok(received.endsWith(`\r\n\r\n${body}`), received);
    assert.is(seen[0]?.response?.status, Number(head.slice(9, 12)));
    assert.is(String(seen[0]?.response?.body), /\[.*\]/.exec(body)?.[0] ?? '');
  });
}

const odd: Readonly<Record<string, string>> = {
  'a trailer': 'HTTP/1.1 200 OK\r\nTrailer: X-T\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\nX-T: y\r\n\r\n',
  'a trailer that no chunk announces': 'HTTP/1.1 200 OK\r\nTrailer: X-T\r\nContent-Length: 2\r\n\r\n[]',
  'a control byte in its reason': 'HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\n[]',
  'no length': 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n[]',
  'the version 1.0': 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n[]',
};

for (const [what, answer] of Object.entries(odd)) {
  test(`an answer with ${what} reaches the client and is captured, or is captured as broken`, async () => {
    const { received, seen } = await passed(answer);
    const [{ response, failure } = {} as CapturedExchange] = seen;
    if (failure === undefined) assert.match(received, '[]');
    assert.ok(failure?.code === 'broken' || String(response?.body) === '[]', JSON.stringify(seen));
  });
}

const failing: Readonly<Record<string, readonly [answer: string, message: RegExp]>> = {
  'with the status 099': ['HTTP/1.1 099 What\r\nContent-Length: 2\r\n\r\n[]', /the status 99/],
  'that is no HTTP': ['220 smtp.example ESMTP\r\n\r\n', /HPE_/],
  'that is cut': ['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[]', /ECONNRESET/],
  'that never comes': ['', /ECONNRESET/],
};

for (const [what, [answer, message]] of Object.entries(failing)) {
  test(`an answer ${what} breaks the connection of the client and is captured as broken`, async () => {
    const server = createServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end(answer)));
    const { relay, passed: captured } = await startFor(await listening(server));
    const received = await talk(portOf(relay), get);
    await relay.close();
    server.close();
    assert.not.match(received, /\r\n\r\n.{3}/s);
    assert.equal(
      captured.map(({ seen: { failure } }) => [failure?.code, message.test(failure?.message ?? '')]),
      [['broken', true]],
    );
  });
}

const sent: Readonly<Record<string, readonly [head: string, body: string]>> = {
  'with odd headers, escapes and bytes': [
    'POST /v1/pets?a=%zz&b?c HTTP/1.1\r\nauthorization: Bearer  k\r\nX-Odd: 1\r\nx-odd: 2\r\nContent-Length: 6\r\n',
    '{"\xe4END',
  ],
  'in chunks': ['POST /v1/pets HTTP/1.1\r\nTransfer-Encoding: chunked\r\n', '5\r\n{}END\r\n0\r\n'],
  'that expects 100': ['POST /v1/pets HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n', 'END'],
  'without a body': ['GET /v1/pets/7 HTTP/1.1\r\nAccept: */*\r\n', ''],
};

for (const [what, [head, body]] of Object.entries(sent)) {
  test(`a request ${what} reaches the target with its headers as written, and with the host of the target`, async () => {
    const [line = '', ...headers] = head.split(/(?<=\n)/);
    const end = body.endsWith('0\r\n') ? '\r\n' : '';
    const { got, port, seen } = await passed(
      fine,
      `${line}Host: here\r\n${headers.join('')}Connection: close\r\n\r\n${body}${end}`,
    );
    assert.ok(got.startsWith(`${line}Host: 127.0.0.1:${port}\r\n${headers.join('')}Connection: close\r\n\r\n`), got);
    assert.ok(got.includes(body), got);
    assert.is(seen[0]?.target, line.split(' ')[1]!.slice('/v1'.length));
  });
}

test('a header section beyond 64 KiB is refused, one below it passes', async () => {
  const ask = (length: number) =>
    passed(fine, `GET /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: ${'x'.repeat(length)}\r\n\r\n`);
  assert.match((await ask(60_000)).received, /^HTTP\/1\.1 200/);
  const refused = await ask(70_000);
  assert.match(refused.received, /^HTTP\/1\.1 431/);
  assert.equal([refused.got, refused.seen], ['', []]);
});

/** What is captured, and what a client gets in the end, where a target handles sockets by itself. */
async function passedBy(handle: (socket: Socket) => void, options: { readonly silenceMs?: number } = {}) {
  const server = createServer((socket) => handle(socket.on('error', () => undefined)));
  const { relay, passed: captured } = await startFor(await listening(server), '/v1', options);
  const received = await talk(portOf(relay), get);
  await relay.close();
  server.close();
  return { received, failures: captured.map(({ seen }) => seen.failure) };
}

test('a target that says nothing for the time limit has failed, and its client is not left waiting', async () => {
  const failure = { code: 'broken', message: 'ETIMEDOUT' };
  assert.equal(await passedBy(() => undefined, { silenceMs: 50 }), { received: '', failures: [failure] });
});

test('an unreachable target is captured as unreachable', async () => {
  const server = createServer();
  const port = await listening(server);
  server.close();
  const { relay, passed: captured } = await startFor(port);
  await talk(portOf(relay), get);
  await relay.close();
  assert.is(captured[0]?.seen.failure?.code, 'unreachable');
});

test('a request that its client gives up is not captured', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined));
  const { relay, passed: captured } = await startFor(await listening(silent));
  const left = request(`${relay.baseUrl}/pets`).on('error', () => undefined);
  silent.once('connection', (socket) => {
    socket.once('data', () => left.destroy());
    socket.once('close', () => silent.close());
  });
  left.end();
  await new Promise((resolve) => silent.once('close', resolve));
  await relay.close();
  assert.equal(captured, []);
});

test('an early answer is captured together with what came of the request', async () => {
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', () => socket.write('HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\n{}'));
  });
  const { relay, passed: captured } = await startFor(await listening(server));
  const outgoing = request(`${relay.baseUrl}/pets`, { method: 'POST', headers: { 'Content-Length': 7 } });
  outgoing
    .on('response', (response) => response.resume().on('end', () => outgoing.end(':1}')))
    .on('error', () => undefined);
  outgoing.write('{"a"');
  await new Promise((resolve) => outgoing.once('close', resolve));
  while (captured.length === 0) await new Promise(setImmediate);
  await relay.close();
  server.close();
  assert.equal(
    captured.map(({ seen }) => [seen.body, seen.response?.status]),
    [['{"a":1}', 401]],
  );
});

/** What a client gets from a target that is a server, and what is captured. */
async function served(listener: RequestListener, bytes: string) {
  let connections = 0;
  const server = createHttpServer(listener).on('connection', () => {
    connections += 1;
  });
  const { relay, passed: captured } = await startFor(await listening(server));
  const received = await talk(portOf(relay), bytes);
  await relay.close();
  server.close();
  return { received, captured, connections };
}

test('a compressed answer passes compressed and is captured decompressed', async () => {
  const packed = gzipSync('[1]');
  const { received, captured } = await served(
    (_incoming, outgoing) => outgoing.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
    get,
  );
  assert.ok(received.includes(packed.toString('latin1')));
  assert.is(String(captured[0]?.seen.response?.body), '[1]');
});

test('a body that cannot be decoded, or is too long decoded, is not read', () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  const read = [Buffer.from('no gzip'), Buffer.from('[]'), bomb].map((bytes) => decodeBody(bytes, 'gzip'));
  assert.equal(read, [undefined, undefined, undefined]);
  assert.is(decodeBody(Buffer.from('[]'), 'unheard-of'), undefined);
  assert.is(String(decodeBody(Buffer.from('[]'))), '[]');
});

test('a request outside the base address passes and is not captured', async () => {
  const { received, captured } = await served(
    ({ url }, outgoing) => outgoing.end(url),
    'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  );
  assert.match(received, '/health');
  assert.equal(captured, []);
});

test('a request that is too long to be judged passes and is not captured', async () => {
  const body = 'x'.repeat(2 * 1024 * 1024 + 1);
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
  const { received, captured } = await served(async (incoming, outgoing) => {
    const chunks = await Array.fromAsync(incoming as AsyncIterable<Buffer>);
    outgoing.end(String(chunks.reduce((sum, { length }) => sum + length, 0)));
  }, head + body);
  assert.match(received, String(body.length));
  assert.equal(captured, []);
});

test('an answer is passed on while it arrives', async () => {
  let finish = (): void => undefined;
  const server = createHttpServer((_incoming, outgoing) => {
    outgoing.write('first');
    finish = () => outgoing.end('last');
  });
  const { relay, passed: captured } = await startFor(await listening(server));
  const chunks: string[] = [];
  await new Promise<void>((resolve) => {
    request(`${relay.baseUrl}/pets`, (response) => {
      response.setEncoding('utf8').on('data', (chunk) => {
        chunks.push(chunk);
        finish();
      });
      response.on('end', () => resolve());
    }).end();
  });
  await relay.close();
  server.close();
  assert.equal([chunks, String(captured[0]?.seen.response?.body)], [['first', 'last'], 'firstlast']);
});

test('requests on one connection share one to the target, and events are in order', async () => {
  const line = 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n';
  const { received, captured, connections } = await served(
    (_incoming, outgoing) => outgoing.end('[]'),
    line.repeat(2) + get,
  );
  assert.is(received.split('HTTP/1.1 200').length, 4);
  assert.is(connections, 1);
  assert.equal(
    captured.map(({ number }) => number),
    [1, 2, 3],
  );
  assert.ok(captured.every(({ sent: begin, answered }) => answered > begin));
});

test.run();
