/** What listings show of strange parameters, of their order and of later pages, and when a page shows nothing. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OpenGapId } from '../../../../spec/gaps.ts';
import {
  accepted,
  animal,
  answer,
  lenient,
  listing,
  observe,
  type PartialExchange,
  pageOf,
  reading,
  without,
} from '../observer-evidence.ts';

const brought = (query: string, count: number, part: PartialExchange = {}): PartialExchange =>
  listing(query, answer(200, pageOf(count)), part);
/** Shows that the catalogue holds more than a page without limit does. */
const many = brought('?limit=100', 30);

/** For each question a query about it, and the statuses that refuse it. */
const strange: readonly (readonly [gap: OpenGapId, query: string, named: readonly number[]])[] = [
  ['limit-out-of-range', '?limit=0', [400, 404, 422]],
  ['limit-out-of-range', '?limit=-1&status=sold', [400, 404, 422]],
  ['limit-out-of-range', '?limit=101', [400, 404, 422]],
  ['limit-out-of-range', '?limit=999999999', [400, 404, 422]],
  ['limit-not-integer', '?limit=many', [400, 404, 422]],
  ['limit-not-integer', '?status=pending&limit=MANY', [400, 404, 422]],
  ['status-filter-unknown', '?status=lost', [400, 404, 422]],
  ['status-filter-unknown', '?limit=100&status=lost', [400, 404, 422]],
  ['status-filter-unknown', '?limit=1&status=lost', [400, 404, 422]],
  ['unknown-query-parameters', '?colour=brown', [400, 422]],
  ['unknown-query-parameters', '?limit=99&colour=brown', [400, 422]],
];

for (const [gap, query, named] of strange) {
  test(`${gap}: a refusal of ${query} is observed by its status`, () => {
    for (const status of [400, 404, 409, 422, 301]) {
      const expected = named.includes(status) ? `refused-${status}` : 'refused-otherwise';
      assert.is(observe(gap, [many, listing(query, answer(status))]), `${expected} #2`, String(status));
    }
    for (const status of [401, 500]) assert.is(observe(gap, [many, listing(query, answer(status))]), undefined);
    for (const credential of [without, lenient]) {
      assert.is(observe(gap, [many, listing(query, answer(400), { credential })]), undefined, credential.id);
    }
    assert.is(observe(gap, [many, { ...listing(query, answer(400)), operation: 'other' }]), undefined);
  });
}

/** Queries that do not show a gap, since they have another irregularity. */
const others: readonly (readonly [gap: OpenGapId, queries: readonly string[]])[] = [
  [
    'limit-out-of-range',
    [
      '',
      '?limit=1',
      '?limit=10',
      '?limit=99',
      '?limit=100',
      '?limit=many',
      '?limit=1.5',
      '?limit=007',
      '?limit=1234567890',
    ].concat(['?limit=0&limit=0', '?limit=0&colour=brown', '?limit=0&status=lost', '?limit=+0', '?limit=0x']),
  ],
  [
    'limit-not-integer',
    ['', '?limit=5', '?limit=5x', '?limit=', '?limit=x&limit=x', '?limit=x&a=b', '?limit=x&status=y'],
  ],
  [
    'status-filter-unknown',
    [
      '',
      '?status=sold',
      '?status=SOLD',
      '?status=',
      '?status=lo%20st',
      '?status=lost2',
      '?status=lost&status=lost',
    ].concat([
      '?status=lost&a=b',
      '?status=lost&limit=0',
      '?status=lost&limit=101',
      '?status=lost&limit=1000',
      '?status=lost&limit=01',
    ]),
  ],
  ['unknown-query-parameters', ['', '?limit=5', '?status=sold', '?a=b&status=sold', '?a=b&a=c', '?a=b&limit=0']],
];

for (const [gap, queries] of others) {
  test(`${gap} is not shown by ${queries.filter(Boolean).join(', ')}`, () => {
    for (const query of queries) assert.is(observe(gap, [many, listing(query, answer(422))]), undefined, query);
  });
}

