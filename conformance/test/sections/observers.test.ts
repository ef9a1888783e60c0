/** What each observer reads from exchanges made by hand, and what it does not. §5, §7 and §8 have tests of their own. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { gapChoices } from '../../../reference-server/twin/gaps.ts';
import { removalOfGetPet } from '../../../spec/facts.ts';
import type { OpenGapId } from '../../../spec/gaps.ts';
import { misreadIn, runInProcess, trialSettings } from '../../proof/trial.ts';
import { handleOf, services } from '../../services/index.ts';
import {
  accepted,
  animal,
  answer,
  creation,
  type Headers,
  lenient,
  listing,
  observe,
  type PartialExchange,
  pageOf,
  reading,
  without,
} from './observer-evidence.ts';

type Asked = readonly PartialExchange[];

/** Expects of exchanges that they show an answer to a gap, with the number of the first that does. */
const of =
  (gap: OpenGapId) =>
  (expected: string | undefined, ...asked: Asked): void =>
    assert.is(observe(gap, asked), expected, JSON.stringify(asked.map(({ request }) => request)).slice(0, 300));

const noError = '"No."';
const other = { operation: 'other' } as const;
const withKey = (credential: typeof without) => ({ credential });

// The self-test runs these services, and expects that nothing is misread.
test('each answer that a server can give is a service that says what is observed', () => {
  for (const [gap, answers] of Object.entries(gapChoices)) {
    for (const [at, choice] of answers.entries()) {
      const row = services.find(({ id }) => id === `${gap}=${choice}` || (at === 0 && id === 'reference'));
      assert.ok(Object.hasOwn(row?.observes ?? {}, gap) || gap === 'after-removal', choice);
    }
  }
});

test('an observation that differs from the choice of the server is reported, and what is not shown has no answer', async () => {
  const report = await runInProcess(handleOf({ id: 'plain' }), trialSettings(300));
  for (const [variant, expected] of [
    [{ id: 'plain' }, []],
    [{ id: 'a', gaps: { 'status-omitted': 'sold' } }, ['status-omitted: expected sold, observed available']],
    [{ id: 'b', observes: { ban: 'none' } }, ['ban: expected none, observed nothing']],
    [{ id: 'c', observes: { 'list-order': null } }, ['list-order: expected nothing, observed oldest-first']],
    [
      { id: 'd', observes: { 'location-header': ['sent', 'none'] } },
      ['location-header: expected none, sent, observed none'],
    ],
  ] as const) {
    assert.equal(misreadIn(report, variant), expected);
  }
  const { observed, ...ban } = report.gaps.find(({ id }) => id === 'ban')!;
  assert.equal([observed, Object.hasOwn(ban, 'example')], [[], false]);
});

test('the example of an answer is the first exchange that shows it, not a later one', () => {
  const see = of('www-authenticate');
  const refused = listing('', answer(401), withKey(without));
  const named = listing('', answer(401, undefined, { 'www-authenticate': 'Bearer' }), withKey(without));
  see('none #1', refused, refused);
  see('none, sent #1', refused, named, refused, named);
});

/** Refusals of what departs from the ordinary in one way, for each question: `ask` builds the exchange with its answer. */
const refusals: readonly (readonly [
  gap: OpenGapId,
  named: readonly number[],
  before: PartialExchange,
  ask: (response: NonNullable<PartialExchange['response']>) => PartialExchange,
])[] = [
  ...(
    [
      ['limit-out-of-range', [400, 404, 422], ['limit=0', 'limit=-1&status=sold', 'limit=101', 'limit=999999999']],
      ['limit-not-integer', [400, 404, 422], ['limit=many', 'status=pending&limit=MANY']],
      ['status-filter-unknown', [400, 404, 422], ['status=lost', 'limit=100&status=lost', 'limit=1&status=lost']],
      ['unknown-query-parameters', [400, 422], ['colour=brown', 'limit=99&colour=brown']],
    ] as const
  ).flatMap(([gap, named, queries]) =>
    queries.map(
      (query) =>
        [gap, named, accepted(90), (response: PartialExchange['response']) => listing(`?${query}`, response)] as const,
    ),
  ),
  ...(
    [
      ['known-categories', [400, 404, 409, 422], '"name":"cf-abcdef-02","categoryId":77'],
      ['duplicate-names', [400, 409, 422], '"name":"cf-abcdef-01","categoryId":1'],
      ['extra-body-fields', [400, 422], '"name":"cf-abcdef-02","categoryId":1,"colour":"brown"'],
      ['client-sent-id', [400, 409, 422], '"name":"cf-abcdef-02","categoryId":1,"id":5'],
      ['integer-written-as-decimal', [400, 422], '"name":"cf-abcdef-02","categoryId":1.0'],
      ['integer-written-as-decimal', [400, 422], '"name":"cf-abcdef-02","categoryId" : 10E-1'],
      ['other-media-type', [400, 415, 422], '"name":"cf-abcdef-02","categoryId":1', 'text/plain'],
      ['other-media-type', [400, 415, 422], '"name":"cf-abcdef-02","categoryId":1', ''],
    ] as const
  ).map(
    ([gap, named, fields, type]) =>
      [
        gap,
        named,
        accepted(1, 'cf-abcdef-01'),
        (response: NonNullable<PartialExchange['response']>) => creation(`{${fields}}`, response, type),
      ] as const,
  ),
];

