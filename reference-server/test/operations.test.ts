/** The three operations and the key; the same test runs in process and over a socket. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore, listen, type StoreResponse } from '../index.ts';
import { type Ask, askHandle, askUrl, key, noon, open, readFields, readHeader, readRate, write } from './client.ts';

const secondKey = 'another-test-key';

function isError(response: StoreResponse, status: number): void {
  assert.is(response.status, status, response.body);
  assert.is(readHeader(response, 'content-type'), 'application/json');
  const { code, message, status: written, ...more } = readFields(response);
  assert.type(code, 'string');
  assert.type(message, 'string');
  assert.is(written, BigInt(status));
  assert.equal(more, {});
}

/** Runs a test in process, and over a socket. */
function testBoth(title: string, run: (ask: Ask) => Promise<void>): void {
  const options = { keys: [key, secondKey].map((each) => ({ key: each, plan: 'business' }) as const) };
  test(`${title} (in process)`, () => {
    const { handle } = createPetStore(options);
    return run(async (question) => askHandle(handle, question));
  });
  test(`${title} (over a socket)`, async () => {
    const listening = await listen(createPetStore(options).handle, { port: 0, now: () => noon });
    await run((question) => askUrl(listening.url, question)).finally(listening.close);
  });
}

testBoth('a created animal is read and listed as it was returned', async (ask) => {
  const created = await ask({ body: write({ name: 'Rex', status: 'sold' }) });
  assert.is(created.status, 201);
  assert.equal(readFields(created), { id: 1n, name: 'Rex', categoryId: 1n, status: 'sold' });
  const got = await ask({ target: '/v1/pets/1' });
  assert.is(got.status, 200);
  assert.is(got.body, created.body);
  assert.is(readHeader(got, 'sunset'), 'Thu, 05 Dec 2030 00:00:00 GMT');
  assert.is(readHeader(got, 'link'), '</v1/pets>; rel="successor-version"');
  for (const query of ['', '?status=sold', '?limit=1', '?limit=100&status=sold', '?status=so%6Cd']) {
    const listed = await ask({ target: `/v1/pets${query}` });
    assert.is(listed.status, 200);
    assert.is(listed.body, `[${created.body}]`);
  }
  assert.is((await ask({ target: '/v1/pets?status=pending' })).body, '[]');
});

testBoth('every refusal is an Error, and every answer has the rate-limit headers', async (ask) => {
  const questions = [
    [401, { authorization: null }],
    [400, { body: '{}' }],
    [404, { target: '/v1/pets/7' }],
    [404, { target: '/v2/pets' }],
    [404, { target: '/v1/pets/' }],
    [404, { target: '/v1/pets/1/2' }],
    [404, { method: 'DELETE', target: '/v1/pets/1/2' }],
    [404, { target: '/v1/pets/%' }],
    [404, { target: '/v1/pets/%ff' }],
    [400, { target: '/v1/pets?limit=%ff' }],
    [400, { target: '/v1/pets?status=%' }],
    [405, { method: 'DELETE' }],
    [405, { method: 'OPTIONS' }],
    [405, { method: 'POST', target: '/v1/pets/1' }],
    [413, { body: 'x'.repeat(1024 * 1024 + 1) }],
    [415, { body: write(), mediaType: 'text/plain' }],
    [415, { body: write(), mediaType: null }],
    [400, { body: '', mediaType: null }],
  ] as const;
  for (const [status, question] of questions) {
    const response = await ask(question);
    isError(response, status);
    const [limit, remaining, reset] = readRate(response);
    assert.is(limit, status === 401 ? 60 : 1000);
    assert.ok(remaining < limit && remaining > limit - 20);
    assert.is(reset, noon / 1000 + 60);
  }
  assert.is(readHeader(await ask({ method: 'PUT' }), 'allow'), 'GET, POST');
  assert.is(readHeader(await ask({ method: 'PUT', target: '/v1/pets/1' }), 'allow'), 'GET');
  assert.is((await ask({})).body, '[]');
});

testBoth('HEAD gets 405', async (ask) => {
  assert.is((await ask({ method: 'HEAD' })).status, 405);
});

