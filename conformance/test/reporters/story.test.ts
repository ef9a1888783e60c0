/** The first line of a cause holds what was sent, what came back and what was expected, each cut where it is long. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { storyOf } from '../../reporters/story.ts';
import type { ReportedExchange, ReportedFailure } from '../../verdict/report.ts';
import { exchanges as sampleExchanges } from './sample-exchanges.ts';

type Answer = NonNullable<ReportedExchange['response']>;

const [usual] = sampleExchanges;
const limits = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1795255260' };

/** A request of the API key with an empty answer. */
function exchange(
  request: Partial<ReportedExchange['request']> = {},
  answer: Partial<Answer> = {},
  part: Partial<ReportedExchange> = {},
): ReportedExchange {
  const { response: _response, ...rest } = usual!;
  return {
    ...rest,
    number: 1,
    request: { method: 'GET', target: '/pets', headers: {}, ...request },
    response: { status: 200, headers: {}, body: '', ...answer },
    ...part,
  };
}

/** What is told of some exchanges, all of which the failure cites. */
function told(section: string, exchanges: readonly ReportedExchange[], part: Partial<ReportedFailure> = {}): string {
  const numbered = exchanges.map((one, at) => ({ ...one, number: at + 1 }));
  const failure = { code: 'c', expected: 'this', received: 'that', exchanges: numbered.map(({ number }) => number) };
  return storyOf({ ...failure, curl: '', ...part }, numbered, section);
}

const sending = (body: string): string => told('4.2', [exchange({ method: 'POST', body })]);

test('a request stands beside its answer, and the status that came is not said twice', () => {
  assert.is(told('4.1', [exchange()]), 'GET /pets → 200: expected this, received that');
  assert.is(told('4.1', [exchange()], { received: '200' }), 'GET /pets → 200: expected this');
  assert.is(told('4.1', [exchange()], { received: '2000' }), 'GET /pets → 200: expected this, received 2000');
  assert.is(told('4.1', [], { exchanges: [7] }), 'expected this, received that');
  assert.is(
    told('4.1', [exchange({ target: `/pets?x=${'y'.repeat(120)}` })]),
    `GET /pets?x=${'y'.repeat(112)}… (128 characters) → 200: expected this, received that`,
  );
});

test('a credential is named unless it is the API key', () => {
  const other = { credentialId: 'none', credential: 'no Authorization header' };
  const unauthorized = exchange({}, { status: 401, body: ' {"code":"c"}\n' }, other);
  assert.is(
    told('5', [unauthorized]),
    'GET /pets with no Authorization header → 401 {"code":"c"}: expected this, received that',
  );
});

test('a body is shown as it was sent; of a long object each value is cut, and any other long body at its end', () => {
  const tail = ' → 200: expected this, received that';
  assert.is(sending(''), `POST /pets (empty body)${tail}`);
  assert.is(sending(' {"name": 7} '), `POST /pets  {"name": 7} ${tail}`);
  assert.is(sending('x'.repeat(160)), `POST /pets ${'x'.repeat(160)}${tail}`);
  assert.is(sending('x'.repeat(161)), `POST /pets ${'x'.repeat(160)}… (161 characters)${tail}`);
  assert.is(sending(`"${'x'.repeat(160)}"`), `POST /pets "${'x'.repeat(159)}… (162 characters)${tail}`);
  // White space at an end makes no body long.
  assert.is(sending(`{}${' '.repeat(200)}`), `POST /pets {}${' '.repeat(200)}${tail}`);
  const [long, number] = ['z'.repeat(200), '12345678901234567890'];
  assert.is(
    sending(`{"name": "${long}", "categoryId": ${number}}`),
    `POST /pets {"name":"${'z'.repeat(39)}… (202 characters),"categoryId":${number}}${tail}`,
  );
  const many = JSON.stringify(Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`field${at + 10}`, 1])));
  assert.is(sending(many), `POST /pets ${many.slice(0, 320)}… (${many.length} characters)${tail}`);
});

test('a refusal shows why, and a success, an empty refusal and a broken connection do not', () => {
  const answering = (answer: Partial<Answer>): string => told('4.1', [exchange({}, answer)]);
  const tail = ': expected this, received that';
  assert.is(answering({ status: 400, body: '{"message":"no"}' }), `GET /pets → 400 {"message":"no"}${tail}`);
  assert.is(
    answering({ status: 500, body: 'x'.repeat(101) }),
    `GET /pets → 500 ${'x'.repeat(100)}… (101 characters)${tail}`,
  );
  assert.is(answering({ status: 400, body: ' \n' }), `GET /pets → 400${tail}`);
  assert.is(answering({ status: 399, body: 'x' }), `GET /pets → 399${tail}`);
  const { response: _response, ...broken } = exchange({ body: '{}' });
  const reset = { ...broken, failure: { code: 'ECONNRESET', message: `hung up ${'x'.repeat(100)}` } };
  assert.is(told('4.1', [reset]), `GET /pets {} → no response (hung up ${'x'.repeat(92)}… (108 characters))${tail}`);
  assert.is(told('4.1', [broken]), `GET /pets {} → no response ()${tail}`);
  assert.is(
    told('5', [{ ...reset, failure: { code: 'x', message: 'y' }, credentialId: 'none', credential: 'no key' }]),
    `GET /pets {} with no key → no response (y)${tail}`,
  );
});

test('where limits are judged, an answer shows its headers of limits in place of its body', () => {
  const limited = (answer: Partial<Answer>): string =>
    told('8', [exchange({}, { body: 'too many', ...answer })]).replace(/: expected this.*/, '');
  const all = 'x-ratelimit-limit: 60, x-ratelimit-remaining: 0, x-ratelimit-reset: 1795255260';
  assert.is(limited({ headers: limits }), `GET /pets → 200 (${all})`);
  assert.is(limited({ status: 429, headers: limits }), `GET /pets → 429 (${all}) and without Retry-After`);
  const retried = { ...limits, 'retry-after': '7' };
  assert.is(limited({ status: 429, headers: retried }), `GET /pets → 429 (${all}, retry-after: 7)`);
  assert.is(limited({ status: 404 }), 'GET /pets → 404 without X-RateLimit headers');
  assert.is(limited({ status: 429 }), 'GET /pets → 429 without X-RateLimit headers and without Retry-After');
  assert.is(
    limited({ headers: { 'x-ratelimit-limit': '6'.repeat(41) } }),
    `GET /pets → 200 (x-ratelimit-limit: ${'6'.repeat(40)}… (41 characters))`,
  );
});

test('several exchanges stand in their order; of more than three the first and the last two', () => {
  const pages = [1, 2, 3, 4, 5].map((limit) => exchange({ target: `/pets?limit=${limit}` }));
  const lineOf = (limit: number): string => `GET /pets?limit=${limit} → 200`;
  const tail = ': expected this, received that';
  assert.is(told('4.1', pages.slice(0, 3)), `${lineOf(1)}, then ${lineOf(2)}, then ${lineOf(3)}${tail}`);
  assert.is(told('4.1', pages), `${lineOf(1)}, then 2 more, then ${lineOf(4)}, then ${lineOf(5)}${tail}`);
});

test.run();
