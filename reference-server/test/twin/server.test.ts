/** The twin: keys, faults, network conditions, pages (CORS), the journal, the log, orders and the control port. */

import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findFault } from '../../../conformance/faults/index.ts';
import type { StoreResponse } from '../../index.ts';
import { controlHandle, listenForControl } from '../../twin/control.ts';
import { BrokenConnection, type Server, type ServerFault, type ServerOptions, startServer } from '../../twin/index.ts';
import { describeForLog } from '../../twin/journal.ts';
import { askUrl, noon, type Question, readHeader, readRate, sendRaw, write } from '../client.ts';

async function withServer(options: ServerOptions, use: (server: Server) => Promise<void>): Promise<void> {
  const server = await startServer({ clock: () => noon, ...options });
  await use(server).finally(server.close);
}

function ask(server: Server, question: Question = {}): Promise<StoreResponse> {
  return askUrl(server.url, { authorization: `Bearer ${server.key}`, ...question });
}

const animals = [{ name: 'Rex', categoryId: 3n }];
const breaking: ServerFault = {
  ...{ id: 'breaks', breaks: [] },
  wrap: () => () => {
    throw new BrokenConnection();
  },
};
const origin = ['Origin', 'http://localhost:5173'] as const;
const preflight = {
  method: 'OPTIONS',
  authorization: null,
  headers: [origin, ['Access-Control-Request-Method', 'GET']],
} as const;

test('a server makes a key; it takes choices, keys, animals and a clock', async () => {
  await withServer({}, async (server) => {
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    assert.match(server.key, /^dev-[\w-]{24}$/);
    assert.is(readRate(await ask(server))[0], 1_000);
    assert.is(readRate(await ask(server, { authorization: null }))[0], 60);
  });
  const gaps = { 'status-omitted': 'sold', 'after-removal': 'not-found-404' } as const;
  const clock = (): number => Date.UTC(2030, 11, 5);
  await withServer({ gaps, keys: [{ key: 'one-of-mine', plan: 'free' }], animals, clock }, async (server) => {
    const page = await ask(server, { authorization: 'Bearer one-of-mine' });
    assert.is(page.body, '[{"id":1,"name":"Rex","categoryId":3,"status":"sold"}]');
    assert.equal([readRate(page)[0], readHeader(page, 'date')], [60, 'Thu, 05 Dec 2030 00:00:00 GMT']);
    assert.is((await ask(server, { target: '/v1/pets/1' })).status, 404);
  });
});

test('faults of the kit work with any key of the server, which no answer changes', () =>
  withServer(
    {
      faults: [findFault('id-null'), findFault('key-compared-by-prefix')],
      keys: [{ key: 'one-of-mine', plan: 'free' }],
    },
    async (server) => {
      const created = await ask(server, { body: write({ name: 'ü one-of-mine' }) });
      assert.is(created.body, '{"id":null,"name":"ü one-of-mine","categoryId":1,"status":"available"}');
      assert.is((await ask(server, { authorization: 'Bearer one-of' })).status, 200);
      assert.is((await ask(server, { authorization: 'Bearer mine' })).status, 401);
    },
  ));

test('faults with different base paths are refused together', async () => {
  const [one, other] = ['/store', '/v2'].map((basePath): ServerFault => ({ ...breaking, basePath }));
  await withServer({ faults: [one!] }, async ({ url }) => assert.match(url, /\/store$/));
  const refusal: unknown = await startServer({ faults: [one!, other!] }).catch((reason: unknown) => reason);
  assert.match(String(refusal), 'at /store and /v2');
});

/** Returns numbers in a fixed order, the last of them for ever. */
function drawn(...numbers: number[]): () => number {
  return () => (numbers.length > 1 ? numbers.shift()! : numbers[0]!);
}

