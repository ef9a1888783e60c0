/** The twin: keys, faults, latency, pages (CORS), the journal, the log, orders and the control port. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findFault } from '../../../conformance/faults/index.ts';
import type { StoreResponse } from '../../index.ts';
import { listenForControl } from '../../twin/control.ts';
import {
  BrokenConnection,
  type NextAnswer,
  type Server,
  type ServerFault,
  type ServerOptions,
  startServer,
} from '../../twin/index.ts';
import { createJournal } from '../../twin/journal.ts';
import { askUrl, noon, type Question, readHeader, readRate, sendRaw, write } from '../client.ts';

async function withServer(options: ServerOptions, use: (server: Server) => Promise<void>): Promise<void> {
  const server = await startServer({ clock: () => noon, ...options });
  await use(server).finally(server.close);
}

/** Sends a request; a connection that breaks is an answer as well. */
function ask(server: Server, question: Question = {}): Promise<StoreResponse> {
  const reset = { status: 0, headers: {}, body: 'reset' };
  return askUrl(server.url, { authorization: `Bearer ${server.key}`, ...question }).catch(() => reset);
}

const animals = [{ name: 'Rex', categoryId: 3n }];
const keys = [{ key: 'one-of-mine', plan: 'free', perMinute: 4 }] as const;
const breaking: ServerFault = {
  id: 'breaks',
  breaks: [],
  basePath: '/store',
  wrap: () => () => {
    throw new BrokenConnection();
  },
};
const refusing = { id: 'refuses', breaks: [], wrap: () => () => ({ status: 429, headers: {}, body: '' }) };
const origin = ['Origin', 'http://localhost:5173'] as const;
const preflight = {
  method: 'OPTIONS',
  authorization: null,
  headers: [origin, ['Access-Control-Request-Method', 'GET']],
} as const;

test('a server makes a key; it takes choices, keys, animals, a clock and faults, which know its keys', async () => {
  await withServer({ faults: [breaking] }, async (server) => {
    assert.match(`${server.url} ${server.key}`, /^http:\/\/127\.0\.0\.1:\d+\/store dev-[\w-]{24}$/);
    assert.is((await ask(server)).body, 'reset');
  });
  const gaps = { 'status-omitted': 'sold', 'after-removal': 'not-found-404' } as const;
  const faults = [findFault('id-null'), findFault('key-compared-by-prefix')];
  await withServer({ gaps, keys, animals, faults, clock: () => Date.UTC(2030, 11, 5) }, async (server) => {
    const page = await ask(server);
    assert.is(page.body, '[{"id":null,"name":"Rex","categoryId":3,"status":"sold"}]');
    assert.equal([readRate(page)[0], readHeader(page, 'date')], [4, 'Thu, 05 Dec 2030 00:00:00 GMT']);
    assert.is((await ask(server, { target: '/v1/pets/1' })).status, 404);
    assert.is((await ask(server, { authorization: 'Bearer one-of' })).status, 200);
    assert.is((await ask(server, { authorization: 'Bearer mine' })).status, 401);
  });
});

test('latency and a delay that was ordered hold back the answers of the service, and never /health', async () => {
  for (const latencyMs of [400, 0]) {
    await withServer({ latencyMs }, async (server) => {
      server.answerNext({ delayMs: 400 - latencyMs });
      const arrived: string[] = [];
      const asked = async (target: string) => arrived.push((await ask(server, { target })).body);
      await Promise.all([asked('/v1/pets'), asked('/health')]);
      assert.equal([arrived, server.requests.length], [['{"status":"ok"}', '[]'], 1]);
    });
  }
  await withServer({ answersHealth: false }, async (server) =>
    assert.is((await ask(server, { target: '/health' })).status, 404),
  );
});

