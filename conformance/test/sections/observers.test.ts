/** What each observer reads from exchanges made by hand, and what it does not. §5, §7 and §8 have tests of their own. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { gapChoices } from '../../../reference-server/twin/gaps.ts';
import { removalOfGetPet } from '../../../spec/facts.ts';
import type { AnswerId, OpenGapId } from '../../../spec/gaps.ts';
import { pageLimit } from '../../../spec/operations.ts';
import { noKey, rateLimitKey } from '../../http/credentials.ts';
import { type JsonObject, writeJson } from '../../http/json.ts';
import { misreadIn, runInProcess, trialSettings } from '../../proof/trial.ts';
import { findCredential } from '../../sections/5-authentication/credentials.ts';
import { gapProbes } from '../../sections/observers.ts';
import { createPet, createPetFrom, getPet, largestPage, listPets } from '../../sections/requests.ts';
import { handleOf, services } from '../../services/index.ts';
import { makeName } from '../../world/names.ts';
import {
  animalOf,
  apiKey,
  created,
  type HandMadeAnswer,
  observe,
  page as pageOf,
  requestsOf,
  sessionOf,
} from './evidence.ts';

const { most, usual } = pageLimit;
/** A page with this limit shows whether the service caps its pages. */
const half = Math.floor(most / 2);

type Asked = readonly HandMadeAnswer[];
type Headers = Readonly<Record<string, string>>;
/** A gap, the answer that its observer reads with the number of the exchange that shows it first, and the exchanges. */
type RowOf<Gap extends OpenGapId, Shown extends string = AnswerId<Gap>> = readonly [
  gap: Gap,
  shown: `${Shown} #${number}` | undefined,
  ...asked: Asked,
];
/** Some show two answers. */
type Row = {
  [Gap in OpenGapId]: RowOf<Gap, AnswerId<Gap> | `${AnswerId<Gap>}, ${AnswerId<Gap>}`>;
}[OpenGapId];

/** For rows that are made for several gaps at once: the compiler knows only that one of the gaps has the answer. */
function checkMade(rows: readonly (Row | RowOf<OpenGapId>)[]): void {
  for (const [gap, shown, ...asked] of rows) {
    const sent = asked.map(({ request, status }) => `${request.target} ${request.body} ${status}`);
    assert.is(observe(gap, asked), shown, `${gap}: ${sent.join(', ').slice(0, 300)}`);
  }
}

/** Each row names an answer of its own gap. */
const check: (rows: readonly Row[]) => void = checkMade;

/** The JSON of an animal; `fields` override the usual ones. */
const animal = (id: number, fields: object = {}) => writeJson(animalOf(id, fields) as JsonObject);
/** Answered 200 with a body, or refused with an Error. */
const to = (answer: string | number, headers: Headers = {}) =>
  typeof answer === 'number' ? { status: answer, headers } : { body: answer, headers };
const list = (query: string, answer: string | number, headers?: Headers): HandMadeAnswer => ({
  request: listPets(query),
  ...to(answer, headers),
});
const read = (id: number | string, answer: string | number, headers?: Headers): HandMadeAnswer => ({
  request: getPet(`${id}`),
  ...to(answer, headers),
});
const creation = (sent: string, returned: string, headers: Headers = {}): HandMadeAnswer => ({
  request: createPetFrom(sent),
  status: 201,
  body: returned,
  headers,
});
/** A creation that is accepted as it is sent. */
const accepted = (id: number, name = animalOf(id).name, categoryId = 1) => created(id, { name, categoryId });
/** A creation by its fields, which is answered with the animal 2. */
const post = (fields: string, status = 201, type?: string): HandMadeAnswer => ({
  request: createPetFrom(`{${fields}}`, type),
  status,
  ...(status === 201 && { body: animal(2) }),
});
const lenient = findCredential('lower-case-bearer', { api: apiKey })!;
const keyless = (one: HandMadeAnswer): HandMadeAnswer => ({ ...one, credential: noKey });
const byLenientKey = (one: HandMadeAnswer): HandMadeAnswer => ({ ...one, credential: lenient });
const asOther = (one: HandMadeAnswer): HandMadeAnswer => ({ ...one, request: { ...one.request, operation: 'other' } });
const page = (...animals: readonly string[]) => `[${animals.join()}]`;
const brought = (query: string, count: number) =>
  list(query, page(...Array.from({ length: count }, (_, at) => animal(at + 1))));

const noError = '"No."';
/** Shows that the catalogue holds more than a page without limit does. */
const many = brought(largestPage, usual + 10);
const plain = accepted(1);
/** What is refused after the last acceptance may be refused for want of room, so one comes last. */
const last = accepted(90);
const fields = '"name":"CFklmbcdaac","categoryId":1';

