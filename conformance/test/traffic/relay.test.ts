/** The relay passes requests and answers on as they are, and captures each exchange that ended. */

import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hourMs } from '../../http/tolerances.ts';
import type { CapturedExchange } from '../../traffic/captured-exchange.ts';
import { startRelay } from '../../traffic/relay.ts';
import { listening, startTls } from '../http/servers.ts';

/** Relays to a server while a test acts; resolves with what was captured. */
async function relaying(server: Server, act: (baseUrl: string) => Promise<unknown>) {
  const captured: CapturedExchange[] = [];
  const baseUrl = `http://127.0.0.1:${await listening(server)}/v1`;
  const relay = await startRelay(baseUrl, 0, (exchange) => captured.push(exchange));
  await act(relay.baseUrl).finally(relay.close);
  return captured;
}

/** A target that answers each request with these bytes, and tells what it received. */
function answering(answer: string, got: (bytes: string) => void = () => undefined): Server {
  return createServer((socket) => {
    let received = '';
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        received += chunk.toString('latin1');
        got(received);
        if (/(\r\n\r\n|END|\r\n0\r\n\r\n)$/.test(received)) socket.end(answer, 'latin1');
      });
  });
}

/** All that comes back for some bytes, until the other side ends. */
async function talk(baseUrl: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1').setEncoding('latin1');
  socket.write(bytes, 'latin1');
  return text(socket).catch(() => '');
}

const get = 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

function outcomeOf({ response, failure }: CapturedExchange): string {
  if (failure !== undefined) return failure.code;
  const body = response?.body ?? 'not-recorded';
  return `${response?.status} ${typeof body === 'string' ? body : Buffer.from(body).toString('latin1')}`;
}