testBoth('a key is accepted only whole, once, and in its header', async (ask) => {
  const near = [key.slice(1), key.slice(0, -1), `${key}x`, key.toUpperCase(), `${key} ${key}`, `"${key}"`, ''];
  const wrong = [...near.map((each) => `Bearer ${each}`), key, `Basic ${key}`, `Bearer${key}`, `Bearer\t${key}`];
  const long = `Bearer ${'k'.repeat(4000)}`;
  for (const authorization of [...wrong, long, null]) isError(await ask({ authorization }), 401);
  const authorization = `Bearer ${key}`;
  isError(await ask({ headers: [['Authorization', authorization]] }), 401);
  isError(await ask({ headers: [['authorization', `Bearer ${secondKey}`]] }), 401);
  isError(await ask({ authorization: null, target: `/v1/pets?api_key=${key}`, headers: [['X-Api-Key', key]] }), 401);
  for (const target of ['/', '/nowhere', '/v1/pets/x', '*']) isError(await ask({ authorization: null, target }), 401);
  isError(await ask({ authorization: null, body: 'broken' }), 401);
  for (const each of [authorization, `bearer ${key}`, `BEARER  ${key}`, `Bearer ${secondKey}`]) {
    assert.is((await ask({ authorization: each })).status, 200);
  }
  assert.is(readHeader(await ask({ authorization: null }), 'www-authenticate'), 'Bearer');
});

testBoth('names come back exactly', async (ask) => {
  const names = [
    '',
    ' ',
    'Ünïcødé',
    '\u{1F415}',
    'e\u0301',
    '\u0000\u001f"\\',
    '\u2028',
    '\ufeffx',
    'a\u202eb',
    '__proto__',
  ];
  for (const name of names) {
    const created = await ask({ body: write({ name }) });
    assert.is(readFields(created)['name'], name);
    assert.is((await ask({ target: `/v1/pets/${readFields(created)['id']}` })).body, created.body);
  }
});

testBoth('an int64 comes back exactly', async (ask) => {
  const exact = ['0', '9007199254740993', '9223372036854775807', '-9223372036854775808'];
  const decimals = { '9007199254740993.0': '9007199254740993', '9.223372036854775807e18': '9223372036854775807' };
  // More than 19 digits, with leading zeros.
  Object.assign(decimals, { '0.000000000000000000001e21': '1' });
  const others = { '-0': '0', '1.0': '1', '1e0': '1', '0e999999999': '0', '120e-1': '12', ...decimals };
  const all = { ...Object.fromEntries(exact.map((each) => [each, each])), ...others };
  for (const [sent, returned] of Object.entries(all)) {
    const created = await ask({ body: `{"name":"Rex","categoryId":${sent}}` });
    assert.is(created.status, 201, sent);
    assert.match(created.body, `"categoryId":${returned},`);
  }
});

