/** Answers to gaps, as far as the kit does not observe them in the self-test: edges, sizes, combinations. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { GapChoices, GapId } from '../../spec/gaps.ts';
import { createTwin } from '../twin/gaps.ts';
import { key, noon, open, readFields, readHeader, readRate, write } from './client.ts';

type AskStore = ReturnType<typeof open>;

const otherKey = 'test-key-of-free';
const keys = [
  { key, plan: 'business' },
  { key: otherKey, plan: 'free' },
] as const;

/** A store with three animals. */
function openWith(gap: GapId, answer: string, others: Partial<GapChoices> = {}): AskStore {
  const animals = ['A0', 'A1', 'A2'].map((name) => ({ name, categoryId: 1n }));
  return open({ keys, gaps: { ...others, [gap]: answer }, animals });
}

/** What a page shows: its names, or a status. */
function listed(ask: AskStore, query: string): string {
  const { status, body } = ask({ target: `/v1/pets?${query}` });
  return status === 200 ? (JSON.parse(body) as { name: string }[]).map(({ name }) => name).join('') : String(status);
}
const creates =
  (...bodies: readonly (Record<string, unknown> | string)[]) =>
  (ask: AskStore) =>
    bodies.map((body) => ask({ body: typeof body === 'string' ? body : write(body) }).status).join();
const lists =
  (...queries: readonly string[]) =>
  (ask: AskStore) =>
    queries.map((query) => listed(ask, query)).join();

const dogs = [50, 100, 101, 200, 201, 255, 256].map((count) => ({ name: '\u{1f415}'.repeat(count) }));
const odd = ['', '\u200b \u0000', 'A-1'.repeat(10), 'A'.repeat(31)].map((name) => ({ name }));
const decimals = ['1.0', '1e0', '10E-1', '1'].map((number) => `{"name":"B","categoryId":${number}}`);
const kept = '{"id":1,"name":"B","categoryId":1,"x":1.50,"__proto__":[1e400,-0]}';

/** Gap → what is sent, and what each answer shows. */
const seen: { readonly [Id in keyof GapChoices]?: readonly [(ask: AskStore) => string, Record<string, string>] } = {
  'known-categories': [
    creates({ categoryId: 0 }, { categoryId: 1 }, { categoryId: 10 }, { categoryId: 11 }),
    { accepted: '201,201,201,201', 'refused-400': '400,201,201,400' },
  ],
  'name-limits': [
    creates(...odd, ...dogs),
    {
      any: '201,201,201,201,201,201,201,201,201,201,201',
      'at-most-100': '201,201,201,201,201,201,400,400,400,400,400',
      'plain-only': '400,400,201,400,400,400,400,400,400,400,400',
      'not-empty': '400,400,201,201,201,201,201,201,201,201,201',
      'at-most-255': '201,201,201,201,201,201,201,201,201,201,400',
      'other-length': '201,201,201,201,201,201,201,201,400,400,400',
      'other-length 50': '201,201,201,201,201,400,400,400,400,400,400',
    },
  ],
  'duplicate-names': [creates({ name: 'A0' }, { name: 'B' }, { name: 'B' }), { 'refused-400': '400,201,400' }],
  'limit-out-of-range': [
    lists('limit=0', 'limit=101', 'limit=-99999999999999999999'),
    { 'refused-422': '422,422,422', clamped: 'A0,A0A1A2,A0', ignored: 'A0A1A2,A0A1A2,A0A1A2' },
  ],
  'limit-not-integer': [
    lists('limit=x', 'limit=', 'limit=1.0', 'limit=1e0', 'limit=%2B1'),
    { 'refused-422': '422,422,422,422,422', ignored: 'A0A1A2,A0A1A2,A0A1A2,A0A1A2,A0A1A2' },
  ],
  'page-cap': [lists('limit=100', 'limit=1', ''), { fewer: 'A0A1A2,A0,A0A1A2', 'fewer 2': 'A0A1,A0,A0A1' }],
  'extra-body-fields': [
    (ask) => ask({ body: kept }).body.replace(/^\{.*"status":400\}$/, '400'),
    {
      ignored: '{"id":4,"name":"B","categoryId":1,"status":"available"}',
      kept: '{"id":4,"name":"B","categoryId":1,"status":"available","x":1.50,"__proto__":[1e400,-0]}',
      'refused-400': '400',
    },
  ],
  'integer-written-as-decimal': [creates(...decimals), { 'refused-400': '400,400,400,201' }],
  'rate-limit-window': [
    // The day of the key with 60 requests a minute has fewer left in the seventeenth.
    (ask) => {
      for (let sent = 0; sent < 950; sent += 1)
        ask({ authorization: `Bearer ${otherKey}` }, noon + Math.floor(sent / 50) * 60_000);
      const late = noon + 20 * 60_000;
      return `${readRate(ask({ authorization: `Bearer ${otherKey}` }, late))[0]} ${readRate(ask({}, late))[0]}`;
    },
    { tightest: '1000 1000', minute: '60 1000', day: '1000 100000', 'minute 70': '70 70', 'day 1500': '1500 1500' },
  ],
  'rate-limit-without-key': [
    (ask) =>
      readRate(ask({ authorization: null }))
        .slice(0, 2)
        .join(' '),
    { 'free-per-address': '60 59', 'same-as-key': '1000 999', zero: '0 0' },
  ],
};

