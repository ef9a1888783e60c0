/** The twin: keys, faults, latency, pages (CORS), the journal, the log, orders and the control port. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findFault } from '../../../conformance/faults/index.ts';
import type { StoreResponse } from '../../index.ts';
import { listenForControl } from '../../twin/control.ts';
import { BrokenConnection, type Server, type ServerFault, type ServerOptions, startServer } from '../../twin/index.ts';
import { createJournal } from '../../twin/journal.ts';
import { askUrl, noon, type Question, readHeader, readRate, sendRaw, write } from '../client.ts';

async function withServer(options: ServerOptions, use: (server: Server) => Promise<void>): Promise<void> {
  const server = await startServer({ clock: () => noon, ...options });
  await use(server).finally(server.close);
}

function ask(server: Server, question: Question = {}): Promise<StoreResponse> {
  return askUrl(server.url, { authorization: `Bearer ${server.key}`, ...question });
}

const animals = [{ name: 'Rex', categoryId: 3n }];
const keys = [{ key: 'one-of-mine', plan: 'free', perMinute: 4 }] as const;
const breaking: ServerFault = {
  ...{ id: 'breaks', breaks: [], basePath: '/store' },
  wrap: () => () => {
    throw new BrokenConnection();
  },
};
const refusing = { id: 'refuses', breaks: [], wrap: () => () => ({ status: 429, headers: {}, body: '' }) };
const origin = ['Origin', 'http://localhost:5173'] as const;
const preflight = {
  ...{ method: 'OPTIONS', authorization: null },
  headers: [origin, ['Access-Control-Request-Method', 'GET']],
} as const;

test('a server makes a key; it takes choices, keys, animals, a clock and faults, which know its keys', async () => {
  await withServer({}, async (server) => {
    assert.match(`${server.url} ${server.key}`, /^http:\/\/127\.0\.0\.1:\d+\/v1 dev-[\w-]{24}$/);
    assert.is(readRate(await ask(server))[0], 1_000);
    assert.is(readRate(await ask(server, { authorization: null }))[0], 60);
  });
  const gaps = { 'status-omitted': 'sold', 'after-removal': 'not-found-404' } as const;
  await withServer({ gaps, keys, animals, clock: () => Date.UTC(2030, 11, 5) }, async (server) => {
    const page = await ask(server, { authorization: 'Bearer one-of-mine' });
    assert.is(page.body, '[{"id":1,"name":"Rex","categoryId":3,"status":"sold"}]');
    assert.equal([readRate(page)[0], readHeader(page, 'date')], [4, 'Thu, 05 Dec 2030 00:00:00 GMT']);
    assert.is((await ask(server, { target: '/v1/pets/1' })).status, 404);
  });
  await withServer({ faults: [findFault('id-null'), findFault('key-compared-by-prefix')], keys }, async (server) => {
    const created = await ask(server, { body: write({ name: 'ü one-of-mine' }) });
    assert.is(created.body, '{"id":null,"name":"ü one-of-mine","categoryId":1,"status":"available"}');
    assert.is((await ask(server, { authorization: 'Bearer one-of' })).status, 200);
    assert.is((await ask(server, { authorization: 'Bearer mine' })).status, 401);
  });
  await withServer({ faults: [breaking] }, async ({ url }) => assert.match(url, /\/store$/));
});

test('latency and a delay that was ordered hold back the answers of the service, and never /health', async () => {
  const named = (server: Server, target: string): Promise<string> => ask(server, { target }).then(() => target);
  const first = (server: Server) => Promise.race([named(server, '/v1/pets'), named(server, '/health')]);
  await withServer({ latencyMs: 900 }, async (server) => assert.is(await first(server), '/health'));
  await withServer({}, async (server) => {
    server.answerNext({ delayMs: 900 });
    assert.is(await first(server), '/health');
    const health = await ask(server, { target: '/health', authorization: null });
    assert.equal([health.status, health.body, server.requests.length], [200, '{"status":"ok"}', 1]);
  });
  await withServer({ answersHealth: false }, async (server) =>
    assert.is((await ask(server, { target: '/health' })).status, 404),
  );
});

test('pages are allowed by default where only this machine can reach the server, else where the user says so', async () => {
  for (const [options, allowed] of [
    [{}, '*'],
    [{ gaps: { cors: 'none' } }, undefined],
    [{ host: '0.0.0.0' }, undefined],
    [{ host: '0.0.0.0', corsOrigin: '*' }, '*'],
    [{ host: '0.0.0.0', gaps: { cors: 'any-origin' } }, '*'],
    // A page can read the answer that a fault gives in the place of the store.
    [{ faults: [refusing], corsOrigin: 'http://localhost:3000' }, 'http://localhost:3000'],
  ] as const) {
    await withServer(options, async (server) => {
      const { headers } = await ask(server, { headers: [origin] });
      assert.is(headers['access-control-allow-origin'], allowed, JSON.stringify(options));
      if (allowed !== undefined) assert.match(headers['access-control-expose-headers']!, /X-RateLimit-Limit, .*Retry-/);
    });
  }
  // A preflight is answered without a key, a limit and a body, with the headers of §8.
  await withServer({ keys: [{ ...keys[0], perMinute: 1 }] }, async (server) => {
    assert.equal([(await ask(server)).status, (await ask(server)).status], [200, 429]);
    const { status, headers, body } = await ask(server, preflight);
    assert.equal([status, body], [200, '']);
    assert.match(headers['access-control-allow-headers']!, /^Authorization, Content-Type/);
    assert.match(headers['x-ratelimit-remaining']!, /^\d+$/);
  });
});

test('journal and log hold every request without a key in whatever form, and the journal says how a key was sent', async () => {
  const key = 'secret+of+the/test';
  const lines: string[] = [];
  const log = (line: string): number => lines.push(line);
  await withServer({ keys: [{ key, plan: 'pro' }], log }, async (server) => {
    const basic = Buffer.from(`${key}:`).toString('base64');
    await ask(server, { body: write() });
    await ask(server, { target: `/v1/pets/1?key=${key}` });
    await ask(server, { target: '/v1/pets?limit=5', authorization: 'Bearer another' });
    await ask(server, { target: '/elsewhere', authorization: null });
    for (const authorization of [`bearer ${key}`, `Basic ${basic}`, `Token ${encodeURIComponent(key)}`, key])
      await ask(server, { authorization });
    await ask(server, { authorization: null, headers: [['x-api-key', key]] });
    await sendRaw(server.url, 'nonsense\r\n\r\n');
    await sendRaw(server.url, `GET /v1/\u0085${'x'.repeat(400)} HTTP/1.1\r\nConnection: close\r\n\r\n`);
    const [creation] = server.requests;
    assert.equal([creation?.request.body, creation?.response?.status, creation?.startedAt], [write(), 201, noon]);
    assert.is(creation?.request.headers['content-type'], 'application/json');
    const rows = server.requests.map(({ number, operation, credential, request, response }) =>
      [number, operation, credential.kind, request.target, response?.status].join(' '),
    );
    assert.equal(rows.slice(0, -1), [
      '1 createPet valid /pets 201',
      '2 getPet valid /pets/1?key=[key] 200',
      '3 listPets invalid /pets?limit=5 401',
      '4 other missing ../elsewhere 401',
      '5 listPets lenient /pets 200',
      ...[6, 7, 8, 9].map((number) => `${number} listPets misplaced /pets 401`),
      '10 other missing .. 400',
    ]);
    const text = JSON.stringify(server.requests) + lines.join();
    for (const form of [key, basic.replace(/=+$/, ''), encodeURIComponent(key)]) assert.not.match(text, form);
  });
  assert.is(lines[1], '2026-11-21T12:00:00.000Z 200 GET /pets/1?key=[key]');
  assert.match(lines.at(-2)!, /400 \(unreadable\)/);
  assert.match(lines.at(-1)!, /Z (401 GET \/\?x{150,200}|400 \(unreadable\)[ .]*)$/);
});

test('the journal keeps the latest ten thousand exchanges', () => {
  const journal = createJournal([], '/v1');
  const request = { method: 'GET', target: '/v1/pets', headers: [], body: new Uint8Array(), address: '' };
  for (let count = 0; count < 10_001; count += 1) journal.add(request, undefined, noon);
  const [first] = journal.received;
  assert.equal([journal.received.length, first?.number, first?.failure?.code], [10_000, 2, 'broken']);
});

test('the next answer can be a 429: it is not carried out, and a wrong key gets 401 first', () =>
  withServer({ gaps: { 'too-many-requests-body': 'text' } }, async (server) => {
    server.answerNext({ retryAfterSeconds: 2 });
    assert.is((await ask(server, preflight)).status, 200);
    const wrong = await ask(server, { authorization: 'Bearer wrong', body: write() });
    assert.equal([wrong.status, readHeader(wrong, 'retry-after')], [401, undefined]);
    const refused = await ask(server, { body: write() });
    assert.equal([refused.status, ...readRate(refused)], [429, 1_000, 0, noon / 1000 + 2]);
    assert.equal([readHeader(refused, 'retry-after'), refused.body], ['2', 'Too many requests.']);
    assert.is(readHeader(refused, 'access-control-allow-origin'), '*');
    const page = await ask(server);
    assert.equal([page.body, readRate(page)[1]], ['[]', 999]);
  }));

test('the next answers can have a fault, also where the server has a fault already', () =>
  withServer({ animals, faults: [findFault('name-null')] }, async (server) => {
    for (const fault of [findFault('id-null'), breaking]) server.answerNext({ fault });
    const rex = '"name":null,"categoryId":3,"status":"available"}]';
    for (const body of [`[{"id":null,${rex}`, 'reset', `[{"id":1,${rex}`])
      assert.is((await ask(server).catch(() => ({ body: 'reset' }))).body, body);
  }));

async function withControl(use: (server: Server, control: string) => Promise<void>): Promise<void> {
  await withServer({ animals, keys }, async (server) => {
    const { url, close } = await listenForControl(server, 0, findFault);
    await use(server, url).finally(close);
  });
}

/** Sends a request to the control port, and gives the status and the text of its answer. */
async function send(url: string, path: string, body?: string): Promise<readonly [status: number, text: string]> {
  const answer = await fetch(url + path, body === undefined ? {} : { method: 'POST', body });
  return [answer.status, await answer.text()];
}