/** What is refused after the last acceptance may be refused for want of room, so one comes last. */
const last = accepted(90, 'cf-abcdef-90');

test('a refusal is known by its status; by none of the key, the limit or a server error', () => {
  for (const [gap, named, before, ask] of refusals) {
    const see = of(gap);
    for (const status of [400, 404, 409, 415, 422, 418]) {
      const expected = named.includes(status) ? `refused-${status}` : 'refused-otherwise';
      see(`${expected} #2`, before, ask(answer(status)), last);
    }
    for (const status of [401, 429, 500]) see(undefined, before, ask(answer(status)), last);
    see(undefined, before, { ...ask(answer(400)), ...withKey(without) }, last);
    see(undefined, before, { ...ask(answer(400)), ...other }, last);
    see(undefined, before, { ...ask(answer(401)), ...withKey(lenient) }, last);
    see(undefined, before, accepted(2), last);
  }
});

/** Queries that do not show a gap, since they are allowed or have another irregularity. */
const silentQueries: Readonly<Partial<Record<OpenGapId, string>>> = {
  'limit-out-of-range': `limit=1 limit=100 limit=many limit=1.5 limit=007 limit=1234567890 limit=0&limit=0
    limit=0&colour=brown limit=0&status=lost limit=0x`,
  'limit-not-integer': 'limit=5 limit=5x limit= limit=x&limit=x limit=x&a=b limit=x&status=y',
  'status-filter-unknown': `status=sold status=SOLD status= status=lo%20st status=lost2 status=lost&status=lost
    status=lost&a=b status=lost&limit=0`,
  'unknown-query-parameters': `limit=5 status=sold a=b&a=c a=b&limit=0 a=%00 a=${'x'.repeat(61)}`,
};

test('a query with another irregularity shows nothing', () => {
  for (const [gap, queries] of Object.entries(silentQueries)) {
    for (const query of ['', ...queries.split(/\s+/)])
      of(gap as OpenGapId)(undefined, many, listing(`?${query}`, answer(422)));
  }
});

const brought = (query: string, count: number, part: PartialExchange = {}): PartialExchange =>
  listing(query, answer(200, pageOf(count)), part);
/** Shows that the catalogue holds more than a page without limit does. */
const many = brought('?limit=100', 30);

