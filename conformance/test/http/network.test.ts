/** The network between a run and its target: reused connections, answers as they are, proxies and certificates. */

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createRawServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fetchTransport, type Outgoing, type TransportError } from '../../http/transport.ts';
import { run, start } from '../cli/command.ts';
import { startOtherServer } from '../other-server.ts';
import { listening, patienceMs, startProxy, startTls, tls } from './servers.ts';

type Transport = ReturnType<typeof fetchTransport>;

/** Starts a server of HTTP, or one that acts on sockets; `act` sends it requests and sees its open connections. */
async function against<Result>(
  answer: { readonly http: RequestListener } | { readonly sockets: (socket: Socket) => void },
  act: (
    send: (outgoing?: Partial<Outgoing>) => ReturnType<Transport>,
    open: ReadonlySet<Socket>,
    server: { readonly url: string; readonly transport: Transport },
  ) => Promise<Result>,
  { timeoutMs = patienceMs, most }: { readonly timeoutMs?: number; readonly most?: number } = {},
): Promise<Result> {
  const transport = fetchTransport(timeoutMs, {}, most === undefined ? {} : { most });
  const open = new Set<Socket>();
  const server = 'http' in answer ? createServer(answer.http) : createRawServer(answer.sockets);
  server.on('connection', (socket: Socket) => {
    open.add(socket.on('error', () => undefined).on('close', () => open.delete(socket)));
  });
  const url = `http://127.0.0.1:${await listening(server)}/`;
  const send = (outgoing = {}) => transport({ method: 'GET', url, headers: {}, ...outgoing });
  const result = await act(send, open, { url, transport });
  transport.close();
  for (const socket of open) socket.destroy();
  return result;
}

/** A request with this method; a POST has a body. */
const requestBy = (method: string): Partial<Outgoing> => (method === 'POST' ? { method, body: '{}' } : {});
/** The code and the sentence of a request that failed. */
const failureIn = (error: unknown): string => `${(error as TransportError).code} ${(error as TransportError).message}`;

test('a body is sent with its length, or in chunks that cut characters if the request asks for that, and with no media type of its own', async () => {
  const received: unknown[] = [];
  const http: RequestListener = async (incoming, outgoing) => {
    const chunks: readonly Buffer[] = await Array.fromAsync(incoming);
    const { 'content-length': length, 'transfer-encoding': coding, 'content-type': type } = incoming.headers;
    const sizes = chunks.map((chunk) => chunk.length);
    received.push([length, coding, type, Buffer.concat(chunks).toString(), sizes, incoming.headers.connection]);
    outgoing.end('{}');
  };
  const type = { 'content-type': 'application/json' };
  await against({ http }, async (send) => {
    for (const headers of [{}, type, { ...type, 'transfer-encoding': 'chunked' }] satisfies Record<string, string>[]) {
      await send({ method: 'POST', headers, body: '{"name":"é"}' });
    }
  });
  assert.equal(received, [
    ['13', undefined, undefined, '{"name":"é"}', [13], 'keep-alive'],
    ['13', undefined, 'application/json', '{"name":"é"}', [13], 'keep-alive'],
    // A service that cannot read chunks may take them for another request, so the connection ends.
    [undefined, 'chunked', 'application/json', '{"name":"é"}', [10, 3], 'close'],
  ]);
});

test('every request says what it takes and who sends it, and may say otherwise', async () => {
  const said: unknown[] = [];
  const http: RequestListener = ({ headers }, outgoing) => {
    said.push([headers.accept, headers['user-agent']]);
    outgoing.end('{}');
  };
  await against({ http }, async (send) => {
    await send();
    await send({ headers: { accept: '*/*', 'user-agent': 'another' } });
  });
  assert.equal(said, [
    ['application/json', 'petstore-conformance'],
    ['*/*', 'another'],
  ]);
});

test('an address of http may name another scheme in its query', async () => {
  const http: RequestListener = ({ url }, outgoing) => outgoing.end(url);
  const answer = await against({ http }, (send, _open, { url }) => send({ url: `${url}?next=https:` }));
  assert.is(Buffer.from(answer.body).toString(), '/?next=https:');
});

test('an answer that does not come meets the time limit', async () => {
  const silent = (socket: Socket): void => void socket.resume();
  const failure = await against({ sockets: silent }, (send) => send().catch(failureIn), { timeoutMs: 50 });
  assert.is(failure, 'timeout no complete response within 50 ms');
});