testBoth('invalid bodies get 400 and store nothing', async (ask) => {
  const above = ['9223372036854775808', '-9223372036854775809', '1.5', '1e300', '1e999999999', '1.0000000000000000001'];
  const other = ['"1"', 'true', 'null', '[]', '{}', '[1]', '{"rawJSON":"1"}', '01', '+1', 'NaN'];
  const categories = [...above, ...other].map((each) => `{"name":"Rex","categoryId":${each}}`);
  const names = ['1', 'null', 'true', '[]', '{}', '"\\ud800"', '"\\udc00\\ud800"'];
  const statuses = ['null', '""', '"Sold"', '"lost"', '1', '[]', '["sold"]'];
  const bodies: (string | Uint8Array)[] = [
    ...categories,
    ...names.map((each) => `{"name":${each},"categoryId":1}`),
    ...statuses.map((each) => `{"name":"Rex","categoryId":1,"status":${each}}`),
    ...['', ' ', '{', 'null', '1', '"x"', '[]', `[${write()}]`, '{}', '{"name":"Rex"}', '{"categoryId":1}'],
    `${write()}x`,
    `{"__proto__":${write()}}`,
    '['.repeat(100_000),
    `{"name":"Rex","categoryId":1,"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    `{"name":"Rex","categoryId":1${'0'.repeat(500_000)}1}`,
    `{"name":"Rex","categoryId":1.${'0'.repeat(500_000)}1}`,
    Uint8Array.of(0x7b, 0xff, 0x7d),
    Buffer.concat([Buffer.from('{"categoryId":1,"name":"'), Uint8Array.of(0xed, 0xa0, 0x80), Buffer.from('"}')]),
  ];
  for (const body of bodies) isError(await ask({ body }), 400);
  assert.is((await ask({})).body, '[]');
});

test('unknown fields of any name are dropped, and the last of two fields with one name counts', () => {
  const ask = open();
  const body = '{"name":"A","__proto__":{"status":"sold"},"constructor":1,"toJSON":2,"id":9,"categoryId":1,"name":"B"}';
  assert.is(ask({ body }).body, '{"id":1,"name":"B","categoryId":1,"status":"available"}');
  assert.is(ask({ body: '{"name":"C","categoryId":"x","categoryId":9007199254740993}' }).status, 201);
});

test('brackets count as nesting only outside strings and while open', () => {
  const ask = open();
  const fields = [
    `"${'['.repeat(300)}"`,
    `"\\"${'['.repeat(300)}"`,
    `[${'[],'.repeat(300)}1]`,
    `[${'{},'.repeat(300)}1]`,
  ];
  for (const field of fields) assert.is(ask({ body: `{"name":"A","categoryId":1,"x":${field}}` }).status, 201, field);
  isError(ask({ body: `{"name":"A","categoryId":1,"x":${'{"x":'.repeat(200)}1${'}'.repeat(200)}}` }), 400);
});

test('a body may hold ten thousand values and no more, since each costs time that all clients lack', () => {
  const ask = open();
  const body = (count: number): string => `{"name":"Rex","categoryId":1,"x":[${'1.5,'.repeat(count)}1.5]}`;
  assert.is(ask({ body: body(9_000) }).status, 201);
  isError(ask({ body: body(11_000) }), 400);
  isError(ask({ body: body(260_000) }), 400);
  isError(ask({ body: `{"name":"Rex","categoryId":1,"x":[${'{},'.repeat(300_000)}1]}` }), 400);
  assert.is(ask({ body: write({ name: ',[{'.repeat(100_000) }) }).status, 201);
});

test('a JSON body that is not an object is refused as such', () => {
  for (const body of ['[]', '1.5', '1', '"x"', 'null']) {
    assert.is(readFields(open()({ body }))['message'], 'The body is not a JSON object.', body);
  }
});

test('application/json is accepted in any case and with any parameter', () => {
  const ask = open();
  for (const mediaType of ['APPLICATION/JSON', 'application/json; charset=utf-8', ' application/json ;x=y']) {
    assert.is(ask({ body: write(), mediaType }).status, 201, mediaType);
  }
  for (const mediaType of ['application/jsonx', 'application/json5', 'text/json', 'json']) {
    isError(ask({ body: write(), mediaType }), 415);
  }
});

test('every answer of getPet announces its removal', () => {
  const ask = open({ animals: [{ name: 'Rex', categoryId: 1n }] });
  for (const target of ['/v1/pets/1', '/v1/pets/2', '/v1/pets/x']) {
    for (const now of [noon, Date.UTC(2030, 11, 5)]) {
      const response = ask({ target }, now);
      assert.is(readHeader(response, 'sunset'), 'Thu, 05 Dec 2030 00:00:00 GMT');
      assert.is(readHeader(response, 'link'), '</v1/pets>; rel="successor-version"');
    }
  }
});

