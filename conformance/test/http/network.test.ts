/** The network between a run and its target: private certificate authorities, proxies, reused connections. */

import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createRawServer,
  type Server as RawServer,
  type Socket,
} from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readProxies } from '../../http/proxies.ts';
import { fetchTransport, type TransportError } from '../../http/transport.ts';
import { jumpingTime, run, runProcess } from '../cli/command.ts';
import { startOtherServer } from '../other-server.ts';

const tls = (name: string): string => new URL(`./tls/${name}`, import.meta.url).pathname;

async function listening<Server extends { listen: (port: number, host: string, done: () => void) => unknown }>(
  server: Server & { address: () => unknown },
): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** HTTPS before a server that speaks HTTP only. */
async function startTls(target: string) {
  const server = createTlsServer(
    { cert: readFileSync(tls('server.pem')), key: readFileSync(tls('server-key.pem')) },
    (incoming, outgoing) => {
      const { method = 'GET', headers } = incoming;
      const onwards = request(new URL(incoming.url ?? '/', target), { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(onwards);
    },
  );
  return { server, port: await listening(server) };
}

test('a body is sent with its length, or chunked if the request asks for that, and with no media type of its own', async () => {
  const received: unknown[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await Array.fromAsync(incoming)).toString();
    const { 'content-length': length, 'transfer-encoding': coding, 'content-type': type } = incoming.headers;
    received.push([length, coding, type, body]);
    outgoing.end('{}');
  });
  const url = `http://127.0.0.1:${await listening(server)}/`;
  const transport = fetchTransport(2_000);
  const type = { 'content-type': 'application/json' };
  for (const headers of [{}, type, { ...type, 'transfer-encoding': 'chunked' }] satisfies Record<string, string>[]) {
    await transport({ method: 'POST', url, headers, body: '{"name":"é"}' });
  }
  assert.equal(received, [
    ['13', undefined, undefined, '{"name":"é"}'],
    ['13', undefined, 'application/json', '{"name":"é"}'],
    [undefined, 'chunked', 'application/json', '{"name":"é"}'],
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

test('a dead proxy and a refused CONNECT are named, without the password of the proxy', async () => {
  const refusing = createRawServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', () => socket.end('HTTP/1.1 403 Not For You\r\nContent-Length: 0\r\n\r\n'));
  });
  const mute = createRawServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.destroy());
  });
  const [refusingPort, mutePort] = [await listening(refusing), await listening(mute)];
  const failureOf = async (url: string, env: NodeJS.ProcessEnv): Promise<readonly [string, string]> => {
    const transport = fetchTransport(2_000, env);
    try {
      await transport({ method: 'GET', url, headers: {} });
      return ['', ''];
    } catch (error) {
      return [(error as TransportError).code, (error as TransportError).message];
    } finally {
      transport.close();
    }
  };
  const at = (port: number) => `http://user:Proxy-Password@127.0.0.1:${port}`;
  const connected = 'when it was asked to connect to host.invalid';
  assert.equal(await failureOf('http://host.invalid/', { HTTP_PROXY: at(9) }), [
    'unreachable',
    'the proxy 127.0.0.1:9 of HTTP_PROXY cannot be reached: ECONNREFUSED',
  ]);
  assert.equal(await failureOf('https://host.invalid/', { https_proxy: at(9) }), [
    'unreachable',
    'the proxy 127.0.0.1:9 of https_proxy cannot be reached: ECONNREFUSED',
  ]);
  assert.equal(await failureOf('https://host.invalid/', { HTTPS_PROXY: at(refusingPort) }), [
    'unreachable',
    `the proxy answered "HTTP/1.1 403 Not For You" ${connected}`,
  ]);
  assert.equal(await failureOf('https://host.invalid/', { HTTPS_PROXY: at(mutePort) }), [
    'unreachable',
    `the proxy closed the connection ${connected}`,
  ]);
  assert.equal(await failureOf('http://127.0.0.1:9/', { HTTPS_PROXY: at(9) }), ['unreachable', 'ECONNREFUSED']);
  for (const server of [refusing, mute]) server.close();
});