// The self-test runs these services, and expects that nothing is misread.
test('each answer that a server can give is a service that says what is observed', () => {
  for (const [gap, answers] of Object.entries(gapChoices)) {
    for (const [at, choice] of answers.entries()) {
      const row = services.find(({ id }) => id === `${gap}=${choice}` || (at === 0 && id === 'reference'));
      assert.ok(Object.hasOwn(row?.gaps ?? {}, gap) || gap === 'after-removal', choice);
    }
  }
});

test('an observation that differs from the choice of the server is reported, and what is not shown has no answer', async () => {
  const report = await runInProcess(handleOf({ id: 'plain' }), trialSettings(300));
  for (const [variant, expected] of [
    [{ id: 'plain' }, []],
    [{ id: 'a', gaps: { 'status-omitted': 'sold' } }, ['status-omitted: expected sold, observed available']],
    [{ id: 'a', gaps: { 'after-removal': 'gone-410' } }, ['after-removal: expected gone-410, observed nothing']],
    [{ id: 'b', observes: { ban: 'none' } }, ['ban: expected none, observed nothing']],
    [{ id: 'c', observes: { 'list-order': null } }, ['list-order: expected nothing, observed oldest-first']],
  ] as const)
    assert.equal(misreadIn(report, variant), expected);
  const { observed, ...ban } = report.gaps.find(({ id }) => id === 'ban')!;
  assert.equal([observed, Object.hasOwn(ban, 'example')], [[], false]);
});

/** What departs from the ordinary in one way, answered with a status. */
const departures: readonly (readonly [gap: OpenGapId, ask: (status: number) => HandMadeAnswer])[] = [
  ['limit-out-of-range', (status) => list('limit=-1&status=sold', status)],
  ['limit-not-integer', (status) => list('status=pending&limit=MANY', status)],
  ['status-filter-unknown', (status) => list('limit=100&status=lost', status)],
  ['unknown-query-parameters', (status) => list('limit=99&colour=brown', status)],
  ['known-categories', (status) => post(`${fields}77`, status)],
  ['duplicate-names', (status) => post(fields.replace('aac', 'aab'), status)],
  ['extra-body-fields', (status) => post(`${fields},"colour":"brown"`, status)],
  ['client-sent-id', (status) => post(`${fields},"id":5`, status)],
  ['integer-written-as-decimal', (status) => post('"name":"CFklmbcdaac","categoryId" : 10E-1', status)],
  ['other-media-type', (status) => post(fields, status, '')],
];

test('a refusal is known by its status; by none of the key, the limit or a server error', () => {
  for (const [gap, ask] of departures) {
    const silent = [keyless(ask(400)), asOther(ask(400)), byLenientKey(ask(401)), accepted(2)];
    checkMade([
      [gap, 'refused-422 #2', plain, ask(422), last],
      [gap, 'refused-otherwise #2', plain, ask(418), last],
      ...[...[401, 429, 500].map(ask), ...silent].map(
        (asked): RowOf<OpenGapId> => [gap, undefined, plain, asked, last],
      ),
    ]);
  }
});

/** Queries that do not show a gap, since they are allowed or have another irregularity. */
const silentQueries: Readonly<Partial<Record<OpenGapId, string>>> = {
  'limit-out-of-range': `limit=1 ${largestPage} limit=many limit=1.5 limit=007 limit=1234567890 limit=0&limit=0
    limit=0&colour=brown limit=0&status=lost limit=0x page=0`,
  'limit-not-integer': 'limit=5 limit=5x limit= limit=x&limit=x limit=x&a=b limit=x&status=y limit=x5 page=x',
  'status-filter-unknown': `status=sold status=SOLD status= status=lo%20st status=lost2 status=lost&status=lost
    status=lost&a=b status=lost&limit=0`,
  'unknown-query-parameters': `limit=5 status=sold a=b&a=c a=b&limit=0 a=%00 a=${'x'.repeat(61)}`,
};

test('a query with another irregularity shows nothing', () => {
  for (const [gap, queries] of Object.entries(silentQueries))
    for (const query of ['', ...queries.split(/\s+/)])
      checkMade([[gap as OpenGapId, undefined, many, list(query, 422)]]);
});

