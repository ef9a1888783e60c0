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
  request: { method: 'POST', target: '/pets', headers: {}, body: '{}' },
} as const;
const attack = { ...creation, request: { ...creation.request, body: '{"name":"<b>"}' } };

const rows: readonly (readonly [string, Exchange])[] = [
  ['answer', answer(200)],
  ['answer', answer(500)],
  ['answer', answer(501)],
  ...[502, 503, 504, 520, 530, 408].map((status) => ['outage', answer(status, error(status), limits)] as const),
  ['answer', answer(401)],
  ['answer', answer(302)],
  ['answer', answer(400, page, {}, creation)],
  ['foreign', answer(400)],
  ...[403, 404, 405, 406, 413, 414, 422, 431].map((status) => ['foreign', answer(status)] as const),
  ['foreign', answer(403, '{"message":"Forbidden"}')],
  ['answer', answer(422, '{"detail":[]}')],
  ['answer', answer(403, error(403))],
  ['answer', answer(403, page, limits)],
  // §5 states the answer to a wrong key, unless something else about the request is strange.
  ['answer', answer(403, 'Forbidden', {}, { credential: noKey.shown })],
  ['answer', answer(403, 'Forbidden', {}, { ...creation, credential: noKey.shown })],
  ['foreign', answer(403, 'Forbidden', {}, { ...attack, credential: noKey.shown })],
  ['answer', answer(403, 'No <b>', {}, { credential: noKey.shown })],
  ['foreign', answer(403, page, {}, { credential: noKey.shown })],
  ['foreign', answer(403, ` ${page}`, {}, { credential: noKey.shown })],
  ['foreign', answer(431, 'Too large', {}, { credential: noKey.shown })],
  ['refusal', answer(429, '', limits)],
  ['refusal', answer(429, error(429))],
  ['refusal', answer(429, '', {}, { credential: rateLimitKey('Limit-Key-4711').shown })],
  ['foreign', answer(429, '')],
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
  const gateway = "2 of 5 answers were a gateway's (502, 503): not judged.";
  assert.equal(describeForeign(exchanges, 5), [gateway, '1 of 5 requests got no answer: not judged.']);
  assert.equal(describeForeign(failsEachTime, 5), []);
  assert.is(countUnanswered(exchanges), 0);
  const due = [at(1, 'broken'), at(2, 'broken', 1), at(3, 'broken')];
  const notDue = { ...at(4, 'broken'), operation: 'other' } as const;
  const ofLimitKey = { ...at(5, 'broken'), credential: rateLimitKey('Limit-Key-4711').shown };
  assert.is(countUnanswered([...due, notDue, ofLimitKey]), 2);
});

test.run();
