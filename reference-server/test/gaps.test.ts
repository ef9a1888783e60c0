/** Every answer of every gap can be observed from outside. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { GapChoices, GapId } from '../../spec/gaps.ts';
import type { StoreResponse } from '../index.ts';
import { createTwin, drawGaps, gapChoices } from '../twin/gaps.ts';
import { key, noon, open, type Question, readFields, readHeader, readRate, write } from './client.ts';

type AskStore = ReturnType<typeof open>;

const otherKey = 'test-key-of-free';
const withOtherKey = { authorization: `Bearer ${otherKey}` };
const removal = Date.UTC(2030, 11, 5);

function openWith(id: GapId, answer: string, others: Partial<GapChoices> = {}): AskStore {
  const animals = (['available', 'pending', 'sold'] as const).map((status, at) => {
    return { name: `A${at}`, categoryId: 1n, status };
  });
  const chosen = { ...others, [id]: answer } as Partial<GapChoices>;
  const keys = [
    { key, plan: 'business' },
    { key: otherKey, plan: 'free' },
  ] as const;
  return open({ keys, gaps: chosen, animals, random: () => 0.4 });
}

function create(ask: AskStore, fields: Record<string, unknown>): string {
  const response = ask({ body: write(fields) });
  return response.status === 201 ? 'created' : String(response.status);
}

const names = (response: StoreResponse): string =>
  response.status === 200
    ? (JSON.parse(response.body) as { name: string }[]).map(({ name }) => name).join('')
    : String(response.status);
const list = (query: string) => (ask: AskStore) => names(ask({ target: `/v1/pets?${query}` }));
const statusOf = (question: Question) => (ask: AskStore) => String(ask(question).status);

function exhaust(ask: AskStore, refusals: number): StoreResponse {
  for (let sent = 0; sent < 1000 + refusals - 1; sent += 1) ask();
  return ask();
}

/** Each answer as observed: a text that differs from that of every other answer of its gap. */
const seen: {
  readonly [Id in keyof GapChoices]: readonly [(ask: AskStore) => string, Record<GapChoices[Id], string>];
} = {
  cors: [(ask) => readHeader(ask(), 'access-control-allow-origin') ?? 'none', { none: 'none', 'any-origin': '*' }],
  'known-categories': [
    (ask) => [0, 1, 10, 11].map((categoryId) => create(ask, { categoryId })).join(),
    { accepted: 'created,created,created,created', 'refused-400': '400,created,created,400' },
  ],
  'name-limits': [
    (ask) => {
      const dogs = [50, 51, 100, 101, 255, 256].map((count) => '\u{1f415}'.repeat(count));
      const names = ['', '\u200b \u0000', 'A-1'.repeat(10), 'A'.repeat(31), ...dogs];
      return names.map((name) => create(ask, { name }).replace('created', '201')).join();
    },
    {
      any: '201,201,201,201,201,201,201,201,201,201',
      'at-most-100': '201,201,201,201,201,201,201,400,400,400',
      'plain-only': '400,400,201,400,400,400,400,400,400,400',
      'not-empty': '400,400,201,201,201,201,201,201,201,201',
      'at-most-255': '201,201,201,201,201,201,201,201,201,400',
      'other-length': '201,201,201,201,201,201,201,201,400,400',
    },
  ],
  'duplicate-names': [(ask) => create(ask, { name: 'A0' }), { accepted: 'created', 'refused-400': '400' }],
  'status-omitted': [
    (ask) => String(readFields(ask({ body: write() }))['status'] ?? 'none'),
    { available: 'available', pending: 'pending', sold: 'sold', absent: 'none' },
  ],
  'id-form': [
    (ask) => String(readFields(ask({ body: write() }))['id']),
    { sequential: '4', random: '', large: '9223372036854775804', negative: '-4' },
  ],
  'extra-response-fields': [
    (ask) => String('kind' in readFields(ask({ body: write() })) && 'kind' in readFields(ask({ body: '' }))),
    { none: 'false', extra: 'true' },
  ],
  'limit-out-of-range': [
    (ask) => `${list('limit=0')(ask)} ${list('limit=101')(ask)} ${list('limit=-99999999999999999999')(ask)}`,
    {
      'refused-400': '400 400 400',
      'refused-422': '422 422 422',
      clamped: 'A0 A0A1A2 A0',
      ignored: 'A0A1A2 A0A1A2 A0A1A2',
    },
  ],
  'limit-not-integer': [
    (ask) => ['x', '', '1.0', '1e0', '%2B1'].map((limit) => list(`limit=${limit}`)(ask)).join(),
    {
      'refused-400': '400,400,400,400,400',
      'refused-422': '422,422,422,422,422',
      ignored: 'A0A1A2,A0A1A2,A0A1A2,A0A1A2,A0A1A2',
    },
  ],
  'status-filter-unknown': [
    list('status=Sold'),
    { 'refused-400': '400', 'refused-422': '422', ignored: 'A0A1A2', 'empty-page': '' },
  ],
  'unknown-query-parameters': [list('after=1'), { ignored: 'A0A1A2', 'refused-400': '400' }],
  'list-order': [list(''), { 'oldest-first': 'A0A1A2', 'newest-first': 'A2A1A0', shuffled: 'A1A0A2' }],
  'page-cap': [
    (ask) => {
      for (let at = 0; at < 8; at += 1) create(ask, { name: 'B' });
      return [list('limit=100')(ask), list('')(ask), list('limit=2')(ask)].map((page) => page.length).join();
    },
    { 'as-asked': '14,14,4', fewer: '13,13,4' },
  ],
  'short-pages': [list('limit=1&status=sold'), { 'filter-before-limit': 'A2' }],
  visibility: [(ask) => create(ask, { name: 'B' }) + list('')(ask), { 'at-once': 'createdA0A1A2B' }],
  'later-pages': [
    (ask) => readHeader(ask({ target: '/v1/pets?limit=2' }), 'link') ?? 'none',
    { none: 'none', 'link-header': '</v1/pets?limit=2&after=2>; rel="next"' },
  ],
  'extra-body-fields': [
    (ask) => {
      const response = ask({ body: '{"id":1,"name":"B","categoryId":1,"x":1.50,"__proto__":[1e400,-0]}' });
      return response.status === 201 ? response.body : String(response.status);
    },
    {
      ignored: '{"id":4,"name":"B","categoryId":1,"status":"available"}',
      kept: '{"id":4,"name":"B","categoryId":1,"status":"available","x":1.50,"__proto__":[1e400,-0]}',
      'refused-400': '400',
    },
  ],
  'client-sent-id': [(ask) => create(ask, { id: 1 }), { ignored: 'created', 'refused-400': '400' }],
  'integer-written-as-decimal': [
    (ask) => ['1.0', '1e0', '10E-1'].map((n) => ask({ body: `{"name":"B","categoryId":${n}}` }).status).join(),
    { accepted: '201,201,201', 'refused-400': '400,400,400' },
  ],
  'other-media-type': [
    statusOf({ body: write(), mediaType: 'text/json' }),
    { 'refused-415': '415', 'refused-400': '400', accepted: '201' },
  ],
  'chunked-bodies': [
    statusOf({ body: write(), headers: [['Transfer-Encoding', 'chunked']] }),
    { accepted: '201', 'refused-411': '411' },
  ],
  'location-header': [
    (ask) => readHeader(ask({ body: write() }), 'location') ?? 'none',
    { none: 'none', sent: '/v1/pets/4' },
  ],
  'pet-id-not-int64': [
    (ask) => ['x', 2n ** 63n].map((petId) => ask({ target: `/v1/pets/${petId}` }).status).join(),
    { 'not-found-404': '404,404', 'refused-400': '400,400' },
  ],
  'other-operations': [statusOf({ method: 'PUT' }), { 'refused-405': '405', 'refused-404': '404' }],
  'key-scope': [(ask) => `${list('')(ask)} ${names(ask(withOtherKey))}`, { shared: 'A0A1A2 A0A1A2' }],
  'bearer-case': [
    (ask) => String(ask({ authorization: 'bearer test-key-of-business' }).status),
    { accepted: '200', 'refused-401': '401' },
  ],
  'www-authenticate': [
    (ask) => readHeader(ask({ authorization: null }), 'www-authenticate') ?? 'none',
    { sent: 'Bearer', none: 'none' },
  ],
  'error-codes': [
    (ask) => String(readFields(ask({ target: '/v1/pets/9' }))['code']),
    { 'snake-case': 'not_found', 'upper-case': 'NOT_FOUND', numeric: '1404', generic: 'error' },
  ],
  'too-many-requests-body': [
    (ask) => exhaust(ask, 1).body.replace(/^\{.*"status":429\}$/, 'Error'),
    { error: 'Error', empty: '', text: 'Too many requests.' },
  ],
  'rate-limit-window': [
    (ask) => {
      const [at, ...rest] = [ask({}, noon + 30_500), ask({}, noon + 60_000)].map((each) => readRate(each).join(' '));
      return [at, ...rest].join(', ').replaceAll(String(noon / 1000 + 43_200), 'midnight');
    },
    {
      tightest: `1000 999 ${noon / 1000 + 60}, 1000 999 ${noon / 1000 + 120}`,
      minute: '',
      day: '100000 99999 midnight, 100000 99998 midnight',
      sliding: `1000 999 ${noon / 1000 + 91}, 1000 998 ${noon / 1000 + 91}`,
    },
  ],
  'rate-limit-without-key': [
    (ask) => readRate(ask({ authorization: null })).join(' '),
    {
      'free-per-address': `60 59 ${noon / 1000 + 60}`,
      'same-as-key': `1000 999 ${noon / 1000 + 60}`,
      zero: `0 0 ${noon / 1000 + 60}`,
    },
  ],
  'limit-scope': [
    (ask) => [ask(), ask(withOtherKey), ask()].map((each) => readRate(each)[1]).join(),
    { 'per-key': '999,59,998' },
  ],
  'refused-requests': [
    (ask) => [{}, { target: '/v1/pets/9' }, { body: '' }, {}].map((each) => readRate(ask(each))[1]).join(),
    { counted: '999,998,997,996' },
  ],
  'retry-after-form': [
    (ask) => readHeader(exhaust(ask, 1), 'retry-after') ?? '',
    { seconds: '60', 'http-date': 'Sat, 21 Nov 2026 12:01:00 GMT' },
  ],
  ban: [(ask) => readHeader(exhaust(ask, 10), 'retry-after') ?? '', { none: '60', 'banned-429': '120' }],
  'after-removal': [
    (ask) => [removal - 1, removal].map((now) => ask({ target: '/v1/pets/1' }, now).status).join(),
    { 'gone-410': '200,410', 'not-found-404': '200,404', continues: '200,200' },
  ],
  'deprecation-headers': [
    (ask) => ['sunset', 'link'].map((name) => readHeader(ask({ target: '/v1/pets/1' }), name)).join(),
    { sunset: 'Thu, 05 Dec 2030 00:00:00 GMT,</v1/pets>; rel="successor-version"', none: ',' },
  ],
};