test('after an answer that is too large, connections are kept as before', async () => {
  let opened = 0;
  const sockets = (socket: Socket): void => {
    opened += 1;
    socket.on('data', (request) => {
      const body = 'x'.repeat(String(request).startsWith('GET /large') ? 9 : 2);
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });
  };
  await against(
    { sockets },
    async (send, _open, { url }) => {
      assert.is(await send({ url: `${url}large` }).catch(failureIn), 'too-large a body of more than 5 bytes');
      for (let at = 0; at < 3; at += 1) await send();
      assert.is(opened, 1);
    },
    { most: 5 },
  );
});

test('connections end with the transport', async () => {
  // Unlike a server of HTTP, this one never ends a connection by itself.
  const sockets = (socket: Socket): void => {
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'));
  };
  await against({ sockets }, async (send, open, { transport }) => {
    await send();
    const [socket] = open;
    // The server keeps no process alive by itself.
    const ended = once(socket!.ref(), 'close');
    transport.close();
    await ended;
    assert.is(open.size, 0);
  });
});

test('a redirect is an answer, and is not followed', async () => {
  const http: RequestListener = (_incoming, outgoing) => outgoing.writeHead(302, { location: '/x' }).end();
  await against({ http }, async (send) => assert.is((await send()).status, 302));
});

test('a service that ends connections silently breaks one request, and gets a connection for each one after it', async () => {
  let opened = 0;
  // Serves one request on each connection, and resets the connection when another one comes.
  const sockets = (socket: Socket): void => {
    opened += 1;
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
      socket.on('data', () => socket.resetAndDestroy());
    });
  };
  const outcomes = await against({ sockets }, async (send) => {
    const sent: unknown[] = [];
    for (let at = 0; at < 4; at += 1) sent.push(await send().then(({ status }) => status, failureIn));
    return sent;
  });
  assert.equal([outcomes, opened], [[200, 'broken ECONNRESET', 200, 200], 3]);
});