test('the length of a page shows how a limit, a status or a parameter that is not allowed was handled', () => {
  for (const [gap, shown, before, query, count] of [
    ['limit-out-of-range', 'empty-page', many, 'limit=0', 0],
    ['limit-out-of-range', 'ignored', many, 'limit=0', usual],
    ['limit-out-of-range', 'clamped', many, 'limit=0', 1],
    ['limit-out-of-range', 'clamped', many, `limit=${most + 1}`, usual + 1],
    ['limit-out-of-range', undefined, brought('', 0), 'limit=0', 0],
    ['limit-out-of-range', undefined, brought('', 1), 'limit=0', 1],
    ['limit-out-of-range', undefined, many, `limit=${most + 1}`, 1],
    ['limit-out-of-range', undefined, many, 'limit=0', usual - 1],
    ['limit-out-of-range', undefined, many, 'limit=0&status=sold', 0],
    ['limit-out-of-range', undefined, brought('', usual), 'limit=0', usual],
    ['limit-out-of-range', 'largest-page', many, 'limit=0', usual + 1],
    // Only pages of allowed queries count as the longest page.
    ['limit-out-of-range', undefined, brought('limit=many', usual + 10), 'limit=0', usual],
    ['limit-not-integer', undefined, many, 'limit=x', 1],
    ['limit-not-integer', 'largest-page', many, 'limit=x', usual + 1],
    ['limit-not-integer', undefined, many, 'limit=x&status=sold', usual + 1],
    // An unknown value matches nothing or is ignored, where there are animals.
    ['status-filter-unknown', undefined, brought('', 0), 'status=lost', 0],
    ['status-filter-unknown', 'ignored', brought('', 0), 'status=lost', 1],
    ['unknown-query-parameters', 'empty-page', many, 'colour=brown', 0],
    ...['page=5', 'nolimit=5', 'limits=5', 'filter=sold'].map(
      (query) => ['unknown-query-parameters', 'ignored', many, query, 3] as const,
    ),
    ['unknown-query-parameters', undefined, many, 'colour=brown&status=sold', 0],
  ] as const)
    checkMade([[gap, shown && `${shown} #2`, before, brought(query, count)]]);
});

const five = [1, 2, 3, 4, 5];
const creations = (...ids: readonly number[]): Asked => ids.map((id) => accepted(id));
/** Animals of this run, created in the order of these ids, and pages that show them. */
const inOrder = (ids: readonly number[], ...pages: readonly (readonly number[])[]): Asked => [
  ...creations(...ids),
  ...pages.map((shown, at) => list(`limit=${half + at}`, page(...shown.map((id) => animal(id))))),
];
const shuffled = inOrder(five, five, [2, 1]);
const sideBySide = creations(...five).map((part) => ({ ...part, events: [1, 10] as const }));
/** Three animals are known; then a page with these headers. */
const full = (query: string, headers: Headers = {}, count = 2): Asked => [
  brought(largestPage, 3),
  { ...brought(query, count), headers },
];
/** Of so many animals the newest four, after this time since the last creation. */
const newestFour = (count: number, ms: number): Asked => {
  const shown = list(`limit=${half}`, page(...[0, 1, 2, 3].map((back) => animal(count - back))));
  return [
    ...creations(...Array.from({ length: count }, (_, at) => at + 1)),
    { ...shown, seconds: (count - 1 + ms) / 1_000 },
  ];
};
const twenty = creations(...Array.from({ length: 20 }, (_, at) => at + 1));
const of3 = (status: string, count = 3) => {
  const animals = Array.from({ length: count }, (_, at) => animal(10 * status.length + at, { status }));
  return list(`limit=3&status=${status}`, page(...animals));
};
const threeSold = [1, 2, 3].map((id) =>
  creation(`{"name":"${makeName('abc123', id)}","categoryId":1,"status":"sold"}`, animal(id, { status: 'sold' })),
);

