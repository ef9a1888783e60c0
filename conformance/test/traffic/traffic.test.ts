/** Judging of recorded traffic: redaction, and failures that are credible. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CapturedExchange } from '../../traffic/captured-exchange.ts';
import { createSecrets } from '../../traffic/recorder.ts';
import { seen } from '../seen.ts';
import { creates, createsBoth, errorOf, failures, judge, mia, plain, rex } from './judge.ts';

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
  assert.not.match(text, secret);
  assert.not.match(text, 'S3cret');
  assert.not.match(text, basic);
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

test('a name that is hidden like a key, until that key is forgotten, was not changed', () => {
  const word = 'Some-Name-4711';
  const named = { ...plain, name: word };
  const asKey = (second: number, key: string) =>
    seen(second, 'GET /pets', 401, errorOf(401), { headers: { authorization: `Bearer ${key}` } });
  const traffic = [
    asKey(1, word),
    seen(2, 'POST /pets', 201, { ...named, id: 1 }, { sent: named }),
    ...Array.from({ length: 70 }, (_nothing, at) => asKey(3 + at, `another-key-${at}`)),
    seen(80, 'GET /pets', 200, [{ ...named, id: 1 }]),
  ];
  assert.equal(failures(traffic), []);
  const changed = [...createsBoth(1), seen(2, 'GET /pets', 200, [mia, { ...rex, name: 'Tom' }])];
  assert.ok(failures(changed).includes('pet-name-kept name-changed'));
});

test('redacted values of request and response stay equal, and an id keeps its digits', () => {
  const authorization = 'Bearer 123456789012';
  const named = { ...plain, name: '123456789012' };
  assert.equal(
    failures([
      seen(
        1,
        'POST /pets',
        201,
        { ...named, id: 123456789012 },
        { sent: named, headers: { authorization, 'content-type': 'application/json' } },
      ),
      seen(2, 'GET /pets/123456789012', 200, { ...named, id: 123456789012 }, { headers: { authorization } }),
    ]),
    [],
  );
});

test('an int64 that lost a digit is found, one that kept them all passes', () => {
  const sent = '{"name":"Rex","categoryId":9007199254740993}';
  const answer = (categoryId: string) => Buffer.from(`{"id":1,"name":"Rex","categoryId":${categoryId}}`);
  const creation = (categoryId: string) => {
    const one = creates(1);
    return { ...one, body: sent, response: { ...one.response!, body: answer(categoryId) } };
  };
  assert.equal(failures([creation('9007199254740993')]), []);
  assert.equal(failures([creation('9007199254740992')]), ['pet-category-id-kept categoryId-changed']);
});

/** Pages and reads that lack an animal, long after its creation. */
const empty = (at: number, headers = creates(1).headers) => seen(at, 'GET /pets?limit=100', 200, [], { headers });
const missing = (at: number) => seen(at, 'GET /pets/1', 404, errorOf(404));

test('what seems missing fails nothing, since the recording cannot ask again', () => {
  const traffic = [creates(1), ...[2, 70, 72, 74].map((at) => empty(at)), ...[75, 80].map(missing)];
  assert.equal(failures(traffic), []);
});

test('each key is judged in its own world', () => {
  const other = { authorization: 'Bearer key-of-others' };
  const renamed = { ...rex, name: 'Max' };
  const shown = (headers?: CapturedExchange['headers']) =>
    failures([...createsBoth(1), seen(5, 'GET /pets', 200, [mia, renamed], headers && { headers })]);
  assert.equal([shown(), shown(other)], [['pet-name-kept name-changed'], []]);
});

test('after an operation that is not shown, nothing is known of earlier animals', () => {
  const renamed = { ...rex, name: 'Max' };
  const listing = seen(9, 'GET /pets?limit=100', 200, [mia, renamed]);
  assert.equal(failures([...createsBoth(1), listing]), ['pet-name-kept name-changed']);
  assert.equal(failures([...createsBoth(1), seen(4, 'PUT /pets/1', 200, renamed), listing]), []);
  assert.equal(failures([...createsBoth(1), seen(4, 'PUT /pets/1', 405, errorOf(405)), listing]), [
    'pet-name-kept name-changed',
  ]);
  assert.equal(failures([...createsBoth(1), seen(4, 'HEAD /pets/1', 200, renamed), listing]), [
    'pet-name-kept name-changed',
  ]);
  assert.equal(failures([...createsBoth(1), seen(4, 'PUT /pets/1', 500, errorOf(500)), listing]), []);
  const { response: _lost, ...unanswered } = seen(4, 'PUT /pets/1', 200, renamed);
  assert.equal(failures([...createsBoth(1), unanswered, listing]), []);
  // One that is under way while another is, and goes on when that has ended.
  const long = (at: number, endsAt: number) => ({
    ...seen(at, 'DELETE /pets/1', 204, ''),
    endedAt: Date.UTC(2026, 10, 21, 12, 0, endsAt),
  });
  assert.equal(failures([...createsBoth(1), long(3, 5), long(4, 12), listing]), []);
  // The first change begins first and ends last, so the creation overlaps it, but not the second.
  assert.equal(failures([long(1, 8), long(2, 3), ...createsBoth(6), listing]), []);
  assert.equal(failures([long(1, 3), long(2, 4), ...createsBoth(6), listing]), ['pet-name-kept name-changed']);
});

