/** Control over a server: reset, the journal, the next answers, health; by methods and over the control port. */

import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findFault } from '../../../conformance/sections/faults.ts';
import { controlHandle, listenForControl } from '../../twin/control.ts';
import { type Server, type ServerOptions, startServer } from '../../twin/index.ts';
import { askUrl, noon, type Question, readHeader, sendRaw, write } from '../client.ts';

async function withServer(options: ServerOptions, use: (server: Server) => Promise<void>): Promise<void> {
  const server = await startServer({ clock: () => noon, ...options });
  await use(server).finally(server.close);
}

const ask = (server: Server, question: Question = {}) =>
  askUrl(server.url, { authorization: `Bearer ${server.key}`, ...question });

const animals = [{ name: 'Rex', categoryId: 1n }];

/** Sends a request to the control port. */
async function send(url: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const init = body === undefined ? { headers } : { method: 'POST', body: JSON.stringify(body), headers };
  const answer = await fetch(url + path, init);
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

async function withControl(use: (server: Server, control: string) => Promise<void>): Promise<void> {
  await withServer({ animals }, async (server) => {
    const { url, close } = await listenForControl(server, 0, findFault);
    await use(server, url).finally(close);
  });
}

test('the next answer can be a 429 that is not carried out, and the one after it is as usual', () =>
  withServer({}, async (server) => {
    server.answerNext({ retryAfterSeconds: 2 });
    const refused = await ask(server, { body: write() });
    assert.is(refused.status, 429);
    assert.is(readHeader(refused, 'retry-after'), '2');
    assert.is(readHeader(refused, 'x-ratelimit-remaining'), '0');
    assert.is(readHeader(refused, 'x-ratelimit-reset'), String(noon / 1000 + 2));
    assert.is(readHeader(refused, 'access-control-allow-origin'), '*');
    assert.is((await ask(server)).body, '[]');
  }));

test('the next answers can have a fault, as many as are ordered, for any key of the server', () =>
  withServer({ animals, keys: [{ key: 'one-of-mine', plan: 'free' }] }, async (server) => {
    server.answerNext({ fault: findFault('id-null'), times: 2 });
    const bodies = [await ask(server), await ask(server), await ask(server)].map(({ body }) => body);
    assert.equal(
      bodies.map((body) => (JSON.parse(body) as { id: unknown }[])[0]?.id),
      [null, null, 1],
    );
    assert.is((await ask(server, { body: write({ name: 'one-of-mine' }) })).status, 201);
  }));

test('a fault can be ordered from a server that has a fault already', () =>
  withServer({ animals, faults: [findFault('name-null')] }, async (server) => {
    server.answerNext({ fault: findFault('id-null') });
    assert.equal(JSON.parse((await ask(server)).body), [{ id: null, name: null, categoryId: 1, status: 'available' }]);
    assert.equal(JSON.parse((await ask(server)).body), [{ id: 1, name: null, categoryId: 1, status: 'available' }]);
  }));

test('orders are carried out in their order, and a preflight uses none up', () =>
  withServer({}, async (server) => {
    server.answerNext({ retryAfterSeconds: 1 });
    server.answerNext({ retryAfterSeconds: 3 });
    const preflight = [['Access-Control-Request-Method', 'GET']] as const;
    assert.is((await ask(server, { method: 'OPTIONS', headers: preflight })).status, 204);
    const [one, other] = [await ask(server), await ask(server)];
    assert.equal([readHeader(one, 'retry-after'), readHeader(other, 'retry-after')], ['1', '3']);
  }));

test('the next answer can be held back', () =>
  withServer({}, async (server) => {
    server.answerNext({ delayMs: 150 });
    const first = await Promise.race([ask(server).then(({ status }) => status), sleep(50).then(() => 'nothing yet')]);
    assert.is(first, 'nothing yet');
    assert.is((await ask(server)).status, 200);
  }));

test('an order that cannot be carried out is refused', () =>
  withServer({}, async (server) => {
    for (const [order, message] of [
      [{ times: 0 }, /^times must be/],
      [{ delayMs: -1 }, /^delayMs must be/],
      [{ retryAfterSeconds: 0.5 }, /^retryAfterSeconds must be/],
      [{ retryAfterSeconds: 1, fault: findFault('id-null') }, /either a fault or a 429/],
      [{ status: 429 }, /no member "status"/],
    ] as const) {
      assert.throws(() => server.answerNext(order as object), message);
    }
  }));

test('a reset brings back the state at the start: animals, limits, orders, journal', () =>
  withServer({ animals, keys: [{ key: 'one-of-mine', plan: 'free', perMinute: 3 }] }, async (server) => {
    await ask(server, { body: write() });
    for (let count = 0; count < 3; count += 1) await ask(server);
    assert.is((await ask(server)).status, 429);
    server.answerNext({ retryAfterSeconds: 9 });
    server.reset();
    assert.equal(server.requests, []);
    const page = await ask(server);
    assert.is(readHeader(page, 'x-ratelimit-remaining'), '2');
    assert.is((JSON.parse(page.body) as unknown[]).length, 1);
    assert.is(server.requests.at(-1)?.number, 1);
  }));

test('health is answered outside the base path, without a key, a limit and an entry in the journal', () =>
  withServer({}, async (server) => {
    server.answerNext({ retryAfterSeconds: 5 });
    const health = await askUrl(server.url, { target: '/health', authorization: null });
    assert.equal([health.status, health.body], [200, '{"status":"ok"}']);
    assert.equal(server.requests, []);
    assert.is((await askUrl(server.url, { target: '/v1/health', authorization: null })).status, 429);
  }));

test('the control port orders answers, resets, and shows the journal without the key', () =>
  withControl(async (server, control) => {
    assert.is((await send(control, '/next', { retryAfterSeconds: 2 })).status, 204);
    assert.is((await ask(server)).status, 429);
    assert.is((await send(control, '/next', { fault: 'id-null', times: 1, delayMs: 1 })).status, 204);
    assert.match((await ask(server)).body, /"id":null/);
    const { text } = await send(control, '/journal');
    const journal = JSON.parse(text) as { response: { status: number } }[];
    assert.equal(
      journal.map(({ response }) => response.status),
      [429, 200],
    );
    assert.not.match(text, server.key);
    assert.is((await send(control, '/reset', {})).status, 204);
    assert.is((await send(control, '/journal')).text, '[]');
  }));

test('the control port refuses unknown requests in one sentence', () =>
  withControl(async (_server, control) => {
    for (const [body, sentence] of [
      [{ fault: 'id-nul' }, /There is no fault/],
      [{ retryAfterSeconds: 'x' }, /must be a whole number/],
      [{ times: 0 }, /times must be/],
      [[], /must be a JSON object/],
    ] as const) {
      const { status, text } = await send(control, '/next', body);
      assert.is(status, 400);
      assert.match(text, sentence);
    }
    const { status, text } = await send(control, '/elsewhere');
    assert.is(status, 404);
    assert.match(text, 'POST /reset');
  }));

test('the control port answers any order with 204, or with 400 and a short sentence', () =>
  withServer({}, async (server) => {
    const control = controlHandle(server, findFault);
    const values = [
      '{}',
      '[]',
      'null',
      'true',
      '-1',
      '0.5',
      '1e999',
      `1${'0'.repeat(400)}`,
      '"id-null"',
      '"__proto__"',
    ];
    const more = [`"${'a'.repeat(5_000)}"`, '{"__proto__":{}}', '{"toString":1}'];
    const orders = ['fault', 'times', 'delayMs', 'retryAfterSeconds', '__proto__', 'x'].flatMap((name) =>
      [...values, ...more].flatMap((value) => [`{"${name}":${value}}`, `{"fault":"id-null","${name}":${value}}`]),
    );
    for (const order of ['', '[', '\0', '{"a":'.repeat(9_000), ...orders]) {
      const sent = { method: 'POST', target: '/next', headers: [], address: '127.0.0.1', body: Buffer.from(order) };
      const { status, body } = control(sent, noon);
      assert.ok(status === 204 || status === 400, order.slice(0, 80));
      assert.ok(body.length < 300, body);
    }
  }));

test('the control port takes no request from a page elsewhere, or by a name that somebody points at it', () =>
  withControl(async (server, control) => {
    server.answerNext({ retryAfterSeconds: 1 });
    const port = new URL(control).port;
    for (const header of ['Origin: https://evil.example', 'Host: evil.example', `Host: evil.example:${port}`]) {
      const host = header.startsWith('Host') ? '' : `Host: 127.0.0.1:${port}\r\n`;
      const end = 'Content-Length: 0\r\nConnection: close\r\n\r\n';
      assert.match(await sendRaw(control, `POST /reset HTTP/1.1\r\n${host}${header}\r\n${end}`), /^HTTP\/1\.1 403 /);
    }
    assert.is((await ask(server)).status, 429);
    const { status, headers } = await send(control, '/reset', {}, { origin: 'http://localhost:5173' });
    assert.equal([status, headers.get('access-control-allow-origin')], [204, 'http://localhost:5173']);
  }));

test.run();
