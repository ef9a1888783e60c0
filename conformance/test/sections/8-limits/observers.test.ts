/** The observed window of a limit, and the observed form and length of refusals. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Plan } from '../../../../spec/facts.ts';
import { validKey } from '../../../http/credentials.ts';
import type { Credential } from '../../../http/exchange.ts';
import { answer, exhaustible, listing, observe, type PartialExchange, without } from '../observer-evidence.ts';

const key = validKey('Hand-Made-Key-4711').shown;
/** Seconds; noon of a day, at the start of a minute. */
const noon = Date.UTC(2026, 10, 21, 12) / 1000;

/** An answer at so many seconds past noon, which says what is left of a limit and when that resets. */
function readingAt(
  at: number,
  limit: number,
  remaining: number,
  reset: number,
  credential: Credential = key,
): PartialExchange {
  const headers = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(noon + reset),
    date: new Date((noon + at) * 1000).toUTCString(),
  };
  const response = answer(200, '[]', headers);
  return listing('', response, { credential, startedAt: (noon + at) * 1000, endedAt: (noon + at) * 1000 });
}

/** A refusal at so many seconds past noon. */
function refusal(
  at: number,
  retryAfter: string,
  part: { status?: number; credential?: Credential } = {},
): PartialExchange {
  const response = answer(part.status ?? 429, undefined, { 'retry-after': retryAfter });
  const time = (noon + at) * 1000;
  return listing('', response, { credential: part.credential ?? key, startedAt: time, endedAt: time });
}

test('the body of a 429 is observed as an Error, other JSON, HTML, text or empty', () => {
  const body = (text?: string, type = 'application/json') =>
    observe('too-many-requests-body', [listing('', answer(429, text, { 'content-type': type }))]);
  assert.is(body(), 'error #1');
  assert.is(body('{"detail":"x"}'), 'other-json #1');
  assert.is(body(''), 'empty #1');
  assert.is(body('<h1>No</h1>', 'text/plain'), 'html #1');
  assert.is(body(' \n<h1>No</h1>', 'text/plain'), 'html #1');
  assert.is(body('No', 'Text/HTML; charset=utf-8'), 'html #1');
  assert.is(body('No < yes', 'text/plain'), 'text #1');
  assert.is(observe('too-many-requests-body', [listing('', answer(400))]), undefined);
  const { 'content-type': _none, ...headers } = answer(429).headers;
  assert.is(observe('too-many-requests-body', [listing('', { status: 429, headers, body: 'No' })]), 'text #1');
});

test('Retry-After is observed as seconds or a date', () => {
  const gap = 'retry-after-form';
  assert.is(observe(gap, [refusal(0, '30')]), 'seconds #1');
  assert.is(observe(gap, [refusal(0, ' 30 ')]), 'seconds #1');
  assert.is(observe(gap, [refusal(0, 'soon'), refusal(0, 'Sat, 21 Nov 2026 12:00:30 GMT')]), 'http-date #2');
  assert.is(observe(gap, [refusal(0, 'soon'), refusal(0, '30', { status: 503 })]), undefined);
});

const windowOf = (asked: readonly PartialExchange[], plan?: Plan) =>
  observe('rate-limit-window', asked, plan === undefined ? {} : { plan });

test('a reset that moves on and back by turns is that of instances with clocks of their own', () => {
  const byTurns = [0, 1, 2, 3].map((at) => readingAt(at, 60, 59 - at, at % 2 === 0 ? 20 : 40));
  assert.is(windowOf(byTurns), 'at-most-a-minute #1');
  const moving = [0, 4, 8, 12].map((at) => readingAt(at, 60, 59, 40 + at));
  assert.is(windowOf(moving), 'moving #2');
});

test('a window of a minute is distinguished from a longer one', () => {
  assert.is(windowOf([readingAt(0, 60, 59, 60)]), 'at-most-a-minute #1');
  assert.is(windowOf([readingAt(0, 60, 59, 62)]), 'at-most-a-minute #1');
  assert.is(windowOf([readingAt(0, 60, 59, 63)]), 'other-length #1');
  assert.is(windowOf([readingAt(0, 60, 59, 60), readingAt(1, 900, 9, 700)]), 'tightest #2');
  assert.is(windowOf([listing('', answer(200, '[]'))]), undefined);
});

test('a long window is a day by its end, by its length or by the plan', () => {
  const toMidnight = 43_200;
  assert.is(windowOf([readingAt(0, 500, 9, 3_602)]), 'other-length #1');
  assert.is(windowOf([readingAt(0, 500, 9, 3_603)]), 'day #1');
  assert.is(windowOf([readingAt(toMidnight - 600, 500, 9, toMidnight)]), 'day #1');
  assert.is(windowOf([readingAt(0, 1_000, 9, 600)], 'free'), 'day #1');
  assert.is(windowOf([readingAt(0, 60, 9, 600)], 'free'), 'other-length #1');
  assert.is(windowOf([readingAt(0, 1_000, 9, 600)]), 'other-length #1');
});

test("the time to a reset is the smaller by the target's clock and ours", () => {
  const date = new Date((noon - 30) * 1000).toUTCString();
  const { response, ...rest } = readingAt(0, 60, 59, 60);
  assert.is(
    windowOf([{ ...rest, response: { ...response!, headers: { ...response!.headers, date } } }]),
    'at-most-a-minute #1',
  );
  const ahead = new Date((noon + 600) * 1000).toUTCString();
  const { response: later, ...others } = readingAt(0, 60, 59, 640);
  assert.is(
    windowOf([{ ...others, response: { ...later!, headers: { ...later!.headers, date: ahead } } }]),
    'at-most-a-minute #1',
  );
});

