/** Judging of recorded traffic: which failures are credible although other clients act unseen. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../../../spec/facts.ts';
import { dayMs } from '../../http/tolerances.ts';
import type { CapturedExchange } from '../../traffic/captured-exchange.ts';
import { seen } from '../seen.ts';
import { creates, errorOf, failures, judge, plain, rex } from './judge.ts';

type Traffic = readonly CapturedExchange[];

const list = (at: number, page: readonly object[], headers?: CapturedExchange['headers']) =>
  seen(at, 'GET /pets?limit=100', 200, page, headers === undefined ? {} : { headers });
const read = (at: number, status: number, body: object = errorOf(status)) => seen(at, 'GET /pets/1', status, body);
const until = (one: CapturedExchange, endsAt: number) => ({
  ...one,
  endedAt: Date.UTC(2026, 10, 21, 12, 0, endsAt),
});
const noKey = { 'content-type': 'application/json' };

/** Seconds at which equal pages show that an animal created at the first second is missing, and are no old copies. */
const empty = [70, 72, 74].map((at) => list(at, []));
const isMissing = ['list-complete animal-missing'];

const renamed = { ...rex, name: 'Max' };
const showsRenamed = list(9, [renamed]);
const isRenamed = ['pet-name-kept name-changed'];
const deletes = (at: number, endsAt: number) => until(seen(at, 'DELETE /pets/1', 204, ''), endsAt);
const puts = (status: number) => seen(4, 'PUT /pets/1', status, renamed);
const { response: _lost, ...unanswered } = puts(200);

const digits = '123456789012';
const asKey = { authorization: `Bearer ${digits}`, ...noKey };
const exactly = (text: string): CapturedExchange => ({
  ...creates(1),
  body: '{"name":"Rex","categoryId":9007199254740993}',
  response: { ...creates(1).response!, body: Buffer.from(`{"id":1,"name":"Rex","categoryId":${text}}`) },
});

const [common, own] = [plain, { ...plain, name: 'cf-1a2b3c-01' }];
const both = list(5, [
  { ...common, id: 5 },
  { ...own, id: 6 },
]);
const twice = (sent: typeof plain) => [
  seen(1, 'POST /pets', 201, { ...sent, id: 1 }, { sent }),
  list(
    5,
    [1, 5].map((id) => ({ ...sent, id })),
  ),
];
const refusedWithoutKey = (sent: typeof plain) => seen(1, 'POST /pets', 401, errorOf(401), { sent, headers: noKey });
const refusedAsInvalid = (sent: typeof plain) =>
  seen(1, 'POST /pets', 400, errorOf(400), { sent: { ...sent, categoryId: 'seven' } });

const gone = (at: number) => seen(at, 'GET /pets', 503, errorOf(503));
const served = (at: number) => seen(at, 'GET /pets?limit=1', 200, []);
/** A request that a gateway answers four times, while another request is served. */
const persistent = ([first, ...later]: readonly [number, number, number, number]) => [
  gone(first),
  served(first + 1),
  ...later.map(gone),
];
const isDown = ['list-answer unexpected-status', 'errors-listed server-error'];
const between = (count: number) => [
  ...[1, 3, 5].map(gone),
  ...Array.from({ length: count }, (_nothing, at) => served(at + 6)),
  gone(50),
];
/** Three failures, a pause of so many milliseconds, and the last. */
function withPause(ms: number): Traffic {
  const last = gone(100);
  const earlier = [50, 30, 10].map((before) => ({
    ...gone(1),
    startedAt: last.startedAt - ms - before,
    endedAt: last.startedAt - ms - before + 10,
  }));
  return [...earlier, served(99), last];
}

