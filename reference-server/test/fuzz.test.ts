/** Raw bytes at the server: whatever arrives, it answers as the interface says or not at all, and goes on. */

import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { seededRandom } from '../../spec/random.ts';
import { createPetStore, listen } from '../index.ts';
import { askUrl, key, write } from './client.ts';

const cases = 2_000;
const atOnce = 20;

const head = `Host: x\r\nAuthorization: Bearer ${key}\r\n`;
const seeds = [
  `GET /v1/pets?limit=5 HTTP/1.1\r\n${head}\r\n`,
  `GET /v1/pets/1 HTTP/1.0\r\n${head}Connection: keep-alive\r\n\r\n`,
  `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${write().length}\r\n\r\n${write()}`,
  `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n1b\r\n${write()}\r\n0\r\nX: y\r\n\r\n`,
  `POST /v1/pets HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
  `OPTIONS /v1/pets HTTP/1.1\r\n${head}Origin: http://x\r\nAccess-Control-Request-Method: GET\r\n\r\n`,
  `GET /v1/pets HTTP/1.1\r\n${head}Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n\r\n`,
  'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
];

/** Damages a request in one to four places: bytes are changed, dropped, doubled or inserted, or its end is cut off. */
function damage(text: string, random: () => number): string {
  const pick = (below: number): number => Math.floor(random() * below);
  let damaged = text;
  for (let count = pick(4); count >= 0; count -= 1) {
    const [at, length] = [pick(damaged.length + 1), pick(12)];
    const piece = damaged.slice(at, at + length);
    const noise = String.fromCharCode(...Array.from({ length }, () => pick(256)));
    const changed = [noise, '', piece + piece, noise + piece, '\r\n', '\0'][pick(6)]!;
    damaged = pick(8) === 0 ? damaged.slice(0, at) : damaged.slice(0, at) + changed + damaged.slice(at + length);
  }
  return damaged;
}

/** Sends bytes and closes its half; resolves with everything that came back. */
function send(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.end(bytes, 'latin1'));
    socket.setEncoding('latin1').on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', () => undefined).on('close', () => resolve(received));
    socket.on('end', () => socket.destroy());
  });
}

test(`${cases} damaged requests are answered without a 5xx, with the rate-limit headers, and the server goes on`, async () => {
  const { handle } = createPetStore({
    keys: [{ key, plan: 'enterprise', perMinute: 1e9, perDay: 1e9 }],
    gaps: { cors: 'any-origin' },
  });
  const { url, close } = await listen(handle, { port: 0 });
  const port = Number(new URL(url).port);
  const random = seededRandom(20_301_205);
  let answers = 0;
  for (let done = 0; done < cases; done += atOnce) {
    const sent = Array.from({ length: atOnce }, () => damage(seeds[Math.floor(random() * seeds.length)]!, random));
    for (const [at, received] of (await Promise.all(sent.map((bytes) => send(port, bytes)))).entries()) {
      const what = JSON.stringify(sent[at]);
      if (received === '') continue;
      assert.match(received, /^HTTP\/1\.1 [1-4]\d\d /, what);
      assert.not.match(received, /^HTTP\/1\.1 5/m, what);
      const final = received.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
      if (final !== '') assert.match(final.split('\r\n\r\n')[0]!, 'X-RateLimit-Reset: ', what);
      answers += 1;
    }
  }
  assert.ok(answers > cases / 2, `${answers} answers`);
  assert.is((await askUrl(url, {})).status, 200);
  await close();
});

test.run();