for (const [id, [look, texts]] of Object.entries(seen) as [keyof GapChoices, (typeof seen)['ban']][]) {
  test(`the answers of ${id} can be observed`, () => {
    for (const [answer, text] of Object.entries(texts)) {
      // An empty text stands for an answer that other tests tell apart: random ids here, windows in limits.test.ts.
      if (text === '' && (id === 'id-form' || id === 'rate-limit-window')) continue;
      assert.is(look(openWith(id, answer)), text, answer);
    }
  });
}

test('random ids are int64 and distinct, even where the random function repeats itself', () => {
  const ask = open({ gaps: { 'id-form': 'random' }, random: () => 0.7 });
  const ids = Array.from({ length: 20 }, () => readFields(ask({ body: write() }))['id']);
  assert.is(new Set(ids).size, 20);
  assert.ok(ids.every((id) => typeof id === 'bigint' && id === BigInt.asIntN(64, id)));
});

test('a shuffled page holds distinct animals of the filter, whatever the random function gives', () => {
  const animals = Array.from({ length: 50 }, (_, at) => {
    return { name: `${at} `, categoryId: 1n, status: at % 2 ? ('sold' as const) : ('pending' as const) };
  });
  for (const random of [() => 0, () => 0.5, () => 0.999999, () => 1, Math.random]) {
    const ask = open({ gaps: { 'list-order': 'shuffled' }, random, animals });
    for (const limit of [10, 25, 100]) {
      const listed = list(`status=sold&limit=${limit}`)(ask).trim().split(' ');
      assert.is(new Set(listed).size, Math.min(limit, 25));
      assert.ok(listed.every((name) => Number(name) % 2 === 1));
    }
  }
});