test('pages have an order, a cap and a link to the next, and a limit comes before or after the filter', () => {
  check([
    ['list-order', 'another #6', ...inOrder([3, 1, 4, 5, 2], five, five)],
    ['list-order', undefined, ...inOrder([3, 1, 4, 5, 2], five, [1, 2, 3, 4])],
    ['list-order', 'oldest-first #6', ...inOrder(five, [1, 2, 3], [3, 4, 5])],
    ['list-order', 'oldest-first #7', ...inOrder(five, [1, 2, 3], five)],
    ['list-order', 'oldest-first #7', ...inOrder(five, [1, 2], five, [1, 1, 2])],
    ['list-order', 'newest-first #6', ...inOrder(five, five.toReversed())],
    ['list-order', 'shuffled #7', ...shuffled],
    ['list-order', undefined, ...inOrder(five, [1, 2, 3, 4])],
    ['list-order', undefined, ...inOrder(five, [9, 1, 2, 3, 4])],
    // Concurrent creations have no order.
    ['list-order', undefined, ...sideBySide, list(`limit=${half}`, page(...five.map((id) => animal(id))))],
    ['list-order', 'oldest-first #6', ...shuffled.slice(0, -1), byLenientKey(shuffled.at(-1)!)],
    ...['"next"', 'next', '"first NEXT"'].map(
      (rel): Row => ['later-pages', 'link-header #2', ...full('limit=2', { link: `</x>; rel=${rel}` })],
    ),
    ...['"prev"', '"nextish"', '"prev-next"'].map(
      (rel): Row => ['later-pages', 'none #2', ...full('limit=2', { link: `</x>; rel=${rel}` })],
    ),
    ['later-pages', 'other-header #2', ...full('limit=2', { 'x-cursor': 'x' })],
    // The last page shows nothing.
    ['later-pages', undefined, ...full('limit=3', {}, 3)],
    ['later-pages', undefined, ...full('limit=2').toReversed()],
    ['later-pages', undefined, ...full('limit=2&status=sold')],
    ['later-pages', undefined, full('limit=2')[1]!],
    ['page-cap', 'as-asked #21', ...twenty, brought(`limit=${half}`, 20)],
    ['page-cap', undefined, ...twenty, accepted(21), brought(`limit=${half}`, 20)],
    ['page-cap', undefined, ...twenty.slice(1), brought(`limit=${half}`, 19)],
    ['page-cap', undefined, ...twenty.slice(0, -1), brought(`limit=${half}`, 19)],
    ['page-cap', undefined, ...twenty, brought(`limit=${half}&status=sold`, 20)],
    ['page-cap', undefined, ...newestFour(9, 500), brought(`limit=${half + 10}`, 9)],
    ['page-cap', undefined, ...newestFour(9, 500), brought('limit=5', 3), brought('limit=5', 4)],
    ['page-cap', undefined, ...twenty, brought(`limit=${half - 1}`, 20)],
    ['page-cap', 'fewer #10', ...newestFour(9, 500)],
    ['page-cap', undefined, ...newestFour(8, 500)],
    ['page-cap', undefined, ...newestFour(9, 1_007)],
    ['short-pages', 'filter-before-limit #3', many, of3('sold'), of3('pending')],
    ['short-pages', undefined, many, of3('sold'), of3('sold')],
    ['short-pages', undefined, of3('sold', 2), of3('pending', 2)],
    ['short-pages', undefined, many, of3('sold', 2), of3('pending', 2)],
    ['short-pages', undefined, many, of3('sold'), brought('limit=3', 3)],
    ['short-pages', undefined, many, of3('sold'), { ...of3('pending'), credential: rateLimitKey('Key-2') }],
    ['short-pages', undefined, many, brought('limit=2&status=sold', 2), brought('limit=2&status=pending', 2)],
    ['short-pages', undefined, ...threeSold.slice(1), accepted(4), brought('limit=3', 3), of3('sold', 1)],
    ['short-pages', undefined, ...threeSold, brought('limit=3', 2), of3('sold', 1)],
    ['short-pages', undefined, ...threeSold, read(1, 404), read(1, animal(1)), brought('limit=3', 3), of3('sold', 1)],
    // A page of another limit does not show that this one has room: a service may end its pages at a number of bytes.
    ['short-pages', undefined, ...threeSold, brought(largestPage, 3), of3('sold', 1)],
    ['short-pages', 'limit-before-filter #5', ...threeSold, brought('limit=3', 3), of3('sold', 1)],
    ['short-pages', undefined, ...threeSold.slice(1), brought('limit=3', 3), of3('sold', 1)],
    ['short-pages', undefined, ...threeSold, brought('limit=3', 3), of3('pending', 1)],
  ]);
});

const found = read(1, animal(1));
const missed = read(1, 404);
const listed = list('', page(animal(1)));
const empty = list('', '[]');

test('an animal is found or listed at once, or later', () => {
  check([
    ['visibility', 'at-once #2', plain, found, missed],
    ['visibility', 'at-once #3', missed, plain, found],
    ['visibility', undefined, plain, missed],
    ['visibility', 'later #3', plain, listed, empty, listed],
    ['visibility', 'later #2', plain, missed, found],
    ['visibility', 'at-once #3', plain, list('limit=5', '[]'), list('limit=6', page(animal(1)))],
    ['visibility', 'at-once #3', plain, list('', page(animal(8))), listed],
    ['visibility', 'at-once #3', threeSold[0]!, list('status=sold', '[]'), list('status=sold', page(animal(1)))],
    ['visibility', undefined, plain, { ...found, seconds: 1 }],
    ['visibility', 'at-once #2', plain, { ...found, seconds: 0.999 }],
  ]);
});

const unnamed = (status?: string, id = 7) =>
  creation('{"name":"Rex","categoryId":1}', animal(id, { name: 'Rex', status }));
const later = (status?: string) => read(7, animal(7, { name: 'Rex', status }));
const atOnce = (ids: readonly number[]): Asked =>
  creations(...ids).map((part, at) => ({ ...part, ...(at < 3 && { events: [1, 6] as const }) }));

