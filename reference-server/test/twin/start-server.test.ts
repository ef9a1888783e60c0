/** The twin: gap choices, faults, network conditions, a clock and a journal of requests. */

import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { faultKeys } from '../../twin/faults.ts';
import { type Server, type ServerFault, type ServerOptions, startServer } from '../../twin/index.ts';
import { describeNetworkConditions, drawDelay } from '../../twin/network-conditions.ts';
import { makeAnimals } from '../../twin/start-server.ts';
import { noon } from '../client.ts';

async function withServer(options: ServerOptions, use: (server: Server) => Promise<void>): Promise<void> {
  const server = await startServer({ clock: () => noon, ...options });
  try {
    await use(server);
  } finally {
    await server.close();
  }
}

function ask({ url, key }: Server, path = '/pets', init: RequestInit = {}): Promise<Response> {
  return fetch(url + path, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });
}

const json = { 'content-type': 'application/json' };

test('a server makes a key, and answers it at its base address', () =>
  withServer({}, async (server) => {
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    assert.match(server.key, /^dev-[\w-]{24}$/);
    const response = await ask(server);
    assert.is(response.status, 200);
    assert.equal(await response.json(), []);
    assert.is(response.headers.get('x-ratelimit-limit'), '1000');
  }));

test('a server takes choices, keys, animals and a clock', () =>
  withServer(
    {
      gaps: { 'status-omitted': 'sold', 'after-removal': 'not-found-404' },
      keys: [{ key: 'one-of-mine', plan: 'free' }],
      animals: [{ name: 'Rex', categoryId: 3n }],
      clock: () => Date.UTC(2030, 11, 5),
    },
    async (server) => {
      assert.is(server.key, 'one-of-mine');
      const response = await ask(server);
      assert.equal(await response.json(), [{ id: 1, name: 'Rex', categoryId: 3, status: 'sold' }]);
      assert.is(response.headers.get('x-ratelimit-limit'), '60');
      assert.is(response.headers.get('date'), 'Thu, 05 Dec 2030 00:00:00 GMT');
      assert.is((await ask(server, '/pets/1')).status, 404);
    },
  ));

test('the journal holds requests as exchanges, without the key', () =>
  withServer({ keys: [{ key: 'secret-of-the-test', plan: 'pro' }] }, async (server) => {
    const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
    await (await ask(server, '/pets', { method: 'POST', body, headers: json })).text();
    await (await ask(server, '/pets/1?key=secret-of-the-test')).text();
    await (await ask(server, '/pets?limit=5', { headers: { authorization: 'Bearer another' } })).text();
    await (await fetch(new URL('/elsewhere', server.url))).text();
    const [creation, ...others] = server.requests;
    assert.is(creation?.operation, 'createPet');
    assert.is(creation?.request.target, '/pets');
    assert.is(creation?.request.body, body);
    assert.is(creation?.request.headers['content-type'], 'application/json');
    assert.is(creation?.response?.status, 201);
    assert.is(creation?.response?.headers['x-ratelimit-limit'], '300');
    assert.is(creation?.startedAt, noon);
    assert.equal(
      others.map(({ number, operation, credential, request, response, sent, answered }) => [
        number,
        operation,
        credential.kind,
        request.target,
        response?.status,
        sent,
        answered,
      ]),
      [
        [2, 'getPet', 'valid', '/pets/1?key=[key]', 200, 3, 4],
        [3, 'listPets', 'invalid', '/pets?limit=5', 401, 5, 6],
        [4, 'other', 'missing', '../elsewhere', 401, 7, 8],
      ],
    );
    assert.not.match(JSON.stringify(server.requests), 'secret-of-the-test');
  }));

test('the journal says where and how a key was sent, in whatever form', () =>
  withServer({ keys: [{ key: 'secret of nobody'.replaceAll(' ', '+'), plan: 'pro' }] }, async (server) => {
    const { key } = server;
    const encoded = Buffer.from(`${key}:`).toString('base64');
    for (const headers of [
      { authorization: `bearer ${key}` },
      { authorization: `Basic ${encoded}` },
      { 'x-api-key': key },
      { authorization: `Token ${encodeURIComponent(key)}` },
    ]) {
      await (await fetch(`${server.url}/pets`, { headers: headers as Record<string, string> })).text();
    }
    const kinds = server.requests.map(({ credential }) => credential.kind);
    assert.equal(kinds, ['lenient', 'misplaced', 'misplaced', 'misplaced']);
    assert.not.match(JSON.stringify(server.requests), encoded.replace(/=+$/, ''));
  }));

/** Renames Rex to Tom in answers to the first key that faults know. */
const renames: ServerFault = {
  id: 'renames',
  breaks: ['pet-name-kept'],
  wrap: (handle) => (request, now) => {
    const answer = handle(request, now);
    const isKnown = request.headers.some(([, value]) => value === `Bearer ${faultKeys[0]}`);
    return isKnown ? { ...answer, body: answer.body.replace('Rex', 'Tom') } : answer;
  },
};