/** Query and length of a page, after one that shows whether the catalogue holds more. */
const ofLimits: readonly (readonly [
  gap: OpenGapId,
  shown: string | undefined,
  before: PartialExchange,
  query: string,
  count: number,
])[] = [
  ['limit-out-of-range', 'empty-page', many, 'limit=0', 0],
  ['limit-out-of-range', undefined, brought('', 0), 'limit=0', 0],
  ['limit-out-of-range', 'clamped', many, 'limit=0', 1],
  ['limit-out-of-range', undefined, brought('', 1), 'limit=0', 1],
  ['limit-out-of-range', undefined, many, 'limit=101', 1],
  ['limit-out-of-range', undefined, many, 'limit=0', 19],
  ['limit-out-of-range', undefined, many, 'limit=0&status=sold', 0],
  ['limit-out-of-range', 'ignored', many, 'limit=0', 20],
  ['limit-out-of-range', undefined, brought('', 20), 'limit=0', 20],
  ['limit-out-of-range', 'largest-page', many, 'limit=0', 21],
  ['limit-out-of-range', 'ignored', many, 'limit=101', 20],
  ['limit-out-of-range', 'clamped', many, 'limit=101', 21],
  // Only pages of allowed queries count as the longest page.
  ['limit-out-of-range', undefined, brought('?limit=many', 30), 'limit=0', 20],
  ['limit-not-integer', 'empty-page', many, 'limit=x', 0],
  ['limit-not-integer', undefined, many, 'limit=x', 1],
  ['limit-not-integer', 'ignored', many, 'limit=x', 20],
  ['limit-not-integer', 'largest-page', many, 'limit=x', 21],
  ['limit-not-integer', undefined, many, 'limit=x&status=sold', 21],
  // An unknown value matches nothing or is ignored, where there are animals.
  ['status-filter-unknown', 'empty-page', many, 'status=lost', 0],
  ['status-filter-unknown', undefined, brought('', 0), 'status=lost', 0],
  ['status-filter-unknown', 'ignored', brought('', 0), 'status=lost', 1],
  ['unknown-query-parameters', 'empty-page', many, 'colour=brown', 0],
  ['unknown-query-parameters', 'ignored', many, 'colour=brown', 1],
  ['unknown-query-parameters', undefined, many, 'colour=brown&status=sold', 0],
];

test('the length of a page shows how a limit, a status or a parameter that is not allowed was handled', () => {
  for (const [gap, shown, before, query, count] of ofLimits) {
    of(gap)(shown && `${shown} #2`, before, brought(`?${query}`, count));
  }
});

const five = [1, 2, 3, 4, 5];
/** Animals of this run, created in the order of these ids, and pages that show them. */
const inOrder = (ids: readonly number[], ...pages: readonly (readonly (number | string)[])[]): Asked => [
  ...ids.map((id) => accepted(id)),
  ...pages.map((page, at) => listing(`?limit=${50 + at}`, answer(200, `[${page.map((id) => animal(id)).join(',')}]`))),
];

test('animals are listed in the order of creation, in reverse, or in another order, by at least four pairs', () => {
  const see = of('list-order');
  see('oldest-first #6', ...inOrder(five, five));
  see('newest-first #6', ...inOrder(five, [5, 4, 3, 2, 1]));
  see('another #6', ...inOrder([3, 1, 4, 5, 2], five, five, five));
  see(undefined, ...inOrder([3, 1, 4, 5, 2], five, five));
  see('shuffled #7', ...inOrder(five, five, [1, 2, 4, 3, 5]));
  see('oldest-first #7', ...inOrder(five, [5], five));
  see('oldest-first #6', ...inOrder(five, [1, 2, 3], [3, 4, 5]));
  see(undefined, ...inOrder(five, [1, 2, 3, 4]));
  see(undefined, ...inOrder(five, [9, 1, 2, 3, 4]));
  // Concurrent creations have no order.
  see(undefined, ...inOrder(five, five).map((part, at) => (at < 5 ? { ...part, sent: 1, answered: 10 } : part)));
  const shuffled = inOrder(five, five, [2, 1]);
  see('oldest-first #6', ...shuffled.slice(0, -1), { ...shuffled.at(-1)!, ...withKey(lenient) });
});

/** Three animals are known; then a page with these headers. */
const full = (query: string, headers: Headers = {}, count = 2): Asked => [
  brought('?limit=100', 3),
  listing(query, answer(200, pageOf(count), headers)),
];

test('a full page links to the next in Link, in another header, or not at all; the last page shows nothing', () => {
  const see = of('later-pages');
  see('none #2', ...full('?limit=2'));
  for (const rel of ['"next"', 'next', '"first NEXT"'])
    see('link-header #2', ...full('?limit=2', { link: `</x>; rel=${rel}` }));
  for (const rel of ['"prev"', '"nextish"', '"prev-next"'])
    see('none #2', ...full('?limit=2', { link: `</x>; rel=${rel}` }));
  see('other-header #2', ...full('?limit=2', { 'x-cursor': 'x' }));
  see(undefined, ...full('?limit=3'));
  see(undefined, ...full('?limit=3', {}, 3));
  see(undefined, ...full('?limit=2&status=sold'));
  see(undefined, full('?limit=2')[1]!);
});