test('the status when it is omitted is that of the first read, else that of the 201; ids of six animals have a form', () => {
  check([
    // A 201 may merely echo what was sent.
    ['status-omitted', undefined, unnamed()],
    ['status-omitted', 'sold #1', unnamed(), later('sold')],
    ['status-omitted', 'available #1', unnamed('pending'), later('available'), later('sold')],
    [
      'status-omitted',
      'pending #1',
      unnamed('pending'),
      list('', page(animal(8, { status: 'sold' }), animal(7, { status: 'pending' }))),
    ],
    ['status-omitted', 'absent #1', unnamed('pending'), later()],
    ['status-omitted', 'sold #1', unnamed('sold'), list('', page(animal(8)))],
    ['status-omitted', 'pending #1', unnamed('pending'), keyless(later('sold'))],
    ['status-omitted', undefined, unnamed('lost')],
    ['status-omitted', undefined, threeSold[0]!],
    ['status-omitted', undefined, creation('{}', animal(7))],
    ['id-form', 'sequential #1', ...creations(1, 2, 3, 4, 5, 1005)],
    ['id-form', 'rising #1', ...creations(1, 2, 3, 4, 5, 1006)],
    ['id-form', 'rising #1', ...creations(-1, 2, 3, 4, 5, 6)],
    ['id-form', 'rising #1', ...creations(0, 1, 2, 3, 4, 5)],
    ['id-form', 'unordered #1', ...creations(1, 2, 3, 4, 6, 5)],
    ['id-form', 'unordered #1', ...creations(6, 5, 4, 3, 1, 2)],
    ['id-form', 'random #1', ...creations(6, 5, 4, 3, 1, 2 ** 54)],
    ['id-form', 'random #1', ...creations(6, 5, 4, 3, 1, -(2 ** 54), 2)],
    ['id-form', 'unordered #1', ...creations(6, 5, 4, 3, 1, 2 ** 53)],
    ['id-form', 'unordered #1', ...creations(6, 5, 4, 3, -(2 ** 53), 2)],
    ['id-form', 'falling #1', ...creations(0, -1, -2, -3, -4, -5)],
    ['id-form', 'falling #1', ...creations(6, 5, 4, 3, 2, 1)],
    ['id-form', 'large #1', ...[6, 5, 4, 3, 2, 1].map((count) => accepted(2 ** 62 + count * 1024))],
    ['id-form', 'negative #1', ...creations(-1, -2, -3, -4, -5, -6)],
    // Somebody may have begun long ago.
    ['id-form', 'sequential-from-elsewhere #1', ...creations(1000, 1001, 1002, 1003, 1004, 1005)],
    ['id-form', 'sequential #2', list('', page(animal(1))), ...creations(31, 32, 33, 34, 35, 36)],
    ['id-form', undefined, ...creations(...five)],
    // Concurrent creations have no order.
    ['id-form', undefined, ...atOnce([3, 1, 2, 4, 5, 6])],
    ['id-form', 'sequential #1', ...atOnce([3, 1, 2, 4, 5, 6]), accepted(7), accepted(8)],
  ]);
});

const error: HandMadeAnswer = { ...read(9, '{"code":"x","message":"No.","status":404}'), status: 404 };
const two = (more = {}) => list('', page(animal(1), animal(2, more)));
const colour = { colour: 'brown' };
const coloured = post(`${fields},"colour":"brown"`);

test('fields that are not listed are observed in animals and errors, but for those that the run itself sent', () => {
  check([
    ['extra-response-fields', 'none #1', two({ status: 'sold' }), error],
    ['extra-response-fields', undefined, two()],
    ['extra-response-fields', undefined, error],
    ['extra-response-fields', undefined, two(), asOther(error)],
    ['extra-response-fields', undefined, keyless(two()), error],
    ['extra-response-fields', 'none #1', coloured, two(colour), error],
    ['extra-response-fields', 'extra #2', two(), { ...error, body: error.body!.replace('{', '{"hint":"none",') }],
    ['extra-response-fields', 'extra #2', coloured, two({ ...colour, age: 3 }), error],
  ]);
});

const strangeName = '"name":"Rex 🦄","categoryId":1';
const byClient = (id: number | string) => creation(`{${fields},"id":${id}}`, animal(5));
const inChunks = (status: number): HandMadeAnswer => {
  const sent = post(fields, status);
  return { ...sent, request: { ...sent.request, headers: { 'transfer-encoding': 'chunked' } } };
};
const asked = (returned: string) => creation(`{${fields},"age":3,"colour":"brown"}`, returned);
/** No service that knows only some categories has this one. */
const far = 2 ** 43;
const refusedFar = post(`${fields.replace('aac', 'aad')}${far}`, 400);
const inCategory = (categoryId: number): string => `"name":"CFklmbcdaad","categoryId":${categoryId}`;
const shownLater = (more: object = {}) => read(2, animal(2, more));
const refused88 = post(`${fields.replace('aac', 'aad')}88`, 409);