test('the length of a page shows how a limit out of range was handled', () => {
  const gap = 'limit-out-of-range';
  const shown = (query: string, count: number, before = many) => observe(gap, [before, brought(query, count)]);
  assert.is(shown('?limit=0', 0), 'empty-page #2');
  assert.is(shown('?limit=0', 0, brought('', 0)), undefined);
  assert.is(shown('?limit=0', 1), 'clamped #2');
  assert.is(shown('?limit=0', 1, brought('', 1)), undefined);
  assert.is(shown('?limit=101', 1), undefined);
  assert.is(shown('?limit=0', 19), undefined);
  assert.is(shown('?limit=0', 20), 'ignored #2');
  assert.is(shown('?limit=0', 20, brought('', 20)), undefined);
  assert.is(shown('?limit=0', 21), 'largest-page #2');
  assert.is(shown('?limit=101', 20), 'ignored #2');
  assert.is(shown('?limit=101', 21), 'clamped #2');
  assert.is(shown('?limit=0&status=sold', 0), undefined);
});

test('only pages of allowed queries count as the longest page', () => {
  const asked = (query: string) => observe('limit-out-of-range', [brought(query, 30), brought('?limit=0', 20)]);
  assert.is(asked('?limit=50'), 'ignored #2');
  assert.is(asked('?limit=many'), undefined);
  const twice = [brought('?limit=50', 30), brought('', 3), brought('?limit=0', 20)];
  assert.is(observe('limit-out-of-range', twice), 'ignored #3');
});

test('the length of a page shows how a limit that is no integer was handled', () => {
  const shown = (count: number, before = many, query = '?limit=x') =>
    observe('limit-not-integer', [before, brought(query, count)]);
  assert.is(shown(0), 'empty-page #2');
  assert.is(shown(0, brought('', 0)), undefined);
  assert.is(shown(1), undefined);
  assert.is(shown(20), 'ignored #2');
  assert.is(shown(20, brought('', 20)), undefined);
  assert.is(shown(21), 'largest-page #2');
  assert.is(shown(21, many, '?limit=x&status=sold'), undefined);
});

test('an unknown value matches nothing or is ignored, where there are animals', () => {
  for (const [gap, query] of [
    ['status-filter-unknown', '?status=lost'],
    ['unknown-query-parameters', '?colour=brown'],
  ] as const) {
    assert.is(observe(gap, [many, brought(query, 0)]), 'empty-page #2');
    assert.is(observe(gap, [brought('', 0), brought(query, 0)]), undefined);
    assert.is(observe(gap, [brought('', 0), brought(query, 1)]), 'ignored #2');
    assert.is(observe(gap, [many, listing(query, answer(200, '{}'))]), undefined);
  }
});

/** Animals of this run, created in the order of these ids, and pages that show them. */
const inOrder = (
  ids: readonly number[],
  ...pages: readonly (readonly (number | string)[])[]
): readonly PartialExchange[] => [
  ...ids.map((id) => accepted(id)),
  ...pages.map((page, at) => listing(`?limit=${50 + at}`, answer(200, `[${page.map((id) => animal(id)).join(',')}]`))),
];
const five = [1, 2, 3, 4, 5];
const order = (ids: readonly number[], ...pages: Parameters<typeof inOrder>[1][]) =>
  observe('list-order', inOrder(ids, ...pages));

test('animals are listed in the order of creation, in reverse, or in another order', () => {
  assert.is(order(five, five), 'oldest-first #6');
  assert.is(order(five, [5, 4, 3, 2, 1]), 'newest-first #6');
  assert.is(order([3, 1, 4, 5, 2], five), 'by-id #6');
  assert.is(order([5, 4, 3, 2, 1], five), 'newest-first #6');
  assert.is(order(five, [2, 1, 3, 5, 4]), 'by-name #6');
  assert.is(order(five, five, [1, 2, 4, 3, 5]), 'shuffled #7');
  assert.is(order(five, five, [5]), 'oldest-first #6');
  assert.is(order(five, [5], five), 'oldest-first #7');
});