test('pages are capped where they lack many animals that are shown at once, or hold all of them', () => {
  const see = of('page-cap');
  const creations = (count: number): Asked => Array.from({ length: count }, (_, at) => accepted(at + 1));
  see('as-asked #21', ...creations(20), brought('?limit=50', 20));
  see(undefined, ...creations(19), brought('?limit=50', 19));
  see(undefined, ...creations(20), brought('?limit=49', 20));
  see('as-asked #1', brought('?limit=50', 50));
  // Of nine animals four, one of them right after its creation, or late.
  const newest = (count: number, ms: number): Asked => {
    const ids = [0, 1, 2, 3].map((back) => animal(count - back));
    const startedAt = Date.UTC(2026, 10, 21, 12, 0, count, ms);
    return [...creations(count), { ...listing('?limit=50', answer(200, `[${ids.join(',')}]`)), startedAt }];
  };
  see('fewer #10', ...newest(9, 500));
  see(undefined, ...newest(8, 500));
  see(undefined, ...newest(9, 1_007));
});

test('a limit comes before the filter where a page by status is too short, and after it where two pages are full', () => {
  const see = of('short-pages');
  const of3 = (status: string, count = 3) =>
    listing(
      `?limit=3&status=${status}`,
      answer(
        200,
        `[${Array.from({ length: count }, (_, at) => animal(`${status.length}${at}`, { status })).join(',')}]`,
      ),
    );
  see('filter-before-limit #3', many, of3('sold'), of3('pending'));
  see(undefined, many, of3('sold'), of3('sold'));
  see(undefined, of3('sold', 2), of3('pending', 2));
  const own = (id: number) =>
    creation(
      `{"name":"cf-abcdef-0${id}","categoryId":1,"status":"sold"}`,
      answer(201, animal(id, { name: `cf-abcdef-0${id}`, status: 'sold' })),
    );
  const three = [own(1), own(2), own(3)];
  see('limit-before-filter #5', ...three, brought('?limit=100', 3), of3('sold', 1));
  see(undefined, ...three.slice(1), brought('?limit=100', 3), of3('sold', 1));
  see(undefined, ...three, brought('?limit=100', 3), of3('pending', 1));
});

test('an animal is found at once, or later', () => {
  const see = of('visibility');
  const found = reading(1, answer(200, animal(1)));
  const missed = reading(1, answer(404));
  see('at-once #2', accepted(1), found);
  see('later #2', accepted(1), missed, found);
  see('at-once #2', accepted(1), found, missed);
  see('at-once #3', missed, accepted(1), found);
  const page = (...ids: readonly number[]) => listing('', answer(200, `[${ids.map((id) => animal(id)).join(',')}]`));
  see('at-once #2', accepted(1), page(1));
  see('later #2', accepted(1), page(), page(1));
  see('later #3', accepted(1), page(1), page(), page(1));
  see(undefined, accepted(1), missed);
});

const created = (status?: string): PartialExchange =>
  creation('{"name":"Rex","categoryId":1}', answer(201, animal(7, status === undefined ? {} : { status })));

test('the status when it is omitted is that of the first read, else that of the 201', () => {
  const see = of('status-omitted');
  const read = (status?: string) => reading(7, answer(200, animal(7, status === undefined ? {} : { status })));
  // A 201 may merely echo what was sent.
  see(undefined, created());
  see('pending #1', created('pending'));
  see('sold #1', created(), read('sold'));
  see('available #1', created('pending'), read('available'), read('sold'));
  see('absent #1', created('pending'), read());
  see('sold #1', created('sold'), listing('', answer(200, `[${animal(8)}]`)));
  see('pending #1', created('pending'), { ...read('sold'), ...withKey(without) });
  see(undefined, created('lost'));
  see(undefined, creation('{"name":"Rex","categoryId":1,"status":"sold"}', answer(201, animal(7, { status: 'sold' }))));
  see(undefined, creation('{}', answer(201, animal(7))));
});