test('a creation shows what it departs in: accepted in each way, refused for the only one', () => {
  check([
    ['name-limits', 'any #2', plain, accepted(2, 'ü'.repeat(4_000)), accepted(3, ' \u0000')],
    ['name-limits', undefined, plain, accepted(2, 'ü'.repeat(3_999)), accepted(3, '')],
    ['name-limits', undefined, plain, accepted(2, 'ü'.repeat(4_000))],
    ['name-limits', 'refused-409 #3', plain, accepted(2, 'x'.repeat(4_000)), post(strangeName, 409), last],
    ['name-limits', 'refused-400 #2', plain, post('"name":"","categoryId":1', 400), last],
    [
      'name-limits',
      'refused-otherwise #2',
      plain,
      { ...post(strangeName, 400), body: '[]', headers: { 'x-ratelimit-limit': '9' } },
      last,
    ],
    // A firewall may have refused it.
    ['name-limits', undefined, plain, { ...post(strangeName, 400), body: '[]' }, last],
    [
      'name-limits',
      undefined,
      plain,
      post(`"name":"${'ü'.repeat(4_000)}","categoryId":1`, 413),
      post('"name":" ","categoryId":1', 413),
      last,
    ],
    ...[413, 401].map((status): Row => ['name-limits', undefined, plain, post(strangeName, status), last]),
    // A refusal for something else as well tells nothing.
    ...(
      [
        ['known-categories', '"name":"x","categoryId":77', `"id":8,${fields}77`],
        ['extra-body-fields', '"name":"x CFklmbcdaac","categoryId":1,"age":3', `${fields}1,"age":3`],
        ['client-sent-id', `${fields},"id":5,"age":3`, `${fields}1,"id":5`],
        ['integer-written-as-decimal', '"name":"x","categoryId":1.0', `"age":1,${fields}.0`],
        ['duplicate-names', '"name":"CFklmbcdaab","categoryId":2'],
        ['known-categories', '"name":3,"categoryId":77', '"name":"\\ud800","categoryId":77'],
        ['known-categories', '"name":"CFklmbcdaac","categoryId":"77"'],
      ] as const
    ).flatMap(([gap, ...all]) => all.map((sent): Row => [gap, undefined, plain, post(sent, 400), last])),
    ['other-media-type', undefined, plain, post('"name":"x","categoryId":1', 400, 'text/plain'), last],
    // Without an acceptance afterwards the store may be full.
    ['extra-body-fields', undefined, plain, post(`${fields},"age":3`, 400)],
    ['extra-body-fields', 'refused-400 #1', post('"name":"Rex","categoryId":1,"age":3', 400), accepted(1, 'Rex')],
    ['duplicate-names', 'accepted #3', plain, post(strangeName), post(strangeName)],
    ['integer-written-as-decimal', 'accepted #2', plain, post('"name":"x","categoryId":1e0')],
    ['other-media-type', 'accepted #2', plain, post(strangeName, 201, 'application/jsonx')],
    ['other-media-type', undefined, plain, post(strangeName, 201, 'APPLICATION/JSON; charset=utf-8')],
    // Categories are accepted if one is that the service cannot know.
    ['known-categories', undefined, plain, accepted(2, undefined, 77)],
    ['known-categories', 'accepted #2', plain, accepted(2, undefined, far)],
    ['known-categories', 'accepted #2', plain, accepted(2, undefined, -far)],
    // Of two that are accepted, one lies on each side of what is refused: no range.
    ['known-categories', 'refused-409 #3', plain, accepted(2, undefined, far), refused88, last],
    // Numbers that a service of few categories would not know.
    ['known-categories', 'within-range #2', plain, accepted(2, undefined, 7_000_000), refusedFar, last],
    ['known-categories', 'far-refused #2', plain, refusedFar, last],
    ...[-5, 0, 2 ** 31].map((categoryId): Row => {
      return ['known-categories', 'far-refused #2', plain, post(inCategory(categoryId), 400), last];
    }),
    ...[1 + 1, 2 ** 31 - 1].map((categoryId): Row => {
      return ['known-categories', 'refused-400 #2', plain, post(inCategory(categoryId), 400), last];
    }),
    ['known-categories', 'refused-400 #2', plain, post(inCategory(77), 400), refusedFar, last],
    [
      'known-categories',
      'refused-409 #3',
      plain,
      accepted(2, undefined, far),
      refused88,
      post(inCategory(-far), 409),
      last,
    ],
    ['known-categories', 'far-refused #3', plain, accepted(2, undefined, 77), refusedFar, last],
    // A field is kept if a later answer shows it: a 201 may repeat what was sent, or leave out what is stored.
    ['extra-body-fields', 'kept #2', plain, asked(animal(2)), shownLater(colour)],
    ['extra-body-fields', 'ignored #2', plain, asked(animal(2, colour)), shownLater()],
    ['extra-body-fields', 'ignored #2', plain, asked(animal(2)), list('', page(animal(2), animal(3, colour)))],
    ['extra-body-fields', 'kept #2', plain, asked(animal(2)), shownLater(), shownLater(colour)],
    ['extra-body-fields', undefined, plain, shownLater(colour), asked(animal(2))],
    ['extra-body-fields', undefined, plain, asked(animal(2, colour))],
    // An id that is no integer could not become the animal's.
    ['client-sent-id', undefined, plain, byClient(5)],
    ['client-sent-id', undefined, plain, byClient('"x"')],
    ['client-sent-id', 'ignored #2', plain, byClient(6)],
    ['chunked-bodies', 'accepted #2', plain, inChunks(201), last],
    ['chunked-bodies', 'refused-400 #2', plain, inChunks(400), last],
    ['chunked-bodies', 'refused-411 #2', plain, inChunks(411), last],
    ['chunked-bodies', undefined, plain, post(strangeName, 400), last],
  ]);
});