test('a proxy that never opens the tunnel is named, and its connection ends', async () => {
  const closed = Promise.withResolvers<void>();
  const silent = createRawServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('close', () => closed.resolve())
      .resume()
      .write('220 mail.example.com ESMTP\r\n');
  });
  const transport = fetchTransport(100, { HTTPS_PROXY: `http://127.0.0.1:${await listening(silent)}` });
  const failure = await transport({ method: 'GET', url: 'https://host.invalid/', headers: {} }).catch((error) => error);
  assert.equal(
    [failure.code, failure.message],
    ['unreachable', 'the proxy gave no answer within 90 ms when it was asked to connect to host.invalid'],
  );
  transport.close();
  await closed.promise;
  silent.close();
});

test('a proxy without a scheme is one of HTTP, as curl takes it, and one that cannot be used is named', () => {
  const read = (address: string) => readProxies({ HTTPS_PROXY: address });
  assert.equal(read('proxy.example.com:3128'), { HTTPS_PROXY: 'http://proxy.example.com:3128' });
  for (const usable of ['http://proxy:8080', 'https://user:p%40ss@proxy', '']) {
    assert.equal(read(usable), { HTTPS_PROXY: usable });
  }
  for (const wrong of ['socks5://127.0.0.1:1080', 'http://', 'http://[::1', 'http://user:100%@proxy', 'http://a b']) {
    assert.is(read(wrong), 'HTTPS_PROXY', wrong);
  }
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

/** A proxy for plain requests and tunnels, which records their targets. */
async function startProxy() {
  const asked: string[] = [];
  const server = createServer((incoming, outgoing) => {
    asked.push(incoming.url ?? '');
    const { method = 'GET', headers } = incoming;
    const onwards = request(incoming.url ?? '', { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onwards);
  });
  server.on('connect', ({ url = '' }, socket, head) => {
    asked.push(`CONNECT ${url}`);
    const onwards = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onwards.write(head);
      onwards.pipe(socket).pipe(onwards);
    });
    for (const end of [socket, onwards]) end.on('error', () => end.destroy());
  });
  return { server, asked, url: `http://127.0.0.1:${await listening(server)}` };
}

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

test('a proxy of the environment is used for HTTP, and as a tunnel for HTTPS; NO_PROXY leaves it out', async () => {
  const { baseUrl, key, server } = await startOtherServer();
  const front = await startTls(baseUrl);
  const proxy = await startProxy();
  const env = {
    PETSTORE_API_KEY: key,
    NODE_EXTRA_CA_CERTS: tls('ca.pem'),
    HTTP_PROXY: proxy.url,
    HTTPS_PROXY: proxy.url,
  };
  const plain = await run(['run', baseUrl, '--max-requests', '20'], env);
  assert.is(plain.code, 0, plain.stdout);
  assert.is(proxy.asked.length, 20);
  assert.ok(proxy.asked.every((url) => url.startsWith(baseUrl)));
  proxy.asked.length = 0;
  const secure = await runProcess(['run', `https://localhost:${front.port}/v1`, '--max-requests', '20'], env);
  assert.is(secure.code, 0, secure.stdout);
  assert.ok(proxy.asked.length > 0 && proxy.asked.every((url) => url === `CONNECT localhost:${front.port}`));
  proxy.asked.length = 0;
  const direct = await run(['run', baseUrl, '--max-requests', '20'], { ...env, NO_PROXY: '127.0.0.1' });
  const embedded = await run(['run', '--max-requests', '20'], env);
  assert.is(direct.code, 0);
  assert.is(embedded.code, 0);
  assert.is(proxy.asked.length, 0);
  for (const one of [proxy.server, front.server]) {
    one.closeAllConnections();
    one.close();
  }
  server.close();
});

test.run();