test('pages are allowed by default where only this machine can reach the server, else where the user says so', async () => {
  for (const [options, allowed] of [
    [{}, '*'],
    [{ gaps: { cors: 'none' } }, undefined],
    [{ host: '0.0.0.0' }, undefined],
    [{ host: '0.0.0.0', gaps: { cors: 'any-origin' } }, '*'],
    // A page can read the answer that a fault gives in the place of the store.
    [{ host: '0.0.0.0', faults: [refusing], corsOrigin: 'http://localhost:3000' }, 'http://localhost:3000'],
  ] as const) {
    await withServer(options, async (server) => {
      const { headers } = await ask(server, { headers: [origin] });
      assert.is(headers['access-control-allow-origin'], allowed, JSON.stringify(options));
      if (allowed !== undefined) assert.match(headers['access-control-expose-headers']!, /X-RateLimit-Limit, .*Retry-/);
      // Who asks for no page is told nothing of pages.
      assert.is((await ask(server)).headers['access-control-allow-origin'], undefined);
    });
  }
});

/** A request with a key in some form → what the journal says of it. */
const key = 'secret+of+the/test';
const basic = Buffer.from(`${key}:`).toString('base64');
const sent: readonly (readonly [Question, string])[] = [
  [{ body: write(), authorization: `Bearer ${key}` }, 'createPet valid /pets 201'],
  [{ target: `/v1/pets/1?key=${key}` }, 'getPet valid /pets/1?key=[key] 200'],
  [{ target: '/v1/pets?limit=5', authorization: 'Bearer another' }, 'listPets invalid /pets?limit=5 401'],
  [{ target: '/v1x/pets', authorization: null }, 'other missing ../v1x/pets 401'],
  [{ authorization: `bearer ${key}` }, 'listPets lenient /pets 200'],
  ...[`Basic ${basic}`, `Token ${encodeURIComponent(key)}`, key].map(
    (authorization) => [{ authorization }, 'listPets misplaced /pets 401'] as const,
  ),
  [{ authorization: null, headers: [['x-api-key', key]] }, 'listPets misplaced /pets 401'],
];

test('journal and log hold every request without a key in whatever form, and the journal says how a key was sent', async () => {
  const lines: string[] = [];
  await withServer({ keys: [{ key, plan: 'pro' }], log: (line) => lines.push(line) }, async (server) => {
    for (const [question] of sent) await ask(server, question);
    await sendRaw(server.url, 'nonsense\r\n\r\n');
    await sendRaw(server.url, `GET /v1/\u0085${'x'.repeat(400)} HTTP/1.1\r\nConnection: close\r\n\r\n`);
    const rows = server.requests.map(({ operation, credential, request, response }) =>
      [operation, credential.kind, request.target, response?.status].join(' '),
    );
    assert.equal(rows.slice(0, -1), [...sent.map(([, row]) => row), 'other missing .. 400']);
    const [{ number, request, startedAt }] = server.requests as [Server['requests'][number]];
    const { body, headers } = request;
    assert.equal([number, body, headers['content-type'], startedAt], [1, write(), 'application/json', noon]);
    const text = JSON.stringify(server.requests) + lines.join();
    for (const form of [key, basic.replace(/=+$/, ''), encodeURIComponent(key)]) assert.not.match(text, form);
  });
  assert.is(lines[1], '2026-11-21T12:00:00.000Z 200 GET /pets/1?key=[key]');
  const [unreadable, long] = lines.slice(sent.length);
  assert.match(unreadable!, /400 \(unreadable\)/);
  assert.match(long!, /Z (401 GET \/\?x{150,200}|400 \(unreadable\)[ .]*)$/);
});

test('the journal keeps the latest ten thousand exchanges', () => {
  const journal = createJournal([], '/v1');
  const request = { method: 'GET', target: '/v1/pets', headers: [], body: new Uint8Array(), address: '' };
  journal.add(request, undefined, noon);
  assert.is(journal.latest().number, 1);
  for (let count = 1; count < 10_001; count += 1) journal.add(request, undefined, noon);
  const received = journal.received();
  const [first] = received;
  assert.equal([received.length, first?.number, first?.failure?.code], [10_000, 2, 'broken']);
  assert.equal([received.at(-1)?.number, journal.latest()], [10_001, received.at(-1)]);
});

