/** Recorded traffic as evidence, and which failures are credible although other clients act unseen. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../../../spec/facts.ts';
import { happenedBefore } from '../../http/exchange.ts';
import { dayMs } from '../../http/tolerances.ts';
import { trialSettings } from '../../proof/trial.ts';
import type { CapturedExchange } from '../../traffic/captured-exchange.ts';
import { judgeTraffic } from '../../traffic/judge-traffic.ts';
import { maskOf, recordTraffic } from '../../traffic/record.ts';
import type { Report } from '../../verdict/report.ts';
import { seen } from '../seen.ts';

type Traffic = readonly CapturedExchange[];

function judge(captured: Traffic): Report {
  const settings = trialSettings(0, { baseUrl: 'http://in-process/v1', hasRateLimitKey: false });
  const traffic = recordTraffic(captured, []);
  return judgeTraffic(traffic, { settings, verdictOptions: { requiresAll: false }, mask: maskOf(traffic, []) });
}

/** The requirements that fail, each with its code. */
const failures = (traffic: Traffic): readonly string[] =>
  judge(traffic).requirements.flatMap(({ id, failures: all }) => all.map(({ code }) => `${id} ${code}`));

const rex = { id: 1, name: 'Rex', categoryId: 7 };
const plain = { name: 'Rex', categoryId: 7 };
const errorOf = (status: number) => ({ code: 'x', message: 'y', status });
const creates = (at: number) => seen(at, 'POST /pets', 201, rex, { sent: plain });

// What an exchange counts as.

/** The only exchange that is recorded of one. */
function recorded(line: string, status: number, headers: Record<string, string>, rest: object = {}, apiKey?: string) {
  const one = { ...seen(1, line, status, [], { headers }), ...rest };
  return recordTraffic([one], apiKey === undefined ? [] : [apiKey])[0]!;
}

test('a credential and its client are known by the header and the answer', () => {
  const bearer = { authorization: 'Bearer k' };
  const cleaned = { isCleaned: true };
  for (const [headers, status, expected, rest, apiKey] of [
    [bearer, 200, 'api-key valid, known'],
    [bearer, 404, 'api-key valid, known'],
    [bearer, 401, 'refused unseen'],
    [bearer, 401, 'api-key valid, known', {}, 'k'],
    [{ authorization: 'Bearer  k' }, 200, 'api-key valid, known'],
    [{ authorization: 'bearer k' }, 200, 'lower-case-bearer lenient, known'],
    [{}, 200, 'none missing'],
    [{}, 200, 'unseen unseen, known', cleaned],
    [{}, 401, 'refused unseen', cleaned],
    [{ authorization: 'Basic  eDp5' }, 200, 'other-scheme misplaced'],
    // Whoever cleaned the archive left a placeholder.
    ...['[redacted]', 'Redacted value', 'Bearer <key removed>', '(was Bearer k', '(was Basic eDp5)', ''].map(
      (authorization) => [{ authorization }, 200, 'unseen unseen'] as const,
    ),
  ] as const) {
    const { exchange, client } = recorded('GET /pets', status, headers, rest, apiKey);
    const { id, kind } = exchange.credential;
    assert.is(`${id} ${kind}${client === undefined ? '' : ', known'}`, expected, JSON.stringify([headers, status]));
  }
});

test('operations are recognised by method and path, except for answers to conditional and partial requests of HTTP', () => {
  const others = ['HEAD /pets', 'PUT /pets/7', 'GET /pets/', 'GET /pets/7/photos', 'POST /pets/7', 'GET /petsy'];
  for (const [line, operation, status = 200] of [
    ['GET /pets?limit=1', 'listPets'],
    ['POST /pets', 'createPet'],
    ['GET /pets/7?x', 'getPet'],
    ...others.map((line) => [line, 'other'] as const),
    ['GET /pets', 'other', 304],
    ['GET /pets', 'other', 406],
  ] as const)
    assert.is(recorded(line, status, {}).exchange.operation, operation, `${line} ${status}`);
});