test('ids of six animals that are created one after another have a form', () => {
  const see = of('id-form');
  for (const [expected, ids] of [
    ['sequential #1', [1, 2, 3, 4, 5, 6]],
    ['sequential #1', [1, 2, 3, 4, 5, 1005]],
    ['rising #1', [1, 2, 3, 4, 5, 1006]],
    ['rising #1', [-1, 2, 3, 4, 5, 6]],
    ['rising #1', [0, 1, 2, 3, 4, 5]],
    ['random #1', [1, 2, 3, 4, 6, 5]],
    ['random #1', [6, 5, 4, 3, 1, 2]],
    ['negative #1', [-1, -2, -3, -4, -5, -6]],
    ['large #1', [6, 5, 4, 3, 2, 1].map((each) => 2n ** 62n + BigInt(each))],
    [undefined, [1, 2, 3, 4, 5]],
  ] as const) {
    see(expected, ...ids.map((id) => accepted(String(id))));
  }
  // Concurrent creations have no order.
  const asked = [3, 1, 2, 4, 5, 6].map((id) => accepted(String(id)));
  const atOnce = asked.map((part, at) => ({ ...part, ...(at < 3 ? { sent: 1, answered: 6 } : {}) }));
  see(undefined, ...atOnce);
  see('sequential #1', ...atOnce, accepted('7'), accepted('8'));
});

test('fields that are not listed are observed in animals and errors, but for those that the run itself sent', () => {
  const see = of('extra-response-fields');
  const error = (fields = {}): PartialExchange =>
    reading(9, answer(404, JSON.stringify({ code: 'x', message: 'No.', status: 404, ...fields })));
  const page = (fields = {}): PartialExchange => listing('', answer(200, `[${animal(1)},${animal(2, fields)}]`));
  const more = { colour: 'brown' };
  const sent = creation('{"name":"Rex","categoryId":1,"colour":"brown"}', answer(201, animal(7)));
  see('none #1', page({ status: 'sold' }), error());
  see('extra #3', error(), page(), page(more));
  see('extra #3', page(), error(), error(more));
  see(undefined, page());
  see(undefined, error());
  see(undefined, page(), { ...error(), ...other });
  see(undefined, { ...page(), ...withKey(without) }, error());
  see('none #1', sent, page(more), error());
  see('extra #2', sent, page({ ...more, age: 3 }), error());
});

test('a very long name is accepted, or some names are refused', () => {
  const see = of('name-limits');
  const refused = (status: number, body?: string): PartialExchange =>
    creation('{"name":"Rex 🦄","categoryId":1}', answer(status, body));
  const plain = accepted(1, 'cf-abcdef-1');
  see('any #2', plain, accepted(2, 'ü'.repeat(4_000)), accepted(3, ' \u0000'));
  see(undefined, plain, accepted(2, 'ü'.repeat(3_999)), accepted(3, ''));
  see(undefined, plain, accepted(2, 'ü'.repeat(4_000)));
  for (const status of [400, 409, 422])
    see(`refused-${status} #3`, plain, accepted(2, 'x'.repeat(4_000)), refused(status), last);
  see('refused-otherwise #2', plain, refused(400, '[]'), last);
  for (const status of [413, 401]) see(undefined, plain, refused(status), last);
});

const plain = accepted(1, 'cf-abcdef-01', 1);
/** A creation by its body, without the braces, and its answer. */
const sent = (fields: string, status: number): PartialExchange =>
  creation(`{${fields}}`, answer(status, status === 201 ? animal(2) : undefined));