test('a network error is a 503 without headers of the service, or a reset before or after the work is done', () => {
  const random = drawn(0.4, 0.1, 0.4, 0.5, 0.4, 0.9, 0.9);
  return withServer({ networkConditions: { errorRate: 0.5 }, random }, async (server) => {
    const create = (name: string): Promise<StoreResponse> => ask(server, { body: write({ name }) });
    const first = await create('one');
    assert.equal([first.status, readHeader(first, 'x-ratelimit-limit')], [503, undefined]);
    for (const name of ['two', 'three']) assert.instance(await create(name).catch((error: unknown) => error), Error);
    assert.match((await ask(server)).body, /^\[[^{]*\{"id":1,"name":"two"[^{]*\]$/);
    const ends = server.requests.map(({ response, failure }) => response?.status ?? failure?.code);
    assert.equal(ends, [503, 'broken', 'broken', 200]);
  });
});

/** Whether a request to /health and one to the service are answered within 50 ms. */
async function areQuick(server: Server): Promise<readonly boolean[]> {
  const quick = (target: string): Promise<boolean> =>
    Promise.race([ask(server, { target }).then(() => true), sleep(250).then(() => false)]);
  return Promise.all([quick('/health'), quick('/v1/pets')]);
}

test('latency and a delay that was ordered hold back the answers of the service, and never /health', async () => {
  await withServer({ networkConditions: { latency: { ms: 900, jitterMs: 100 } } }, async (server) =>
    assert.equal(await areQuick(server), [true, false]),
  );
  await withServer({}, async (server) => {
    server.answerNext({ delayMs: 900 });
    assert.equal(await areQuick(server), [true, false]);
    assert.equal(await areQuick(server), [true, true]);
  });
});

test('health is answered outside the base path, without a key, a limit and an entry in the journal', async () => {
  await withServer({}, async (server) => {
    const health = await ask(server, { target: '/health', authorization: null });
    assert.equal([health.status, health.body, server.requests.length], [200, '{"status":"ok"}', 0]);
    assert.is((await ask(server, { target: '/v1/health', authorization: null })).status, 401);
  });
  await withServer({ answersHealth: false }, async (server) =>
    assert.is((await ask(server, { target: '/health' })).status, 404),
  );
});

async function originAllowedBy(options: ServerOptions): Promise<string | undefined> {
  const server = await startServer(options);
  const answer = await ask(server, { headers: [origin] }).finally(server.close);
  if (answer.headers['access-control-allow-origin'] !== undefined)
    assert.match(answer.headers['access-control-expose-headers']!, /X-RateLimit-Limit, .*Retry-After/);
  return answer.headers['access-control-allow-origin'];
}

test('pages are allowed by default where only this machine can reach the server, else where the user says so', async () => {
  const refuses = { id: 'refuses', breaks: [], wrap: () => () => ({ status: 429, headers: {}, body: '' }) };
  for (const [options, allowed] of [
    [{}, '*'],
    [{ gaps: { cors: 'none' } }, undefined],
    [{ host: '0.0.0.0' }, undefined],
    [{ host: '0.0.0.0', corsOrigin: '*' }, '*'],
    [{ corsOrigin: 'http://localhost:3000' }, 'http://localhost:3000'],
    // A page can read the answer that a fault gives in the place of the store.
    [{ faults: [refuses], corsOrigin: 'http://localhost:3000' }, 'http://localhost:3000'],
  ] as const) {
    assert.is(await originAllowedBy(options), allowed, JSON.stringify(options));
  }
});

test('a preflight is answered without a key, a limit and a body, with the headers of §8', () =>
  withServer({ keys: [{ key: 'one-of-mine', plan: 'free', perMinute: 1 }] }, async (server) => {
    for (let count = 0; count < 3; count += 1) {
      const { status, headers, body } = await ask(server, preflight);
      assert.equal([status, body, headers['content-length']], [204, '', undefined]);
      assert.match(headers['access-control-allow-headers']!, /^Authorization, Content-Type/);
      assert.match(headers['x-ratelimit-remaining']!, /^\d+$/);
    }
    assert.is((await ask(server, { method: 'OPTIONS' })).status, 405);
    assert.is((await ask(server)).status, 429);
    assert.is((await ask(server, preflight)).status, 204);
  }));

test('the journal holds requests as exchanges, without a key in whatever form, and says how a key was sent', () =>
  withServer({ keys: [{ key: 'secret+of+the/test', plan: 'pro' }] }, async (server) => {
    const { key } = server;
    const basic = Buffer.from(`${key}:`).toString('base64');
    await ask(server, { body: write() });
    await ask(server, { target: `/v1/pets/1?key=${key}` });
    await ask(server, { target: '/v1/pets?limit=5', authorization: 'Bearer another' });
    await ask(server, { target: '/elsewhere', authorization: null });
    for (const authorization of [`bearer ${key}`, `Basic ${basic}`, `Token ${encodeURIComponent(key)}`, key])
      await ask(server, { authorization });
    await ask(server, { authorization: null, headers: [['x-api-key', key]] });
    const [creation] = server.requests;
    assert.equal([creation?.request.body, creation?.response?.status, creation?.startedAt], [write(), 201, noon]);
    assert.is(creation?.request.headers['content-type'], 'application/json');
    assert.equal(
      server.requests.map(({ number, operation, credential, request, response }) =>
        [number, operation, credential.kind, request.target, response?.status].join(' '),
      ),
      [
        '1 createPet valid /pets 201',
        '2 getPet valid /pets/1?key=[key] 200',
        '3 listPets invalid /pets?limit=5 401',
        '4 other missing ../elsewhere 401',
        '5 listPets lenient /pets 200',
        ...[6, 7, 8, 9].map((number) => `${number} listPets misplaced /pets 401`),
      ],
    );
    const text = JSON.stringify(server.requests);
    for (const form of [key, basic.replace(/=+$/, ''), encodeURIComponent(key)]) assert.not.match(text, form);
  }));

test('the journal drops its oldest exchanges when it is full', () =>
  withServer({ keys: [{ key: 'one-of-mine', plan: 'business' }] }, async (server) => {
    const body = write({ name: 'x'.repeat(60_000) });
    for (let count = 0; count < 200; count += 1) await ask(server, { body });
    assert.ok(server.requests.length < 150 && server.requests.length > 100, String(server.requests.length));
    assert.is(server.requests.at(-1)?.number, 200);
  }));

test('the log has a line of printable ASCII for each request, without a key and values of unknown parameters', async () => {
  const lines: string[] = [];
  const key = 'secret+of/the=test';
  const log = (line: string): number => lines.push(line.replace('2026-11-21T12:00:00.000Z ', ''));
  await withServer({ keys: [{ key, plan: 'free' }], log }, async (server) => {
    await ask(server, { target: '/v1/pets?limit=5&status=sold' });
    await ask(server, { target: '/elsewhere' });
    await ask(server, { target: `/v1/pets?api_key=${key}&status=sold` });
    await ask(server, { target: `/v1/pets/${encodeURIComponent(key)}/${'x'.repeat(1_000)}` });
    await sendRaw(server.url, 'nonsense\r\n\r\n');
  });
  assert.equal(lines.slice(0, 3), [
    '200 GET /pets?limit=5&status=sold',
    '404 GET ../elsewhere',
    '200 GET /pets?api_key=...&status=sold',
  ]);
  assert.ok(lines[3]!.length < 250);
  assert.equal(lines.slice(4), ['400 (unreadable)']);
  const target = '/v1/\u001b[2J\r\n200\u0085\u2028\u{1f415}';
  const hostile = { method: 'GET', target, headers: [], body: new Uint8Array(), address: '' };
  assert.is(describeForLog(hostile, String, '/v1'), 'GET /\\u{1b}[2J\\u{d}\\u{a}200\\u{85}\\u{2028}\\u{1f415}');
  assert.not.match(lines.join(), 'secret');
});

test('the next answer can be a 429: it is not carried out, and a wrong key gets 401 first', () =>
  withServer({}, async (server) => {
    server.answerNext({ retryAfterSeconds: 2 });
    assert.is((await ask(server, preflight)).status, 204);
    const wrong = await ask(server, { authorization: 'Bearer wrong', body: write() });
    assert.equal([wrong.status, readHeader(wrong, 'retry-after')], [401, undefined]);
    const refused = await ask(server, { body: write() });
    assert.equal([refused.status, ...readRate(refused)], [429, 1_000, 0, noon / 1000 + 2]);
    assert.equal([readHeader(refused, 'retry-after'), readHeader(refused, 'access-control-allow-origin')], ['2', '*']);
    assert.is((await ask(server)).body, '[]');
  }));

test('the next answers can have a fault, as many as are ordered, also where the server has a fault already', () =>
  withServer({ animals, faults: [findFault('name-null')] }, async (server) => {
    server.answerNext({ fault: findFault('id-null'), times: 2 });
    server.answerNext({ retryAfterSeconds: 3 });
    server.answerNext({ fault: breaking });
    const shown: (string | number)[] = [];
    for (let count = 0; count < 5; count += 1)
      shown.push(
        await ask(server).then(
          ({ status, body }) => (status === 200 ? body : status),
          () => 'reset',
        ),
      );
    const rex = '"name":null,"categoryId":3,"status":"available"}]';
    assert.equal(shown, [`[{"id":null,${rex}`, `[{"id":null,${rex}`, 429, 'reset', `[{"id":1,${rex}`]);
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

async function withControl(use: (server: Server, control: string) => Promise<void>): Promise<void> {
  await withServer({ animals, keys: [{ key: 'one-of-mine', plan: 'free', perMinute: 4 }] }, async (server) => {
    const { url, close } = await listenForControl(server, 0, findFault);
    await use(server, url).finally(close);
  });
}

/** Sends a request to the control port. */
async function send(url: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const init = body === undefined ? { headers } : { method: 'POST', body: JSON.stringify(body), headers };
  const answer = await fetch(url + path, init);
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

test('the control port orders answers, resets to the state at the start, and shows the journal without the key', () =>
  withControl(async (server, control) => {
    assert.is((await send(control, '/next', { retryAfterSeconds: 2 })).status, 204);
    assert.is((await ask(server)).status, 429);
    assert.is((await send(control, '/next', { fault: 'id-null', times: 1, delayMs: 1 })).status, 204);
    assert.match((await ask(server)).body, /"id":null/);
    for (const status of [201, 201, 429]) assert.is((await ask(server, { body: write() })).status, status);
    const { text } = await send(control, '/journal');
    const journal = JSON.parse(text) as { response: { status: number } }[];
    assert.equal(
      journal.map(({ response }) => response.status),
      [429, 200, 201, 201, 429],
    );
    assert.not.match(text, server.key);
    await send(control, '/next', { retryAfterSeconds: 2 });
    assert.is((await send(control, '/reset', {})).status, 204);
    assert.is((await send(control, '/journal')).text, '[]');
    const page = await ask(server);
    assert.equal(
      [readRate(page)[1], (JSON.parse(page.body) as unknown[]).length, server.requests[0]?.number],
      [3, 1, 1],
    );
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
      '{"toString":1}',
    ];
    values.push('"__proto__"', `"${'a'.repeat(5_000)}"`);
    const orders = ['fault', 'times', 'delayMs', 'retryAfterSeconds', '__proto__', 'x'].flatMap((name) =>
      values.flatMap((value) => [`{"${name}":${value}}`, `{"fault":"id-null","${name}":${value}}`]),
    );
    for (const order of ['', '[', '[]', '\0', '{"a":'.repeat(9_000), ...orders]) {
      const sent = { method: 'POST', target: '/next', headers: [], address: '127.0.0.1', body: Buffer.from(order) };
      const { status, body } = control(sent, noon);
      assert.ok(status === 204 || status === 400, order.slice(0, 80));
      assert.ok(body.length < 300, body);
    }
  }));

test('the control port takes no request from a page elsewhere, or by a name that somebody points at it', () =>
  withControl(async (server, control) => {
    server.answerNext({ retryAfterSeconds: 1 });
    const { port } = new URL(control);
    for (const header of ['Origin: https://evil.example', 'Host: evil.example', `Host: evil.example:${port}`]) {
      const host = header.startsWith('Host') ? '' : `Host: 127.0.0.1:${port}\r\n`;
      const end = 'Content-Length: 0\r\nConnection: close\r\n\r\n';
      assert.match(await sendRaw(control, `POST /reset HTTP/1.1\r\n${host}${header}\r\n${end}`), /^HTTP\/1\.1 403 /);
    }
    assert.is((await ask(server)).status, 429);
    const { status, headers } = await send(control, '/reset', {}, { origin: 'http://localhost:5173' });
    assert.equal([status, headers.get('access-control-allow-origin')], [204, 'http://localhost:5173']);
    assert.match((await send(control, '/elsewhere')).text, 'POST /reset');
  }));

test.run();
