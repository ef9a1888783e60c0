/** Answers to gaps, as far as the kit does not observe them in the self-test: edges, sizes, combinations. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { GapChoices, OpenGapId } from '../../spec/gaps.ts';
import { createTwin } from '../twin/gaps.ts';
import { key, noon, open, readFields, readHeader, readRate, write } from './client.ts';

type AskStore = ReturnType<typeof open>;

const otherKey = 'test-key-of-free';
const keys = [{ key, plan: 'business' } as const, { key: otherKey, plan: 'free' } as const];

/** What a page shows: its names, or a status. */
function listed(ask: AskStore, query: string): string {
  const { status, body } = ask({ target: `/v1/pets?${query}` });
  return status === 200 ? (JSON.parse(body) as { name: string }[]).map(({ name }) => name).join('') : String(status);
}
const lists =
  (...queries: readonly string[]) =>
  (ask: AskStore) =>
    queries.map((query) => listed(ask, query)).join();
const reads =
  (...petIds: readonly string[]) =>
  (ask: AskStore) =>
    petIds.map((petId) => ask({ target: `/v1/pets/${petId}` }).status).join();
/** For each body, whether it is accepted: + or -. */
const creates =
  (...bodies: readonly (Record<string, unknown> | string)[]) =>
  (ask: AskStore) =>
    bodies
      .map((body) => (ask({ body: typeof body === 'string' ? body : write(body) }).status === 201 ? '+' : '-'))
      .join('');

const dogs = [50, 100, 101, 200, 201, 255, 256].map((count) => ({ name: '\u{1f415}'.repeat(count) }));
const names = creates(...['', '\u200b \u0000', 'A-1'.repeat(10), 'A'.repeat(31)].map((name) => ({ name })), ...dogs);
const beyond = lists('limit=0', 'limit=101', 'limit=-99999999999999999999');
const pages = lists('limit=100', 'limit=1', '');
const keep = (ask: AskStore) =>
  ask({ body: '{"id":1,"name":"B","categoryId":1,"x":1.50,"__proto__":[1e400,-0]}' }).body;
const kept = '{"id":4,"name":"B","categoryId":1,"status":"available","x":1.50,"__proto__":[1e400,-0]}';
const decimals = creates(...['1.0', '1e0', '10E-1', '1'].map((number) => `{"name":"B","categoryId":${number}}`));
/** The day of the Free key has fewer requests left than its minute, so the tighter window would be the day. */
const windows = (ask: AskStore) => {
  const free = { authorization: `Bearer ${otherKey}` };
  for (let sent = 0; sent < 950; sent += 1) ask(free, noon + Math.floor(sent / 50) * 60_000);
  return [free, {}].map((question) => readRate(ask(question, noon + 20 * 60_000))[0]).join();
};

/** Gap, answer, what is asked of a store with three animals, and what is seen. */
const seen: readonly {
  [Gap in OpenGapId]: readonly [Gap, answer: GapChoices[Gap], look: (ask: AskStore) => string, seen: string];
}[OpenGapId][] = [
  ['known-categories', 'refused-400', creates(...[0, 1, 10, 11].map((categoryId) => ({ categoryId }))), '-++-'],
  ['name-limits', 'at-most-100', names, '++++++-----'],
  ['name-limits', 'plain-only', names, '--+--------'],
  ['name-limits', 'not-empty', names, '--+++++++++'],
  ['name-limits', 'at-most-255', names, '++++++++++-'],
  ['name-limits', 'other-length', names, '++++++++---'],
  ['limit-out-of-range', 'clamped', beyond, 'A0,A0A1A2,A0'],
  ['limit-out-of-range', 'ignored', beyond, 'A0A1A2,A0A1A2,A0A1A2'],
  ['page-cap', 'fewer', pages, 'A0A1A2,A0,A0A1A2'],
  ['page-cap', 'fewer 2', pages, 'A0A1,A0,A0A1'],
  ['extra-body-fields', 'kept', keep, kept],
  ['pet-id-not-int64', 'refused-400', reads('9223372036854775808', '-9223372036854775808', 'x'), '400,404,400'],
  ['integer-written-as-decimal', 'refused-400', decimals, '---+'],
  ['rate-limit-window', 'minute', windows, '60,1000'],
  ['rate-limit-window', 'day', windows, '1000,100000'],
  ['rate-limit-window', 'minute 70', windows, '70,70'],
  ['rate-limit-window', 'day 1500', windows, '1500,1500'],
];