test('a refusal for something else as well tells nothing', () => {
  const rest = '"name":"cf-abcdef-02","categoryId":1';
  for (const [gap, alone, ...both] of [
    [
      'known-categories',
      rest.replace(':1', ':77'),
      '"name":"x","categoryId":77',
      '"id":8,"name":"cf-abcdef-02","categoryId":77',
    ],
    ['extra-body-fields', `${rest},"age":3`, '"name":"x cf-abcdef-02","categoryId":1,"age":3', `${rest}1,"age":3`],
    ['client-sent-id', `${rest},"id":5`, `${rest},"id":5,"age":3`, `${rest}1,"id":5`],
    ['integer-written-as-decimal', `${rest}.0`, '"name":"x","categoryId":1.0', `"age":1,${rest}.0`],
    ['duplicate-names', '"name":"cf-abcdef-01","categoryId":1', '"name":"cf-abcdef-01","categoryId":2'],
  ] as const) {
    of(gap)('refused-400 #2', plain, sent(alone, 400), last);
    for (const fields of both) of(gap)(undefined, plain, sent(fields, 400), last);
  }
  const strange = creation('{"name":"x","categoryId":1}', answer(400), 'text/plain');
  of('other-media-type')(undefined, plain, strange, last);
  const chunked = {
    ...sent(rest, 411),
    request: {
      ...sent(rest, 411).request!,
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    },
  };
  of('chunked-bodies')('refused-411 #2', plain, chunked, last);
  of('chunked-bodies')('accepted #2', plain, { ...chunked, response: answer(201, animal(2)) }, last);
  // Without an acceptance afterwards the store may be full.
  of('extra-body-fields')(undefined, plain, sent(`${rest},"age":3`, 400));
  of('extra-body-fields')('refused-400 #1', sent('"name":"Rex","categoryId":1,"age":3', 400), accepted(1, 'Rex'));
  for (const fields of [
    '"name":3,"categoryId":77',
    '"name":"cf-abcdef-02","categoryId":"77"',
    '"name":"\\ud800","categoryId":77',
  ]) {
    of('known-categories')(undefined, plain, sent(fields, 400), last);
  }
});

test('an accepted creation shows acceptance of each of its departures', () => {
  const strange = '"name":"a strange one","categoryId":1';
  of('duplicate-names')('accepted #3', plain, sent(strange, 201), sent(strange, 201));
  of('integer-written-as-decimal')('accepted #2', plain, sent('"name":"x","categoryId":1e0', 201));
  const see = of('other-media-type');
  see('accepted #2', plain, creation(`{${strange}}`, answer(201, animal(2)), 'application/jsonx'));
  see(undefined, plain, creation(`{${strange}}`, answer(201, animal(2)), 'APPLICATION/JSON; charset=utf-8'));
});

test('categories are accepted if one is that the service cannot know', () => {
  const see = of('known-categories');
  const taken = accepted(2, 'cf-abcdef-02', 77);
  const page = (id: number) => listing('', answer(200, `[${animal(id, { categoryId: 77 })},3]`));
  see('accepted #2', plain, taken);
  assert.is(observe('known-categories', [plain, taken], { categoryIds: [77n] }), undefined);
  see(undefined, page(9), plain, taken);
  see('accepted #2', plain, taken, page(2));
  see('refused-409 #3', plain, taken, sent('"name":"cf-abcdef-03","categoryId":88', 409), last);
});

test('a field is kept if it comes back, at once or in a later read of that animal', () => {
  const see = of('extra-body-fields');
  const kept = animal(2, { colour: 'red' });
  const asked = (returned: string): PartialExchange =>
    creation('{"name":"cf-abcdef-02","categoryId":1,"colour":"brown"}', answer(201, returned));
  see('kept #2', plain, asked(kept));
  see('kept #2', plain, asked(animal(2)), reading(2, answer(200, kept)));
  see('ignored #3', plain, reading(2, answer(200, kept)), asked(animal(2)));
  see('ignored #2', plain, asked(animal(2)), reading(3, answer(200, kept.replace('2', '3'))));
});

test("a client's id is ignored unless it becomes the id of the animal; one that is no integer tells nothing", () => {
  const asked = (id: number | string): PartialExchange =>
    creation(`{"name":"cf-abcdef-02","categoryId":1,"id":${id}}`, answer(201, animal(5)));
  of('client-sent-id')('ignored #2', plain, asked(4));
  of('client-sent-id')(undefined, plain, asked(5));
  of('client-sent-id')(undefined, plain, asked('"x"'));
});

test('a Location names the animal or another address, or is missing', () => {
  const see = of('location-header');
  const located = (location?: string): PartialExchange =>
    creation('{"name":"Rex","categoryId":1}', answer(201, animal(7), location === undefined ? {} : { location }));
  see('sent #1', located('http://host/v1/pets/7'));
  for (const address of ['/pets/7/', '/pets/17', '/v1/7']) see('another-address #1', located(address));
  see('none, sent #1', located(), located('/pets/7'));
  see(undefined, listing('', answer(200, '[]', { location: '/pets/7' })));
});

