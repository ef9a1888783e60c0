/** The three operations and the key. */

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { StoreResponse } from '../index.ts';
import { key, noon, open, readFields, readHeader, readRate, write } from './client.ts';

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

const keys = [key, secondKey].map((each) => ({ key: each, plan: 'business' }) as const);

test('a created animal is read and listed as it was returned', () => {
  const ask = open({ keys });
  const created = ask({ body: write({ name: 'Rex', status: 'sold' }) });
  assert.is(created.status, 201);
  assert.equal(readFields(created), { id: 1n, name: 'Rex', categoryId: 1n, status: 'sold' });
  const got = ask({ target: '/v1/pets/1' });
  assert.is(got.status, 200);
  assert.is(got.body, created.body);
  assert.is(readHeader(got, 'sunset'), 'Thu, 05 Dec 2030 00:00:00 GMT');
  assert.is(readHeader(got, 'link'), '</v1/pets>; rel="successor-version"');
  for (const query of ['', '?status=sold', '?limit=1', '?limit=100&status=sold', '?status=so%6Cd']) {
    const listed = ask({ target: `/v1/pets${query}` });
    assert.is(listed.status, 200);
    assert.is(listed.body, `[${created.body}]`);
  }
  assert.is(ask({ target: '/v1/pets?status=pending' }).body, '[]');
});

test('every refusal is an Error, and every answer has the rate-limit headers', () => {
  const ask = open({ keys });
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
    [413, { body: 'x'.repeat(65_537) }],
    [415, { body: write(), mediaType: 'text/plain' }],
    [415, { body: write(), mediaType: null }],
    [400, { body: '', mediaType: null }],
  ] as const;
  for (const [status, question] of questions) {
    const response = ask(question);
    isError(response, status);
    const [limit, remaining, reset] = readRate(response);
    assert.is(limit, status === 401 ? 60 : 1000);
    assert.ok(remaining < limit && remaining > limit - 20);
    assert.is(reset, noon / 1000 + 60);
  }
  assert.is(readHeader(ask({ method: 'PUT' }), 'allow'), 'GET, POST');
  assert.is(readHeader(ask({ method: 'PUT', target: '/v1/pets/1' }), 'allow'), 'GET');
  assert.is(ask({}).body, '[]');
});

test('HEAD gets 405', () => {
  const ask = open({ keys });
  assert.is(ask({ method: 'HEAD' }).status, 405);
});

test('a key is accepted only whole, once, and in its header', () => {
  const ask = open({ keys });
  const near = [key.slice(1), key.slice(0, -1), `${key}x`, key.toUpperCase(), `${key} ${key}`, `"${key}"`, ''];
  const wrong = [...near.map((each) => `Bearer ${each}`), key, `Basic ${key}`, `Bearer${key}`, `Bearer\t${key}`];
  const long = `Bearer ${'k'.repeat(4000)}`;
  for (const authorization of [...wrong, long, null]) isError(ask({ authorization }), 401);
  const authorization = `Bearer ${key}`;
  isError(ask({ headers: [['Authorization', authorization]] }), 401);
  isError(ask({ headers: [['authorization', `Bearer ${secondKey}`]] }), 401);
  isError(ask({ authorization: null, target: `/v1/pets?api_key=${key}`, headers: [['X-Api-Key', key]] }), 401);
  for (const target of ['/', '/nowhere', '/v1/pets/x', '*']) isError(ask({ authorization: null, target }), 401);
  isError(ask({ authorization: null, body: 'broken' }), 401);
  for (const each of [authorization, `bearer ${key}`, `BEARER  ${key}`, `Bearer ${secondKey}`]) {
    assert.is(ask({ authorization: each }).status, 200);
  }
  assert.is(readHeader(ask({ authorization: null }), 'www-authenticate'), 'Bearer');
});

test('names come back exactly', () => {
  const ask = open({ keys });
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
    const created = ask({ body: write({ name }) });
    assert.is(readFields(created)['name'], name);
    assert.is(ask({ target: `/v1/pets/${readFields(created)['id']}` }).body, created.body);
  }
});