const errorOf = (code: string, status = 404, request = getPet(1n)): HandMadeAnswer => ({
  request,
  status,
  body: `{"code":"${code}","message":"m","status":${status}}`,
});

test('the codes of errors have a form where two statuses have some, and all of them match it', () => {
  check([
    ...(
      [
        ['snake-case', 'not_found', 'e2'],
        ['upper-case', 'NOT_FOUND', 'E2'],
        ['numeric', '40401', '7'],
        ['kebab-case', 'not-found', 'e'],
        ['camel-case', 'notFound', 'NotFound2'],
        ['words', "Not found it's", 'no-1'],
        ['mixed', 'not_found', 'NotFound'],
        ['mixed', '', '?'],
        ['generic', 'error', 'error'],
      ] as const
    ).map(
      ([form, one, other]): Row => [
        'error-codes',
        `${form} #1`,
        errorOf(one),
        errorOf(other, 400, listPets('limit=0')),
      ],
    ),
    ['error-codes', undefined, errorOf('not_found'), errorOf('other')],
    ['error-codes', undefined, errorOf('not_found'), errorOf('no', 405, { operation: 'other', target: '/x' })],
    ['error-codes', undefined, errorOf('not_found'), { ...errorOf('no', 400), body: '{"code":"no"}' }],
  ]);
});

const fromPage: HandMadeAnswer = {
  ...list('', '[]'),
  request: { ...listPets(), headers: { origin: 'https://page.invalid' } },
};
const lowerCase = (status: number): HandMadeAnswer => byLenientKey(list('', status === 200 ? '[]' : status));
const located = (location?: string) => creation(`{${fields}}`, animal(7), location === undefined ? {} : { location });
const dated = (ms: number) => read('x', 404, { date: new Date(ms).toUTCString() });
const noErrorTo = (one: HandMadeAnswer): HandMadeAnswer => ({ ...one, body: noError });
const unshown = (status: number, method = 'DELETE'): HandMadeAnswer => ({
  request: { operation: 'other', method, target: '/pets/1' },
  status,
});
const gone = (status: number, body?: string): HandMadeAnswer => ({
  ...read(1, body ?? status, { date: new Date(removalOfGetPet).toUTCString() }),
  status,
});
const sunset = 'Thu, 05 Dec 2030 00:00:00 GMT';
const link = '<https://host/x>; rel="successor-version"';
const announced = (headers: Headers) => read(1, animal(1), headers);
const unauthorized = keyless(list('', 401));
const challenged = keyless(list('', 401, { 'www-authenticate': 'Bearer' }));

test('headers, paths and methods show the answers to other gaps', () => {
  check([
    // The example of an answer is the first exchange that shows it.
    ['www-authenticate', 'none, sent #1', unauthorized, challenged, unauthorized],
    ...['/pets/7/', '/pets/17', '/v1/7'].map((to): Row => ['location-header', 'another-address #1', located(to)]),
    ['location-header', 'none, sent #1', located(), located('/pets/7')],
    ['location-header', undefined, list('', '[]', { location: '/pets/7' })],
    ['cors', 'any-origin #1', list('', '[]', { 'access-control-allow-origin': 'https://page.invalid ' })],
    ['cors', undefined, list('', '[]')],
    ['cors', 'any-origin #1', list('', '[]', { 'access-control-allow-origin': '*' })],
    ['cors', 'some-origins #1', list('', '[]', { 'access-control-allow-origin': 'https://page.example' })],
    ['cors', 'none #1', fromPage],
    ['bearer-case', 'accepted #1', lowerCase(200)],
    ['bearer-case', 'refused-401 #1', lowerCase(401)],
    ['bearer-case', 'refused-otherwise #1', lowerCase(403)],
    ['bearer-case', undefined, noErrorTo(lowerCase(401)), list('', 200)],
    ['pet-id-not-int64', 'refused-otherwise #1', noErrorTo(read('x', 404))],
    ['pet-id-not-int64', 'refused-400, refused-422 #1', read('9223372036854775808', 400), read('y', 422)],
    ['pet-id-not-int64', 'not-found-404 #1', dated(removalOfGetPet - 1_000)],
    ['pet-id-not-int64', undefined, read('7', 404), read('%20', 400), read('x', 500), dated(removalOfGetPet)],
    ['pet-id-not-int64', undefined, keyless(read('x', 404)), asOther(read('x', 404))],
    ['other-operations', 'answered #1', unshown(299)],
    ['other-operations', 'refused-otherwise #1', unshown(300)],
    ['other-operations', 'refused-otherwise #1', noErrorTo(unshown(404)), unshown(301)],
    ['other-operations', undefined, unshown(404, 'GET'), unshown(401), unshown(403), unshown(500), read('1', 404)],
    ['after-removal', 'refused-otherwise #2', brought('', 1), gone(410, noError)],
    ['after-removal', 'redirected #2', brought('', 1), gone(308, '')],
    ['after-removal', 'continues #2', brought('', 1), gone(200, animal(1))],
    ['after-removal', 'not-found-404 #2', brought('', 1), gone(404)],
    ['after-removal', 'gone-410 #2', brought('', 1), gone(410)],
    ['after-removal', 'refused-otherwise #2', brought('', 1), gone(403)],
    ['after-removal', 'refused-otherwise #2', brought('', 1), gone(400)],
    ['after-removal', undefined, brought('', 1), gone(500), read('1', 410), keyless(gone(410)), asOther(gone(410))],
    ['after-removal', undefined, gone(410), brought('', 1)],
    ['after-removal', undefined, brought('', 2), { ...gone(410), request: getPet(3n) }],
    ['deprecation-headers', 'deprecation #1', announced({ deprecation: '@1', sunset, link })],
    ...['"successor-version"', 'deprecation', 'SUNSET', '"help deprecation"'].flatMap((rel): readonly Row[] => [
      ['deprecation-headers', 'sunset #1', announced({ sunset, link: `</x>; rel=${rel}` })],
      ['deprecation-headers', 'other-header #1', announced({ link: `</x>; rel=${rel}` })],
    ]),
    ['deprecation-headers', 'sunset-only #1', announced({ sunset, link: '</sunset>; rel="next"' })],
    ['deprecation-headers', 'other-header #1', announced({ warning: '299 - "x"' })],
    ['deprecation-headers', 'none #1', announced({ link: '</x>; rel="next", <successor-version>' })],
    ['deprecation-headers', undefined, read(1, 400, { sunset, link }), read(1, 410), plain],
  ]);
  const today = removalOfGetPet;
  assert.is(observe('other-operations', [unshown(405)], { today }), undefined);
  assert.is(observe('other-operations', [unshown(405)], { today: today - 1 }), 'refused-405 #1');
});