test('an origin is allowed to any page, to some, or to none that names itself', () => {
  const see = of('cors');
  const asked = (allowed?: string, headers: Headers = {}): PartialExchange => ({
    ...listing('', answer(200, '[]', allowed === undefined ? {} : { 'access-control-allow-origin': allowed })),
    request: { method: 'GET', target: '/pets', headers },
  });
  see('any-origin #1', asked('*'));
  see('any-origin #1', asked('https://page.invalid '));
  see('some-origins #1', asked('https://else.example'));
  see(undefined, asked());
  see('none #1', asked(undefined, { origin: 'https://page.invalid' }));
});

test('only plain reads with the key before the removal show how a petId that is no int64 is answered', () => {
  const see = of('pet-id-not-int64');
  const dated = (ms: number) => reading('x', answer(404, undefined, { date: new Date(ms).toUTCString() }));
  see('not-found-404 #1', reading('x', answer(404)));
  see('refused-otherwise #1', reading('x', answer(404, noError)));
  see('refused-400, refused-422 #1', reading('x', answer(400)), reading('y', answer(422)));
  see('refused-400 #1', reading('9223372036854775808', answer(400)));
  see('not-found-404 #1', dated(removalOfGetPet - 1_000));
  const silent = [
    reading('7', answer(404)),
    reading('%20', answer(400)),
    reading('x', answer(500)),
    dated(removalOfGetPet),
  ];
  see(undefined, ...silent, reading('x', answer(404), withKey(without)), { ...reading('x', answer(404)), ...other });
});

test('the answer to another method is observed, that to an unknown path is not', () => {
  const see = of('other-operations');
  const asked = (status: number, body?: string, method = 'DELETE'): PartialExchange => ({
    ...other,
    request: { method, target: '/pets/1', headers: {} },
    response: answer(status, body),
  });
  for (const status of [405, 501]) see(`refused-${status} #1`, asked(status, ''));
  for (const status of [200, 299]) see('answered #1', asked(status));
  see('refused-404 #1', asked(404));
  see('refused-otherwise #1', asked(300));
  for (const [today, expected] of [
    [removalOfGetPet - 1, 'refused-405 #1'],
    [removalOfGetPet, undefined],
  ] as const) {
    assert.is(observe('other-operations', [asked(405, '')], { today }), expected);
  }
  see('refused-otherwise #1', asked(404, noError), asked(301));
  see(undefined, asked(404, undefined, 'GET'), asked(401), asked(500), reading('1', answer(404)));
});

test('reads of known animals show what is answered after the removal', () => {
  const see = of('after-removal');
  const after = { date: new Date(removalOfGetPet).toUTCString() };
  const gone = (status: number, body?: string) => reading('1', answer(status, body, after));
  const page = brought('', 1);
  see('continues #2', page, gone(200, animal(1)));
  see('gone-410 #2', page, gone(410));
  see('refused-otherwise #2', page, gone(410, noError));
  see('not-found-404 #2', page, gone(404));
  see('redirected #2', page, gone(308, ''));
  see('refused-otherwise #2', page, gone(400));
  see(undefined, page, gone(500), reading('2', answer(410, undefined, after)), reading('1', answer(410)));
  see(undefined, page, { ...gone(410), ...withKey(without) }, { ...gone(410), ...other });
});

test('Deprecation, Sunset with or without a link, or another header announces the removal', () => {
  const see = of('deprecation-headers');
  const asked = (headers: Headers, status = 200) =>
    reading('1', answer(status, status === 200 ? animal(1) : undefined, headers));
  const sunset = 'Thu, 05 Dec 2030 00:00:00 GMT';
  const link = '<https://host/x>; rel="successor-version"';
  see('deprecation #1', asked({ deprecation: '@1', sunset, link }));
  for (const rel of ['"successor-version"', 'deprecation', 'SUNSET', '"help deprecation"']) {
    see('sunset #1', asked({ sunset, link: `</x>; rel=${rel}` }));
    see('other-header #1', asked({ link: `</x>; rel=${rel}` }));
  }
  see('sunset-only #1', asked({ sunset }));
  see('sunset-only #1', asked({ sunset, link: '</sunset>; rel="next"' }));
  see('other-header #1', asked({ warning: '299 - "x"' }));
  see('none #1', asked({ link: '</x>; rel="next", <successor-version>' }));
  see('none #1', asked({}, 404));
  see(undefined, asked({ sunset, link }, 400), asked({}, 410), accepted(1));
});

test.run();