test('the next answer can be a 429: it is not carried out, and a preflight and a wrong key do not get it', () =>
  withServer({ gaps: { 'too-many-requests-body': 'text' } }, async (server) => {
    server.answerNext({ retryAfterSeconds: 2 });
    const allowed = await ask(server, preflight);
    assert.equal([allowed.status, allowed.body, readRate(allowed)[0]], [200, '', 60]);
    assert.match(readHeader(allowed, 'access-control-allow-headers')!, /^Authorization, Content-Type/);
    const wrong = await ask(server, { authorization: 'Bearer wrong', body: write() });
    assert.equal([wrong.status, readHeader(wrong, 'retry-after')], [401, undefined]);
    const refused = await ask(server, { body: write(), headers: [origin] });
    assert.equal([refused.status, ...readRate(refused)], [429, 1_000, 0, noon / 1000 + 2]);
    assert.equal([readHeader(refused, 'retry-after'), refused.body], ['2', 'Too many requests.']);
    assert.is(readHeader(refused, 'access-control-allow-origin'), '*');
    const page = await ask(server);
    assert.equal([page.body, readRate(page)[1]], ['[]', 999]);
  }));

test('each order answers one request, even if a program gives the same object twice', () =>
  withServer({ animals }, async (server) => {
    const order = { fault: findFault('id-null') };
    server.answerNext(order);
    server.answerNext(order);
    const pages = [await ask(server), await ask(server), await ask(server)].map(({ body }) => JSON.parse(body));
    assert.equal(
      pages.map(([first]) => first.id),
      [null, null, 1],
    );
  }));

/** Sends a request to the control port of a server, and gives the status and the text of its answer. */
type Send = (path: string, body?: string) => Promise<readonly [status: number, text: string]>;

async function withControl(use: (server: Server, send: Send, control: string) => Promise<void>): Promise<void> {
  await withServer({ animals, keys }, async (server) => {
    const { url, close } = await listenForControl(server, 0, findFault);
    const send: Send = async (path, body) => {
      const answer = await fetch(url + path, body === undefined ? {} : { method: 'POST', body });
      return [answer.status, await answer.text()];
    };
    await use(server, send, url).finally(close);
  });
}