test('the key that was not seen for the longest time is forgotten beyond 64, a known key never', () => {
  const { note, redact } = createSecrets(['Known-Key-4711']);
  const use = (at: number) => note({ headers: { authorization: `Bearer Met-${1_000 + at}-Key` }, target: '/pets' });
  for (let at = 0; at < 64; at += 1) use(at);
  use(0);
  use(64);
  const shown = redact('Met-1000-Key Met-1001-Key Met-1064-Key Known-Key-4711');
  assert.is(shown, '[key] Met-1001-Key [key] [key]');
  use(1);
  assert.is(redact('Met-1001-Key'), '[key]');
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
  const refused = seen(1, 'GET /pets', 401, { code: 1 }, { headers: { authorization: 'Bearer some-wrong-key' } });
  const [failure] = judge([refused]).requirements.flatMap(({ failures: all }) => all);
  assert.match(failure!.curl, 'Authorization: Bearer not-a-valid-key');
  assert.not.match(failure!.curl, 'PETSTORE_API_KEY');
});

test('equal names of other clients are no second animal of one creation', () => {
  const page = [rex, { ...rex, id: 5 }];
  assert.equal(failures([creates(1), seen(5, 'GET /pets', 200, page)]), []);
  const own = { ...plain, name: 'cf-1a2b3c-01' };
  const creation = seen(1, 'POST /pets', 201, { ...own, id: 1 }, { sent: own });
  const twice = [1, 5].map((id) => ({ ...own, id }));
  assert.equal(failures([creation, seen(5, 'GET /pets', 200, twice)]), ['create-answer created-twice']);
});

test('an animal of a refused request is recognised by a name that only this kit gives', () => {
  const [common, own] = ['Rex', 'cf-1a2b3c-01'].map((name) => ({ name, categoryId: 7 }));
  const page = (at: number) =>
    seen(at, 'GET /pets?limit=100', 200, [
      { ...common, id: 5 },
      { ...own, id: 6 },
    ]);
  const without = { 'content-type': 'application/json' };
  const stored = [common!, own!].map((sent) =>
    failures([seen(1, 'POST /pets', 401, errorOf(401), { sent, headers: without }), page(5)]),
  );
  assert.equal(stored, [[], ['auth-refused-stores-nothing refused-yet-stored']]);
  const invalid = [common!, own!].map(({ name }) =>
    failures([seen(1, 'POST /pets', 400, errorOf(400), { sent: { name, categoryId: 'seven' } }), page(5)]),
  );
  assert.equal(invalid, [[], ['create-refused-stores-nothing refused-yet-stored']]);
});

test('an id that no answer has shown may belong to another client, so 200 is credible and 400 is not', () => {
  const id = 2 ** 61;
  assert.equal(failures([seen(1, `GET /pets/${BigInt(id)}`, 200, { ...rex, id })]), []);
  assert.equal(failures([seen(1, `GET /pets/${BigInt(id)}`, 400, errorOf(400))]), ['get-not-found unexpected-status']);
});

test('a key whose scope forbids an operation fails nothing; a missing key requires 401', () => {
  const forbidden = seen(1, 'GET /pets', 403, errorOf(403));
  assert.equal(failures([forbidden]), []);
  assert.equal(failures([{ ...forbidden, headers: {} }]), ['auth-missing-key unexpected-status']);
});

test('an object at an address that is not shown is no animal', () => {
  const owner = seen(5, 'GET /owners/1', 200, { id: 'one' });
  const photos = seen(6, 'GET /pets/1/photos', 200, { id: 1, name: 'a photo' });
  assert.equal(failures([creates(1), owner, photos]), []);
});

test('another client may have removed an animal that only pages have shown', () => {
  const page = seen(1, 'GET /pets', 200, [rex]);
  assert.equal(failures([page, seen(9, 'GET /pets/1', 404, errorOf(404))]), []);
});

/** A request that a gateway answers four times within some seconds, while another request is served. */
function persistent(line: string, [first, ...later]: readonly [number, number, number, number]) {
  const gone = (at: number) => seen(at, line, 503, errorOf(503));
  return [gone(first), seen(first + 1, 'GET /pets?limit=1', 200, []), ...later.map(gone)];
}

test('an answer of a gateway counts if the same request gets it four times in seven seconds, while others are served', () => {
  const gone = (at: number) => seen(at, 'GET /pets', 503, errorOf(503));
  assert.equal(failures([gone(1)]), []);
  assert.equal(failures([gone(1), gone(3), gone(5), gone(9)]), []);
  assert.equal(failures(persistent('GET /pets', [1, 3, 4, 5])), []);
  assert.equal(failures(persistent('GET /pets', [1, 3, 5, 9])), ['errors-listed server-error']);
  const ofService = ['list-answer unexpected-status', 'errors-listed server-error'];
  assert.equal(failures([seen(1, 'GET /pets', 500, errorOf(500))]), ofService);
});

test('a 429 needs Retry-After if the key was served before, since the answers of a ban are open', () => {
  const refused = seen(5, 'GET /pets', 429, errorOf(429));
  assert.equal(failures([refused]), []);
  assert.equal(failures([seen(1, 'GET /pets', 200, []), refused]), ['rate-retry-after unusable']);
});

test('checks conclude nothing from a body that was not recorded', () => {
  const whole = seen(1, 'GET /pets', 200, []);
  const lost = (one: CapturedExchange) => ({ ...one, response: { ...one.response!, body: undefined } });
  assert.equal(failures([lost(whole), lost(seen(2, 'GET /pets', 401, errorOf(401), { headers: {} }))]), []);
  assert.equal(failures([lost(creates(1))]), []);
});

test.run();