const animals = ['A0', 'A1', 'A2'].map((name) => ({ name, categoryId: 1n }));

for (const [gap, answer, look, shown] of seen) {
  test(`${gap}=${answer} holds at its edges`, () => {
    assert.is(look(open({ keys, gaps: { [gap]: answer }, animals })), shown);
  });
}

test('the links to later pages lead to every animal of the filter exactly once, other answers chosen or not', () => {
  const many = Array.from({ length: 150 }, (_, at) => ({ name: `${at} `, categoryId: 1n }));
  for (const order of ['oldest-first', 'newest-first'] as const) {
    const strict = { 'unknown-query-parameters': 'refused-400', 'deprecation-headers': 'none' } as const;
    const ask = open({ gaps: { 'later-pages': 'link-header', 'list-order': order, ...strict }, animals: many });
    const all: string[] = [];
    for (let query: string | undefined = 'status=available&limit=10'; query !== undefined; ) {
      all.push(...listed(ask, query).trim().split(' '));
      query = /<\/v1\/pets\?(.*)>/.exec(readHeader(ask({ target: `/v1/pets?${query}` }), 'link') ?? '')?.[1];
    }
    assert.equal([all.length, new Set(all).size], [150, 150]);
  }
});

test('ids drawn at random are distinct, and a shuffled page holds distinct animals, whatever the random function gives', () => {
  for (const random of [() => 0, () => 1, Math.random]) {
    const ask = open({ gaps: { 'id-form': 'random', 'list-order': 'shuffled' }, random });
    const ids = Array.from({ length: 20 }, () => readFields(ask({ body: write() }))['id']);
    assert.ok(ids.every((id) => typeof id === 'bigint' && id === BigInt.asIntN(64, id)));
    const page = ask({ target: '/v1/pets?limit=100&status=available' }).body.match(/-?\d+(?=,"name")/g);
    assert.equal([page?.length, new Set(page)], [20, new Set(ids.map(String))]);
  }
});

test('a name is in use once an animal has it, not when the animal was refused for another reason', () => {
  const others: Partial<GapChoices> = { 'known-categories': 'refused-400', 'client-sent-id': 'refused-400' };
  const ask = open({ gaps: { 'duplicate-names': 'refused-400', ...others }, animals });
  const refused = [{ name: 'A0' }, { name: 'B', categoryId: 11 }, { name: 'B', id: 1 }];
  assert.is(creates(...refused, { name: 'B' }, { name: 'B' })(ask), '---+-');
});

test('an unknown gap, answer or size is refused with a list of the allowed ones', () => {
  for (const [gaps, message] of [
    ['{"nothing":"x"}', 'There is no gap "nothing". spec/README.md lists all gaps.'],
    ['{"list-oder":"x"}', 'There is no gap "list-oder". Did you mean list-order? spec/README.md lists all gaps.'],
    ['{"__proto__":"x"}', 'There is no gap "__proto__".'],
    [
      '{"list-order":"toString"}',
      'gap list-order has the answers oldest-first, newest-first, shuffled, not "toString".',
    ],
    ['{"list-order":"newest"}', 'not "newest".'],
    ['{"list-order":{"toString":1}}', 'not "".'],
    ['{"status-transitions":"x"}', 'The gap status-transitions has no answer to choose: No operation that changes'],
    ...['fewer 0', 'as-asked 5', 'fewer 5 6', 'fewer x', ' fewer'].map(
      (answer) => [`{"page-cap":"${answer}"}`, `not "${answer}"`] as const,
    ),
  ] as const) {
    const isRight = (error: Error) => error.message.includes(message);
    assert.throws(() => createTwin({ gaps: JSON.parse(gaps) }), isRight, gaps);
  }
});

test.run();