test('nesting of 200 is stored where unknown fields are kept, and deeper nesting is refused', () => {
  const ask = open({ gaps: { 'extra-body-fields': 'kept' } });
  const nest = (depth: number): string => `{"name":"A","categoryId":1,"x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  assert.is(ask({ body: nest(199) }).status, 201);
  for (const depth of [200, 2_000, 4_000, 8_000]) isError(ask({ body: nest(depth) }), 400);
});

test('every segment of a path is decoded, once, and a malformed escape names nothing', () => {
  const ask = open({ animals: [{ name: 'Rex', categoryId: 1n }] });
  for (const target of ['/v1/%70ets', '/%76%31/pets', '/v1/pet%73?limit=1', 'http://example.com/v1/%70ets']) {
    assert.is((JSON.parse(ask({ target }).body) as unknown[]).length, 1, target);
  }
  assert.is(ask({ target: '/v1/%70ets/%31' }).status, 200);
  assert.is(ask({ target: '/v1/%70ets', body: write() }).status, 201);
  for (const target of [
    '/v1/%2570ets',
    '/v1/pets/%2531',
    '/v1%2Fpets',
    '/v1/pets%2F1',
    '/v1/pets%3Flimit=1',
    '/v1/%zz',
    '/%ff/pets',
    '/v1/pets%',
    '/v1/pets/1%',
    '/v1/pets/%ff',
  ]) {
    isError(ask({ target }), 404);
  }
});

test('a path that only starts like the collection gets 404', () => {
  const ask = open();
  ask({ body: write() });
  assert.is(ask({ target: '/v1/pets/1' }).status, 200);
  for (const target of ['/v1/petsX1', '/v1/pets-1', '/v1/pets1', '/v1/pet/1']) assert.is(ask({ target }).status, 404);
});

test('a second question mark belongs to the name of a parameter, which is unknown', () => {
  const animals = [1n, 2n].map((categoryId) => ({ name: 'Rex', categoryId }));
  const target = '/v1/pets??limit=1';
  assert.is((JSON.parse(open({ animals })({ target }).body) as unknown[]).length, 2);
  const strict = open({ animals, gaps: { 'unknown-query-parameters': 'refused-400' } });
  isError(strict({ target }), 400);
  for (const known of ['?', '?limit=1', '?&limit=1&status=sold']) {
    assert.is(strict({ target: `/v1/pets${known}` }).status, 200);
  }
});

test('after the removal of getPet other methods on an animal get 404 without Allow', () => {
  const removal = Date.UTC(2030, 11, 5);
  const question = { method: 'DELETE', target: '/v1/pets/1' };
  for (const answer of ['gone-410', 'not-found-404', 'continues'] as const) {
    const ask = open({ gaps: { 'after-removal': answer } });
    const before = ask(question, removal - 1);
    isError(before, 405);
    assert.is(readHeader(before, 'allow'), 'GET');
    const after = ask(question, removal);
    isError(after, answer === 'continues' ? 405 : 404);
    assert.is(readHeader(after, 'allow'), answer === 'continues' ? 'GET' : undefined);
    assert.is(readHeader(ask({ method: 'DELETE' }, removal), 'allow'), 'GET, POST');
  }
});

test('a petId is an int64 in digits and nothing else', () => {
  const ask = open({ animals: [{ name: 'Rex', categoryId: 1n }] });
  for (const target of ['1', '01', '%31', '1?limit=x']) assert.is(ask({ target: `/v1/pets/${target}` }).status, 200);
  assert.is(ask({ target: 'http://example.com/v1/pets/1' }).status, 200);
  for (const petId of [
    'x',
    '1.0',
    '+1',
    '1e0',
    '9223372036854775808',
    ' 1',
    '%201',
    '1%2F',
    '٣',
    '-',
    '1'.repeat(9000),
  ]) {
    isError(ask({ target: `/v1/pets/${petId}` }), 404);
  }
});

test('pages hold at most the limit, 20 by default', () => {
  const ask = open({ animals: Array.from({ length: 130 }, (_, at) => ({ name: `A${at}`, categoryId: 1n })) });
  const count = (query: string): number => (parseList(ask({ target: `/v1/pets${query}` })) as unknown[]).length;
  for (const [query, length] of Object.entries({ '': 20, '?limit=1': 1, '?limit=100': 100, '?limit=%31': 1 })) {
    assert.is(count(query), length);
  }
});

function parseList({ body }: StoreResponse): unknown {
  return JSON.parse(body);
}

test.run();