test('what the interface leaves open is asked: a parameter, a path, a method, and getPet after its removal', () => {
  const [colour, path, method] = [
    '5 GET /pets?limit=1&colour=brown',
    '5 GET /no-such-path',
    '5 POST /pets/2305843009213693952',
  ];
  const shown = pageOf('', animalOf(7));
  const today = removalOfGetPet;
  assert.equal(requestsOf('ask-the-gaps', [shown]), [colour, path, method]);
  assert.equal(requestsOf('ask-the-gaps', [shown], { isReadOnly: true }), [colour, path]);
  assert.equal(requestsOf('ask-the-gaps', [shown], { today }), [colour, path, method, '5 GET /pets/7']);
  assert.equal(requestsOf('ask-the-gaps', [], { today }), [colour, path, method]);
  const { session } = sessionOf([], []);
  const [, ofPath, ofMethod] = gapProbes.probes(session).map(({ request }) => request(session)!);
  const headers = { origin: 'https://page.invalid' };
  assert.equal(ofPath, { operation: 'other', target: '/no-such-path', headers });
  assert.is(ofMethod!.operation, 'other');
});

test('where a category far from zero is refused, a nearer one is asked for once', () => {
  const creation = (at: number, categoryId: bigint, status: number): HandMadeAnswer => ({
    request: createPet({ name: makeName('abc123', at), categoryId }),
    status,
    ...(status === 201 && { body: `{"id":${at}}` }),
  });
  const [accepted, far] = [creation(1, 1n, 201), creation(2, -(2n ** 50n), 400)];
  const next = (...answers: Asked): readonly string[] => {
    const { session } = sessionOf(answers, []);
    return gapProbes.probes(session).flatMap((probe) =>
      probe.next!(session, session.exchanges[0]!).map(({ rank, request }) => {
        return `${rank} ${request(session)!.body!.replace(/"CF\w+"/, 'tag')}`;
      }),
    );
  };
  const nearer = '5 {"name":tag,"categoryId":1000000}';
  assert.equal(next(accepted, far), [nearer, nearer, nearer, nearer]);
  assert.equal(next(accepted, creation(2, 2n ** 50n, 201)), []);
  assert.equal(next(accepted, creation(2, 5n, 400)), []);
  assert.equal(next(far), []);
  const middle = { ...sessionOf([accepted, far], []).session, random: () => 0.5 };
  const [probe] = gapProbes.probes(middle)[0]!.next!(middle, middle.exchanges[0]!);
  assert.match(probe!.request(middle)!.body!, /"categoryId":501000000/);
  for (const [near, isEnough] of [
    [1_000_000n, true],
    [2n ** 31n - 1n, true],
    [999_999n, false],
    [2n ** 31n, false],
  ] as const)
    assert.is(next(accepted, far, creation(3, near, 400)).length === 0, isEnough, String(near));
});

test.run();
