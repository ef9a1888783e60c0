/** Forward proxies: how the environment names them, what goes through them, and how their failures are named. */

import { createServer as createRawServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readProxies } from '../../http/proxies.ts';
import { fetchTransport, type TransportError } from '../../http/transport.ts';
import { run, runProcess } from '../cli/command.ts';
import { startOtherServer } from '../other-server.ts';
import { listening, startProxy, startTls, tls } from './servers.ts';

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
  const [plain, secure] = ['http://host.invalid/', 'https://host.invalid/'];
  for (const [url, env, message] of [
    [plain, { HTTP_PROXY: at(9) }, 'the proxy 127.0.0.1:9 of HTTP_PROXY cannot be reached: ECONNREFUSED'],
    [secure, { https_proxy: at(9) }, 'the proxy 127.0.0.1:9 of https_proxy cannot be reached: ECONNREFUSED'],
    [secure, { HTTPS_PROXY: at(refusingPort) }, `the proxy answered "HTTP/1.1 403 Not For You" ${connected}`],
    [secure, { HTTPS_PROXY: at(mutePort) }, `the proxy closed the connection ${connected}`],
    ['http://127.0.0.1:9/', { HTTPS_PROXY: at(9) }, 'ECONNREFUSED'],
  ] as const) {
    assert.equal(await failureOf(url, env), ['unreachable', message]);
  }
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
  // Longer than TLS takes to load on a busy machine: the tunnel has nine tenths of the time, and the rest is the difference.
  const transport = fetchTransport(1_500, { HTTPS_PROXY: `http://127.0.0.1:${await listening(silent)}` });
  const failure = await transport({ method: 'GET', url: 'https://host.invalid/', headers: {} }).catch((error) => error);
  transport.close();
  await closed.promise;
  silent.close();
  assert.equal(
    [failure.code, failure.message],
    ['unreachable', 'the proxy gave no answer within 1350 ms when it was asked to connect to host.invalid'],
  );
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
