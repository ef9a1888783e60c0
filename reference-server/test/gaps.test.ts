/** Every answer of every gap can be observed from outside. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { GapChoices, GapId, ReferenceAnswers } from '../../spec/gaps.ts';
import { seededRandom } from '../../spec/random.ts';
import type { StoreResponse } from '../index.ts';
import { createTwin, gapChoices } from '../twin/gaps.ts';
import { key, noon, open, type Question, readFields, readHeader, readRate, write } from './client.ts';

type AskStore = ReturnType<typeof open>;

const otherKey = 'test-key-of-free';
const removal = Date.UTC(2030, 11, 5);
const keys = [
  { key, plan: 'business' },
  { key: otherKey, plan: 'free' },
] as const;

/** A store with three animals of the three statuses. */
function openWith(gap: GapId, answer: string, others: Partial<GapChoices> = {}): AskStore {
  const animals = (['available', 'pending', 'sold'] as const).map((status, at) => {
    return { name: `A${at}`, categoryId: 1n, status };
  });
  return open({ keys, gaps: { ...others, [gap]: answer }, animals, random: seededRandom(1) });
}

/** What an answer shows: the names of a page, or a status. */
const names = (response: StoreResponse): string =>
  response.status === 200
    ? (JSON.parse(response.body) as { name: string }[]).map(({ name }) => name).join('')
    : String(response.status);
const listed = (ask: AskStore, query: string): string => names(ask({ target: `/v1/pets?${query}` }));
const lists =
  (...queries: readonly string[]) =>
  (ask: AskStore) =>
    queries.map((query) => listed(ask, query)).join();
const creates =
  (...bodies: readonly Record<string, unknown>[]) =>
  (ask: AskStore) =>
    bodies.map((fields) => ask({ body: write(fields) }).status).join();
const statuses =
  (...questions: readonly Question[]) =>
  (ask: AskStore) =>
    questions.map((question) => ask(question).status).join();
const header =
  (name: string, question: Question = {}) =>
  (ask: AskStore) =>
    readHeader(ask(question), name) ?? 'none';
const created = (field: string) => (ask: AskStore) => String(readFields(ask({ body: write() }))[field] ?? 'none');

/** The last answer to 1,001 requests at once. */
function exhausted(ask: AskStore): StoreResponse {
  for (let sent = 0; sent < 1_000; sent += 1) ask();
  return ask();
}

const dogs = [50, 100, 101, 200, 201, 255, 256].map((count) => '\u{1f415}'.repeat(count));
const someNames = ['', '\u200b \u0000', 'A-1'.repeat(10), 'A'.repeat(31), ...dogs].map((name) => ({ name }));