test('an int64 comes back exactly', () => {
  const ask = open({ keys });
  const exact = ['0', '9007199254740993', '9223372036854775807', '-9223372036854775808'];
  const decimals = { '9007199254740993.0': '9007199254740993', '9.223372036854775807e18': '9223372036854775807' };
  // More than 19 digits, with leading zeros.
  Object.assign(decimals, { '0.000000000000000000001e21': '1' });
  const others = { '-0': '0', '1.0': '1', '1e0': '1', '120e-1': '12', ...decimals };
  const all = { ...Object.fromEntries(exact.map((each) => [each, each])), ...others };
  for (const [sent, returned] of Object.entries(all)) {
    const created = ask({ body: `{"name":"Rex","categoryId":${sent}}` });
    assert.is(created.status, 201, sent);
    assert.match(created.body, `"categoryId":${returned},`);
  }
});

test('invalid bodies get 400 and store nothing', () => {
  const ask = open({ keys });
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
    '['.repeat(60_000),
    `{"name":"Rex","categoryId":1,"x":${'['.repeat(30_000)}${']'.repeat(29_999)}}`,
    `{"name":"Rex","categoryId":1${'0'.repeat(60_000)}1}`,
    `{"name":"Rex","categoryId":1.${'0'.repeat(60_000)}1}`,
    Uint8Array.of(0x7b, 0xff, 0x7d),
    Buffer.concat([Buffer.from('{"categoryId":1,"name":"'), Uint8Array.of(0xed, 0xa0, 0x80), Buffer.from('"}')]),
  ];
  for (const body of bodies) isError(ask({ body }), 400);
  assert.is(ask({}).body, '[]');
});

test('unknown fields of any name are dropped, and the last of two fields with one name counts', () => {
  const ask = open();
  const body = '{"name":"A","__proto__":{"status":"sold"},"constructor":1,"toJSON":2,"id":9,"categoryId":1,"name":"B"}';
  assert.is(ask({ body }).body, '{"id":1,"name":"B","categoryId":1,"status":"available"}');
  assert.is(ask({ body: '{"name":"C","categoryId":"x","categoryId":9007199254740993}' }).status, 201);
});

test('a body of the greatest length is read in no time, however it is nested and whatever it holds', () => {
  const ask = open();
  const field = (text: string): string => `{"name":"Rex","categoryId":1,"x":${text}}`;
  for (const text of [
    field(`[${'1.5,'.repeat(16_000)}1]`),
    field(`[${'{},'.repeat(21_000)}1]`),
    field(`"${'['.repeat(65_000)}"`),
  ]) {
    assert.is(ask({ body: text }).status, 201);
  }
  for (const [open, close] of [
    ['[', ']'],
    ['{"x":', '}'],
  ] as const) {
    const depth = Math.floor(65_000 / (open.length + close.length));
    const { status } = ask({ body: field(`${open.repeat(depth)}1${close.repeat(depth)}`) });
    assert.ok([201, 400].includes(status), String(status));
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

test('where unknown fields are kept, each digit of them is, and what is nested too deep to be written is refused', () => {
  const ask = open({ gaps: { 'extra-body-fields': 'kept' } });
  const nest = (depth: number): string => `{"name":"A","categoryId":1,"x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  for (let depth = 1; depth < 32_000; depth *= 2) {
    const { status, body } = ask({ body: nest(depth) });
    assert.ok(status === 201 ? body.includes('['.repeat(depth)) : status === 400, `${depth}: ${status}`);
  }
  assert.is(ask({ body: nest(200) }).status, 201);
});

test('any name and any category come back as they were sent, digit by digit', () => {
  const ask = open({ keys: [{ key, plan: 'enterprise', perMinute: 1e6, perDay: 1e6 }] });
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), int64, (name, categoryId) => {
      const sent = `"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"sold"`;
      const { status, body } = ask({ body: `{${sent}}` });
      assert.is(status, 201);
      assert.is(body.replace(/^\{"id":\d+,/, '{'), `{${sent}}`);
    }),
  );
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
