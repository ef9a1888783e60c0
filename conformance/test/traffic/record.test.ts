/** Whose request a recorded exchange is, what it asks for, when it was under way, and that it shows no secret. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { defined } from '../../../spec/defined.ts';
import { operationAskedFor, placesOf, recordTraffic, senderOf } from '../../traffic/record.ts';
import { seen } from '../seen.ts';
import { creates, errorOf, judge, plain, rex } from './judge.ts';

test('a credential and its client are known by the header and the answer', () => {
  const bearer = { authorization: 'Bearer k' };
  const rows: readonly (readonly [headers: Record<string, string>, status: number, expected: string, rest?: object])[] =
    [
      [bearer, 200, 'valid, known'],
      [bearer, 404, 'valid, known'],
      [bearer, 401, 'unseen'],
      [bearer, 401, 'valid, known', { apiKey: 'k' }],
      [{ authorization: 'bearer k' }, 200, 'lenient, known'],
      [{}, 200, 'missing'],
      [{}, 200, 'unseen, known', { isCleaned: true }],
      [{}, 401, 'unseen', { isCleaned: true }],
      [{ authorization: 'Basic eDp5' }, 200, 'misplaced'],
      // Whoever cleaned the archive left a placeholder.
      ...['[redacted]', 'Redacted value', '***', 'Bearer', ''].map(
        (authorization) => [{ authorization }, 200, 'unseen'] as const,
      ),
    ];
  for (const [headers, status, expected, rest = {}] of rows) {
    const { apiKey, isCleaned } = rest as { readonly apiKey?: string; readonly isCleaned?: true };
    const exchange = defined({ ...seen(1, 'GET /pets', status, [], { headers }), isCleaned });
    const { credential, client } = senderOf(exchange, apiKey);
    assert.is(credential.kind + (client === undefined ? '' : ', known'), expected, JSON.stringify([headers, status]));
  }
});

test('operations are recognised by method and path, except for conditional and partial requests of HTTP', () => {
  const rows: readonly (readonly [
    line: string,
    operation: string,
    status?: number,
    headers?: Record<string, string>,
  ])[] = [
    ['GET /pets?limit=1', 'listPets'],
    ['POST /pets', 'createPet'],
    ['GET /pets/7?x', 'getPet'],
    ...['HEAD /pets', 'PUT /pets/7', 'GET /pets/', 'GET /pets/7/photos', 'POST /pets/7', 'GET /petsy'].map(
      (line) => [line, 'other'] as const,
    ),
    ['GET /pets', 'other', 304, { 'if-none-match': 'x' }],
    ['GET /pets', 'listPets', 304],
    ['GET /pets', 'listPets', 200, { 'if-none-match': 'x' }],
    ['GET /pets', 'other', 406, { accept: 'text/html' }],
    ['GET /pets', 'listPets', 406, { accept: 'application/json' }],
  ];
  for (const [line, operation, status = 200, headers = {}] of rows)
    assert.is(operationAskedFor(seen(1, line, status, [], { headers })), operation, `${line} ${status}`);
});

test('exchanges within one instant may have overlapped', () => {
  const at = (startedAt: number, endedAt: number) => ({ ...creates(1), startedAt, endedAt });
  const [first, second, third] = placesOf([at(1, 2), at(2, 3), at(4, 4)]);
  assert.ok(first!.answered > second!.sent);
  assert.ok(second!.answered < third!.sent);
  assert.ok(third!.sent < third!.answered);
});

test('exchanges are numbered as they were sent and come as they were answered; a later one repeats one that was lost', () => {
  const lost = (startedAt: number, endedAt: number) => ({
    ...seen(1, 'GET /pets', 503, errorOf(503)),
    startedAt,
    endedAt,
  });
  const served = { ...seen(1, 'GET /pets', 200, []), startedAt: 90_002, endedAt: 90_003 };
  const { response: _none, ...unanswered } = { ...served, startedAt: 90_004, endedAt: 90_005 };
  const again = { ...served, startedAt: 90_006, endedAt: 90_007 };
  const read = recordTraffic([lost(1, 4), lost(2, 3), lost(5, 6), lost(90_000, 90_001), served, unanswered, again]);
  assert.equal(
    read.map(({ exchange: { number, repeats } }) => [number, repeats]),
    [
      [2, undefined],
      [1, undefined],
      [3, 1],
      [4, undefined],
      [5, 4],
      [6, undefined],
      [7, 6],
    ],
  );
});

test('evidence holds no key, whichever header, query, cookie or answer held it', () => {
  const secret = 'S3cret-Key-4711';
  const basic = Buffer.from(`user:${secret}`).toString('base64');
  const echo = { ...rex, name: `you sent ${secret}` };
  const traffic = [
    seen(1, `GET /pets?api_key=${secret}&limit=2`, 200, [echo], { headers: { 'x-api-key': secret } }),
    seen(2, `GET /pets/${secret}`, 404, errorOf(404), { headers: { cookie: `a=b; session=${secret}` } }),
    seen(3, 'GET /pets', 401, echo, { headers: { authorization: `Basic ${basic}` } }),
    seen(4, 'POST /pets', 201, echo, { sent: { ...plain, name: echo.name } }),
  ];
  const [first, ...rest] = traffic;
  const setsCookie = { ...first!.response!, headers: { ...first!.response!.headers, 'set-cookie': `s=${secret}` } };
  const text = JSON.stringify(judge([{ ...first!, response: setsCookie }, ...rest]));
  for (const hidden of [secret, 'S3cret', basic]) assert.not.match(text, hidden);
  assert.match(text, '/pets?api_key=[secret]&limit=2');
});

test('a key in a query is hidden where it is echoed, and a short word is not taken for a key', () => {
  const echo = [{ ...rex, name: 'you sent S3cret-Key-4711' }];
  const text = JSON.stringify(
    judge([seen(1, 'GET /pets?api_key=S3cret-Key-4711', 200, echo, { headers: { cookie: 'a=Rex' } }), creates(2)]),
  );
  assert.not.match(text, 'S3cret');
  assert.match(text, '{\\"name\\":\\"Rex\\"');
});

test('of more than 64 keys the own ones of a request, the usual ones and known ones are hidden in its answer', () => {
  const use = (at: number, echo: string) =>
    seen(
      at,
      'GET /pets',
      401,
      { ...errorOf(401), message: echo },
      { headers: { authorization: `Bearer Met-${1_000 + at}-Key` } },
    );
  const twice = use(0, '');
  const traffic = [
    twice,
    ...Array.from({ length: 100 }, (_nothing, at) => use(at, `Met-${1_000 + at}-Key Met-1000-Key Known-Key`)),
  ];
  const text = JSON.stringify(recordTraffic(traffic, { secrets: ['Known-Key'] }));
  assert.not.match(text, /Met-1|Known/);
  assert.match(text, '[key] [key] [key]');
});

test('secret fields of bodies, parameters and headers are not in the evidence, and the code of an error is', () => {
  const login = { ...creates(3), method: 'POST', target: '/login', body: '{"user":"rex","password":"hunter-two"}' };
  const answer = { ...login.response!, body: Buffer.from('{"jwt":"eyJ.abc.def","expires":60}') };
  const redirect = seen(4, 'GET /pets?sig=0815-4711&code=a1b2&limit=1', 302, '');
  const location = {
    ...redirect.response!.headers,
    location: 'https://host/back?session=f00d',
    'x-auth-token': 'cafe',
  };
  const text = JSON.stringify(
    judge([
      { ...login, response: answer },
      { ...redirect, response: { ...redirect.response!, headers: location } },
      seen(5, 'GET /pets/9', 404, { code: 'not_found', message: 'm', status: 404 }),
    ]),
  );
  for (const secret of ['hunter-two', 'eyJ.abc', '0815-4711', 'a1b2', 'f00d', 'cafe']) assert.not.match(text, secret);
  for (const shown of ['/pets?sig=[secret]&code=[secret]&limit=1', 'back?session=[secret]', 'not_found', 'expires'])
    assert.match(text, shown);
});

test('the curl line of a request that was refused sends a wrong key', () => {
  const wrong = seen(1, 'GET /pets', 401, { code: 1 }, { headers: { authorization: 'Bearer some-wrong-key' } });
  const [failure] = judge([wrong]).requirements.flatMap(({ failures: all }) => all);
  assert.match(failure!.curl, 'Authorization: Bearer not-a-valid-key');
  assert.not.match(failure!.curl, 'PETSTORE_API_KEY');
});

test.run();
