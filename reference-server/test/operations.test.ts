/** The three operations and the key. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Plan, planLimits, removalDay } from '../../spec/facts.ts';
import { pageLimit, petStatuses } from '../../spec/operations.ts';
import { type Behaviour, createPetStore, isPetStatus, plans, reference, refuse, type StoreResponse } from '../index.ts';
import { listLimit, removal as removalOfServer } from '../operations.ts';
import { askHandle, key, noon, open, type Question, readFields, readHeader, readRate, write } from './client.ts';

const [secondKey, removal] = ['another-test-key', Date.UTC(2030, 11, 5)];
const keys = [key, secondKey].map((each) => ({ key: each, plan: 'business' }) as const);
const rex = { name: 'Rex', categoryId: 1n } as const;

const codes: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  404: 'not_found',
  405: 'method_not_allowed',
  410: 'gone',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
};

function isError(response: StoreResponse, status: number, what: unknown = ''): void {
  assert.is(response.status, status, `${what} ${response.body}`);
  assert.is(readHeader(response, 'content-type'), 'application/json');
  const { code, message, status: written, ...more } = readFields(response);
  assert.equal([code, written, more], [codes[status], BigInt(status), {}]);
  assert.match(String(message), /^[A-Z].+\.$/);
}

const lengthOf = ({ body }: StoreResponse): number => (JSON.parse(body) as unknown[]).length;

test('a created animal is read and listed as it was returned', () => {
  const ask = open({ keys });
  const created = ask({ body: write({ name: 'Rex', status: 'sold' }) });
  assert.is(created.status, 201);
  assert.equal(readFields(created), { id: 1n, name: 'Rex', categoryId: 1n, status: 'sold' });
  assert.is(ask({ target: '/v1/pets/1' }).body, created.body);
  for (const query of ['', '?status=sold', '?limit=1', `?limit=${pageLimit.most}&status=sold`, '?status=so%6Cd'])
    assert.equal([ask({ target: `/v1/pets${query}` }).body], [`[${created.body}]`], query);
  assert.is(ask({ target: '/v1/pets?status=pending' }).body, '[]');
});

const at = (targets: string): Question[] => targets.split(' ').map((target) => ({ target }));
const pets = (...petIds: string[]): Question[] => petIds.map((petId) => ({ target: `/v1/pets/${petId}` }));
const keyed = (...authorizations: (string | null)[]): Question[] =>
  authorizations.map((authorization) => ({ authorization }));
const typed = (...types: (string | null)[]): Question[] => types.map((mediaType) => ({ body: write(), mediaType }));
const near = [key.slice(1), key.slice(0, -1), `${key}x`, key.toUpperCase(), `${key} ${key}`, `"${key}"`, ''];
const schemes = [`x Bearer ${key}`, `Basic ${key}`, `Bearer${key}`, `Bearer\t${key}`, `Bearer ${'k'.repeat(4_000)}`];

/** Status → requests to a store with one animal that get it. */
const answers: Readonly<Record<number, readonly Question[]>> = {
  200: [
    ...pets('1', '01', '%31', '1?limit=x'),
    ...at('/v1/%70%65ts /%76%31/pets /v1/pet%73?limit=1 /v1/pets??limit=x /v1/pets? /v1/pets?&limit=1'),
    ...at('http://example.com/v1/%70ets HTTPS://example.com/v1/pets/1'),
    // As long as Authorization.
    { headers: [['If-None-Match', 'x']] },
    ...keyed(`bearer ${key}`, `BEARER  ${key}`, `Bearer ${secondKey}`),
  ],
  201: [
    ...typed('APPLICATION/JSON', 'application/json; charset=utf-8', ' application/json ;x=y'),
    { body: write(), target: '/v1/%70ets' },
    { body: '{"name":"C","categoryId":"x","categoryId":9007199254740993}' },
  ],
  400: [
    { body: '', mediaType: null },
    // The largest that is read.
    { body: 'x'.repeat(65_536) },
    ...at(`/v1/pets?limit=${pageLimit.most + 1}`),
    ...at('/v1/pets?limit=%ff /v1/pets?limit= /v1/pets?status=% /v1/pets?status=Sold'),
  ],
  401: [
    ...keyed(null, key, ...schemes, ...near.map((each) => `Bearer ${each}`)),
    ...at('/ /nowhere /v1/pets/x *').map((each) => ({ ...each, authorization: null })),
    { authorization: null, body: 'broken' },
    { authorization: null, target: `/v1/pets?api_key=${key}`, headers: [['X-Api-Key', key]] },
    ...[key, secondKey].map((one): Question => ({ headers: [['authorization', `Bearer ${one}`]] })),
  ],
  404: [
    ...pets('7', '%', '%ff', '1%', '%2531', '1%2F', 'x', '1.0', '+1', '1e0', ' 1', '%201', '٣', '-', '1'.repeat(9_000)),
    ...pets('9223372036854775808', '-9223372036854775809', '', '1/2', '/1'),
    ...at('/v2/pets /v1/petsX1 /v1/pets-1 /v1/pets1 /v1/pet/1 /v1/pet /pets v1/pets /x/v1/pets *'),
    ...at('/v1/%2570ets /v1%2Fpets /v1/pets%2F1 /v1/pets%3Flimit=1 /v1/%zz /%ff/pets /v1/pets%'),
    { method: 'DELETE', target: '/v1/pets/1/2' },
  ],
  405: [
    ...['PUT', 'DELETE', 'OPTIONS', 'HEAD', 'get'].map((method) => ({ method })),
    ...['POST', 'DELETE'].map((method) => ({ method, target: '/v1/pets/1' })),
  ],
  413: ['GET', 'POST'].map((method) => ({ method, body: 'x'.repeat(65_537) })),
  415: typed('text/plain', 'application/jsonx', 'text/json', 'xapplication/json', 'json', null),
};