/** Each answer as observed: a text that differs from that of every other answer of its gap. */
const seen: {
  readonly [Id in keyof GapChoices]?: readonly [(ask: AskStore) => string, Record<ReferenceAnswers[Id], string>];
} = {
  cors: [header('access-control-allow-origin'), { none: 'none', 'any-origin': '*' }],
  'known-categories': [
    creates({ categoryId: 0 }, { categoryId: 1 }, { categoryId: 10 }, { categoryId: 11 }),
    { accepted: '201,201,201,201', 'refused-400': '400,201,201,400' },
  ],
  'name-limits': [
    creates(...someNames),
    {
      any: '201,201,201,201,201,201,201,201,201,201,201',
      'at-most-100': '201,201,201,201,201,201,400,400,400,400,400',
      'plain-only': '400,400,201,400,400,400,400,400,400,400,400',
      'not-empty': '400,400,201,201,201,201,201,201,201,201,201',
      'at-most-255': '201,201,201,201,201,201,201,201,201,201,400',
      'other-length': '201,201,201,201,201,201,201,201,400,400,400',
    },
  ],
  'duplicate-names': [
    creates({ name: 'A0' }, { name: 'B' }, { name: 'B' }),
    { accepted: '201,201,201', 'refused-400': '400,201,400' },
  ],
  'status-omitted': [created('status'), { available: 'available', pending: 'pending', sold: 'sold', absent: 'none' }],
  'id-form': [
    created('id'),
    { sequential: '4', random: '7909715377530077184', large: '9223372036854775804', negative: '-4' },
  ],
  'extra-response-fields': [
    (ask) => String('kind' in readFields(ask({ body: write() })) && 'kind' in readFields(ask({ body: '' }))),
    { none: 'false', extra: 'true' },
  ],
  'limit-out-of-range': [
    lists('limit=0', 'limit=101', 'limit=-99999999999999999999'),
    {
      'refused-400': '400,400,400',
      'refused-422': '422,422,422',
      clamped: 'A0,A0A1A2,A0',
      ignored: 'A0A1A2,A0A1A2,A0A1A2',
    },
  ],
  'limit-not-integer': [
    lists('limit=x', 'limit=', 'limit=1.0', 'limit=1e0', 'limit=%2B1'),
    {
      'refused-400': '400,400,400,400,400',
      'refused-422': '422,422,422,422,422',
      ignored: 'A0A1A2,A0A1A2,A0A1A2,A0A1A2,A0A1A2',
    },
  ],
  'status-filter-unknown': [
    lists('status=Sold'),
    { 'refused-400': '400', 'refused-422': '422', ignored: 'A0A1A2', 'empty-page': '' },
  ],
  'unknown-query-parameters': [lists('x=1', 'after=1'), { ignored: 'A0A1A2,A0A1A2', 'refused-400': '400,A0A1A2' }],
  'list-order': [lists(''), { 'oldest-first': 'A0A1A2', 'newest-first': 'A2A1A0', shuffled: 'A1A2A0' }],
  'page-cap': [
    (ask) => {
      for (let at = 0; at < 8; at += 1) ask({ body: write({ name: 'B' }) });
      return [listed(ask, 'limit=100'), listed(ask, ''), listed(ask, 'limit=2')].map((page) => page.length).join();
    },
    { 'as-asked': '14,14,4', fewer: '13,13,4' },
  ],
  'later-pages': [
    header('link', { target: '/v1/pets?limit=2' }),
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
  'client-sent-id': [creates({ id: 1 }), { ignored: '201', 'refused-400': '400' }],
  'integer-written-as-decimal': [
    statuses(...['1.0', '1e0', '10E-1', '1'].map((number) => ({ body: `{"name":"B","categoryId":${number}}` }))),
    { accepted: '201,201,201,201', 'refused-400': '400,400,400,201' },
  ],
  'other-media-type': [
    statuses({ body: write(), mediaType: 'text/json' }),
    { 'refused-415': '415', 'refused-400': '400', accepted: '201' },
  ],
  'chunked-bodies': [
    statuses({ body: write(), headers: [['Transfer-Encoding', 'chunked']] }, { body: write() }),
    { accepted: '201,201', 'refused-411': '411,201' },
  ],
  'location-header': [header('location', { body: write() }), { none: 'none', sent: '/v1/pets/4' }],
  'pet-id-not-int64': [
    statuses({ target: '/v1/pets/x' }, { target: `/v1/pets/${2n ** 63n}` }, { target: '/v1/pets/9' }),
    { 'not-found-404': '404,404,404', 'refused-400': '400,400,404' },
  ],
  'other-operations': [statuses({ method: 'PUT' }), { 'refused-405': '405', 'refused-404': '404' }],
  'bearer-case': [statuses({ authorization: `bearer ${key}` }), { accepted: '200', 'refused-401': '401' }],
  'www-authenticate': [header('www-authenticate', { authorization: null }), { sent: 'Bearer', none: 'none' }],
  'error-codes': [
    (ask) => String(readFields(ask({ target: '/v1/pets/9' }))['code']),
    { 'snake-case': 'not_found', 'upper-case': 'NOT_FOUND', numeric: '1404', generic: 'error' },
  ],
  'too-many-requests-body': [
    (ask) => exhausted(ask).body.replace(/^\{.*"status":429\}$/, 'Error'),
    { error: 'Error', empty: '', text: 'Too many requests.' },
  ],
  'rate-limit-window': [
    // The day of the key with 60 requests a minute has fewer left in the seventeenth.
    (ask) => {
      for (let sent = 0; sent < 950; sent += 1)
        ask({ authorization: `Bearer ${otherKey}` }, noon + Math.floor(sent / 50) * 60_000);
      const late = noon + 20 * 60_000;
      return String(readRate(ask({ authorization: `Bearer ${otherKey}` }, late))[0]) + readRate(ask({}, late))[0];
    },
    { tightest: '10001000', minute: '601000', day: '1000100000' },
  ],
  'rate-limit-without-key': [
    (ask) => readRate(ask({ authorization: null })).join(' '),
    {
      'free-per-address': `60 59 ${noon / 1000 + 60}`,
      'same-as-key': `1000 999 ${noon / 1000 + 60}`,
      zero: `0 0 ${noon / 1000 + 60}`,
    },
  ],
  'retry-after-form': [
    (ask) => readHeader(exhausted(ask), 'retry-after') ?? '',
    { seconds: '60', 'http-date': 'Sat, 21 Nov 2026 12:01:00 GMT' },
  ],
  'after-removal': [
    (ask) => [removal - 1, removal].map((now) => ask({ target: '/v1/pets/1' }, now).status).join(),
    { 'gone-410': '200,410', 'not-found-404': '200,404', continues: '200,200' },
  ],
  'deprecation-headers': [
    (ask) => ['sunset', 'link'].map((name) => readHeader(ask({ target: '/v1/pets/1' }), name)).join(),
    { sunset: 'Thu, 05 Dec 2030 00:00:00 GMT,</v1/pets>; rel="successor-version"', none: ',' },
  ],
};

test('every gap with more than one answer is among them', () => {
  const open = Object.keys(gapChoices).filter((gap) => gapChoices[gap]!.length > 1);
  assert.equal(Object.keys(seen).sort(), open.sort());
});

for (const [gap, [look, texts]] of Object.entries(seen) as [keyof GapChoices, NonNullable<(typeof seen)['cors']>][]) {
  test(`the answers of ${gap} can be observed`, () => {
    for (const [answer, text] of Object.entries(texts)) assert.is(look(openWith(gap, answer)), text, answer);
  });
}

test('the links to later pages lead to every animal of the filter exactly once, other answers chosen or not', () => {
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

test('ids drawn at random are distinct, and a shuffled page holds distinct animals, whatever the random function gives', () => {
  for (const random of [() => 0, () => 0.7, () => 1, Math.random]) {
    const ask = open({ gaps: { 'id-form': 'random', 'list-order': 'shuffled' }, random });
    const ids = Array.from({ length: 20 }, () => readFields(ask({ body: write() }))['id']);
    assert.ok(ids.every((id) => typeof id === 'bigint' && id === BigInt.asIntN(64, id)));
    const page = ask({ target: '/v1/pets?limit=100&status=available' }).body.match(/-?\d+(?=,"name")/g);
    assert.equal(new Set(page), new Set(ids.map(String)));
  }
});

test('a name is in use once an animal has it, not when the animal was refused for another reason', () => {
  const others = { 'known-categories': 'refused-400', 'client-sent-id': 'refused-400' } as const;
  const look = creates({ name: 'B', categoryId: 11 }, { name: 'B', id: 1 }, { name: 'B' }, { name: 'B' });
  assert.is(look(openWith('duplicate-names', 'refused-400', others)), '400,400,201,400');
});

test('an answer with a size of its own uses it: a length, a page, a limit', () => {
  const look = creates({ name: '\u{1f415}'.repeat(3) }, { name: 'abcd' });
  assert.is(look(openWith('name-limits', 'other-length 3')), '201,400');
  assert.is(listed(openWith('page-cap', 'fewer 2'), 'limit=100'), 'A0A1');
  for (const [answer, limit] of [
    ['tightest 7', 7],
    ['minute 60', 60],
    ['day 500', 500],
  ] as const)
    assert.is(readRate(openWith('rate-limit-window', answer)())[0], limit);
});

test('an unknown gap, answer or size is refused with a list of the allowed ones', () => {
  for (const [gaps, message] of [
    ['{"nothing":"x"}', 'The gap "nothing" has no answers; spec/README.md lists all gaps.'],
    ['{"__proto__":"x"}', 'The gap "__proto__" has no answers'],
    ['{"store-orders":"x"}', 'The gap "store-orders" has no answers'],
    [
      '{"list-order":"toString"}',
      'The gap "list-order" has the answers oldest-first, newest-first, shuffled, not "toS',
    ],
    ['{"ban":{"toString":1}}', 'The gap "ban" has the answers none, not ""'],
    ...['other-length 0', 'at-most-100 5', 'other-length 5 6', 'other-length x', ' any'].map((answer) => [
      `{"name-limits":"${answer}"}`,
      `not "${answer}"`,
    ]),
  ] as const) {
    assert.throws(
      () => createTwin({ gaps: JSON.parse(gaps!) }),
      (error: Error) => error.message.includes(message!),
      gaps,
    );
  }
});

test.run();