test('exchanges are numbered as they were sent, come as they were answered, and may have overlapped within one instant', () => {
  const at = (startedAt: number, endedAt: number) => ({ ...creates(1), startedAt, endedAt });
  const all = recordTraffic([at(1, 4), at(4, 6.5), at(2, 3)], []).map(({ exchange }) => exchange);
  assert.equal(
    all.map(({ check, number, sent, answered, endedAt }) => `${check} ${number}: ${sent} ${answered} ${endedAt}`),
    ['traffic 2: 2 3 3', 'traffic 1: 1 4 4', 'traffic 3: 4 6.5 6'],
  );
  assert.equal([happenedBefore(all[0]!, all[2]!), happenedBefore(all[1]!, all[2]!)], [true, false]);
});

test('a report shows no key, whichever header, query, cookie or answer held it', () => {
  const secret = 'S3cret-Key-4711';
  const basic = Buffer.from(`user:${secret}`).toString('base64');
  const echo = { ...rex, name: `you sent ${secret}` };
  const word = { headers: { cookie: 'a=Rex', 'x-accept': 'of-no-judge', 'accept-language': 'of-no-judge' } };
  const captured = [
    seen(1, `GET /pets?api_key=${secret}&limit=2`, 200, [echo]),
    seen(2, `GET /pets/${secret}`, 404, errorOf(404), { headers: { cookie: `a=b; session=${secret}` } }),
    seen(3, 'GET /pets', 401, { ...rex, name: basic }, { headers: { authorization: `Basic ${basic}` } }),
    seen(4, 'POST /pets', 201, echo, { sent: { ...plain, name: echo.name }, headers: { 'x-api-key': secret } }),
    seen(5, 'GET /pets', 200, [{ ...rex, id: 'short words are no secrets' }], word),
  ];
  const [first, ...rest] = captured;
  const own = { 'set-cookie': `s=${secret}`, location: 'https://host/back?session=f00d', 'x-auth-token': 'cafe' };
  const setsCookie = { ...first!.response!, headers: { ...first!.response!.headers, ...own } };
  // The body of an operation that is not shown may hold anything.
  const login = { ...creates(6), method: 'POST', target: '/login', body: '{"user":"rex","password":"hunter-two"}' };
  const all = [{ ...first!, response: setsCookie }, ...rest, login];
  const traffic = recordTraffic(all, []);
  const { exchange: mask } = maskOf(traffic, []);
  const text = JSON.stringify([judge(all), traffic.map(({ exchange }) => mask(exchange))]);
  for (const hidden of [secret, 'S3cret', basic, 'hunter-two', 'f00d', 'cafe', 'of-no-judge'])
    assert.not.match(text, hidden);
  assert.match(text, '/pets?api_key=[secret]&limit=2');
  assert.match(text, '{\\"id\\":\\"short words are no secrets\\",\\"name\\":\\"Rex\\"');
});

const available = { headers: { authorization: 'Bearer some-key-4711', cookie: 'pool=available' } };

test('a word of a cookie that an answer holds as well is judged as it came', () => {
  const traffic = [seen(1, 'GET /pets?status=available', 200, [{ ...rex, status: 'available' }], available)];
  assert.equal(failures(traffic), []);
  assert.match(JSON.stringify(recordTraffic(traffic, [])[0]!.exchange.response), 'available');
});

test('the curl line of a request that was refused sends a wrong key', () => {
  const wrong = seen(1, 'GET /pets', 401, { code: 1 }, { headers: { authorization: 'Bearer some-wrong-key' } });
  const [failure] = judge([wrong]).requirements.flatMap(({ failures: all }) => all);
  assert.match(failure!.curl, 'Authorization: Bearer not-a-valid-key');
  assert.not.match(failure!.curl, 'PETSTORE_API_KEY');
});

// What may fail.

const list = (at: number, page: readonly object[]) => seen(at, 'GET /pets?limit=100', 200, page);
const read = (at: number, status: number, body: object = errorOf(status)) => seen(at, 'GET /pets/1', status, body);
const until = (one: CapturedExchange, endsAt: number) => ({ ...one, endedAt: Date.UTC(2026, 10, 21, 12, 0, endsAt) });
const noKey = { 'content-type': 'application/json' };

const renamed = { ...rex, name: 'Max' };
const showsRenamed = list(9, [renamed]);
const isRenamed = ['pet-name-kept name-changed'];
const deletes = (at: number, endsAt: number) => until(seen(at, 'DELETE /pets/1', 204, ''), endsAt);
const puts = (status: number) => seen(4, 'PUT /pets/1', status, renamed);
const { response: _lost, ...unanswered } = puts(200);