/** An answer that looks like a gateway's, which may have refused a header that the record leaves out. */
const page = { status: 400, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>Bad request</html>') };
const refusedUnseen = { ...served(9), response: page };
const forbidden = seen(1, 'GET /pets', 403, errorOf(403));
const limited = seen(5, 'GET /pets', 429, errorOf(429));
const lost = (one: CapturedExchange) => ({ ...one, response: { ...one.response!, body: undefined } });
const unknownId = `GET /pets/${2n ** 61n}`;

const rows: Readonly<Record<string, readonly (readonly [traffic: Traffic, expected: readonly string[]])[]>> = {
  'an int64 that lost a digit is found, and a name or an id that looks like a key is kept': [
    [[exactly('9007199254740993')], []],
    [[exactly('9007199254740992')], ['pet-category-id-kept categoryId-changed']],
    [
      [
        seen(
          2,
          'POST /pets',
          201,
          { name: digits, categoryId: 7, id: Number(digits) },
          { sent: { name: digits, categoryId: 7 }, headers: asKey },
        ),
        seen(3, `GET /pets/${digits}`, 200, { name: digits, categoryId: 7, id: Number(digits) }, { headers: asKey }),
      ],
      [],
    ],
  ],
  'animals of one key need not be visible to another': [
    [[creates(1), ...empty], isMissing],
    [[creates(1), ...empty.map((one) => ({ ...one, headers: { authorization: 'Bearer key-of-others' } }))], []],
  ],
  'an animal is missing when it has had time to settle, no old copy may show it so, and no later page shows it': [
    [[creates(1), ...[2, 3, 4].map((at) => list(at, []))], []],
    [[creates(1), ...[5, 30, 59].map((at) => list(at, []))], []],
    [[creates(1), ...empty, list(80, [rex])], []],
    [[creates(1), read(2, 404)], []],
    [[creates(1), ...[5, 30, 59].map((at) => read(at, 404))], []],
    [[creates(1), read(70, 404)], ['get-answer unexpected-status']],
    // One that was seen before may have been removed by another client, unless another channel still shows it.
    [[creates(1), read(2, 200, rex), read(70, 404)], []],
    [[creates(1), list(2, [rex]), ...empty], []],
    [[creates(1), read(70, 404), list(80, [rex])], ['get-answer unexpected-status']],
    [[creates(1), list(2, [rex]), ...empty, read(80, 200, rex)], isMissing],
    // A page as long as the longest one may be capped.
    [[creates(1), ...[70, 72].map((at) => list(at, [{ ...rex, id: 2 }]))], []],
    [[list(1, [rex]), read(9, 404)], []],
  ],
  'after an operation that is not shown, nothing is known of earlier animals': [
    [[creates(1), showsRenamed], isRenamed],
    [[creates(1), read(2, 200, renamed)], isRenamed],
    [[creates(1), puts(200), showsRenamed], []],
    [[creates(1), puts(500), showsRenamed], []],
    [[creates(1), unanswered, showsRenamed], []],
    [[creates(1), puts(405), showsRenamed], isRenamed],
    [[creates(1), seen(4, 'HEAD /pets/1', 200, renamed), showsRenamed], isRenamed],
    // One that is under way while another is, and goes on when that has ended.
    [[creates(1), deletes(3, 5), deletes(4, 12), showsRenamed], []],
    [[deletes(1, 10), deletes(2, 5), creates(7), ...empty], []],
    [[deletes(1, 5), deletes(2, 12), creates(7), ...empty], []],
    [[deletes(1, 5), deletes(2, 6), creates(8), ...empty], isMissing],
  ],
  'an animal is that of a request by a name that only this kit gives': [
    [twice(common), []],
    [twice(own), ['create-answer created-twice']],
    [[refusedWithoutKey(common), both], []],
    [[refusedWithoutKey(own), both], ['auth-refused-stores-nothing refused-yet-stored']],
    [[refusedAsInvalid(common), both], []],
    [[refusedAsInvalid(own), both], ['create-refused-stores-nothing refused-yet-stored']],
  ],
  'an id that no answer has shown may belong to another client, so 200 is credible and 400 is not': [
    [[seen(1, unknownId, 200, { ...rex, id: 2 ** 61 })], []],
    [[seen(1, unknownId, 400, errorOf(400))], ['get-not-found unexpected-status']],
  ],
  'a key whose scope forbids an operation fails nothing; a missing key requires 401': [
    [[forbidden], []],
    [[{ ...forbidden, headers: {} }], ['auth-missing-key unexpected-status']],
  ],
  'an object at an address that is not shown is no animal': [
    [
      [
        creates(1),
        seen(5, 'GET /owners/1', 200, { id: 'one' }),
        seen(6, 'GET /pets/1/photos', 200, { id: 1, name: 'x' }),
      ],
      [],
    ],
  ],
  'an answer of a gateway counts if one request gets it four times in seven seconds, while others are served': [
    [[gone(1)], []],
    [[1, 3, 5, 9].map(gone), []],
    [persistent([1, 3, 4, 5]), []],
    [persistent([1, 3, 5, 9]), isDown],
    [[seen(1, 'GET /pets', 500, errorOf(500))], isDown],
    [[...[1, 2, 3, 4, 5, 6].map(served), refusedUnseen], []],
    // A request is no retry after many others, nor after more than a minute.
    [between(31), isDown],
    [between(32), []],
    [withPause(75_000), isDown],
    [withPause(75_001), []],
  ],
  'a 429 needs Retry-After if the key was served before, since the answers of a ban are open': [
    [[limited], []],
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
      assert.equal(
        expected.length === 0 ? found : found.filter((one) => expected.includes(one)),
        expected,
        `row ${at}: ${found}`,
      );
    }
  });
}

test('each exchange of 2,000 is counted once, and five failures of one kind are shown', () => {
  const wrong = { ...rex, id: 'one' };
  const report = judge(
    Array.from({ length: 2_000 }, (_nothing, at) => seen(at, 'GET /pets', 200, at % 100 === 0 ? [wrong] : [])),
  );
  const ids = report.requirements.find(({ id }) => id === 'pet-id')!;
  assert.equal(
    [ids.evidence, ids.failures.length, ids.reason],
    [20, 5, '15 more failures of the same kinds, left out of the report'],
  );
  assert.is(report.requirements.find(({ id }) => id === 'list-answer')?.evidence, 2_000);
  assert.equal([report.requests, report.timeline.length], [2_000, 2_000]);
});

test('traffic that goes on until getPet is removed is judged up to then', () => {
  const failuresAt = (startedAt: number) =>
    failures([creates(0), { ...read(1, 410), startedAt, endedAt: startedAt + 1 }]).filter((one) => /removal/.test(one));
  assert.equal(failuresAt(removalOfGetPet - dayMs), ['get-until-removal removed-early']);
  assert.equal(failuresAt(removalOfGetPet), []);
  // Another client may have removed an animal that only pages have shown.
  assert.equal(
    failures([list(1, [rex]), read(9, 410)]).filter((one) => /removal/.test(one)),
    [],
  );
});

test('the answers that two clients meet are put together, with the example of the first', () => {
  const create = (at: number, status: string, authorization: string) =>
    seen(at, 'POST /pets', 201, { ...plain, id: at, status }, { sent: plain, headers: { authorization, ...noKey } });
  const traffic = [create(1, 'sold', 'Bearer a'), create(2, 'pending', 'Bearer b'), create(3, 'sold', 'Bearer b')];
  const omitted = judge(traffic).gaps.find(({ id }) => id === 'status-omitted');
  assert.equal([omitted?.observed, omitted?.example], [['sold', 'pending'], 1]);
});

test.run();