test('the control port orders answers, resets to the state at the start, and shows the journal without the key', () =>
  withControl(async (server, send) => {
    assert.equal(await send('/next', '{"retryAfterSeconds":2}'), [200, '{}']);
    assert.is((await ask(server)).status, 429);
    await send('/next', '{"fault":"id-null","delayMs":1}');
    server.answerNext({ fault: breaking });
    assert.match((await ask(server)).body, /^\[\{"id":null,"name":"Rex",/);
    assert.is((await ask(server)).body, 'reset');
    for (const status of [201, 201, 201, 429]) assert.is((await ask(server, { body: write() })).status, status);
    const [, text] = await send('/journal');
    const statuses = (JSON.parse(text) as { response?: { status: number } }[]).map(({ response }) => response?.status);
    assert.equal(statuses, [429, 200, undefined, 201, 201, 201, 429]);
    assert.not.match(text, server.key);
    await send('/next', '{"retryAfterSeconds":2}');
    assert.equal(await send('/reset', ''), [200, '{}']);
    assert.equal(await send('/journal'), [200, '[]']);
    const page = await ask(server);
    assert.equal([readRate(page)[1], JSON.parse(page.body).length, server.requests[0]?.number], [3, 1, 1]);
    assert.match((await send('/elsewhere'))[1], 'POST /reset');
  }));

test('an order that cannot be carried out gets 400 and a short sentence', () =>
  withControl(async (server, send) => {
    const values = ['-1', '0.5', '86400001', '"1"', 'null'];
    const numbers = ['delayMs', 'retryAfterSeconds'].flatMap((name) => values.map((value) => `{"${name}":${value}}`));
    const others = ['', '{"x":1}', '{"__proto__":1}', '{"fault":{}}', '{"fault":"id-null","x":1}'];
    for (const order of [...numbers, ...others, `{"fault":"${'a'.repeat(5_000)}"}`]) {
      const [status, text] = await send('/next', order);
      assert.is(status, 400, order.slice(0, 80));
      assert.ok(text.length < 300, text);
    }
    assert.is((await ask(server)).status, 200);
  }));

test('the control port takes no request from a page elsewhere, or by a name that somebody points at it', () =>
  withControl(async (server, _send, control) => {
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

/** Options that no server can work with → the sentence of the RangeError. */
const refused: readonly (readonly [options: object, sentence: string])[] = [
  [{ gap: {} }, 'There is no option "gap". Did you mean gaps?'],
  [{ animals: [{ nam: 1 }] }, 'animals cannot be used: entry 1: It has other fields than name, categoryId, status.'],
  [
    { animals: [{ name: 'Rex' }] },
    'animals cannot be used: entry 1: The field categoryId must be an integer of 64 bits.',
  ],
  [
    { faults: ['id-null'] },
    'faults takes a fault, as findFault(\'ID\') of petstore-conformance/faults, not "id-null".',
  ],
  [{ faults: 'id-null' }, 'faults takes a list of faults, not "id-null".'],
  [{ keys: 'abc' }, 'keys cannot be used: it must be a list.'],
  [
    { keys: [{ key: 'abc', plan: 'gold' }] },
    'keys cannot be used: entry 1: The plans are free, pro, business, enterprise.',
  ],
  [{ gaps: { nothing: 'x' } }, 'There is no gap "nothing". spec/README.md lists all gaps.'],
  [{ gaps: 'page-cap' }, 'gaps takes an object, not "page-cap".'],
  [{ port: Number.NaN }, 'port takes a whole number from 0 to 65535, not NaN.'],
  [{ latencyMs: -1 }, 'latencyMs takes a whole number from 0 to 86400000, not -1.'],
  [{ clock: 1 }, 'clock takes a function, not 1.'],
  [{ log: true }, 'log takes a function, not true.'],
  [{ answersHealth: 'no' }, 'answersHealth takes true or false, not "no".'],
  [{ corsOrigin: null }, 'corsOrigin takes a text, not null.'],
  [[], 'The options are an object, not a list.'],
];

test('an option that a server cannot work with is refused with a RangeError that names it', async () => {
  for (const [options, sentence] of refused) {
    const error = await startServer(options as ServerOptions).catch((thrown: unknown) => thrown);
    assert.instance(error, RangeError);
    assert.is((error as Error).message, sentence);
  }
});

test('an order that there is not is refused with a RangeError, and the next request is answered as usual', async () => {
  const server = await startServer();
  for (const [order, sentence] of [
    [{ fault: 'id-null' }, 'fault takes a fault, as findFault(\'ID\') of petstore-conformance/faults, not "id-null".'],
    [{ delay: 5 }, 'There is no option "delay". Did you mean delayMs?'],
    [{ retryAfterSeconds: 0.5 }, 'retryAfterSeconds takes a whole number from 0 to 86400000, not 0.5.'],
    [null, 'The options are an object, not null.'],
  ] as const) {
    const isRight = (error: Error): boolean => error instanceof RangeError && error.message === sentence;
    assert.throws(() => server.answerNext(order as NextAnswer), isRight, sentence);
  }
  const headers = { authorization: `Bearer ${server.key}` };
  assert.is((await fetch(`${server.url}/pets`, { headers })).status, 200);
  await server.close();
});

test.run();