for (const [text, questions] of Object.entries(answers)) {
  const status = Number(text);
  test(`a request that gets ${status} gets it with the headers of §8, and an Error where it is refused`, () => {
    for (const question of questions) {
      const ask = open({ keys, animals: [rex] });
      const [response, what] = [ask(question), JSON.stringify(question)];
      if (status < 300) assert.is(response.status, status, what);
      else isError(response, status, what);
      const limit = status === 401 ? 60 : 1_000;
      assert.equal(readRate(response), [limit, limit - 1, noon / 1000 + 60], what);
      const methods = question.target === undefined ? 'GET, POST' : 'GET';
      assert.is(readHeader(response, 'allow'), status === 405 ? methods : undefined);
      assert.is(readHeader(response, 'www-authenticate'), status === 401 ? 'Bearer' : undefined);
      assert.is(lengthOf(ask({})), status === 201 ? 2 : 1, what);
    }
  });
}

test('an int64 comes back exactly, however its number is written', () => {
  const ask = open({ keys });
  const exact = ['0', '9007199254740993', '9223372036854775807', '-9223372036854775808'];
  const others = {
    '-0': '0',
    '1.0': '1',
    '1e0': '1',
    '120e-1': '12',
    '12e1': '120',
    '9007199254740993.0': '9007199254740993',
    // More than 19 digits, with leading zeros.
    '9.223372036854775807e18': '9223372036854775807',
    '0.000000000000000000001e21': '1',
    // The longest numbers that are read.
    '0e100': '0',
    [`1.${'0'.repeat(98)}`]: '1',
  };
  for (const [sent, returned] of [...exact.map((each) => [each, each]), ...Object.entries(others)]) {
    const created = ask({ body: `{"name":"Rex","categoryId":${sent}}` });
    assert.is(created.status, 201, sent);
    assert.match(created.body, `"categoryId":${returned},`);
  }
});

test('invalid bodies get 400 and store nothing', () => {
  const ask = open({ keys });
  const above = ['9223372036854775808', '-9223372036854775809', '1.5', '1e300', '1e999999999', '1.0000000000000000001'];
  const rounded = ['100000.00000000000001', '1e-400', '1E-400'];
  const long = ['0e101', `1.${'0'.repeat(99)}`];
  const other = ['"1"', 'true', 'null', '[]', '{}', '[1]', '{"rawJSON":"1"}', '01', '+1', 'NaN'];
  const names = ['1', 'null', 'true', '[]', '{}', '"\\ud800"', '"\\udc00\\ud800"'];
  const statuses = ['null', '""', '"Sold"', '"lost"', '1', '[]', '["sold"]'];
  const bodies: (string | Uint8Array)[] = [
    ...[...above, ...rounded, ...long, ...other].map((each) => `{"name":"Rex","categoryId":${each}}`),
    ...names.map((each) => `{"name":${each},"categoryId":1}`),
    ...statuses.map((each) => `{"name":"Rex","categoryId":1,"status":${each}}`),
    '',
    ' ',
    '{',
    'null',
    '1',
    '"x"',
    '[]',
    `[${write()}]`,
    '{}',
    '{"name":"Rex"}',
    '{"categoryId":1}',
    `${write()}x`,
    `{"__proto__":${write()}}`,
    '['.repeat(60_000),
    `{"name":"Rex","categoryId":1,"x":${'['.repeat(30_000)}${']'.repeat(29_999)}}`,
    ...['', '.'].map((point) => `{"name":"Rex","categoryId":1${point}${'0'.repeat(60_000)}1}`),
    Uint8Array.of(0x7b, 0xff, 0x7d),
    Buffer.concat([Buffer.from('{"categoryId":1,"name":"'), Uint8Array.of(0xed, 0xa0, 0x80), Buffer.from('"}')]),
  ];
  for (const body of bodies) isError(ask({ body }), 400, body.slice(0, 80));
  assert.is(ask({}).body, '[]');
});

