/** Pages of other origins: which headers allow them, and that their preflights need neither a key nor room in a limit. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../index.ts';
import { type ServerOptions, startServer } from '../../twin/index.ts';
import { askHandle, askUrl, key, open, readHeader, sendRaw } from '../client.ts';

const origin = ['Origin', 'http://localhost:5173'] as const;
const preflight = {
  method: 'OPTIONS',
  authorization: null,
  headers: [origin, ['Access-Control-Request-Method', 'POST'], ['Access-Control-Request-Headers', 'authorization']],
} as const;

async function originAllowedBy(options: ServerOptions): Promise<string | undefined> {
  const server = await startServer(options);
  const { headers } = await askUrl(server.url, { headers: [origin], authorization: `Bearer ${server.key}` });
  await server.close();
  return headers['access-control-allow-origin'];
}

test('a page can read the answer that a fault gives in the place of the store', async () => {
  const refuses = { id: 'refuses', breaks: [], wrap: () => () => ({ status: 429, headers: {}, body: '' }) };
  assert.is(await originAllowedBy({ faults: [refuses] }), '*');
  assert.is(await originAllowedBy({ faults: [refuses], corsOrigin: 'http://localhost:3000' }), 'http://localhost:3000');
  assert.is(await originAllowedBy({ faults: [refuses], gaps: { cors: 'none' } }), undefined);
});

test('every answer to a page exposes the headers of §8, refusals included', () => {
  const ask = open({ gaps: { cors: 'any-origin' } });
  for (const question of [{}, { authorization: null }, { body: '{}' }, { target: '/v1/pets/9' }]) {
    const answer = ask({ ...question, headers: [origin] });
    assert.is(readHeader(answer, 'access-control-allow-origin'), '*');
    const exposed = readHeader(answer, 'access-control-expose-headers')?.split(', ') ?? [];
    for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After']) {
      assert.ok(exposed.includes(name), name);
    }
  }
});

test('a preflight is allowed without a key and beyond every limit, and carries the rate-limit headers', () => {
  const { handle } = createPetStore({ keys: [{ key, plan: 'free', perMinute: 1 }], gaps: { cors: 'any-origin' } });
  for (let count = 0; count < 100; count += 1) {
    const { status, headers, body } = askHandle(handle, { ...preflight, target: '/v1/pets/7' });
    assert.equal([status, body], [204, '']);
    assert.match(headers['Access-Control-Allow-Headers']!, /^Authorization, Content-Type/);
    assert.match(headers['X-RateLimit-Remaining']!, /^\d+$/);
    assert.is(headers['Content-Type'], undefined);
  }
  assert.is(askHandle(handle, {}).status, 200);
  assert.is(askHandle(handle, {}).status, 429);
  assert.is(askHandle(handle, preflight).status, 204);
});

test('OPTIONS without the headers of a preflight, and a preflight to a server without CORS, are refused as before', () => {
  assert.is(open({ gaps: { cors: 'any-origin' } })({ method: 'OPTIONS' }).status, 405);
  const answer = open()(preflight);
  assert.is(answer.status, 401);
  assert.is(readHeader(answer, 'access-control-allow-origin'), undefined);
});

test('a preflight is answered over a socket without the length of a body, and its connection goes on', async () => {
  const server = await startServer();
  const text = await sendRaw(
    server.url,
    'OPTIONS /v1/pets HTTP/1.1\r\nOrigin: http://x.example\r\nAccess-Control-Request-Method: GET\r\n\r\n' +
      `GET /v1/pets HTTP/1.1\r\nAuthorization: Bearer ${server.key}\r\nConnection: close\r\n\r\n`,
  );
  await server.close();
  assert.match(text, /^HTTP\/1\.1 204 No Content\r\n(?:(?!Content-Length)[^\r]+\r\n)+\r\nHTTP\/1\.1 200 OK\r\n/);
});

test('pages are allowed by default where only this machine can reach the server, else where the user says so', async () => {
  assert.is(await originAllowedBy({}), '*');
  assert.is(await originAllowedBy({ gaps: { cors: 'none' } }), undefined);
  assert.is(await originAllowedBy({ host: '0.0.0.0' }), undefined);
  assert.is(await originAllowedBy({ host: '0.0.0.0', corsOrigin: '*' }), '*');
  assert.is(await originAllowedBy({ corsOrigin: 'http://localhost:3000' }), 'http://localhost:3000');
});

test.run();