test('a fault works with any key of the server', async () => {
  const animals = [{ name: 'Rex', categoryId: 3n }];
  const keys = [{ key: 'one-of-mine', plan: 'free' }] as const;
  for (const options of [
    { faults: [renames], animals },
    { faults: [renames], animals, keys },
  ]) {
    await withServer(options, async (server) => {
      const [pet] = (await (await ask(server)).json()) as { name: string }[];
      assert.is(pet?.name, 'Tom');
    });
  }
});

test('a name that contains a key comes back as it was sent, through a fault too', () =>
  withServer({ faults: [renames], keys: [{ key: 'one-of-mine', plan: 'free' }] }, async (server) => {
    const body = JSON.stringify({ name: 'ü one-of-mine', categoryId: 1 });
    const created = await ask(server, '/pets', { method: 'POST', body, headers: json });
    assert.is(((await created.json()) as { name: string }).name, 'ü one-of-mine');
  }));

test('faults with different base paths are refused together', async () => {
  const at = (basePath: string): ServerFault => ({ ...renames, basePath });
  await withServer({ faults: [at('/store')] }, async ({ url }) => assert.match(url, /\/store$/));
  const error = await startServer({ faults: [at('/store'), at('/v2')] }).catch((reason: unknown) => reason);
  assert.match(String(error), 'RangeError: These faults put the server at /store and /v2');
});

/** Returns numbers in a fixed order, the last of them for ever. */
function drawn(...numbers: number[]): () => number {
  return () => (numbers.length > 1 ? numbers.shift()! : numbers[0]!);
}

test('a network error is a 503 without headers of the service, or a reset before or after the work is done', () =>
  withServer(
    { networkConditions: { errorRate: 0.5 }, random: drawn(0.4, 0.1, 0.4, 0.5, 0.4, 0.9, 0.9) },
    async (server) => {
      const create = (name: string): Promise<Response> =>
        ask(server, '/pets', { method: 'POST', body: JSON.stringify({ name, categoryId: 1 }), headers: json });
      const first = await create('one');
      assert.is(first.status, 503);
      assert.is(first.headers.get('x-ratelimit-limit'), null);
      for (const name of ['two', 'three']) assert.instance(await create(name).catch((error: unknown) => error), Error);
      const pets = (await (await ask(server)).json()) as { name: string }[];
      assert.equal(
        pets.map(({ name }) => name),
        ['two'],
      );
      assert.equal(
        server.requests.map(({ response, failure }) => response?.status ?? failure?.code),
        [503, 'broken', 'broken', 200],
      );
    },
  ));

test('an answer is held back by the latency of the network', () =>
  withServer({ networkConditions: { latency: { ms: 150, jitterMs: 0 } } }, async (server) => {
    const first = await Promise.race([ask(server).then(({ status }) => status), sleep(50).then(() => 'nothing yet')]);
    assert.is(first, 'nothing yet');
  }));

test('an answer that is held back while the server is closed ends its connection', async () => {
  const server = await startServer({ clock: () => noon, networkConditions: { latency: { ms: 60, jitterMs: 0 } } });
  const asked = ask(server);
  while (server.requests.length === 0) await new Promise(setImmediate);
  const closed = server.close();
  assert.is((await asked).headers.get('connection'), 'close');
  await closed;
});

test('latency is drawn evenly around its middle and is never below 0', () => {
  const latency = { ms: 30, jitterMs: 40 };
  assert.equal(
    [0, 0.5, 1].map((number) => drawDelay(latency, () => number)),
    [0, 30, 70],
  );
});

test('the window can be short, and the catalogue can hold made-up animals from the start', () =>
  withServer({ windowSeconds: 5, seedAnimals: 4 }, async (server) => {
    const response = await ask(server);
    assert.is(Number(response.headers.get('x-ratelimit-reset')), noon / 1000 + 5);
    const pets = (await response.json()) as { status: string }[];
    assert.equal(
      pets.map(({ status }) => status),
      ['available', 'pending', 'sold', 'available'],
    );
    assert.equal([...makeAnimals(11)].at(-1), { name: 'Animal 11', categoryId: 1n, status: 'pending' });
  }));

test('network conditions are described in words', () => {
  assert.equal(describeNetworkConditions({}), []);
  assert.equal(describeNetworkConditions({ latency: { ms: 80, jitterMs: 40 }, errorRate: 0.01 }), [
    'answers after 80 ± 40 ms',
    'a reset or a 503 for 1 % of the requests',
  ]);
});

test('the journal drops its oldest exchanges when it is full', () =>
  withServer({ keys: [{ key: 'one-of-mine', plan: 'business' }] }, async (server) => {
    const name = 'x'.repeat(900_000);
    for (let count = 0; count < 20; count += 1) {
      const body = JSON.stringify({ name, categoryId: count });
      await (await ask(server, '/pets', { method: 'POST', body, headers: json })).text();
    }
    assert.ok(server.requests.length < 12 && server.requests.length > 5, String(server.requests.length));
    assert.is(server.requests.at(-1)?.number, 20);
  }));

test.run();