const long = 'x'.repeat(2 * 1024 * 1024 + 1);
const fine =
  'HTTP/1.1 200 Fine enough\r\nx-RATELIMIT-limit: 7\r\nSet-Cookie: a=b\r\nset-cookie: c=d\r\nContent-Length: 2\r\n';
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a="b"\r\n[]\r\n0\r\nX-T: y\r\n\r\n';
const zipped = gzipSync('[]').toString('latin1');
const encoded = (coding: string, body: string) =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nContent-Encoding: ${coding}\r\n\r\n${body}`;
/** An answer, a part of what the client gets (nothing: its connection ends), and what is captured. */
const answers: readonly (readonly [answer: string, got: string, captured: string])[] = [
  [`${fine}\r\n[]`, fine, '200 []'],
  [chunked, '\r\n2\r\n[]', '200 []'],
  ['HTTP/1.0 200 OK\r\n\r\n[\xe4]', '[\xe4]', '200 [\xe4]'],
  ['HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n', 'HTTP/1.1 204 No Content\r\nX-A: b\r\n', '204 '],
  [encoded('gzip', zipped), zipped, '200 []'],
  [encoded('gzip', '[]'), '[]', '200 not-decoded'],
  [encoded('compress', '[]'), '[]', '200 not-decoded'],
  [`HTTP/1.1 200 OK\r\nContent-Length: ${long.length}\r\n\r\n${long}`, long, '200 too-long'],
  ['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[]', '', 'broken'],
  ['SSH-2.0-OpenSSH\r\n\r\n', '', 'malformed'],
  ['', '', 'broken'],
];

test('an answer passes in its words and bytes, and one that breaks off or is no HTTP breaks for the client too', async () => {
  for (const [answer, part, expected] of answers) {
    const captured = await relaying(answering(answer), async (baseUrl) => {
      const got = await talk(baseUrl, get);
      assert.ok(part === '' ? got === '' : got.includes(part), JSON.stringify([answer, got]).slice(0, 1_000));
    });
    assert.equal(captured.map(outcomeOf), [expected], JSON.stringify(answer).slice(0, 200));
  }
});

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]';
/** What a client sends, what the target gets of it, and the body that is captured. */
const requests: readonly (readonly [sent: string, got: string, body?: string])[] = [
  [
    'GET /v1/pets?a=%41 HTTP/1.1\r\nhost:x\r\nUpgrade: h2c\r\nX-oDD: 1\r\nX-oDD: 2\r\n\r\n',
    'GET /v1/pets?a=%41 HTTP/1.1\r\nHost: TARGET\r\nX-oDD: 1\r\nX-oDD: 2\r\nConnection: close\r\n\r\n',
  ],
  // Headers whose names are longer are others.
  [
    'GET /v1/pets HTTP/1.1\r\nhost:x\r\nX-Host: a\r\nHosts: b\r\nX-Accept-Encoding: dcz\r\nAccept-Encodings: dcz\r\n\r\n',
    'Host: TARGET\r\nX-Host: a\r\nHosts: b\r\nX-Accept-Encoding: dcz\r\nAccept-Encodings: dcz\r\nConnection: close\r\n\r\n',
  ],
  // Only content codings that can be read are asked for.
  [
    'GET /v1/pets HTTP/1.1\r\nhost:x\r\naccept-Encoding: gzip;q=0.5, dcz, br\r\n\r\n',
    'GET /v1/pets HTTP/1.1\r\nHost: TARGET\r\naccept-Encoding: gzip;q=0.5, br\r\nConnection: close\r\n\r\n',
  ],
  [
    'POST /v1/pets HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nEND',
    'POST /v1/pets HTTP/1.1\r\nHost: TARGET\r\nContent-Length: 3\r\nConnection: close\r\n\r\nEND',
    'END',
  ],
  [
    'POST /v1/pets HTTP/1.1\r\nHost: x\r\nTrailer: T\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nT: 1\r\n\r\n',
    'POST /v1/pets HTTP/1.1\r\nHost: TARGET\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n',
    '{}',
  ],
];

test('a request reaches the target as it was sent, with the Host of the target and without headers of the connection', async () => {
  for (const [sent, part, body] of requests) {
    let got = '';
    const server = answering(ok, (bytes) => {
      got = bytes;
    });
    const captured = await relaying(server, (baseUrl) =>
      talk(baseUrl, sent.replace('\r\n', '\r\nConnection: close\r\n')),
    );
    assert.match(got, part.replace('TARGET', `127.0.0.1:${(server.address() as AddressInfo).port}`));
    assert.equal(captured.map(outcomeOf), ['200 []'], sent);
    assert.is(captured[0]?.body, body, sent);
  }
});

test('an exchange has the headers of both sides, repeated ones joined, and its times in Unix milliseconds', async () => {
  const before = Date.now();
  const captured = await relaying(answering(`${fine}\r\n[]`), (baseUrl) =>
    talk(baseUrl, get.replace('\r\n', '\r\nX-oDD: 1\r\nX-oDD: 2\r\n')),
  );
  const [{ headers, response, startedAt, endedAt }] = captured as [CapturedExchange];
  assert.equal([headers['x-odd'], response?.headers['set-cookie']], ['1, 2', 'a=b, c=d']);
  assert.ok(startedAt < endedAt);
  // The clock of the machine may be set meanwhile.
  assert.ok(Math.abs(startedAt - before) < hourMs, `${startedAt} is not near ${before}`);
});

test('a target of HTTPS is asked by its protocol', async () => {
  const server = answering(ok);
  const { port } = await startTls(`http://127.0.0.1:${await listening(server)}`);
  const captured: CapturedExchange[] = [];
  const relay = await startRelay(`https://127.0.0.1:${port}/v1/`, 0, (exchange) => captured.push(exchange));
  assert.match(relay.baseUrl, /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  await talk(relay.baseUrl, get).finally(relay.close);
  assert.match(captured[0]?.failure?.message ?? '', /UNABLE_TO|SELF_SIGNED/);
});

test('a request that breaks off reaches no target and is no exchange', async () => {
  let asked = 0;
  const server = answering(ok).on('connection', () => {
    asked += 1;
  });
  const captured = await relaying(server, async (baseUrl) => {
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
    socket.write('POST /v1/pets HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n{}');
    // The relay waits for the rest.
    await once(socket, 'data');
    socket.resetAndDestroy();
    // The relay has seen the end of the first connection when it answers on a second one.
    await talk(baseUrl, get);
  });
  assert.equal([asked, captured.map(outcomeOf)], [1, ['200 []']]);
});

test('what lies elsewhere passes unseen, and a target that cannot be reached has failed', async () => {
  const captured = await relaying(answering(ok), async (baseUrl) => {
    assert.is(await (await fetch(new URL('/health?x', baseUrl))).text(), '[]');
  });
  assert.equal(captured, []);
  const gone = createServer();
  const unreachable = await relaying(gone, async (baseUrl) => {
    gone.close();
    await talk(baseUrl, get);
  });
  assert.equal(unreachable.map(outcomeOf), ['unreachable']);
});

test('a request that its client gives up is no exchange', async () => {
  const waiting = createServer((socket) => socket.on('error', () => undefined).resume());
  const captured = await relaying(waiting, async (baseUrl) => {
    const outgoing = request(`${baseUrl}/pets`).on('error', () => undefined);
    outgoing.end();
    const [socket] = await once(waiting, 'connection');
    outgoing.destroy();
    await once(socket, 'close');
    await new Promise(setImmediate);
  });
  assert.equal(captured, []);
});

test.run();