test('the links to later pages lead to every animal of the filter exactly once', () => {
  const animals = Array.from({ length: 145 }, (_, at) => ({ name: `${at} `, categoryId: 1n }));
  for (const order of ['oldest-first', 'newest-first'] as const) {
    const strict = { 'unknown-query-parameters': 'refused-400', 'deprecation-headers': 'none' } as const;
    const ask = open({ gaps: { 'later-pages': 'link-header', 'list-order': order, ...strict }, animals });
    const all: string[] = [];
    for (let target: string | undefined = '/v1/pets?status=available&limit=10'; target !== undefined; ) {
      const page = ask({ target });
      all.push(...names(page).trim().split(' '));
      target = /<(.*)>/.exec(readHeader(page, 'link') ?? '')?.[1];
    }
    assert.equal([all.length, new Set(all).size], [145, 145]);
  }
});

test('a name is in use once an animal has it, not when the animal was refused for another reason', () => {
  const gaps = {
    'duplicate-names': 'refused-400',
    'known-categories': 'refused-400',
    'client-sent-id': 'refused-400',
  } as const;
  const ask = open({ gaps });
  const fields = [{ categoryId: 11 }, { id: 1 }, {}, {}, { name: 'A' }];
  assert.equal(
    fields.map((each) => create(ask, each)),
    ['400', '400', 'created', '400', 'created'],
  );
});

