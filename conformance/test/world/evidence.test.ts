/** What an exchange counts as, and which requests fail by themselves. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noKey, rateLimitKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import {
  countUnanswered,
  describeForeign,
  evidenceOf,
  isOutage,
  lastingOutages,
  looksForeign,
} from '../../world/evidence.ts';
import { exchangeOf } from '../run/hand-made.ts';

const limits = { 'x-ratelimit-limit': '60' };
const page = '<html></html>';
const error = (status: number): string => `{"code":"a","message":"b","status":${status}}`;
const failure = (code: string): Partial<Exchange> => ({ failure: { code, message: 'none' } });

function answer(status: number, body = page, headers = {}, part: Partial<Exchange> = {}): Exchange {
  return exchangeOf(1, { response: { status, headers, body }, ...part });
}

const creation = {
  operation: 'createPet',
  request: { method: 'POST', target: '/pets', headers: { 'content-type': 'application/json' }, body: '{}' },
} as const;
const creationOf = (body: string, headers: object = creation.request.headers) =>
  ({ ...creation, request: { ...creation.request, headers: { ...headers }, body } }) as const;
const attack = creationOf('{"name":"<b>"}');
const listingOf = (query: string) => ({ request: { method: 'GET', target: `/pets?${query}`, headers: {} } });
const keyless = { credential: noKey.shown };
const oddKey = { credential: { ...noKey.shown, isUnusual: true } } as const;

const rows: readonly (readonly [string, Exchange])[] = [
  ['answer', answer(200)],
  ['answer', answer(500)],
  ['answer', answer(501)],
  ...[502, 503, 504, 520, 530, 408].map((status) => ['outage', answer(status, error(status), limits)] as const),
  ['answer', answer(401)],
  ['answer', answer(302)],
  ['answer', answer(400, page, {}, creation)],
  // Whatever stands at the base address is the service: to plain content every refusal is its own.
  ...[400, 403, 404, 405, 406, 413, 414, 422, 431].map((status) => ['answer', answer(status)] as const),
  ...[400, 403, 404].map((status) => ['answer', answer(status, page, {}, keyless)] as const),
  ...['limit=0', 'limit=abc', 'status=sold&limit=2', 'limit=-1.5'].map((query) => {
    return ['answer', answer(400, page, {}, listingOf(query))] as const;
  }),
  ...['{"name":"Rex","categoryId":1}', ' [1, 2.5]', 'null', '{', '{"name":"Rex-1 b",\n"categoryId":+1}'].map((body) => {
    return ['answer', answer(400, page, {}, creationOf(body))] as const;
  }),
  [
    'answer',
    answer(403, page, {}, creationOf('{}', { 'content-type': 'application/json; charset=utf-8', accept: 'x' })),
  ],
  // A refusal of unusual content says nothing of plain content: characters, encodings, size, headers.
  ...[400, 403, 404, 413, 422, 431].map((status) => ['foreign', answer(status, page, {}, attack)] as const),
  ['foreign', answer(403, '{"message":"Forbidden"}', {}, attack)],
  ['foreign', answer(403, 'Forbidden', {}, { ...attack, ...keyless })],
  ...["'", '\\u0000', 'é', '<', '%', '\u0000', ';'].map((character) => {
    return ['foreign', answer(403, page, {}, creationOf(`{"name":"${character}"}`))] as const;
  }),
  ['foreign', answer(413, page, {}, creationOf(' '.repeat(513)))],
  ['answer', answer(413, page, {}, creationOf(' '.repeat(512)))],
  ['foreign', answer(400, page, {}, creationOf('{}', { 'content-type': 'text/plain' }))],
  ['foreign', answer(400, page, {}, creationOf('{}', {}))],
  ['foreign', answer(411, page, {}, creationOf('{}', { ...creation.request.headers, 'transfer-encoding': 'chunked' }))],
  ...['status=%27', 'status=sold;x', `limit=${'9'.repeat(200)}`].map((query) => {
    return ['foreign', answer(400, page, {}, listingOf(query))] as const;
  }),
  ['foreign', answer(431, page, {}, oddKey)],
  // Unless it is the service's own by its headers or its body, or is about the key, or no refusal.
  ['answer', answer(401, page, {}, oddKey)],
  ['answer', answer(500, page, {}, attack)],
  ['answer', answer(302, page, {}, attack)],
  ['answer', answer(403, error(403), {}, attack)],
  ['answer', answer(403, page, limits, attack)],
  ['answer', answer(404, page, {}, { ...listingOf('x=%27'), operation: 'other' })],
  // A refusal for the rate limit is one, with or without headers and body.
  ['refusal', answer(429, '', limits)],
  ['refusal', answer(429, error(429))],
  ['refusal', answer(429, '', {}, attack)],
  ['refusal', answer(429, '', {}, { credential: rateLimitKey('Limit-Key-4711').shown })],
  ['refusal', answer(429, '')],
  ['refusal', answer(429, page)],
];

test('an exchange is classified by itself', () => {
  assert.equal(
    rows.map(([, exchange]) => [evidenceOf(exchange), exchange.response?.status, exchange.response?.body]),
    rows.map(([expected, { response }]) => [expected, response?.status, response?.body]),
  );
});

test('an error looks foreign without limits and JSON', () => {
  const all = [answer(400), answer(400, '{}'), answer(400, page, limits), answer(200), answer(399), answer(503)];
  assert.equal(all.map(looksForeign), [true, false, false, false, false, true]);
});

/** An exchange in the second of its number: a status, or a broken connection. */
function at(number: number, status: number | 'broken', repeats?: number): Exchange {
  const { response, ...plain } = exchangeOf(number, repeats === undefined ? {} : { repeats });
  return status === 'broken' ? { ...plain, ...failure('broken') } : { ...plain, response: { ...response!, status } };
}