test('unknown fields of any name are dropped, and the last of two fields with one name counts', () => {
  const body = '{"name":"A","__proto__":{"status":"sold"},"constructor":1,"toJSON":2,"id":9,"categoryId":1,"name":"B"}';
  assert.is(open()({ body }).body, '{"id":1,"name":"B","categoryId":1,"status":"available"}');
});

test('a large body is read or refused however it is nested, also where each digit of unknown fields is kept', () => {
  const ask = open({ gaps: { 'extra-body-fields': 'kept' } });
  const send = (text: string): number => ask({ body: `{"name":"A","categoryId":1,"x":${text}}` }).status;
  for (const depth of [100, 5_000, 30_000])
    assert.ok([201, depth > 200 ? 400 : 201].includes(send(`${'['.repeat(depth)}${']'.repeat(depth)}`)), `${depth}`);
  for (const text of [`[${'1.50,'.repeat(13_000)}1]`, `[${'{},'.repeat(21_000)}1]`, `"${'['.repeat(65_000)}"`])
    assert.is(send(text), 201);
});

/** Asks a store whose behaviour differs from the reference. */
function withBehaviour(changes: Partial<Behaviour>): (question?: Question) => StoreResponse {
  const { handle } = createPetStore({ keys, behaviour: { ...reference, ...changes } });
  return (question = {}) => askHandle(handle, question);
}

test('an id that is taken is never given again, and the largest int64 is followed by the smallest', () => {
  const ask = withBehaviour({ nextId: () => 2n ** 63n - 1n, omittedStatus: () => undefined });
  for (const id of ['9223372036854775807', '-9223372036854775808', '-9223372036854775807'])
    assert.is(ask({ body: write() }).body, `{"id":${id},"name":"Rex","categoryId":1}`);
});

test('a limit that is no integer is told from an integer that is out of range', () => {
  const ask = withBehaviour({
    limitOutOfRange: () => refuse(403, 'Range.'),
    limitNotInteger: () => refuse(422, 'No.'),
  });
  const rows = { 403: ['0', '-5', `${pageLimit.most + 1}`, '9'.repeat(30)], 422: ['x1', '1x', '-', '', '1.0', '+1'] };
  for (const [status, limits] of Object.entries(rows))
    for (const limit of limits)
      assert.is(ask({ target: `/v1/pets?limit=${encodeURIComponent(limit)}` }).status, Number(status), limit);
});

test('an address may have the limits of the first key', () => {
  const ask = withBehaviour({ limitsWithoutKey: (first) => first });
  assert.is(readRate(ask({ authorization: null }))[0], 1_000);
});

/** The answer to the gap → the status of getPet after its removal. */
const afterRemoval = { 'gone-410': 410, 'not-found-404': 404, continues: undefined } as const;

test('every answer of getPet announces its removal, after which its address takes no method', () => {
  for (const [answer, after] of Object.entries(afterRemoval)) {
    const ask = open({ animals: [rex], gaps: { 'after-removal': answer as keyof typeof afterRemoval } });
    for (const [petId, status] of Object.entries({ 1: 200, 2: 404, x: 404 })) {
      for (const [now, expected] of [[removal - 1, status] as const, [removal, after ?? status] as const]) {
        const response = ask({ target: `/v1/pets/${petId}` }, now);
        if (expected === 200) assert.is(response.status, 200);
        else isError(response, expected);
        assert.is(readHeader(response, 'sunset'), 'Thu, 05 Dec 2030 00:00:00 GMT');
        assert.is(readHeader(response, 'link'), '</v1/pets>; rel="successor-version"');
      }
    }
    const refuse = (now: number) => ask({ method: 'DELETE', target: '/v1/pets/1' }, now);
    assert.is(readHeader(refuse(removal - 1), 'allow'), 'GET');
    isError(refuse(removal), after === undefined ? 405 : 404);
    assert.is(readHeader(ask({ method: 'DELETE' }, removal), 'allow'), 'GET, POST');
  }
});

test('its numbers are those of the interface, although it imports none', () => {
  assert.equal(listLimit, pageLimit);
  assert.is(removalOfServer, removalDay);
  const { enterprise: _custom, ...shown } = plans;
  for (const [plan, limits] of Object.entries(shown)) assert.equal(limits, planLimits[plan as Plan], plan);
  for (const status of petStatuses) assert.ok(isPetStatus(status), status);
});

test.run();