test('malformed numbers, refusals and other keys show no window', () => {
  const { response, ...rest } = readingAt(0, 60, 59, 600);
  for (const name of ['limit', 'remaining', 'reset']) {
    const headers = { ...response!.headers, [`x-ratelimit-${name}`]: 'many' };
    assert.is(windowOf([{ ...rest, response: { ...response!, headers } }]), undefined, name);
  }
  assert.is(windowOf([{ ...rest, response: { ...response!, status: 429 } }]), undefined);
  assert.is(windowOf([{ ...rest, response: response!, credential: without }]), undefined);
  assert.is(windowOf([readingAt(0, 60, 59, 600, exhaustible)]), 'other-length #1');
});

test('a reset that moves before it has come belongs to no fixed window', () => {
  assert.is(windowOf([readingAt(0, 60, 59, 30), readingAt(5, 60, 58, 32)]), 'moving #2');
  assert.is(windowOf([readingAt(0, 60, 59, 30), readingAt(5, 60, 58, 31)]), 'at-most-a-minute #1');
  assert.is(windowOf([readingAt(0, 60, 59, 30), readingAt(28, 60, 58, 60)]), 'at-most-a-minute #1');
  assert.is(windowOf([readingAt(0, 60, 59, 30), readingAt(27, 60, 58, 60)]), 'moving #2');
  const slowly = [0, 10, 20].map((at) => readingAt(at, 60, 59, 30 + at / 10));
  assert.is(windowOf(slowly), 'moving #3');
  assert.is(windowOf([readingAt(0, 60, 59, 30), readingAt(5, 60, 59, 40, exhaustible)]), 'at-most-a-minute #1');
});

test("without a key the limit is observed as zero, the Free plan's, the key's, or another", () => {
  const gap = 'rate-limit-without-key';
  const ofKey = (limit: number) => readingAt(0, limit, 9, 60);
  const refused = (limit: number) => readingAt(1, limit, 9, 60, without);
  assert.is(observe(gap, [ofKey(300), refused(60)]), 'free-per-address #2');
  assert.is(observe(gap, [ofKey(300), refused(1_000)]), 'free-per-address #2');
  assert.is(observe(gap, [ofKey(60), refused(60)]), undefined);
  assert.is(observe(gap, [ofKey(300), refused(300)]), 'same-as-key #2');
  assert.is(observe(gap, [ofKey(300), refused(120)]), 'another #2');
  assert.is(observe(gap, [ofKey(300), refused(0)]), 'zero #2');
  assert.is(observe(gap, [ofKey(300), readingAt(1, 120, 9, 60, exhaustible)]), undefined);
  for (const kind of ['invalid', 'misplaced'] as const) {
    assert.is(observe(gap, [readingAt(1, 120, 9, 60, { ...without, kind })]), 'another #1', kind);
  }
});

/** So many refusals, each a second after the one before, and all until the same time. */
const refusals = (count: number, credential: Credential = exhaustible): readonly PartialExchange[] =>
  Array.from({ length: count }, (_nothing, at) => refusal(at, String(60 - at), { credential }));

test('many refusals that end together show that there is no ban', () => {
  assert.is(observe('ban', refusals(21)), 'none #1');
  assert.is(observe('ban', refusals(20)), undefined);
  assert.is(observe('ban', refusals(21, key)), 'none #1');
  assert.is(observe('ban', [readingAt(0, 60, 9, 60, exhaustible), ...refusals(21)]), 'none #2');
  assert.is(observe('ban', refusals(21, without)), undefined);
});

test('a later refusal that ends later than the first, or is a 401 or 403, is a ban', () => {
  const after = (last: PartialExchange) => observe('ban', [...refusals(3), last]);
  assert.is(after(refusal(3, '63', { credential: exhaustible })), 'banned-429 #4');
  assert.is(after(refusal(3, '62', { credential: exhaustible })), undefined);
  assert.is(after(refusal(3, '1', { credential: exhaustible, status: 401 })), 'banned-401 #4');
  assert.is(after(refusal(3, '1', { credential: exhaustible, status: 403 })), 'banned-403 #4');
  assert.is(after(refusal(3, 'soon', { credential: exhaustible })), undefined);
  assert.is(after(refusal(3, '90', { credential: exhaustible, status: 503 })), undefined);
  assert.is(after(refusal(3, '90', { credential: without })), undefined);
});

test('an answer after the end of the first refusal shows no ban', () => {
  const late = (at: number) => observe('ban', [...refusals(2), refusal(at, '90', { credential: exhaustible })]);
  assert.is(late(59), 'banned-429 #3');
  assert.is(late(60), undefined);
  const unreadable = refusal(0, 'soon', { credential: exhaustible });
  assert.is(observe('ban', [unreadable, refusal(1, '90', { credential: exhaustible })]), undefined);
  const before = refusal(0, '90', { credential: exhaustible, status: 401 });
  assert.is(observe('ban', [before, ...refusals(2)]), undefined);
  assert.is(observe('ban', [...refusals(2, key), refusal(3, '63', { credential: exhaustible })]), undefined);
});

test.run();