test('requests that are sent together are under way together, each on a connection of its own', async () => {
  const { promise: isTogether, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const http: RequestListener = async (_incoming, outgoing) => {
    count += 1;
    if (count === 3) resolve();
    await isTogether;
    outgoing.end('{}');
  };
  await against({ http }, async (send, open) => {
    const answers = await Promise.all(['GET', 'POST', 'GET'].map((method) => send(requestBy(method))));
    assert.equal([...answers.map(({ status }) => status), open.size], [200, 200, 200, 3]);
  });
});

test('a request with a body gets a new connection, and one without a body the last connection', async () => {
  const connections: unknown[] = [];
  const http: RequestListener = ({ socket }, outgoing) => {
    connections.push(socket);
    outgoing.end('{}');
  };
  await against({ http }, async (send) => {
    for (const method of ['GET', 'GET', 'POST', 'GET', 'POST']) await send(requestBy(method));
  });
  // Of each request the first one on the same connection.
  const firsts = connections.map((one) => connections.indexOf(one));
  assert.equal(firsts, [0, 0, 2, 2, 4]);
});

test('no idle connection keeps others from a server with a single thread', async () => {
  let turn = Promise.resolve();
  /** Serves a connection to its end before it looks at the next one. */
  const serve = (socket: Socket): Promise<void> =>
    new Promise((resolve) => {
      socket.once('close', () => resolve());
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'));
    });
  const sockets = (socket: Socket): void => {
    turn = turn.then(() => serve(socket));
  };
  await against({ sockets }, async (send) => {
    await send();
    const together = await Promise.all(['GET', 'POST', 'GET'].map((method) => send(requestBy(method))));
    const statuses = [...together, await send()].map(({ status }) => status);
    assert.equal(statuses, [200, 200, 200, 200]);
  });
});

/** Starts a server that answers each request with these bytes, and sends it one; resolves with the answer, or why it failed. */
async function answerTo(bytes: string, end: 'stays' | 'ends' | 'resets'): Promise<readonly unknown[]> {
  const sockets = (socket: Socket): void => {
    socket.once('data', () => {
      if (end === 'ends') socket.end(bytes, 'latin1');
      if (end === 'stays') socket.write(bytes, 'latin1');
      if (end === 'resets') socket.write(bytes, 'latin1', () => socket.resetAndDestroy());
    });
  };
  return against({ sockets }, (send) =>
    send().then(
      ({ status, headers, body }) => [status, headers['x-head'], Buffer.from(body).toString()],
      (error) => [(error as TransportError).code],
    ),
  );
}

/** A response of HTTP/1.1 with these lines of headers, and one that evidence keeps. */
const responseOf = (headers: readonly string[], body: string): string =>
  ['HTTP/1.1 200 OK', 'X-Head: kept', ...headers, '', body].join('\r\n');
const chunked = 'Transfer-Encoding: chunked';
const closes = 'Connection: close';
const zipped = (text: string): string => gzipSync(text).toString('latin1');

test('a complete answer is read, however HTTP writes it and ends it', async () => {
  const trailers = '2\r\n{}\r\n0\r\nX-Checksum: a\r\nX-Second: b\r\n\r\n';
  const zip = zipped('{}');
  const zipSize = `Content-Length: ${zip.length}`;
  const zipChunk = `${zip.length.toString(16)}\r\n${zip}\r\n0\r\nX-Checksum: a\r\n\r\n`;
  const rows: readonly (readonly [name: string, bytes: string, end: 'stays' | 'ends'])[] = [
    ['trailers, then the end', responseOf([chunked, 'Trailer: X-Checksum', closes], trailers), 'ends'],
    ['trailers, then an end without a word', responseOf([chunked], trailers), 'ends'],
    ['trailers', responseOf([chunked, 'Trailer: X-Checksum'], trailers), 'stays'],
    ['extensions of chunks', responseOf([chunked], '1;a=b\r\n{\r\n1;c="d"\r\n}\r\n0;e\r\n\r\n'), 'stays'],
    ['extensions, then the end', responseOf([chunked, closes], '2;a\r\n{}\r\n0;b=c\r\n\r\n'), 'ends'],
    ['zeros before a length', responseOf([chunked, closes], '002\r\n{}\r\n000\r\n\r\n'), 'ends'],
    ['coding with a capital', responseOf(['Transfer-Encoding: Chunked', closes], trailers), 'ends'],
    ['no length', responseOf([closes], '{}'), 'ends'],
    ['no length and no Connection', responseOf([], '{}'), 'ends'],
    ['length and end', responseOf(['Content-Length: 2', closes], '{}'), 'ends'],
    ['gzip with its length', responseOf(['Content-Encoding: gzip', zipSize], zip), 'stays'],
    ['gzip with its length, then the end', responseOf(['Content-Encoding: gzip', zipSize, closes], zip), 'ends'],
    ['gzip in chunks with a trailer', responseOf(['Content-Encoding: gzip', chunked, closes], zipChunk), 'ends'],
    ['gzip without length', responseOf(['Content-Encoding: gzip', closes], zip), 'ends'],
    [
      '1xx before the answer',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${responseOf([chunked, closes], trailers)}`,
      'ends',
    ],
    [
      'a length beside chunks, of which the chunks count',
      responseOf(['Content-Length: 9', chunked, closes], trailers),
      'ends',
    ],
    ['a bare LF', 'HTTP/1.1 200 OK\nX-Head: kept\nContent-Length: 2\n\n{}', 'stays'],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nX-Head: kept\r\n\r\n{}', 'ends'],
    [
      'HTTP/1.0 that stays',
      'HTTP/1.0 200 OK\r\nX-Head: kept\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}',
      'stays',
    ],
  ];
  for (const [name, bytes, end] of rows) assert.equal(await answerTo(bytes, end), [200, 'kept', '{}'], name);
});

test('a long body is read to its end, although the connection closes with its trailers', async () => {
  const text = 'x'.repeat(100_000);
  const chunks = `${text.length.toString(16)}\r\n${text}\r\n`.repeat(10);
  const bytes = responseOf([chunked, closes], `${chunks}0\r\nX-Checksum: a\r\n\r\n`);
  assert.equal(await answerTo(bytes, 'ends'), [200, 'kept', text.repeat(10)]);
});

test('a body that is cut off is broken, whatever was to tell its end', async () => {
  const rows: readonly (readonly [name: string, bytes: string])[] = [
    ['shorter than its length', responseOf(['Content-Length: 7'], '{}')],
    ['within a chunk', responseOf([chunked], '7\r\n{}')],
    ['after a chunk', responseOf([chunked], '2\r\n{}\r\n')],
    ['after a chunk that looks like the last', responseOf([chunked, closes], '7\r\n{}0\r\n\r\n\r\n')],
    ['before the end of the trailers', responseOf([chunked, closes], '2\r\n{}\r\n0\r\nX-Checksum: a\r\n')],
    ['gzip shorter than its length', responseOf(['Content-Encoding: gzip', 'Content-Length: 99'], zipped('{}'))],
    ['within the headers', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['before the first byte', ''],
  ];
  for (const [name, bytes] of rows) {
    assert.equal(await answerTo(bytes, 'ends'), ['broken'], name);
    assert.equal(await answerTo(bytes, 'resets'), ['broken'], `${name}, by a reset`);
  }
});

/** Why a GET of an address fails in this environment. */
const failureOf = async (url: string, env: NodeJS.ProcessEnv = {}, timeoutMs = patienceMs): Promise<string> => {
  const transport = fetchTransport(timeoutMs, env);
  const failure = await transport({ method: 'GET', url, headers: {} }).then(() => 'none', failureIn);
  transport.close();
  return failure;
};

test('proxies of the environment are used, NO_PROXY leaves them out, and an authority is trusted by name alone', async () => {
  const { baseUrl, key } = await startOtherServer();
  const [front, proxy] = [await startTls(baseUrl), await startProxy()];
  const most = ['--max-requests', '20'];
  const env = { PETSTORE_API_KEY: key, HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
  const secure = `https://localhost:${front.port}/v1`;
  /** The requests of a command that reach the proxy. */
  const proxied = async (args: readonly string[], more: NodeJS.ProcessEnv = {}, start: typeof run = run) => {
    proxy.asked.length = 0;
    const { code, stdout } = await start(args, { ...env, ...more });
    assert.is(code, 0, stdout);
    return [...proxy.asked];
  };
  const plain = await proxied(['run', baseUrl, ...most]);
  assert.ok(plain.length === 20 && plain.every((url) => url.startsWith(baseUrl)));
  // Node reads the authority when it starts, so this command gets a process of its own.
  const trusted = { NODE_EXTRA_CA_CERTS: tls('ca.pem') };
  const tunnelled = await proxied(['run', secure, ...most], trusted, (args, more) => start(args, more ?? {}).result);
  assert.ok(tunnelled.length > 0 && tunnelled.every((url) => url === `CONNECT localhost:${front.port}`));
  assert.equal(await proxied(['run', baseUrl, ...most], { NO_PROXY: '127.0.0.1' }), []);
  assert.equal(await proxied(['run', '--embedded', ...most]), []);
  const untrusted = /^unreachable (UNABLE_TO|SELF_SIGNED).*NODE_EXTRA_CA_CERTS=ca.pem$/;
  for (const proxies of [{}, { HTTPS_PROXY: proxy.url }]) assert.match(await failureOf(secure, proxies), untrusted);
  assert.match(await failureOf(baseUrl.replace('http:', 'https:')), /does the address begin with http:\/\/\?$/);
});

test('a proxy that is dead or refuses is named as the cause, and one that never opens the tunnel meets the time limit', async () => {
  const acts: readonly ((socket: Socket) => void)[] = [
    (socket) => socket.once('data', () => socket.end('HTTP/1.1 403 Not For You\r\nContent-Length: 0\r\n\r\n')),
    (socket) => socket.resume(),
  ];
  const servers = acts.map((act) => createRawServer((socket) => act(socket.on('error', () => undefined))));
  const [refusing, silent] = await Promise.all(servers.map((server) => listening(server)));
  const [plain, secure] = ['http://host.invalid/', 'https://host.invalid/'];
  const tunnelRefused = /^unreachable ERR_PROXY_TUNNEL, by the proxy of the environment$/;
  for (const [url, env, message, timeoutMs] of [
    [
      plain,
      { PATH: '/bin', HTTP_PROXY: 'http://127.0.0.1:9' },
      /^unreachable ECONNREFUSED, by the proxy of the environment$/,
    ],
    [secure, { HTTPS_PROXY: `http://user:Password@127.0.0.1:${refusing}` }, tunnelRefused],
    // The connection and the whole exchange have the same limit, of which either may come first.
    [secure, { HTTPS_PROXY: `http://127.0.0.1:${silent}` }, /^(unreachable ERR_PROXY_TUNNEL, |timeout )/, 300],
    [secure, { HTTPS_PROXY: 'http://' }, /^unreachable ERR_PROXY_INVALID_CONFIG/],
    ['http://127.0.0.1:9/', { HTTPS_PROXY: '' }, /^unreachable ECONNREFUSED$/],
    ['http://127.0.0.1:9/', { NPM_HTTP_PROXY: plain, HTTP_PROXY_USER: 'x' }, /^unreachable ECONNREFUSED$/],
  ] as const) {
    assert.match(await failureOf(url, env, timeoutMs), message);
  }
});

test.run();