test('a broken connection and a late answer look like an outage, an answer or a body that is too large does not', () => {
  const { response: _response, ...plain } = exchangeOf(1);
  for (const code of ['broken', 'unreachable', 'malformed', 'timeout'])
    assert.ok(isOutage({ ...plain, ...failure(code) }), code);
  assert.not(isOutage({ ...plain, ...failure('too-large') }));
  const large = { ...creation.request, body: 'x'.repeat(5_000) };
  assert.not(isOutage({ ...plain, ...failure('broken'), request: large }));
});

const numbersOf = (exchanges: Iterable<Exchange>): readonly number[] => [...exchanges].map(({ number }) => number);
/** A request that fails at 1, 2, 4 and 9 s while another is served. */
const failsEachTime = [at(1, 503), at(2, 503, 1), at(3, 200), at(4, 502, 1), at(9, 503, 1)];

test('a request that fails each time over seven seconds, while another is served, fails by itself', () => {
  assert.equal([...lastingOutages(failsEachTime).values()].map(numbersOf), [[1, 2, 4, 3, 9]]);
  const chained = [at(1, 503), at(2, 'broken', 1), at(3, 200), at(4, 503, 2), at(9, 503, 4)];
  assert.equal(numbersOf(lastingOutages(chained).keys()), [9]);
});

const outages: Readonly<Record<string, readonly Exchange[]>> = {
  'it was served at last': [...failsEachTime.slice(0, 4), at(9, 200, 1)],
  'it was repeated twice only': [at(1, 503), at(2, 503, 1), at(3, 200), at(9, 503, 1)],
  'less than seven seconds passed': [at(1, 503), at(2, 503, 1), at(3, 200), at(4, 503, 1), at(7, 503, 1)],
  'no other request was served meanwhile': failsEachTime.filter(({ number }) => number !== 3),
  'another was served only after its last attempt': [
    ...failsEachTime.filter(({ number }) => number !== 3),
    at(12, 200),
  ],
  'the other was refused with 429': failsEachTime.map((one) => (one.number === 3 ? at(3, 429) : one)),
  'the gateway failed the other request, too': failsEachTime.map((one) => (one.number === 3 ? at(3, 504) : one)),
  'a gateway fails now and then': [...failsEachTime, ...[20, 30].flatMap((n) => [at(n, 503), at(n + 1, 200, n)])],
};

for (const [why, exchanges] of Object.entries(outages)) {
  test(`an outage shows nothing of a request: ${why}`, () => assert.is(lastingOutages(exchanges).size, 0));
}

test('one other request that recovered asks for no more repetitions', () => {
  assert.is(lastingOutages([...failsEachTime, at(20, 503), at(21, 200, 20)]).size, 1);
});

test('where a gateway fails now and then, eight repetitions show that a request fails by itself', () => {
  const more = [17, 25, 33, 41, 49].map((number) => at(number, 503, 1));
  assert.equal(numbersOf(lastingOutages([...outages['a gateway fails now and then']!, ...more]).keys()), [49]);
});

test('what was foreign is one sentence, and a request is unanswered if its last repetition is', () => {
  const exchanges = [at(1, 503), at(2, 200, 1), at(3, 502), at(4, 'broken', 3), at(5, 200, 3)];
  const gateway = '2 of 5 answers came from a gateway (502, 503): not judged.';
  assert.equal(describeForeign(exchanges, 5), [gateway, '1 of 5 requests got no answer: not judged.']);
  assert.equal(describeForeign(failsEachTime, 5), []);
  const refused = [answer(403, page, {}, attack), answer(413, page, {}, attack)];
  assert.equal(describeForeign(refused, 9), [
    '2 of 9 requests got a refusal for unusual content (403, 413): not judged.',
  ]);
  assert.is(countUnanswered(exchanges), 0);
  const due = [at(1, 'broken'), at(2, 'broken', 1), at(3, 'broken')];
  const notDue = { ...at(4, 'broken'), operation: 'other' } as const;
  const ofLimitKey = { ...at(5, 'broken'), credential: rateLimitKey('Limit-Key-4711').shown };
  assert.is(countUnanswered([...due, notDue, ofLimitKey]), 2);
});

test.run();