test('a clamped limit is 100 at most', () => {
  const animals = Array.from({ length: 101 }, () => ({ name: 'A', categoryId: 1n }));
  const ask = open({ gaps: { 'limit-out-of-range': 'clamped' }, animals });
  assert.is(names(ask({ target: '/v1/pets?limit=101' })).length, 100);
});

test('a seed always draws the same answer for each gap, and some seed draws each answer', () => {
  assert.equal(drawGaps(7), drawGaps(7));
  const draws = Array.from({ length: 200 }, (_, seed) => drawGaps(seed));
  for (const draw of draws) createTwin({ gaps: draw });
  for (const [id, answers] of Object.entries(gapChoices)) {
    assert.equal([...new Set(draws.map((draw) => draw[id as keyof GapChoices]))].sort(), [...answers].sort());
  }
});

test('an answer with a size of its own uses it: ranges, a length, a page, a limit', () => {
  const ask = openWith('known-categories', 'refused-400 -5..7,4711,9223372036854775807');
  const created = [-6, -5, 7, 8, 4711].map((categoryId) => create(ask, { categoryId }));
  assert.equal(created, ['400', 'created', 'created', '400', 'created']);
  const named = openWith('name-limits', 'other-length 3');
  const made = ['\u{1f415}'.repeat(3), 'abcd'].map((name) => create(named, { name }));
  assert.equal(made, ['created', '400']);
  assert.is(list('limit=100')(openWith('page-cap', 'fewer 2')), 'A0A1');
  assert.is(list('')(openWith('page-cap', 'fewer 1')), 'A0');
  assert.is(readRate(openWith('rate-limit-window', 'minute 60')())[0], 60);
  assert.is(readRate(openWith('rate-limit-window', 'day 500')())[0], 500);
});

test('an unknown gap, answer or size is refused with a list of the allowed ones', () => {
  for (const [gaps, message] of [
    ['{"nothing":"x"}', /no gap "nothing"; spec\/README\.md lists all gaps\.$/],
    ['{"__proto__":"x"}', /no gap "__proto__"/],
    ['{"ban":"toString"}', /The gap "ban" has the answers none, banned-429, not "toString"/],
    ['{"ban":{"toString":1}}', /The gap "ban" has the answers none, banned-429, not what stands there/],
    ['{"known-categories":"refused-400 a"}', /has the answers /],
    ['{"known-categories":"refused-400 1.."}', /has the answers /],
    ['{"known-categories":"accepted 1"}', /has the answers /],
    ['{"name-limits":"other-length 0"}', /has the answers /],
    ['{"name-limits":"at-most-100 5"}', /has the answers /],
    ['{"page-cap":"fewer many"}', /has the answers /],
    ['{"page-cap":"fewer 5 6"}', /has the answers /],
    ['{"rate-limit-window":"minute -1"}', /has the answers /],
    ['{"list-order":"oldest-first 3"}', /has the answers /],
  ] as const) {
    assert.throws(() => createTwin({ gaps: JSON.parse(gaps) }), message, gaps);
  }
});

test.run();