const exactly = (text: string): CapturedExchange => ({
  ...creates(1),
  body: '{"name":"Rex","categoryId":9007199254740993}',
  response: { ...creates(1).response!, body: Buffer.from(`{"id":1,"name":"Rex","categoryId":${text}}`) },
});

const refusedWithoutKey = seen(1, 'POST /pets', 401, errorOf(401), { sent: plain, headers: noKey });

const gone = (at: number) => seen(at, 'GET /pets', 503, errorOf(503));
const served = (at: number) => seen(at, 'GET /pets?limit=1', 200, []);
/** An answer that looks like a gateway's. */
const page = { status: 400, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>Bad request</html>') };
const refused = { ...served(9), response: page };
const forbidden = seen(1, 'GET /pets', 403, errorOf(403));
const limited = seen(5, 'GET /pets', 429, errorOf(429));
const lost = (one: CapturedExchange) => ({ ...one, response: { ...one.response!, body: 'not-recorded' as const } });
const twin = { ...plain, id: 5 };
const photos = seen(6, 'GET /pets/1/photos', 200, { id: 1, name: 'x' });
const unknownId = `GET /pets/${2n ** 61n}`;

/** A creation and a listing with this credential, which show one id with two names. */
function twice(authorization: string): Traffic {
  return [creates(1), showsRenamed].map((one) => ({ ...one, headers: { ...noKey, authorization } }));
}

const rows: Readonly<Record<string, readonly (readonly [traffic: Traffic, expected: readonly string[]])[]>> = {
  'an int64 that lost a digit is found': [
    [[exactly('9007199254740993')], []],
    [[exactly('9007199254740992')], ['pet-category-id-kept categoryId-changed']],
  ],
  'another key may have another animal under an id': [
    [[creates(1), showsRenamed], isRenamed],
    [[creates(1), { ...showsRenamed, headers: { authorization: 'Bearer key-of-others' } }], []],
  ],
  'keys that were redacted to one text may be those of several clients': [
    [twice('Bearer key-of-a-team'), isRenamed],
    ...[
      'Bearer REDACTED',
      'Bearer [redacted]',
      'Bearer ***',
      'Bearer <key>',
      'Bearer xxxxxxxx',
      'Bearer 00000000',
      'Bearer sk-abc...',
      'Bearer masked_by_proxy',
      'Bearer your-api-key',
      'bearer {{token}}',
      '[redacted]',
    ].map((authorization) => [twice(authorization), []] as const),
  ],
  'after an operation that is not shown, nothing is known of earlier animals': [
    [[creates(1), read(2, 200, renamed)], isRenamed],
    [[creates(1), puts(200), showsRenamed], []],
    [[creates(1), list(3, [renamed]), deletes(9, 12)], isRenamed],
    [[creates(1), puts(500), showsRenamed], []],
    [[creates(1), unanswered, showsRenamed], []],
    [[creates(1), puts(400), showsRenamed], isRenamed],
    [[creates(1), seen(4, 'HEAD /pets/1', 200, renamed), showsRenamed], isRenamed],
    // One that begins as an animal is shown, or ends as it is created, or is under way all the time.
    [[creates(1), until(showsRenamed, 9), deletes(9, 12)], []],
    [[deletes(1, 7), creates(7), showsRenamed], []],
    [[deletes(1, 12), creates(7), showsRenamed], []],
    // One that is under way while another is, and goes on when that has ended.
    [[creates(1), deletes(3, 5), deletes(4, 12), showsRenamed], []],
    [[deletes(1, 8), deletes(2, 5), creates(7), showsRenamed], []],
    [[deletes(1, 5), deletes(2, 8), creates(7), showsRenamed], []],
    [[deletes(1, 5), deletes(2, 6), creates(7), showsRenamed], isRenamed],
  ],
  'another client may have created an animal of the same name': [
    [[creates(1), list(5, [{ ...plain, id: 1 }, twin])], []],
    [[refusedWithoutKey, list(5, [twin])], []],
  ],
  'an id that no answer has shown may belong to another client, so 200 is credible and 400 is not': [
    [[seen(1, unknownId, 200, { ...rex, id: 2 ** 61 })], []],
    [[seen(1, unknownId, 400, errorOf(400))], ['get-not-found unexpected-status']],
  ],
  'a key whose scope forbids an operation fails nothing; a missing key requires 401': [
    [[forbidden], []],
    [[{ ...forbidden, headers: {} }], ['auth-missing-key unexpected-status']],
    [[{ ...forbidden, response: { ...forbidden.response!, headers: noKey } }], ['rate-reset-header missing']],
  ],
  'an object at an address that is not shown is no animal': [
    [[creates(1), seen(5, 'GET /owners/1', 200, { id: 'one' }), photos], []],
  ],
  'an answer of a gateway is none of the service, and one of the service counts': [
    [[1, 3, 5, 9].map(gone), []],
    [[seen(1, 'GET /pets', 500, errorOf(500))], ['list-answer unexpected-status', 'errors-listed server-error']],
    // A header that no judge reads may be what a gateway refuses.
    [[...[1, 2, 3, 4, 5, 6].map(served), { ...refused, headers: { ...refused.headers, range: 'x' } }], []],
    [
      [...[1, 2, 3, 4, 5, 6].map(served), refused],
      ['list-answer unexpected-status', 'rate-limit-header missing'],
    ],
  ],
  'a 429 needs Retry-After if the key was served before, since the answers of a ban are open': [
    [[limited], []],
    [[limited, seen(9, 'GET /pets', 200, [])], []],
    [[seen(1, 'GET /pets?limit=0', 400, errorOf(400)), limited], []],
    [[seen(1, 'GET /pets', 200, []), limited], ['rate-retry-after unusable']],
  ],
  'judges conclude nothing from a body that was not recorded': [
    [[lost(seen(1, 'GET /pets', 200, [])), lost(seen(2, 'GET /pets', 401, errorOf(401), { headers: {} }))], []],
    [[lost(creates(1))], []],
  ],
};

for (const [title, all] of Object.entries(rows)) {
  test(title, () => {
    for (const [at, [traffic, expected]] of all.entries()) {
      const found = failures(traffic);
      const wanted = expected.length === 0 ? found : found.filter((one) => expected.includes(one));
      assert.equal(wanted, expected, `row ${at}: ${found}`);
    }
  });
}

test('an exchange whose client is not known is judged beside every client, and counted once', () => {
  const by = (at: number, authorization: string, page: readonly object[] = []) =>
    seen(at, 'GET /pets', 200, page, { headers: { authorization } });
  const wrong = [3, 4].map((at) => by(at, '[redacted]', [{ ...rex, id: 'one' }]));
  const sold = seen(5, 'POST /pets', 201, { ...rex, status: 'sold' }, { sent: plain });
  const report = judge([until(by(1, 'Bearer a'), 3), by(2, 'Bearer b'), ...wrong, sold]);
  assert.is(report.requirements.find(({ id }) => id === 'pet-id')?.evidence, 2);
  assert.equal([report.requests, report.creates, report.durationMs], [5, 1, 4_010]);
  assert.equal(report.gaps.find(({ id }) => id === 'status-omitted')?.observed, ['sold']);
});

test('a report on no traffic says so, and skips nothing for lack of a key', () => {
  const { reason, requirements } = judge([]);
  assert.is(reason?.code, 'traffic-empty');
  const skipped = requirements.flatMap(({ id, verdict }) => (verdict === 'skipped' ? [id] : []));
  assert.equal(skipped, ['rate-limit-plan']);
});

test('traffic that goes on until getPet is removed is judged up to then', () => {
  const failuresAt = (startedAt: number) =>
    failures([creates(0), { ...read(1, 410), startedAt, endedAt: startedAt + 1 }]).filter((one) => /removal/.test(one));
  assert.equal(failuresAt(removalOfGetPet - dayMs), ['get-until-removal removed-early']);
  assert.equal(failuresAt(removalOfGetPet), []);
  // Another client may have removed an animal that only pages have shown.
  const ofRemoval = failures([list(1, [rex]), read(9, 410)]).filter((one) => /removal/.test(one));
  assert.equal(ofRemoval, []);
});

test.run();