for (const [gap, [look, texts]] of Object.entries(seen) as [keyof GapChoices, NonNullable<(typeof seen)['cors']>][]) {
  test(`the answers to ${gap} hold at their edges`, () => {
    for (const [answer, text] of Object.entries(texts)) assert.is(look(openWith(gap, answer)), text, answer);
  });
}

test('the links to later pages lead to every animal of the filter exactly once, other answers chosen or not', () => {
  const animals = Array.from({ length: 150 }, (_, at) => ({ name: `${at} `, categoryId: 1n }));
  for (const order of ['oldest-first', 'newest-first'] as const) {
    const strict = { 'unknown-query-parameters': 'refused-400', 'deprecation-headers': 'none' } as const;
    const ask = open({ gaps: { 'later-pages': 'link-header', 'list-order': order, ...strict }, animals });
    const all: string[] = [];
    for (let query: string | undefined = 'status=available&limit=10'; query !== undefined; ) {
      all.push(...listed(ask, query).trim().split(' '));
      query = /<\/v1\/pets\?(.*)>/.exec(readHeader(ask({ target: `/v1/pets?${query}` }), 'link') ?? '')?.[1];
    }
    assert.equal([all.length, new Set(all).size], [150, 150]);
  }
});

test('ids drawn at random are distinct, and a shuffled page holds distinct animals, whatever the random function gives', () => {
  for (const random of [() => 0, () => 0.7, () => 1, Math.random]) {
    const ask = open({ gaps: { 'id-form': 'random', 'list-order': 'shuffled' }, random });
    const ids = Array.from({ length: 20 }, () => readFields(ask({ body: write() }))['id']);
    assert.ok(ids.every((id) => typeof id === 'bigint' && id === BigInt.asIntN(64, id)));
    const page = ask({ target: '/v1/pets?limit=100&status=available' }).body.match(/-?\d+(?=,"name")/g);
    assert.equal([page?.length, new Set(ids).size], [20, 20]);
    assert.equal(new Set(page), new Set(ids.map(String)));
  }
});

test('a name is in use once an animal has it, not when the animal was refused for another reason', () => {
  const others = { 'known-categories': 'refused-400', 'client-sent-id': 'refused-400' } as const;
  const look = creates({ name: 'B', categoryId: 11 }, { name: 'B', id: 1 }, { name: 'B' }, { name: 'B' });
  assert.is(look(openWith('duplicate-names', 'refused-400', others)), '400,400,201,400');
});

test('an unknown gap, answer or size is refused with a list of the allowed ones', () => {
  for (const [gaps, message] of [
    ['{"nothing":"x"}', 'The gap "nothing" has the answers none, not "x"; spec/README.md lists all gaps.'],
    ['{"__proto__":"x"}', 'The gap "__proto__" has the answers none'],
    ['{"store-orders":"x"}', 'The gap "store-orders" has the answers none'],
    ['{"list-order":"toString"}', '"list-order" has the answers oldest-first, newest-first, shuffled, not "toString"'],
    ['{"ban":{"toString":1}}', 'The gap "ban" has the answers none, not ""'],
    ...['other-length 0', 'at-most-100 5', 'other-length 5 6', 'other-length x', ' any'].map(
      (answer) => [`{"name-limits":"${answer}"}`, `not "${answer}"`] as const,
    ),
  ] as const)
    assert.throws(
      () => createTwin({ gaps: JSON.parse(gaps) }),
      (error: Error) => error.message.includes(message),
      gaps,
    );
});

test.run();