test('the control port orders answers, resets to the state at the start, and shows the journal without the key', () =>
  withControl(async (server, control) => {
    assert.equal(await send(control, '/next', '{"retryAfterSeconds":2}'), [200, '{}']);
    assert.is((await ask(server)).status, 429);
    await send(control, '/next', '{"fault":"id-null","delayMs":1}');
    assert.match((await ask(server)).body, /"id":null/);
    for (const status of [201, 201, 201, 429]) assert.is((await ask(server, { body: write() })).status, status);
    const [, text] = await send(control, '/journal');
    const statuses = (JSON.parse(text) as { response: { status: number } }[]).map(({ response }) => response.status);
    assert.equal(statuses, [429, 200, 201, 201, 201, 429]);
    assert.not.match(text, server.key);
    await send(control, '/next', '{"retryAfterSeconds":2}');
    assert.equal(await send(control, '/reset', ''), [200, '{}']);
    assert.equal(await send(control, '/journal'), [200, '[]']);
    const page = await ask(server);
    assert.equal([readRate(page)[1], JSON.parse(page.body).length, server.requests[0]?.number], [3, 1, 1]);
    assert.match((await send(control, '/elsewhere'))[1], 'POST /reset');
  }));

test('an order that cannot be carried out gets 400 and a short sentence', () =>
  withControl(async (server, control) => {
    const numbers = ['-1', '0.5', '1e999', '600001', '"1"', 'null', '{"toString":1}'];
    const wrong = ['delayMs', 'retryAfterSeconds', 'x', '__proto__'].flatMap((name) =>
      numbers.flatMap((value) => [`{"${name}":${value}}`, `{"fault":"id-null","${name}":${value}}`]),
    );
    const faults = ['"x"', '{}', '"__proto__"', `"${'a'.repeat(5_000)}"`].map((value) => `{"fault":${value}}`);
    for (const order of ['', '[', '\0', '{"a":'.repeat(9_000), '{"retryAfterSeconds":86401}', ...wrong, ...faults]) {
      const [status, text] = await send(control, '/next', order);
      assert.is(status, 400, order.slice(0, 80));
      assert.ok(text.length < 300, text);
    }
    assert.is((await ask(server)).status, 200);
  }));

test('the control port takes no request from a page elsewhere, or by a name that somebody points at it', () =>
  withControl(async (server, control) => {
    server.answerNext({ retryAfterSeconds: 1 });
    const { host } = new URL(control);
    const reset = (...headers: readonly string[]): Promise<string> => {
      const lines = ['POST /reset HTTP/1.1', ...headers, 'Content-Length: 0', 'Connection: close'];
      return sendRaw(control, `${lines.join('\r\n')}\r\n\r\n`);
    };
    for (const headers of [[`Host: ${host}`, 'Origin: https://evil.example'], ['Host: evil.example:80']])
      assert.match(await reset(...headers), /^HTTP\/1\.1 403 /);
    assert.is((await ask(server)).status, 429);
    const own = await reset(`Host: ${host}`, origin.join(': '));
    assert.match(own, /^HTTP\/1\.1 200 [\s\S]*Access-Control-Allow-Origin: http:\/\/localhost:5173\r\n/);
  }));

test.run();