test('an order takes four neighbouring pairs', () => {
  assert.is(order(five, [1, 2, 3, 4]), undefined);
  assert.is(order(five, [1, 2, 3], [3, 4, 5]), 'oldest-first #6');
  assert.is(order(five, [9, 1, 2, 3, 4]), undefined);
  assert.is(order(five), undefined);
  const atOnce = inOrder(five, five).map((part, at) => (at < 5 ? { ...part, sent: 1, answered: 10 } : part));
  assert.is(observe('list-order', atOnce), undefined);
});

test('pages of a lenient credential do not count for the order', () => {
  const [odd, ...rest] = inOrder(five, [2, 1], five).toReversed();
  assert.is(observe('list-order', [...rest.toReversed(), odd!]), 'shuffled #7');
  assert.is(observe('list-order', [...rest.toReversed(), { ...odd!, credential: lenient }]), undefined);
});

test('an order of three long pages that is neither by id nor by name is another', () => {
  const named = (id: number, name: string) => animal(id, { name });
  const page = (...animals: readonly string[]) => listing('?limit=50', answer(200, `[3,${animals.join(',')}]`));
  const creations = five.map((id) => accepted(id));
  const shown = page(named(2, 'a'), named(1, 'b'), named(3, 'b'), named(5, 'c'), named(4, 'd'));
  assert.is(observe('list-order', [...creations, shown]), 'by-name #6');
  const mixed = page(named(2, 'a'), named(1, 'b'), named(3, 'a'), named(5, 'c'), named(4, 'd'));
  assert.is(observe('list-order', [...creations, mixed, mixed]), undefined);
  assert.is(observe('list-order', [...creations, mixed, mixed, mixed]), 'another #6');
  // Pages that share one animal agree in any order.
  const next = page(named(4, 'd'), named(17, 'z'), named(16, 'a'), named(18, 'b'), named(19, 'c'));
  const last = page(named(19, 'c'), named(27, 'z'), named(26, 'a'), named(28, 'b'), named(29, 'c'));
  assert.is(observe('list-order', [...creations, mixed, next, last]), undefined);
});

/** Three animals are known; then a full page with these headers. */
const full = (query: string, headers: Readonly<Record<string, string>> = {}, count = 2): readonly PartialExchange[] => [
  brought('?limit=100', 3),
  listing(query, answer(200, pageOf(count), headers)),
];

test('a full page links to the next in Link, in another header, or not at all', () => {
  const gap = 'later-pages';
  assert.is(observe(gap, full('?limit=2')), 'none #2');
  for (const rel of ['"next"', 'next', '"first next"', '"NEXT"']) {
    assert.is(observe(gap, full('?limit=2', { link: `</v1/pets?after=2>; rel=${rel}` })), 'link-header #2', rel);
  }
  for (const rel of ['"prev"', '"nextish"', '"prev-next"']) {
    assert.is(observe(gap, full('?limit=2', { link: `</x>; rel=${rel}` })), 'none #2', rel);
  }
  for (const name of ['x-next-page', 'x-cursor', 'continuation-token']) {
    assert.is(observe(gap, full('?limit=2', { [name]: 'x' })), 'other-header #2', name);
  }
});

test('a page that may be the last shows nothing', () => {
  const gap = 'later-pages';
  assert.is(observe(gap, full('?limit=3', {}, 2)), undefined);
  assert.is(observe(gap, full('?limit=3', {}, 3)), undefined);
  assert.is(observe(gap, full('?limit=2&status=sold')), undefined);
  assert.is(observe(gap, full('?limit=2&a=b')), undefined);
  assert.is(observe(gap, [full('?limit=2')[1]!]), undefined);
  const sold = `[${[1, 2, 3].map((id) => animal(id, { status: 'sold' })).join(',')}]`;
  const known = listing('?limit=100', answer(200, sold));
  assert.is(observe(gap, [known, brought('?limit=2&status=sold', 2)]), 'none #2');
  assert.is(observe(gap, [known, reading(1, answer(200, animal(1)))]), undefined);
});

test.run();
